//! What a side can do next: push passed pawns, win pieces, use its space.

use super::masks::{self, distance};
use super::score::Score;
use super::terms::{
    HANGING, PASSED_BLOCKED, PASSED_FREE_PATH, PASSED_ROOK_BEHIND, PASSED_SAFE_PUSH,
    PASSED_UNSTOPPABLE, RESTRICTED, SPACE, THREAT_BY_KING, THREAT_BY_MINOR, THREAT_BY_PAWN,
    THREAT_BY_PUSH, THREAT_BY_ROOK, THREAT_ON_QUEEN,
};
use super::trace::Tracer;
use super::{Evaluation, color};
use tabiya_chess::{Bitboard, Color, PieceType, Rank, Square, attacks};

/// Space counts squares times pieces, in units of this many.
const SPACE_UNIT: u32 = 16;

impl<T: Tracer> Evaluation<'_, T> {
    /// What pieces change about the passed pawns of one side. `passed` has those of both sides.
    pub(super) fn passed<const BLACK: bool>(&mut self, passed: Bitboard) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let occupied = board.occupied();
        let mut score = Score::ZERO;
        for sq in passed & board.color(us) {
            let rank = sq.rank().relative_to(us).index();
            let path = masks::file_ahead(us, sq);
            let stop = Bitboard::of(sq).forward(us);
            if stop.intersects(occupied) {
                score += self.weigh(us, PASSED_BLOCKED.at(rank), 1);
            } else {
                if !stop.intersects(self.attacked[them]) {
                    score += self.weigh(us, PASSED_SAFE_PUSH.at(rank), 1);
                }
                if !path.intersects(occupied | self.attacked[them]) {
                    score += self.weigh(us, PASSED_FREE_PATH.at(rank), 1);
                }
            }
            let behind = masks::file_ahead(them, sq) & board.pieces(us, PieceType::Rook);
            score += self.weigh(us, PASSED_ROOK_BEHIND.at(0), i32::from(behind.any()));
            if !board.has_non_pawns(them) && !path.intersects(occupied) {
                let late = is_too_late(us, sq, board.king(them), board.side_to_move() == them);
                score += self.weigh(us, PASSED_UNSTOPPABLE.at(0), i32::from(late));
            }
        }
        score
    }

    /// Attacks on enemy pieces that win something or at least force a reaction.
    pub(super) fn threats<const BLACK: bool>(&mut self) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let enemy = board.color(them);
        let enemy_pieces = enemy - board.kind(PieceType::Pawn) - board.kind(PieceType::King);
        let by_pawns = self.attacked_by[them][PieceType::Pawn];
        let attacked = self.attacked[us];
        let strong = by_pawns | (self.attacked_twice[them] - self.attacked_twice[us]);
        let weak = enemy & (attacked - strong);
        let mut score = Score::ZERO;

        let minor_targets = (weak | enemy_pieces)
            & (self.attacked_by[us][PieceType::Knight] | self.attacked_by[us][PieceType::Bishop]);
        if minor_targets.any() {
            for i in 0..THREAT_BY_MINOR.len {
                let count = (minor_targets & board.kind(PieceType::ALL[i])).count() as i32;
                score += self.weigh(us, THREAT_BY_MINOR.at(i), count);
            }
        }
        let queens = enemy & board.kind(PieceType::Queen);
        let rook_targets = (weak | queens) & self.attacked_by[us][PieceType::Rook];
        if rook_targets.any() {
            for i in 0..THREAT_BY_ROOK.len {
                let count = (rook_targets & board.kind(PieceType::ALL[i])).count() as i32;
                score += self.weigh(us, THREAT_BY_ROOK.at(i), count);
            }
        }
        let king_target = weak.intersects(self.attacked_by[us][PieceType::King]);
        score += self.weigh(us, THREAT_BY_KING.at(0), i32::from(king_target));
        let hanging = weak & (!self.attacked[them] | enemy_pieces & self.attacked_twice[us]);
        score += self.weigh(us, HANGING.at(0), hanging.count() as i32);

        score += self.pawn_threats::<BLACK>(enemy_pieces);

        let contested = self.attacked[them] & (attacked - strong);
        score += self.weigh(us, RESTRICTED.at(0), contested.count() as i32);

        if let (Some(queen), false) = (queens.first(), queens.several()) {
            score += self.queen_hits::<BLACK>(queen, strong);
        }
        score
    }

    /// Pawns that attack pieces, now or after one safe step.
    #[inline]
    fn pawn_threats<const BLACK: bool>(&mut self, enemy_pieces: Bitboard) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let pawns = board.pieces(us, PieceType::Pawn);
        let safe = self.attacked[us] | !self.attacked[them];
        let mut score = Score::ZERO;
        let targets = attacks::pawns(us, pawns & safe) & enemy_pieces;
        if targets.any() {
            for i in 0..THREAT_BY_PAWN.len {
                let count = (targets & board.kind(PieceType::ALL[i + 1])).count() as i32;
                score += self.weigh(us, THREAT_BY_PAWN.at(i), count);
            }
        }
        let empty = !board.occupied();
        let third_rank = Bitboard::rank(Rank::R3.relative_to(us));
        let single = pawns.forward(us) & empty;
        let double = (single & third_rank).forward(us) & empty;
        let pushes = (single | double) & (safe - self.attacked_by[them][PieceType::Pawn]);
        let hits = attacks::pawns(us, pushes) & (enemy_pieces - targets);
        score + self.weigh(us, THREAT_BY_PUSH.at(0), hits.count() as i32)
    }

    /// Squares from which the enemy's only queen could be attacked next.
    #[inline]
    fn queen_hits<const BLACK: bool>(&mut self, queen: Square, strong: Bitboard) -> Score {
        let us = color(BLACK);
        let by = self.attacked_by[us];
        let occupied = self.board.occupied();
        let safe = self.mobility_area[us] - strong;
        let knight = by[PieceType::Knight] & attacks::knight(queen) & safe;
        let sliders = by[PieceType::Bishop] & attacks::bishop(queen, occupied)
            | by[PieceType::Rook] & attacks::rook(queen, occupied);
        let supported = sliders & safe & self.attacked_twice[us];
        self.weigh(us, THREAT_ON_QUEEN.at(0), knight.count() as i32)
            + self.weigh(us, THREAT_ON_QUEEN.at(1), supported.count() as i32)
    }

    /// Room for the pieces behind the central pawns.
    pub(super) fn space<const BLACK: bool>(&mut self) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let pawns = board.pieces(us, PieceType::Pawn);
        let area = masks::CENTRE_FILES & masks::SPACE_RANKS[us];
        let safe = area - pawns - self.attacked_by[them][PieceType::Pawn];
        let mut behind = pawns | pawns.forward(them);
        behind |= behind.forward(them).forward(them);
        let secure = safe & (behind - self.attacked[them]);
        let pieces = (board.color(us) - board.kind(PieceType::Pawn)).count();
        let count = (safe.count() + secure.count()) * pieces / SPACE_UNIT;
        self.weigh(us, SPACE.at(0), count as i32)
    }
}

/// Whether a king cannot catch a pawn that runs (the rule of the square).
fn is_too_late(us: Color, pawn: Square, king: Square, king_moves: bool) -> bool {
    let goal = Square::new(pawn.file(), Rank::R8.relative_to(us));
    let rank = pawn.rank().relative_to(us).index() as i32;
    let steps = (7 - rank).min(5);
    distance(king, goal) - i32::from(king_moves) > steps
}
