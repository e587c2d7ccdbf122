//! What the histories are taught: which moves refuted, which failed, which led here.

use super::Worker;
use super::history::MoveKey;
use crate::score::Value;
use tabiya_chess::{Board, Color, Move};

/// Moves tried at a node before the best one, to be punished if another refutes.
pub(super) struct Tried {
    moves: [Option<Move>; 32],
    len: usize,
}

impl Tried {
    pub(super) const fn new() -> Self {
        Self { moves: [None; 32], len: 0 }
    }

    pub(super) fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = Some(mv);
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().flatten().copied()
    }
}

impl Worker {
    /// Updates all histories after `mv` turned out best.
    pub(super) fn reward(
        &mut self,
        board: &Board,
        mv: Move,
        quiets: &Tried,
        captures: &Tried,
        depth: i32,
        ply: usize,
    ) {
        let (bonus, malus) = (self.history_bonus(depth), self.history_malus(depth));
        let threatened = self.frame(ply).threatened;
        let earlier = self.earlier_moves(ply);
        if mv.is_noisy() {
            self.histories.update_capture(board, mv, bonus);
        } else {
            self.frame_mut(ply).killer = Some(mv);
            self.histories.set_counter(earlier[0], mv);
            let key = MoveKey::new(board, mv, threatened);
            self.histories.update_quiet(board, key, &earlier, bonus);
            self.histories.update_low_ply(ply, key, bonus);
            for other in quiets.iter() {
                let key = MoveKey::new(board, other, threatened);
                self.histories.update_quiet(board, key, &earlier, -malus);
                self.histories.update_low_ply(ply, key, -malus);
            }
        }
        for other in captures.iter() {
            self.histories.update_capture(board, other, -malus);
        }
    }

    /// Rewards the quiet move that led to a node where nothing helped.
    pub(super) fn reward_previous(&mut self, board: &Board, ply: usize, depth: i32) {
        let Some((key, continuation)) = self.previous_quiet(ply) else { return };
        let bonus = self.history_bonus(depth) / 2;
        let earlier = [2, 3, 5].map(|back| self.earlier(ply, back).continuation);
        self.histories.reward_continuation(continuation, &earlier, bonus);
        let to_main = bonus * self.params.history_previous() / 1024;
        self.histories.update_main(board.opponent(), key, to_main);
        if !key.is_pawn() {
            // The pawns stand as they stood when it was played.
            let to_pawn = bonus * self.params.history_previous_pawn() / 1024;
            self.histories.update_pawn(board, key, to_pawn);
        }
    }

    /// Judges the last move, if it was quiet, by what both sides' evaluations say it lost.
    #[inline]
    pub(super) fn judge_previous(&mut self, side: Color, ply: usize, loss: Value) {
        let Some((key, _)) = self.previous_quiet(ply) else { return };
        let limit = self.params.history_eval_max();
        let bonus = (-self.params.history_eval_scale() * loss).clamp(-limit, limit);
        self.histories.update_main(side, key, bonus);
    }

    /// The move that led here and its continuation block, if it was quiet.
    #[inline]
    fn previous_quiet(&self, ply: usize) -> Option<(MoveKey, usize)> {
        let previous = self.earlier(ply, 1);
        let quiet = previous.mv.is_some_and(|mv| !mv.is_noisy());
        quiet.then_some((previous.key, previous.continuation))
    }

    #[inline]
    pub(super) fn history_bonus(&self, depth: i32) -> i32 {
        (self.params.history_bonus_scale() * depth + self.params.history_bonus_base())
            .min(self.params.history_bonus_max())
    }

    #[inline]
    pub(super) fn history_malus(&self, depth: i32) -> i32 {
        (self.params.history_malus_scale() * depth + self.params.history_malus_base())
            .min(self.params.history_malus_max())
    }
}
