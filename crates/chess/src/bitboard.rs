//! Sets of squares as 64-bit words.

use crate::types::{Color, File, Rank, Square};
use std::fmt;
use std::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

/// A set of squares; bit 0 is a1, bit 63 is h8.
///
/// ```
/// use tabiya_chess::{Bitboard, File, Rank, Square};
/// let corners = (Bitboard::from(File::A) | Bitboard::from(File::H))
///     & (Bitboard::from(Rank::R1) | Bitboard::from(Rank::R8));
/// assert_eq!(corners.count(), 4);
/// assert!(corners.contains(Square::H8));
/// assert_eq!(corners.into_iter().next(), Some(Square::A1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const FULL: Self = Self(!0);
    /// The light squares.
    pub const LIGHT: Self = Self(0x55AA_55AA_55AA_55AA);
    /// The dark squares.
    pub const DARK: Self = Self(!Self::LIGHT.0);

    /// The set with one square.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert_eq!(Bitboard::of(Square::C1), Bitboard(0b100));
    /// ```
    #[inline]
    pub const fn of(sq: Square) -> Self {
        Self(1 << sq as u8)
    }

    /// The squares of a rank.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Rank};
    /// assert_eq!(Bitboard::rank(Rank::R2), Bitboard(0xFF00));
    /// ```
    #[inline]
    pub const fn rank(rank: Rank) -> Self {
        Self(0xFF << (8 * rank as u8))
    }

    /// The squares of a file.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, File, Square};
    /// assert_eq!(Bitboard::file(File::C).last(), Some(Square::C8));
    /// ```
    #[inline]
    pub const fn file(file: File) -> Self {
        Self(0x0101_0101_0101_0101 << file as u8)
    }

    /// Whether `sq` is in the set.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert!(Bitboard::DARK.contains(Square::A1));
    /// ```
    #[inline]
    pub const fn contains(self, sq: Square) -> bool {
        self.0 >> sq as u8 & 1 != 0
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// use tabiya_chess::Bitboard;
    /// assert!((Bitboard::LIGHT & Bitboard::DARK).is_empty());
    /// ```
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has any square.
    ///
    /// ```
    /// use tabiya_chess::{Board, PieceType};
    /// assert!(Board::default().kind(PieceType::Queen).any());
    /// ```
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the set has two squares or more.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert!(!Bitboard::of(Square::A1).several());
    /// assert!(Bitboard::LIGHT.several());
    /// ```
    #[inline]
    pub const fn several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Number of squares.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::default().occupied().count(), 32);
    /// ```
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether both sets share a square.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, File, Rank};
    /// assert!(Bitboard::file(File::A).intersects(Rank::R1.into()));
    /// ```
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The square with the lowest index.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Rank, Square};
    /// assert_eq!(Bitboard::rank(Rank::R3).first(), Some(Square::A3));
    /// assert_eq!(Bitboard::EMPTY.first(), None);
    /// ```
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrapping(self.0.trailing_zeros() as usize)) }
    }

    /// The square with the highest index.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Rank, Square};
    /// assert_eq!(Bitboard::rank(Rank::R3).last(), Some(Square::H3));
    /// ```
    #[inline]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::wrapping(63 - self.0.leading_zeros() as usize))
        }
    }

    /// Every square moved one rank up the board.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert_eq!(Bitboard::of(Square::E4).north(), Bitboard::of(Square::E5));
    /// ```
    #[inline]
    #[must_use]
    pub const fn north(self) -> Self {
        Self(self.0 << 8)
    }

    /// Every square moved one rank down the board.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert_eq!(Bitboard::of(Square::E4).south(), Bitboard::of(Square::E3));
    /// ```
    #[inline]
    #[must_use]
    pub const fn south(self) -> Self {
        Self(self.0 >> 8)
    }

    /// Every square moved one file towards h; the h-file falls off.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert_eq!(Bitboard::of(Square::G4).east(), Bitboard::of(Square::H4));
    /// assert!(Bitboard::of(Square::H4).east().is_empty());
    /// ```
    #[inline]
    #[must_use]
    pub const fn east(self) -> Self {
        Self((self.0 & !Self::file(File::H).0) << 1)
    }

    /// Every square moved one file towards a; the a-file falls off.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// assert_eq!(Bitboard::of(Square::B4).west(), Bitboard::of(Square::A4));
    /// assert!(Bitboard::of(Square::A4).west().is_empty());
    /// ```
    #[inline]
    #[must_use]
    pub const fn west(self) -> Self {
        Self((self.0 & !Self::file(File::A).0) >> 1)
    }

    /// Every square moved one rank forward as `color` sees it.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Color, Square};
    /// assert_eq!(Bitboard::of(Square::E7).forward(Color::Black), Bitboard::of(Square::E6));
    /// ```
    #[inline]
    #[must_use]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => self.north(),
            Color::Black => self.south(),
        }
    }

    /// The set mirrored top to bottom.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Rank};
    /// assert_eq!(Bitboard::rank(Rank::R2).flip_ranks(), Bitboard::rank(Rank::R7));
    /// ```
    #[inline]
    #[must_use]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// All subsets of this set, the empty one first.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// let corners = Bitboard::of(Square::A1) | Square::H8.into();
    /// assert_eq!(corners.subsets().map(Bitboard::count).collect::<Vec<_>>(), [0, 1, 1, 2]);
    /// ```
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        // Carry-Rippler enumeration (Marcel van Kervinck).
        let mut next = Some(Self::EMPTY);
        std::iter::from_fn(move || {
            let current = next?;
            let following = current.0.wrapping_sub(self.0) & self.0;
            next = (following != 0).then_some(Self(following));
            Some(current)
        })
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(sq: Square) -> Self {
        Self::of(sq)
    }
}

impl From<File> for Bitboard {
    #[inline]
    fn from(file: File) -> Self {
        Self::file(file)
    }
}

impl From<Rank> for Bitboard {
    #[inline]
    fn from(rank: Rank) -> Self {
        Self::rank(rank)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, sq| set | Self::of(sq))
    }
}

/// Iterates over the squares of a set from the lowest index up.
///
/// ```
/// use tabiya_chess::{Bitboard, Square};
/// let mut squares = (Bitboard::of(Square::H8) | Square::A1.into()).into_iter();
/// assert_eq!((squares.len(), squares.next()), (2, Some(Square::A1)));
/// ```
#[derive(Clone)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let sq = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(sq)
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

macro_rules! set_operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($result)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline]
            fn $assign(&mut self, other: Self) {
                *self = $trait::$method(*self, other);
            }
        }
    };
}
set_operator!(BitAnd, bitand, BitAndAssign, bitand_assign, |a, b| a & b);
set_operator!(BitOr, bitor, BitOrAssign, bitor_assign, |a, b| a | b);
set_operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, |a, b| a ^ b);
// Set difference: the squares of the left side that are not in the right side.
set_operator!(Sub, sub, SubAssign, sub_assign, |a, b| a & !b);

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            writeln!(f)?;
            for file in File::ALL {
                let mark = if self.contains(Square::new(file, rank)) { "X " } else { ". " };
                f.write_str(mark)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_do_not_wrap_around_the_edge() {
        assert_eq!(Bitboard::of(Square::H4).east(), Bitboard::EMPTY);
        assert_eq!(Bitboard::of(Square::A4).west(), Bitboard::EMPTY);
        assert_eq!(Bitboard::of(Square::E8).north(), Bitboard::EMPTY);
        assert_eq!(Bitboard::of(Square::E1).south(), Bitboard::EMPTY);
        assert_eq!(Bitboard::of(Square::E4).east(), Bitboard::of(Square::F4));
    }

    #[test]
    fn subsets_are_all_different_and_complete() {
        let set = Bitboard::of(Square::A1) | Bitboard::of(Square::C5) | Bitboard::of(Square::H8);
        let mut all: Vec<_> = set.subsets().collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 8);
        assert!(all.iter().all(|subset| (*subset - set).is_empty()));
    }
}
