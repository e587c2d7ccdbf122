//! The attack on a king: many small dangers are summed, and their sum is squared.

use super::masks;
use super::score::Score;
use super::terms::{
    DANGER_ATTACKER, DANGER_ATTACKS, DANGER_BASE, DANGER_FLANK_ATTACK, DANGER_FLANK_DEFENCE,
    DANGER_KNIGHT_DEFENDER, DANGER_NO_QUEEN, DANGER_SAFE_CHECK, DANGER_UNSAFE_CHECK, DANGER_WEAK,
};
use super::trace::Tracer;
use super::{DANGER_DIVISOR, DANGER_LIMIT, DANGER_SQUARE_DIVISOR, Evaluation, color};
use tabiya_chess::{Bitboard, PieceType, attacks};

/// The pieces that attack kings, in the order of their weights.
const ATTACKERS: [PieceType; 4] =
    [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

impl<T: Tracer> Evaluation<'_, T> {
    /// What the attack on this side's king costs it: zero or negative. `shelter` is the danger that
    /// comes from the pawns.
    pub(super) fn king_danger<const BLACK: bool>(&mut self, shelter: Score) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let attackers: u8 = self.zone_attackers[us].iter().sum();
        let has_queen = board.pieces(them, PieceType::Queen).any();
        // One piece does not make an attack, unless it is helped by a queen.
        if attackers < 2 - u8::from(has_queen) {
            self.tracer.forget_danger(us);
            return Score::ZERO;
        }

        let by_king = self.attacked_by[us][PieceType::King];
        let by_queen = self.attacked_by[us][PieceType::Queen];
        let weak = (self.attacked[them] - self.attacked_twice[us])
            & (!self.attacked[us] | by_queen | by_king);
        let safe_to_enter = !self.attacked[us] | weak & self.attacked_twice[them];
        let safe = safe_to_enter - board.color(them);

        let mut danger = shelter + self.weigh(us, DANGER_BASE.at(0), 1);
        danger += self.weigh(us, DANGER_NO_QUEEN.at(0), i32::from(!has_queen));
        danger += self.weigh(us, DANGER_ATTACKS.at(0), self.zone_attacks[us] as i32);
        let weak_zone = (weak & self.king_zone[us]).count() as i32;
        danger += self.weigh(us, DANGER_WEAK.at(0), weak_zone);
        let defended_by_knight = self.attacked_by[us][PieceType::Knight] & self.king_zone[us];
        let defended = i32::from(defended_by_knight.any());
        danger += self.weigh(us, DANGER_KNIGHT_DEFENDER.at(0), defended);

        let king = board.king(us);
        let flank = masks::FLANK[king.file()] & masks::CAMP[us];
        let pressure =
            (flank & self.attacked[them]).count() + (flank & self.attacked_twice[them]).count();
        danger += self.weigh(us, DANGER_FLANK_ATTACK.at(0), pressure as i32);
        let defence = (flank & self.attacked[us]).count() as i32;
        danger += self.weigh(us, DANGER_FLANK_DEFENCE.at(0), defence);

        let without_queen = board.occupied() - board.pieces(us, PieceType::Queen);
        let lines = attacks::rook(king, without_queen);
        let diagonals = attacks::bishop(king, without_queen);
        let from = [attacks::knight(king), diagonals, lines, lines | diagonals];
        let mut unsafe_checks = Bitboard::EMPTY;
        for (i, kind) in ATTACKERS.into_iter().enumerate() {
            let count = i32::from(self.zone_attackers[us][kind]);
            danger += self.weigh(us, DANGER_ATTACKER.at(i), count);
            let mut checks = from[i] & self.attacked_by[them][kind];
            if kind == PieceType::Queen {
                checks -= by_queen;
            } else {
                unsafe_checks |= checks - safe;
            }
            let safe_checks = (checks & safe).count() as i32;
            danger += self.weigh(us, DANGER_SAFE_CHECK.at(i), safe_checks);
        }
        let possible = (unsafe_checks - board.color(them)).count() as i32;
        danger += self.weigh(us, DANGER_UNSAFE_CHECK.at(0), possible);
        cost(danger)
    }
}

/// What a sum of dangers costs: squared in the middlegame, in proportion in the endgame.
#[inline]
pub(super) fn cost(danger: Score) -> Score {
    let middlegame = danger.middlegame().clamp(0, DANGER_LIMIT);
    let endgame = danger.endgame().max(0);
    Score::new(-(middlegame * middlegame / DANGER_SQUARE_DIVISOR), -(endgame / DANGER_DIVISOR))
}
