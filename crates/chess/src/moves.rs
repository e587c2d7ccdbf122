//! Moves in 16 bits, and a list of them on the stack.

use crate::types::{PieceType, Square};
use std::fmt;
use std::num::NonZeroU16;

/// What is special about a move; the value is the top four bits of a [`Move`].
///
/// Bit 2 marks captures, bit 3 promotions.
///
/// ```
/// use tabiya_chess::{Board, MoveKind};
/// assert_eq!(Board::default().parse_san("e4")?.kind(), MoveKind::DoublePush);
/// # Ok::<(), tabiya_chess::SanError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// A move to an empty square that is none of the others.
    Quiet = 0,
    /// A pawn's first move by two squares.
    DoublePush = 1,
    /// Castling, written as king takes own rook.
    Castling = 2,
    /// A capture that is none of the others.
    Capture = 4,
    /// A pawn captures en passant.
    EnPassant = 5,
    /// Promotion to a knight.
    PromoteKnight = 8,
    /// Promotion to a bishop.
    PromoteBishop = 9,
    /// Promotion to a rook.
    PromoteRook = 10,
    /// Promotion to a queen.
    PromoteQueen = 11,
    /// Capture with promotion to a knight.
    CaptureKnight = 12,
    /// Capture with promotion to a bishop.
    CaptureBishop = 13,
    /// Capture with promotion to a rook.
    CaptureRook = 14,
    /// Capture with promotion to a queen.
    CaptureQueen = 15,
}

impl MoveKind {
    /// The promotion to `piece`; anything but knight, bishop and rook gives a queen.
    ///
    /// ```
    /// use tabiya_chess::{MoveKind, PieceType};
    /// assert_eq!(MoveKind::promotion(PieceType::Knight, true), MoveKind::CaptureKnight);
    /// ```
    #[inline]
    pub const fn promotion(piece: PieceType, capture: bool) -> Self {
        match (piece, capture) {
            (PieceType::Knight, false) => Self::PromoteKnight,
            (PieceType::Bishop, false) => Self::PromoteBishop,
            (PieceType::Rook, false) => Self::PromoteRook,
            (_, false) => Self::PromoteQueen,
            (PieceType::Knight, true) => Self::CaptureKnight,
            (PieceType::Bishop, true) => Self::CaptureBishop,
            (PieceType::Rook, true) => Self::CaptureRook,
            (_, true) => Self::CaptureQueen,
        }
    }

    const fn from_bits(bits: u16) -> Option<Self> {
        Some(match bits {
            0 => Self::Quiet,
            1 => Self::DoublePush,
            2 => Self::Castling,
            4 => Self::Capture,
            5 => Self::EnPassant,
            8 => Self::PromoteKnight,
            9 => Self::PromoteBishop,
            10 => Self::PromoteRook,
            11 => Self::PromoteQueen,
            12 => Self::CaptureKnight,
            13 => Self::CaptureBishop,
            14 => Self::CaptureRook,
            15 => Self::CaptureQueen,
            _ => return None,
        })
    }
}

/// A move in 16 bits: `kind << 12 | to << 6 | from`.
///
/// Castling is stored as king takes own rook, which is unambiguous in Chess960 too. `Option<Move>`
/// is as small as `Move`. A move makes sense only together with the board it was generated for;
/// [`Board::is_legal`](crate::Board::is_legal) tells whether any other board allows it.
///
/// ```
/// use tabiya_chess::{Move, MoveKind, PieceType, Square};
/// let mv = Move::new(Square::E7, Square::D8, MoveKind::CaptureQueen);
/// assert!(mv.is_capture() && mv.promotion() == Some(PieceType::Queen));
/// assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

impl Move {
    /// A move between two squares.
    ///
    /// # Panics
    /// If both squares are a1 and the kind is quiet: that pattern means "no move".
    ///
    /// ```
    /// use tabiya_chess::{Board, Move, MoveKind, Square};
    /// let mv = Move::new(Square::G1, Square::F3, MoveKind::Quiet);
    /// assert!(Board::default().is_legal(mv));
    /// ```
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let bits = (kind as u16) << 12 | (to as u16) << 6 | from as u16;
        Self(NonZeroU16::new(bits).expect("a move leads from one square to another"))
    }

    /// The bits of this move, never zero.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Square};
    /// let mv = Move::new(Square::B1, Square::C1, MoveKind::Capture);
    /// assert_eq!(mv.to_bits(), 4 << 12 | 2 << 6 | 1);
    /// ```
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// Reads stored bits. `None` for zero and for patterns whose kind does not exist.
    ///
    /// ```
    /// use tabiya_chess::{Move, Square};
    /// assert_eq!(Move::from_bits(1 << 6).map(Move::to), Some(Square::B1));
    /// assert_eq!(Move::from_bits(0), None);
    /// ```
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match (NonZeroU16::new(bits), MoveKind::from_bits(bits >> 12)) {
            (Some(bits), Some(_)) => Some(Self(bits)),
            _ => None,
        }
    }

    /// The square the piece leaves.
    ///
    /// ```
    /// use tabiya_chess::{Board, Square};
    /// assert_eq!(Board::default().parse_san("Nf3").unwrap().from(), Square::G1);
    /// ```
    #[inline]
    pub const fn from(self) -> Square {
        Square::wrapping(self.0.get() as usize)
    }

    /// The square the piece goes to; for castling the square of the own rook.
    ///
    /// ```
    /// use tabiya_chess::{Board, Square};
    /// let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    /// assert_eq!(board.parse_san("O-O").unwrap().to(), Square::H1);
    /// ```
    #[inline]
    pub const fn to(self) -> Square {
        Square::wrapping((self.0.get() >> 6) as usize)
    }

    /// What is special about the move.
    ///
    /// ```
    /// use tabiya_chess::{Board, MoveKind};
    /// assert_eq!(Board::default().parse_uci("e2e3").unwrap().kind(), MoveKind::Quiet);
    /// ```
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match MoveKind::from_bits(self.0.get() >> 12) {
            Some(kind) => kind,
            None => unreachable!(),
        }
    }

    /// Whether something is captured (castling, though it lands on a rook, is not a capture).
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Square};
    /// assert!(Move::new(Square::E5, Square::D6, MoveKind::EnPassant).is_capture());
    /// assert!(!Move::new(Square::E1, Square::H1, MoveKind::Castling).is_capture());
    /// ```
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0.get() & 4 << 12 != 0
    }

    /// Whether a pawn promotes.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Square};
    /// assert!(Move::new(Square::A7, Square::A8, MoveKind::PromoteRook).is_promotion());
    /// ```
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & 8 << 12 != 0
    }

    /// Whether this is a capture or a promotion to a queen: what changes material at once.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Square};
    /// assert!(Move::new(Square::A7, Square::A8, MoveKind::PromoteQueen).is_noisy());
    /// assert!(!Move::new(Square::A7, Square::A8, MoveKind::PromoteRook).is_noisy());
    /// ```
    #[inline]
    pub const fn is_noisy(self) -> bool {
        self.is_capture() || matches!(self.kind(), MoveKind::PromoteQueen)
    }

    /// Whether the king castles.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Square};
    /// assert!(Move::new(Square::E1, Square::A1, MoveKind::Castling).is_castling());
    /// ```
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0.get() >> 12 == MoveKind::Castling as u16
    }

    /// Whether a pawn captures en passant.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Square};
    /// assert!(Move::new(Square::E5, Square::D6, MoveKind::EnPassant).is_en_passant());
    /// ```
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() >> 12 == MoveKind::EnPassant as u16
    }

    /// The piece a pawn turns into.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, PieceType, Square};
    /// let mv = Move::new(Square::A7, Square::B8, MoveKind::CaptureKnight);
    /// assert_eq!(mv.promotion(), Some(PieceType::Knight));
    /// ```
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        if !self.is_promotion() {
            return None;
        }
        Some(match self.0.get() >> 12 & 3 {
            0 => PieceType::Knight,
            1 => PieceType::Bishop,
            2 => PieceType::Rook,
            _ => PieceType::Queen,
        })
    }
}

impl fmt::Debug for Move {
    /// Coordinates with castling as king takes rook: `e2e4`, `e7e8q`, `e1h1`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |piece| write!(f, "{}", piece.letter()))
    }
}

/// A list of moves that lives on the stack.
///
/// Legal play never exceeds 218 moves and no arrangement of 64 pieces is known to come near the
/// capacity; moves beyond it are dropped rather than written out of bounds.
///
/// ```
/// use tabiya_chess::{Board, MoveList};
/// let moves: MoveList = Board::default().legal_moves();
/// assert_eq!(moves.iter().filter(|mv| mv.is_capture()).count(), 0);
/// ```
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Option<Move>; Self::CAPACITY],
}

impl MoveList {
    /// The most moves a list can hold.
    pub const CAPACITY: usize = 512;

    /// An empty list.
    ///
    /// ```
    /// use tabiya_chess::{Board, Generate, MoveList};
    /// let mut captures = MoveList::new();
    /// Board::default().generate(Generate::Noisy, &mut captures);
    /// assert!(captures.is_empty());
    /// ```
    #[inline]
    pub const fn new() -> Self {
        Self { len: 0, moves: [None; Self::CAPACITY] }
    }

    /// Appends a move.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, MoveList, Square};
    /// let mut list = MoveList::new();
    /// list.push(Move::new(Square::E2, Square::E3, MoveKind::Quiet));
    /// assert_eq!(list.len(), 1);
    /// ```
    #[inline]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = Some(mv);
            self.len += 1;
        }
    }

    /// Number of moves.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::default().legal_moves().len(), 20);
    /// ```
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no move.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let stalemate: Board = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
    /// assert!(stalemate.legal_moves().is_empty());
    /// ```
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The moves in order.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board = Board::default();
    /// let knight_moves = board.legal_moves().iter().filter(|mv| board.san(*mv).starts_with('N')).count();
    /// assert_eq!(knight_moves, 4);
    /// ```
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Move> + '_ {
        self.moves[..self.len].iter().flatten().copied()
    }

    /// Whether `mv` is in the list.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board = Board::default();
    /// assert!(board.legal_moves().contains(board.parse_san("e4").unwrap()));
    /// ```
    pub fn contains(&self, mv: Move) -> bool {
        self.iter().any(|listed| listed == mv)
    }

    /// The move at a position of the list.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let moves = Board::default().legal_moves();
    /// assert_eq!((moves.get(0), moves.get(20)), (moves.iter().next(), None));
    /// ```
    #[inline]
    pub fn get(&self, index: usize) -> Option<Move> {
        self.moves[..self.len].get(index).copied().flatten()
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Flatten<std::iter::Copied<std::slice::Iter<'a, Option<Move>>>>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.moves[..self.len].iter().copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_pattern_is_refused_or_kept() {
        for bits in 0..=u16::MAX {
            match Move::from_bits(bits) {
                Some(mv) => {
                    assert_eq!(mv.to_bits(), bits);
                    assert_eq!(Move::new(mv.from(), mv.to(), mv.kind()), mv);
                }
                None => assert!(bits == 0 || matches!(bits >> 12, 3 | 6 | 7)),
            }
        }
    }

    #[test]
    fn a_full_list_drops_what_does_not_fit() {
        let mut list = MoveList::new();
        let mv = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
        (0..MoveList::CAPACITY + 9).for_each(|_| list.push(mv));
        assert_eq!(list.len(), MoveList::CAPACITY);
    }
}
