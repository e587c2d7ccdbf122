//! Playing moves.

use super::en_passant::EnPassant;
use super::{Board, CastlingSide};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::types::{Color, Piece, PieceType, Square};
use crate::zobrist;
use std::fmt;

/// A move that the position does not allow.
///
/// ```
/// use tabiya_chess::{Game, IllegalMove, Move, MoveKind, Square};
/// let mv = Move::new(Square::E2, Square::E5, MoveKind::Quiet);
/// assert_eq!(Game::default().play(mv), Err(IllegalMove(mv)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IllegalMove(pub Move);

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "illegal move {:?}", self.0)
    }
}

impl std::error::Error for IllegalMove {}

impl Board {
    /// Plays a legal move.
    ///
    /// The move must be legal here; use [`Board::try_play`] for moves from elsewhere. An illegal
    /// move leaves a nonsensical position but never touches memory out of bounds.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// let mut board = Board::default();
    /// board.play(board.parse_san("e4")?);
    /// assert_eq!(board.side_to_move(), Color::Black);
    /// # Ok::<(), tabiya_chess::SanError>(())
    /// ```
    #[inline]
    pub fn play(&mut self, mv: Move) {
        match self.side {
            Color::White => self.play_as::<false>(mv),
            Color::Black => self.play_as::<true>(mv),
        }
    }

    /// Plays a move if it is legal.
    ///
    /// ```
    /// use tabiya_chess::{Board, Move, MoveKind, Square};
    /// let mut board = Board::default();
    /// let mv = Move::new(Square::E2, Square::E5, MoveKind::Quiet);
    /// assert_eq!(board.try_play(mv).unwrap_err().to_string(), "illegal move e2e5");
    /// assert_eq!(board, Board::default());
    /// ```
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        self.play(mv);
        Ok(())
    }

    /// Gives the turn to the other side without moving.
    ///
    /// Not a rule of chess but a tool of search. The side to move must not be in check.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// let mut board = Board::default();
    /// board.play_null();
    /// assert_eq!(board.side_to_move(), Color::Black);
    /// ```
    #[inline]
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check(), "null move in check");
        self.clear_en_passant();
        self.keys.state ^= zobrist::black_to_move();
        self.reversible_plies = 0;
        self.side = !self.side;
        self.update_checks();
    }

    #[inline]
    pub(crate) fn play_as<const BLACK: bool>(&mut self, mv: Move) {
        let us = if BLACK { Color::Black } else { Color::White };
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let Some(piece) = self.mailbox[from] else {
            debug_assert!(false, "no piece to move: {mv:?}");
            return;
        };
        self.clear_en_passant();
        self.keys.state ^= zobrist::black_to_move();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible_plies = self.reversible_plies.saturating_add(1);
        self.fullmove_number = self.fullmove_number.saturating_add(u16::from(BLACK));

        if kind == MoveKind::Castling {
            self.castle(us, from, to);
        } else {
            if mv.is_capture() {
                let at = if mv.is_en_passant() { Square::new(to.file(), from.rank()) } else { to };
                if let Some(captured) = self.mailbox[at] {
                    self.toggle(captured, at);
                    self.mailbox[at] = None;
                }
                self.reset_clocks();
            } else if piece.kind() == PieceType::Pawn {
                self.reset_clocks();
            }
            if let Some(promoted) = mv.promotion() {
                let promoted = Piece::new(us, promoted);
                self.toggle(piece, from);
                self.toggle(promoted, to);
                self.mailbox[to] = Some(promoted);
            } else {
                let both = Bitboard::of(from) | Bitboard::of(to);
                self.pieces[piece.kind()] ^= both;
                self.colors[us] ^= both;
                self.keys.toggle(piece, from);
                self.keys.toggle(piece, to);
                self.mailbox[to] = Some(piece);
            }
            self.mailbox[from] = None;
        }

        let touched = Bitboard::of(from) | Bitboard::of(to);
        if self.castling.any() {
            self.update_castling(us, piece, touched);
        }
        self.side = !us;
        self.update_checks();
        if kind == MoveKind::DoublePush {
            let target = Square::wrapping(usize::midpoint(from as usize, to as usize));
            self.en_passant = self.en_passant_over(target);
            if let Some(target) = self.en_passant() {
                self.keys.state ^= zobrist::en_passant(target.file());
            }
        }
    }

    fn castle(&mut self, us: Color, king_from: Square, rook_from: Square) {
        let side = CastlingSide::towards(king_from, rook_from);
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        let king_to = Square::new(side.king_file(), us.back_rank());
        let rook_to = Square::new(side.rook_file(), us.back_rank());
        self.toggle(king, king_from);
        self.toggle(rook, rook_from);
        self.mailbox[king_from] = None;
        self.mailbox[rook_from] = None;
        self.toggle(king, king_to);
        self.toggle(rook, rook_to);
        self.mailbox[king_to] = Some(king);
        self.mailbox[rook_to] = Some(rook);
    }

    /// Drops the rights of rooks that moved or were captured, and of both rooks if the king moved.
    #[inline]
    fn update_castling(&mut self, us: Color, moved: Piece, touched: Bitboard) {
        let mut lost = touched;
        if moved.kind() == PieceType::King {
            lost |= Bitboard::rank(us.back_rank());
        }
        lost &= self.castling;
        self.castling -= lost;
        for rook in lost {
            self.keys.state ^= Self::castling_key(rook);
        }
    }

    #[inline]
    fn clear_en_passant(&mut self) {
        if let Some(sq) = self.en_passant() {
            self.keys.state ^= zobrist::en_passant(sq.file());
        }
        self.en_passant = EnPassant::NONE;
    }

    #[inline]
    fn reset_clocks(&mut self) {
        self.halfmove_clock = 0;
        self.reversible_plies = 0;
    }

    /// Adds or removes a piece in the sets and keys, not in the mailbox.
    #[inline]
    fn toggle(&mut self, piece: Piece, sq: Square) {
        let bit = Bitboard::of(sq);
        self.pieces[piece.kind()] ^= bit;
        self.colors[piece.color()] ^= bit;
        self.keys.toggle(piece, sq);
    }
}
