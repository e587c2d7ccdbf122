//! Questions about single moves: is it legal, does it give check.

use super::{Board, CastlingSide};
use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::types::{Color, PieceType, Rank, Square};

impl Board {
    /// Whether the move is legal here, for any 16-bit pattern: a move from a hash table may belong
    /// to another position.
    ///
    /// ```
    /// use tabiya_chess::{Board, Move};
    /// let board = Board::default();
    /// let legal = (0..=u16::MAX).filter_map(Move::from_bits).filter(|mv| board.is_legal(*mv));
    /// assert_eq!(legal.count(), 20);
    /// ```
    pub fn is_legal(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        let Some(piece) = self.mailbox[from] else { return false };
        if piece.color() != us {
            return false;
        }
        let king = self.king(us);
        if mv.is_castling() {
            return piece.kind() == PieceType::King
                && (self.castling & self.colors[us]).contains(to)
                && self.may_castle(king, to);
        }
        if self.colors[us].contains(to) {
            return false;
        }
        if mv.is_en_passant() {
            return piece.kind() == PieceType::Pawn
                && self.en_passant() == Some(to)
                && attacks::pawn(us, from).contains(to)
                && self.en_passant_is_safe(from, to);
        }
        if mv.is_capture() != self.colors[!us].contains(to) {
            return false;
        }
        let reachable = match piece.kind() {
            PieceType::Pawn => self.pawn_can_reach(mv),
            _ if !matches!(mv.kind(), MoveKind::Quiet | MoveKind::Capture) => false,
            PieceType::King => {
                return attacks::king(from).contains(to)
                    && !self.is_attacked(to, !us, self.occupied() - Bitboard::of(from));
            }
            kind => attacks::of(kind, us, from, self.occupied()).contains(to),
        };
        if !reachable || self.checkers.several() {
            return false;
        }
        let answers_check = match self.checkers.first() {
            None => true,
            Some(checker) => to == checker || attacks::between(king, checker).contains(to),
        };
        answers_check && (!self.pinned.contains(from) || attacks::line(king, from).contains(to))
    }

    /// Whether an own pawn's move fits its kind; captures are already known to hit an enemy.
    fn pawn_can_reach(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        if mv.is_promotion() != (to.rank() == Rank::R8.relative_to(us)) {
            return false;
        }
        if mv.is_capture() {
            return attacks::pawn(us, from).contains(to);
        }
        let empty = !self.occupied();
        let single = Bitboard::of(from).forward(us) & empty;
        if mv.kind() == MoveKind::DoublePush {
            let third_rank = Bitboard::rank(Rank::R3.relative_to(us));
            return ((single & third_rank).forward(us) & empty).contains(to);
        }
        single.contains(to)
    }

    /// Whether a legal move gives check, directly, by discovery or by castling.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
    /// assert!(board.gives_check(board.parse_uci("h1h8").unwrap()));
    /// assert!(!board.gives_check(board.parse_uci("e1g1").unwrap()));
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn gives_check(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        let enemy_king = self.king(!us);
        let [_, _, bishops, rooks, queens, _] = self.pieces;
        let own = self.colors[us] - Bitboard::of(from);
        let mut diagonal = (bishops | queens) & own;
        let mut straight = (rooks | queens) & own;
        let mut occupied = self.occupied() - Bitboard::of(from);
        if mv.is_castling() {
            let side = CastlingSide::of(mv);
            let rook_to = Bitboard::of(Square::new(side.rook_file(), us.back_rank()));
            let king_to = Bitboard::of(Square::new(side.king_file(), us.back_rank()));
            straight = (straight - Bitboard::of(to)) | rook_to;
            occupied = (occupied - Bitboard::of(to)) | rook_to | king_to;
        } else {
            occupied |= Bitboard::of(to);
            if mv.is_en_passant() {
                occupied -= Bitboard::of(Square::new(to.file(), from.rank()));
            }
            let kind = mv.promotion().or(self.mailbox[from].map(crate::Piece::kind));
            match kind {
                Some(PieceType::Pawn) if attacks::pawn(us, to).contains(enemy_king) => return true,
                Some(PieceType::Knight) if attacks::knight(to).contains(enemy_king) => return true,
                Some(PieceType::Bishop) => diagonal |= Bitboard::of(to),
                Some(PieceType::Rook) => straight |= Bitboard::of(to),
                Some(PieceType::Queen) => {
                    diagonal |= Bitboard::of(to);
                    straight |= Bitboard::of(to);
                }
                _ => {}
            }
        }
        // Most kings stand on no line of any slider, whatever is between.
        (attacks::bishop_rays(enemy_king).intersects(diagonal)
            && attacks::bishop(enemy_king, occupied).intersects(diagonal))
            || (attacks::rook_rays(enemy_king).intersects(straight)
                && attacks::rook(enemy_king, occupied).intersects(straight))
    }

    /// The square a king lands on: the target, or for castling the g- or c-file.
    ///
    /// ```
    /// use tabiya_chess::{Board, Move, MoveKind, Square};
    /// let castling = Move::new(Square::E1, Square::H1, MoveKind::Castling);
    /// assert_eq!(Board::landing_square(castling), Square::G1);
    /// ```
    #[inline]
    pub fn landing_square(mv: Move) -> Square {
        if !mv.is_castling() {
            return mv.to();
        }
        Square::new(CastlingSide::of(mv).king_file(), mv.from().rank())
    }

    /// The piece type a move captures, if any.
    ///
    /// ```
    /// use tabiya_chess::{Board, PieceType};
    /// let board: Board = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
    /// assert_eq!(board.captured(board.parse_san("exd5").unwrap()), Some(PieceType::Queen));
    /// ```
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        if mv.is_en_passant() {
            Some(PieceType::Pawn)
        } else if mv.is_capture() {
            self.mailbox[mv.to()].map(crate::Piece::kind)
        } else {
            None
        }
    }

    /// Whether neither side has enough material to mate by any sequence of moves (FIDE 5.2.2 as far
    /// as material alone decides): bare kings, a single minor piece, or bishops of one colour only.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "4k3/8/8/8/8/8/8/4KB2 w - - 0 1".parse().unwrap();
    /// assert!(board.has_insufficient_material());
    /// ```
    pub fn has_insufficient_material(&self) -> bool {
        let [pawns, knights, bishops, rooks, queens, _] = self.pieces;
        if (pawns | rooks | queens).any() {
            return false;
        }
        let minors = knights | bishops;
        if !minors.several() {
            return true;
        }
        knights.is_empty()
            && (!bishops.intersects(Bitboard::LIGHT) || !bishops.intersects(Bitboard::DARK))
    }

    /// Whether the side to move is checkmated.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
    /// assert!(board.is_checkmate());
    /// ```
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no legal move and is not in check.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
    /// assert!(board.is_stalemate());
    /// ```
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }

    /// The side whose turn it is not.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// assert_eq!(Board::default().opponent(), Color::Black);
    /// ```
    #[inline]
    pub fn opponent(&self) -> Color {
        !self.side
    }
}
