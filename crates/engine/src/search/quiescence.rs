//! Quiescence search: captures until the position is quiet enough for the static evaluation.

use super::node::Node;
use super::picker::Picker;
use super::see::{VALUES, see_ge};
use super::stats::Counter;
use super::{Worker, adjust, hash_key};
use crate::score::{self, DRAW, INFINITE, NONE, Value, is_decisive, is_loss, mated_in};
use crate::tt::{Bound, Entry};
use tabiya_chess::Board;

impl Worker {
    pub(super) fn quiescence<N: Node>(
        &mut self,
        board: &Board,
        mut alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Value {
        debug_assert!(alpha < beta && (N::PV || alpha == beta - 1));
        if N::PV {
            self.clear_line(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if self.should_stop() {
            return DRAW;
        }
        self.count(Counter::QuiescenceNode);
        let in_check = board.in_check();
        if let Some(value) = self.known_end(board, &mut alpha, beta, ply, in_check) {
            return value;
        }

        let key = hash_key(board);
        let entry = self.shared.tt.probe(key, ply, board.halfmove_clock());
        self.count(Counter::Probe);
        self.count_many(Counter::Hit, u64::from(entry.is_some()));
        if !N::PV
            && let Some(entry) = entry
            && entry.value != NONE
            && entry.bound.proves(entry.value, beta)
        {
            self.count(Counter::HashCut);
            return entry.value;
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        let mut raw = NONE;
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        if !in_check {
            raw = entry
                .map(|entry| entry.eval)
                .filter(|eval| *eval != NONE)
                .unwrap_or_else(|| self.evaluate(board));
            let correction = self.correction(board, ply);
            let static_eval = adjust(board, raw, correction);
            best = static_eval;
            // A bound from the hash table may know better than the evaluation.
            if let Some(entry) = entry
                && entry.value != NONE
                && !is_decisive(entry.value)
                && entry.bound.proves(entry.value, best)
            {
                best = entry.value;
            }
            if best >= beta {
                self.count(Counter::StandPat);
                if entry.is_none() {
                    self.shared.tt.store(key, ply, Entry::evaluated(raw, was_pv));
                }
                return if is_decisive(best) { best } else { Value::midpoint(best, beta) };
            }
            alpha = alpha.max(best);
            futility = static_eval + self.params.qs_futility();
        }

        let hash_move = entry
            .and_then(|entry| entry.mv)
            .filter(|mv| (in_check || mv.is_noisy()) && board.is_legal(*mv));
        let mut picker = if in_check {
            // Only the order of quiet moves needs it.
            self.frame_mut(ply).threatened = board.threatened();
            Picker::new(self, hash_move, ply)
        } else {
            Picker::noisy(self, hash_move, ply)
        };
        let last_target = self.earlier(ply, 1).mv.map(tabiya_chess::Move::to);
        let mut best_move = None;
        let mut tried = 0_u32;
        while let Some(mv) = self.next_move(&mut picker, board) {
            tried += 1;
            // Nothing is skipped before some move is known not to lose.
            if !is_loss(best) {
                // One evasion that holds is enough: the other quiet ones are left to the main search.
                if in_check {
                    picker.skip_quiets();
                }
                let recapture = Some(mv.to()) == last_target;
                if !in_check && !recapture && !mv.is_promotion() {
                    if tried > 3 && !board.gives_check(mv) {
                        continue;
                    }
                    // Delta pruning: even winning the piece for nothing does not reach alpha.
                    let victim = board.captured(mv).map_or(0, |kind| VALUES[kind]);
                    if futility + victim <= alpha {
                        best = best.max(score::clamp_heuristic(futility + victim));
                        self.count(Counter::DeltaPruning);
                        continue;
                    }
                    if futility <= alpha && !see_ge(board, mv, 1) {
                        best = best.max(futility);
                        self.count(Counter::DeltaPruning);
                        continue;
                    }
                }
                if !see_ge(board, mv, -self.params.qs_see()) {
                    self.count(Counter::QuiescenceExchange);
                    continue;
                }
            }
            let child = self.make(board, mv, ply);
            let value = -self.quiescence::<N>(&child, -beta, -alpha, ply + 1);
            self.unmake();
            if self.stopped {
                picker.finish(self);
                return DRAW;
            }
            best = best.max(value);
            if value <= alpha {
                continue;
            }
            best_move = Some(mv);
            if N::PV {
                self.extend_line(ply, mv);
            }
            if value >= beta {
                self.count_cutoff(tried);
                break;
            }
            alpha = value;
        }
        picker.finish(self);

        if in_check && tried == 0 {
            return mated_in(ply);
        }
        if best >= beta && !is_decisive(best) {
            best = Value::midpoint(best, beta);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let stored = Entry { mv: best_move, value: best, eval: raw, depth: 0, bound, pv: was_pv };
        self.shared.tt.store(key, ply, stored);
        debug_assert!(best.abs() < INFINITE);
        best
    }
}
