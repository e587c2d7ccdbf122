//! `ProbCut` (Buro 1995): a capture that wins far more than beta in a reduced search will win beta in a
//! full one.

use super::Worker;
use super::node::NonPv;
use super::picker::Picker;
use super::see::see_ge;
use crate::score::Value;
use crate::tt::{Bound, Entry};
use tabiya_chess::{Board, Move};

impl Worker {
    /// The value of a capture that refutes the last move, if there is one.
    #[expect(clippy::too_many_arguments, reason = "the state of the one node it is a part of")]
    pub(super) fn probcut(
        &mut self,
        board: &Board,
        probcut_beta: Value,
        depth: i32,
        ply: usize,
        hash_move: Option<Move>,
        static_eval: Value,
        key: u64,
        raw: Value,
    ) -> Option<Value> {
        let hash_move = hash_move.filter(|mv| mv.is_noisy());
        let threshold = probcut_beta - static_eval;
        let mut picker = Picker::winning(self, hash_move, ply, threshold);
        let reduced = depth - 4;
        let mut result = None;
        while let Some(mv) = picker.next(self, board) {
            if Some(mv) == hash_move && !see_ge(board, mv, threshold) {
                continue;
            }
            let child = self.make(board, mv, ply);
            let window = (-probcut_beta, -probcut_beta + 1);
            let mut value = -self.quiescence::<NonPv>(&child, window.0, window.1, ply + 1);
            if value >= probcut_beta && reduced > 0 {
                value = -self.search::<NonPv>(&child, window.0, window.1, reduced, ply + 1, false);
            }
            self.unmake();
            if self.stopped {
                break;
            }
            if value >= probcut_beta {
                let stored = Entry {
                    mv: Some(mv),
                    value,
                    eval: raw,
                    depth: reduced + 1,
                    bound: Bound::Lower,
                    pv: self.frame(ply).tt_pv,
                };
                self.shared.tt.store(key, ply, stored);
                result = Some(value);
                break;
            }
        }
        picker.finish(self);
        result
    }
}
