//! The en passant square: which captures it allows, and how far it counts.

use super::Board;
use crate::attacks;
use crate::bitboard::Bitboard;
use crate::types::{PieceType, Square};

/// The square behind a pawn that just moved two squares, if an enemy pawn stands ready to capture
/// it, in one byte: the square, whether the capture is legal, whether there is one at all.
///
/// Moves, keys, FEN and equality know legal captures only: a capture that a pin forbids makes no
/// different position. Polyglot books count it all the same.
#[derive(Clone, Copy)]
pub(super) struct EnPassant(u8);

const LEGAL: u8 = 64;
const PRESENT: u8 = 128;

impl EnPassant {
    pub(super) const NONE: Self = Self(0);

    #[inline]
    fn new(target: Square, is_legal: bool) -> Self {
        Self(target as u8 | if is_legal { PRESENT | LEGAL } else { PRESENT })
    }

    /// The square if a capture is legal.
    #[inline]
    pub(super) fn legal(self) -> Option<Square> {
        (self.0 & LEGAL != 0).then(|| Square::wrapping(self.0 as usize))
    }

    /// The square if a pawn stands ready to capture, pinned or not.
    #[inline]
    pub(super) fn pseudo_legal(self) -> Option<Square> {
        (self.0 & PRESENT != 0).then(|| Square::wrapping(self.0 as usize))
    }

    /// Mirrored top to bottom.
    pub(super) fn flip_rank(self) -> Self {
        self.pseudo_legal().map_or(self, |sq| Self::new(sq.flip_rank(), self.legal().is_some()))
    }
}

impl PartialEq for EnPassant {
    fn eq(&self, other: &Self) -> bool {
        self.legal() == other.legal()
    }
}

impl Eq for EnPassant {}

impl Board {
    /// The square an enemy pawn just passed over, if capturing it en passant is legal.
    ///
    /// ```
    /// use tabiya_chess::{Board, Square};
    /// let board: Board = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1".parse().unwrap();
    /// assert_eq!(board.en_passant(), Some(Square::E3));
    /// ```
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant.legal()
    }

    /// The square an enemy pawn just passed over, if a pawn stands ready to capture it en passant,
    /// be it pinned. A FEN read back may have lost it, for FEN is written with legal captures only.
    ///
    /// ```
    /// use tabiya_chess::{Board, Square};
    /// let pinned: Board = "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1".parse().unwrap();
    /// assert_eq!((pinned.en_passant(), pinned.pseudo_en_passant()), (None, Some(Square::E3)));
    /// ```
    pub fn pseudo_en_passant(&self) -> Option<Square> {
        self.en_passant.pseudo_legal()
    }

    /// What an enemy pawn's double step over `target` leaves the side to move.
    #[inline]
    pub(super) fn en_passant_over(&self, target: Square) -> EnPassant {
        if self.en_passant_candidates(target).is_empty() {
            return EnPassant::NONE;
        }
        EnPassant::new(target, self.en_passant_capturers(target).any())
    }

    /// The own pawns that may legally capture en passant.
    pub(super) fn en_passant_capturers(&self, target: Square) -> Bitboard {
        let candidates = self.en_passant_candidates(target);
        candidates.into_iter().filter(|from| self.en_passant_is_safe(*from, target)).collect()
    }

    #[inline]
    fn en_passant_candidates(&self, target: Square) -> Bitboard {
        attacks::pawn(!self.side, target) & self.pieces(self.side, PieceType::Pawn)
    }

    /// Whether capturing en passant from `from` onto `target` leaves the own king safe.
    pub(super) fn en_passant_is_safe(&self, from: Square, target: Square) -> bool {
        let (us, them) = (self.side, !self.side);
        let captured = Bitboard::of(Square::new(target.file(), from.rank()));
        let occupied = (self.occupied() - Bitboard::of(from) - captured) | Bitboard::of(target);
        let attackers = self.attackers_to(self.king(us), occupied);
        (attackers & (self.colors[them] - captured)).is_empty()
    }
}
