//! The small vocabulary of chess: colours, pieces, files, ranks, squares.
//!
//! Every type is an exhaustive enum, so a bad value cannot be built from safe code and
//! `Option<Square>` costs no extra byte. Each type indexes arrays of its own length
//! (`[T; 64]` by `Square`, `[T; 2]` by `Color`, …) without a bounds check.

use std::fmt;
use std::ops::{Index, IndexMut, Not};

/// Declares a `repr(u8)` enum whose variants count up from zero, with checked and wrapping
/// conversions from an index and array indexing by the enum.
macro_rules! index_enum {
    ($(#[$doc:meta])* $name:ident, $count:literal, { $($(#[$vdoc:meta])* $variant:ident = $index:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $index),+ }

        impl $name {
            /// Number of values of this type.
            pub const COUNT: usize = $count;
            /// All values in index order.
            pub const ALL: [Self; $count] = [$(Self::$variant),+];

            /// The value with this index, if there is one.
            ///
            /// ```
            /// use tabiya_chess::{Color, Square};
            /// assert_eq!(Square::from_index(63), Some(Square::H8));
            /// assert_eq!(Color::from_index(2), None);
            /// ```
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                match index { $($index => Some(Self::$variant),)+ _ => None }
            }

            /// The position of this value in [`Self::ALL`].
            ///
            /// ```
            /// use tabiya_chess::{PieceType, Rank};
            /// assert_eq!((PieceType::Queen.index(), Rank::R8.index()), (4, 7));
            /// ```
            #[inline]
            pub const fn index(self) -> usize { self as usize }
        }

        impl<T> Index<$name> for [T; $count] {
            type Output = T;
            #[inline]
            fn index(&self, i: $name) -> &T { &self[i as usize] }
        }

        impl<T> IndexMut<$name> for [T; $count] {
            #[inline]
            fn index_mut(&mut self, i: $name) -> &mut T { &mut self[i as usize] }
        }
    };
}

index_enum!(
    /// One of the two players.
    ///
    /// ```
    /// use tabiya_chess::Color;
    /// assert_eq!(!Color::White, Color::Black);
    /// assert_eq!(Color::Black.to_string(), "black");
    /// ```
    Color, 2, {
        /// The side that moves first.
        White = 0,
        /// The other side.
        Black = 1,
    }
);

index_enum!(
    /// What a piece is, without its colour.
    ///
    /// ```
    /// use tabiya_chess::PieceType;
    /// let value = [1, 3, 3, 5, 9, 0];
    /// assert_eq!(value[PieceType::Rook], 5);
    /// ```
    PieceType, 6, {
        /// Pawn.
        Pawn = 0,
        /// Knight.
        Knight = 1,
        /// Bishop.
        Bishop = 2,
        /// Rook.
        Rook = 3,
        /// Queen.
        Queen = 4,
        /// King.
        King = 5,
    }
);

index_enum!(
    /// A coloured piece. The index is `2 * type + colour`.
    ///
    /// ```
    /// use tabiya_chess::Piece;
    /// assert_eq!(Piece::BlackKnight.to_string(), "black knight");
    /// ```
    Piece, 12, {
        /// White pawn.
        WhitePawn = 0,
        /// Black pawn.
        BlackPawn = 1,
        /// White knight.
        WhiteKnight = 2,
        /// Black knight.
        BlackKnight = 3,
        /// White bishop.
        WhiteBishop = 4,
        /// Black bishop.
        BlackBishop = 5,
        /// White rook.
        WhiteRook = 6,
        /// Black rook.
        BlackRook = 7,
        /// White queen.
        WhiteQueen = 8,
        /// Black queen.
        BlackQueen = 9,
        /// White king.
        WhiteKing = 10,
        /// Black king.
        BlackKing = 11,
    }
);

index_enum!(
    /// A column of the board, a to h.
    ///
    /// ```
    /// use tabiya_chess::File;
    /// assert_eq!(File::ALL.map(File::letter).iter().collect::<String>(), "abcdefgh");
    /// ```
    File, 8, {
        /// The a-file.
        A = 0,
        /// The b-file.
        B = 1,
        /// The c-file.
        C = 2,
        /// The d-file.
        D = 3,
        /// The e-file.
        E = 4,
        /// The f-file.
        F = 5,
        /// The g-file.
        G = 6,
        /// The h-file.
        H = 7,
    }
);

index_enum!(
    /// A row of the board, 1 to 8 from White's side.
    ///
    /// ```
    /// use tabiya_chess::{Rank, Square};
    /// assert_eq!(Rank::ALL[0], Square::E1.rank());
    /// ```
    Rank, 8, {
        /// White's back rank.
        R1 = 0,
        /// White's pawn rank.
        R2 = 1,
        /// Third rank.
        R3 = 2,
        /// Fourth rank.
        R4 = 3,
        /// Fifth rank.
        R5 = 4,
        /// Sixth rank.
        R6 = 5,
        /// Black's pawn rank.
        R7 = 6,
        /// Black's back rank.
        R8 = 7,
    }
);

#[rustfmt::skip]
mod square {
    #![allow(missing_docs, reason = "the names of the squares speak for themselves")]
    use super::{Index, IndexMut};
    index_enum!(
        /// One of the 64 squares; index 0 is a1, 7 is h1, 63 is h8.
        ///
        /// ```
        /// use tabiya_chess::Square;
        /// let mut visits = [0; Square::COUNT];
        /// visits[Square::E4] += 1;
        /// assert_eq!((Square::E4.index(), visits[28]), (28, 1));
        /// ```
        Square, 64, {
            A1 = 0, B1 = 1, C1 = 2, D1 = 3, E1 = 4, F1 = 5, G1 = 6, H1 = 7,
            A2 = 8, B2 = 9, C2 = 10, D2 = 11, E2 = 12, F2 = 13, G2 = 14, H2 = 15,
            A3 = 16, B3 = 17, C3 = 18, D3 = 19, E3 = 20, F3 = 21, G3 = 22, H3 = 23,
            A4 = 24, B4 = 25, C4 = 26, D4 = 27, E4 = 28, F4 = 29, G4 = 30, H4 = 31,
            A5 = 32, B5 = 33, C5 = 34, D5 = 35, E5 = 36, F5 = 37, G5 = 38, H5 = 39,
            A6 = 40, B6 = 41, C6 = 42, D6 = 43, E6 = 44, F6 = 45, G6 = 46, H6 = 47,
            A7 = 48, B7 = 49, C7 = 50, D7 = 51, E7 = 52, F7 = 53, G7 = 54, H7 = 55,
            A8 = 56, B8 = 57, C8 = 58, D8 = 59, E8 = 60, F8 = 61, G8 = 62, H8 = 63,
        }
    );
}
pub use square::Square;

const _: () = {
    assert!(size_of::<Option<Square>>() == 1);
    assert!(size_of::<Option<Piece>>() == 1);
};

impl Not for Color {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl Color {
    /// The rank on which this side's pieces start.
    ///
    /// ```
    /// use tabiya_chess::{Color, Rank};
    /// assert_eq!(Color::Black.back_rank(), Rank::R8);
    /// ```
    #[inline]
    pub const fn back_rank(self) -> Rank {
        match self {
            Self::White => Rank::R1,
            Self::Black => Rank::R8,
        }
    }

    /// `w` or `b`, as in a FEN.
    ///
    /// ```
    /// use tabiya_chess::Color;
    /// assert_eq!(Color::White.letter(), 'w');
    /// ```
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::White => "white",
            Self::Black => "black",
        })
    }
}

impl PieceType {
    /// The lower-case letter of this piece in a FEN or as a UCI promotion.
    ///
    /// ```
    /// use tabiya_chess::PieceType;
    /// assert_eq!(PieceType::Knight.letter(), 'n');
    /// ```
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }

    /// Reads a piece letter of either case.
    ///
    /// ```
    /// use tabiya_chess::PieceType;
    /// assert_eq!(PieceType::from_letter('N'), Some(PieceType::Knight));
    /// ```
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            'p' => Some(Self::Pawn),
            'n' => Some(Self::Knight),
            'b' => Some(Self::Bishop),
            'r' => Some(Self::Rook),
            'q' => Some(Self::Queen),
            'k' => Some(Self::King),
            _ => None,
        }
    }

    /// Reads the letter, of either case, of a piece a pawn may become.
    ///
    /// ```
    /// use tabiya_chess::PieceType;
    /// assert_eq!(PieceType::promotion_from_letter('q'), Some(PieceType::Queen));
    /// assert_eq!(PieceType::promotion_from_letter('k'), None);
    /// ```
    pub fn promotion_from_letter(letter: char) -> Option<Self> {
        Self::from_letter(letter).filter(|kind| !matches!(kind, Self::Pawn | Self::King))
    }
}

impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Pawn => "pawn",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Queen => "queen",
            Self::King => "king",
        })
    }
}

impl Piece {
    /// The piece of this colour and type.
    ///
    /// ```
    /// use tabiya_chess::{Color, Piece, PieceType};
    /// assert_eq!(Piece::new(Color::Black, PieceType::Rook), Piece::BlackRook);
    /// ```
    #[inline]
    pub const fn new(color: Color, kind: PieceType) -> Self {
        // Twelve identical arms fold into `2 * kind + color` without a table.
        match Self::from_index(2 * kind as usize + color as usize) {
            Some(piece) => piece,
            None => unreachable!(),
        }
    }

    /// The colour of this piece.
    ///
    /// ```
    /// use tabiya_chess::{Color, Piece};
    /// assert_eq!(Piece::BlackRook.color(), Color::Black);
    /// ```
    #[inline]
    pub const fn color(self) -> Color {
        if self as u8 & 1 == 0 { Color::White } else { Color::Black }
    }

    /// The type of this piece.
    ///
    /// ```
    /// use tabiya_chess::{Piece, PieceType};
    /// assert_eq!(Piece::BlackRook.kind(), PieceType::Rook);
    /// ```
    #[inline]
    pub const fn kind(self) -> PieceType {
        match PieceType::from_index(self as usize >> 1) {
            Some(kind) => kind,
            None => unreachable!(),
        }
    }

    /// The letter of this piece in a FEN: upper case for White.
    ///
    /// ```
    /// use tabiya_chess::Piece;
    /// assert_eq!((Piece::WhiteQueen.letter(), Piece::BlackQueen.letter()), ('Q', 'q'));
    /// ```
    pub const fn letter(self) -> char {
        let letter = self.kind().letter();
        match self.color() {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }

    /// Reads a FEN letter.
    ///
    /// ```
    /// use tabiya_chess::Piece;
    /// assert_eq!(Piece::from_letter('N'), Some(Piece::WhiteKnight));
    /// ```
    pub fn from_letter(letter: char) -> Option<Self> {
        let kind = PieceType::from_letter(letter)?;
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        Some(Self::new(color, kind))
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.color(), self.kind())
    }
}

impl File {
    /// The lower-case letter of this file.
    ///
    /// ```
    /// use tabiya_chess::File;
    /// assert_eq!(File::C.letter(), 'c');
    /// ```
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// Reads a lower-case file letter.
    ///
    /// ```
    /// use tabiya_chess::File;
    /// assert_eq!((File::from_letter('h'), File::from_letter('i')), (Some(File::H), None));
    /// ```
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::from_index((letter as usize).wrapping_sub('a' as usize))
    }
}

impl Rank {
    /// The digit of this rank.
    ///
    /// ```
    /// use tabiya_chess::Rank;
    /// assert_eq!(Rank::R4.letter(), '4');
    /// ```
    pub const fn letter(self) -> char {
        (b'1' + self as u8) as char
    }

    /// Reads a rank digit.
    ///
    /// ```
    /// use tabiya_chess::Rank;
    /// assert_eq!((Rank::from_letter('8'), Rank::from_letter('9')), (Some(Rank::R8), None));
    /// ```
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::from_index((letter as usize).wrapping_sub('1' as usize))
    }

    /// This rank as seen by `color`: White's first rank is Black's eighth.
    ///
    /// ```
    /// use tabiya_chess::{Color, Rank};
    /// assert_eq!(Rank::R2.relative_to(Color::Black), Rank::R7);
    /// ```
    #[inline]
    #[must_use]
    pub const fn relative_to(self, color: Color) -> Self {
        Self::ALL[self as usize ^ (7 * color as usize)]
    }
}

impl Square {
    /// The square where this file and rank cross.
    ///
    /// ```
    /// use tabiya_chess::{File, Rank, Square};
    /// assert_eq!(Square::new(File::E, Rank::R4), Square::E4);
    /// ```
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self::wrapping(8 * rank as usize + file as usize)
    }

    /// The square with index `index % 64`; compiles to a mask.
    #[inline]
    pub(crate) const fn wrapping(index: usize) -> Self {
        match Self::from_index(index & 63) {
            Some(sq) => sq,
            None => unreachable!(),
        }
    }

    /// The file of this square.
    ///
    /// ```
    /// use tabiya_chess::{File, Square};
    /// assert_eq!(Square::E4.file(), File::E);
    /// ```
    #[inline]
    pub const fn file(self) -> File {
        match File::from_index(self as usize & 7) {
            Some(file) => file,
            None => unreachable!(),
        }
    }

    /// The rank of this square.
    ///
    /// ```
    /// use tabiya_chess::{Rank, Square};
    /// assert_eq!(Square::E4.rank(), Rank::R4);
    /// ```
    #[inline]
    pub const fn rank(self) -> Rank {
        match Rank::from_index(self as usize >> 3) {
            Some(rank) => rank,
            None => unreachable!(),
        }
    }

    /// This square mirrored top to bottom: a1 becomes a8.
    ///
    /// ```
    /// use tabiya_chess::Square;
    /// assert_eq!(Square::B1.flip_rank(), Square::B8);
    /// ```
    #[inline]
    #[must_use]
    pub const fn flip_rank(self) -> Self {
        Self::wrapping(self as usize ^ 0o70)
    }

    /// This square mirrored left to right: a1 becomes h1.
    ///
    /// ```
    /// use tabiya_chess::Square;
    /// assert_eq!(Square::B1.flip_file(), Square::G1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn flip_file(self) -> Self {
        Self::wrapping(self as usize ^ 7)
    }

    /// This square as seen by `color`: unchanged for White, top to bottom for Black.
    ///
    /// ```
    /// use tabiya_chess::{Color, Square};
    /// assert_eq!(Square::E2.relative_to(Color::Black), Square::E7);
    /// ```
    #[inline]
    #[must_use]
    pub const fn relative_to(self, color: Color) -> Self {
        Self::wrapping(self as usize ^ (0o70 * color as usize))
    }

    /// Moves by `files` to the right and `ranks` up; `None` beyond the edge.
    ///
    /// ```
    /// use tabiya_chess::Square;
    /// assert_eq!(Square::G1.offset(-1, 2), Some(Square::F3));
    /// assert_eq!(Square::G1.offset(2, 1), None);
    /// ```
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = self.file() as i8 + files;
        let rank = self.rank() as i8 + ranks;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            return None;
        }
        Self::from_index((8 * rank + file) as usize)
    }

    /// Reads `a1` to `h8`.
    ///
    /// ```
    /// use tabiya_chess::Square;
    /// assert_eq!(Square::from_text("e4"), Some(Square::E4));
    /// ```
    pub fn from_text(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let file = File::from_letter(letters.next()?)?;
        let rank = Rank::from_letter(letters.next()?)?;
        letters.next().is_none().then(|| Self::new(file, rank))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().letter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_split_into_color_and_kind() {
        for color in Color::ALL {
            for kind in PieceType::ALL {
                let piece = Piece::new(color, kind);
                assert_eq!((piece.color(), piece.kind()), (color, kind));
                assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
            }
        }
    }

    #[test]
    fn squares_round_trip_through_text() {
        for sq in Square::ALL {
            assert_eq!(Square::from_text(&sq.to_string()), Some(sq));
            assert_eq!(Square::new(sq.file(), sq.rank()), sq);
        }
        for bad in ["", "a", "i1", "a9", "a0", "a1 ", "é1"] {
            assert_eq!(Square::from_text(bad), None, "{bad:?}");
        }
    }
}
