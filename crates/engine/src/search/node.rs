//! Alpha-beta at one node: the one long function of the engine.
//!
//! Headings name the techniques in the order they are applied. An expected *cut* node is one whose
//! parent hopes for a fail-high here; *all* nodes are the rest of the null-window nodes.

use super::history::MoveKey;
use super::picker::{Picker, Stage};
use super::reward::Tried;
use super::see::{VALUES, see_ge};
use super::stats::Counter;
use super::{EMPTY_FRAME, Worker, adjust, hash_key};
use crate::score::{
    self, DRAW, INFINITE, MAX_PLY, NONE, Value, is_decisive, is_loss, is_win, mate_in, mated_in,
};
use crate::tt::{Bound, Entry};
use tabiya_chess::{Board, Move};

/// The kind of a node as compile-time constants.
pub(crate) trait Node {
    /// Searched with an open window.
    const PV: bool;
    /// The root of the tree.
    const ROOT: bool;
}
/// The root.
pub(crate) struct Root;
/// A node of the principal variation.
pub(crate) struct Pv;
/// A node searched with a null window.
pub(crate) struct NonPv;
impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

impl Worker {
    pub(super) fn search<N: Node>(
        &mut self,
        board: &Board,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        if depth <= 0 {
            return if N::PV {
                self.quiescence::<Pv>(board, alpha, beta, ply)
            } else {
                self.quiescence::<NonPv>(board, alpha, beta, ply)
            };
        }
        debug_assert!(alpha < beta && (N::PV || alpha == beta - 1) && !(N::PV && cut));
        let depth_limit = MAX_PLY as i32 - 1;
        depth = depth.min(depth_limit);
        if N::PV {
            self.clear_line(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if self.should_stop() {
            return DRAW;
        }
        self.count(match (N::PV, cut) {
            (true, _) => Counter::PvNode,
            (false, true) => Counter::CutNode,
            (false, false) => Counter::AllNode,
        });
        let in_check = board.in_check();
        if !N::ROOT {
            if let Some(value) = self.known_end(board, &mut alpha, beta, ply, in_check) {
                return value;
            }
            // Mate distance pruning: a faster mate is known already.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // Hash table.
        let excluded = self.frame(ply).excluded;
        let key = hash_key(board);
        let entry = match excluded {
            None => self.shared.tt.probe(key, ply, board.halfmove_clock()),
            Some(_) => None,
        };
        self.count_many(Counter::Probe, u64::from(excluded.is_none()));
        self.count_many(Counter::Hit, u64::from(entry.is_some()));
        let entry_value = entry.map_or(NONE, |entry| entry.value);
        let mut hash_move = if N::ROOT {
            self.root_moves.get(self.pv_index).map(|root| root.mv)
        } else {
            entry.and_then(|entry| entry.mv).filter(|mv| board.is_legal(*mv))
        };
        if excluded.is_none() {
            self.frame_mut(ply).tt_pv = N::PV || entry.is_some_and(|entry| entry.pv);
        }
        let tt_pv = self.frame(ply).tt_pv;
        let hash_noisy = hash_move.is_some_and(Move::is_noisy);
        if !N::PV
            && let Some(entry) = entry
            && entry_value != NONE
            && entry.depth > depth - i32::from(entry_value < beta)
            && entry.bound.proves(entry_value, beta)
            && (cut == (entry_value >= beta) || depth > 5)
            && board.halfmove_clock() < 90
        {
            if entry_value >= beta
                && let Some(mv) = hash_move.filter(|mv| !mv.is_noisy())
            {
                let bonus = self.history_bonus(depth);
                let mv_key = MoveKey::new(board, mv, board.threatened());
                let earlier = self.earlier_moves(ply);
                self.histories.update_quiet(board, mv_key, &earlier, bonus);
            }
            self.count(Counter::HashCut);
            return entry_value;
        }

        // Endgame tables. A win or loss is a bound, as mate may come sooner.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && board.occupied().count() <= self.probe_pieces
            && excluded.is_none()
            && let Some((value, bound)) = self.probe_tables(board, depth, ply)
        {
            let decides = match bound {
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
                _ => true,
            };
            if decides {
                let depth = (depth + 6).min(depth_limit);
                let stored = Entry { mv: None, value, eval: NONE, depth, bound, pv: tt_pv };
                self.shared.tt.store(key, ply, stored);
                return value;
            }
            if N::PV && bound == Bound::Lower {
                floor = value;
                alpha = alpha.max(value);
            } else if N::PV {
                ceiling = value;
            }
        }

        // Static evaluation, corrected by what was learned and refined by the hash table.
        let correction = if in_check { 0 } else { self.correction(board, ply) };
        let mut raw = NONE;
        let static_eval = if in_check {
            NONE
        } else if excluded.is_some() {
            self.frame(ply).static_eval
        } else {
            raw = match entry {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.evaluate(board),
            };
            if entry.is_none() {
                self.shared.tt.store(key, ply, Entry::evaluated(raw, tt_pv));
            }
            adjust(board, raw, correction)
        };
        let mut eval = static_eval;
        if let Some(entry) = entry
            && !in_check
            && entry_value != NONE
            && entry.bound.proves(entry_value, eval)
        {
            eval = entry_value;
        }
        self.frame_mut(ply).static_eval = static_eval;
        // Reductions of a parent belong to this node alone; grandchildren start anew.
        let parent_reduction = if N::ROOT { 0 } else { self.earlier(ply, 1).reduction };
        self.frame_mut(ply).reduction = 0;
        self.frame_mut(ply + 2).cutoffs = 0;
        self.frame_mut(ply + 1).killer = None;
        self.frame_mut(ply + 1).excluded = None;

        let improving = !in_check && {
            let two = self.earlier(ply, 2).static_eval;
            let four = self.earlier(ply, 4).static_eval;
            if two == NONE { four == NONE || static_eval > four } else { static_eval > two }
        };

        // Hindsight: the last move and its reduction were judged before this evaluation was known.
        let parent_eval = self.earlier(ply, 1).static_eval;
        if !N::ROOT && !in_check && excluded.is_none() && parent_eval != NONE {
            let loss = parent_eval + static_eval;
            self.judge_previous(board.opponent(), ply, loss);
            if parent_reduction >= 3 * 1024 && loss < 0 {
                depth += 1;
            } else if parent_reduction >= 1024 && depth >= 2 && loss > 160 {
                depth -= 1;
            }
        }

        if !N::PV && !in_check && excluded.is_none() {
            // Razoring: hopeless positions go straight to quiescence.
            if !is_decisive(alpha)
                && eval
                    < alpha - self.params.razor_base() - self.params.razor_scale() * depth * depth
            {
                let value = self.quiescence::<NonPv>(board, alpha, beta, ply);
                if value <= alpha || self.stopped {
                    self.count(Counter::Razoring);
                    return value;
                }
            }

            // Reverse futility (static null move) pruning.
            let margin = self.params.rfp_margin() * depth
                - self.params.rfp_improving() * i32::from(improving)
                + correction.abs() / 2;
            if !tt_pv
                && depth <= self.params.rfp_limit()
                && eval - margin >= beta
                && eval >= beta
                && (hash_move.is_none() || hash_noisy)
                && !is_loss(beta)
                && !is_win(eval)
            {
                self.count(Counter::ReverseFutility);
                return beta + (eval - beta) / 3;
            }

            // Null-move pruning (Donninger 1993), verified at high depth.
            if cut
                && depth >= self.params.nmp_depth()
                && eval >= beta
                && static_eval >= beta + self.params.nmp_margin() - 10 * depth
                && ply >= self.null_min_ply
                && self.earlier(ply, 1).mv.is_some()
                && board.has_non_pawns(board.side_to_move())
                && !is_loss(beta)
            {
                let reduction = self.params.nmp_base()
                    + depth / self.params.nmp_depth_divisor()
                    + ((eval - beta) / self.params.nmp_eval_divisor())
                        .clamp(0, self.params.nmp_eval_max());
                self.count(Counter::NullMove);
                let child = self.make_null(board, ply);
                let value = -self.search::<NonPv>(
                    &child,
                    -beta,
                    -beta + 1,
                    depth - reduction,
                    ply + 1,
                    false,
                );
                self.unmake();
                if self.stopped {
                    return DRAW;
                }
                if value >= beta && !is_win(value) {
                    if self.null_min_ply > 0 || depth < self.params.nmp_verify_depth() {
                        self.count(Counter::NullMoveCut);
                        return value;
                    }
                    // In zugzwang passing is better than any move: search without null moves.
                    self.null_min_ply = ply + 3 * (depth - reduction).max(1) as usize / 4;
                    let verified =
                        self.search::<NonPv>(board, beta - 1, beta, depth - reduction, ply, false);
                    self.null_min_ply = 0;
                    if verified >= beta {
                        self.count(Counter::NullMoveCut);
                        return value;
                    }
                }
            }
        }

        // Internal iterative reduction: without a hash move the order is a guess.
        if depth >= self.params.iir_depth()
            && hash_move.is_none()
            && excluded.is_none()
            && (N::PV || cut)
        {
            if depth >= super::advice::DEEP && !N::ROOT {
                hash_move = self.ask_deep(board);
            }
            if hash_move.is_none() {
                depth -= 1;
            }
        }

        // ProbCut: a capture that beats beta by a margin in a shallow search will do so in a deep one.
        let probcut_beta = beta + self.params.probcut_margin()
            - self.params.probcut_improving() * i32::from(improving);
        if !N::PV
            && cut
            && !in_check
            && excluded.is_none()
            && depth >= self.params.probcut_depth()
            && !is_decisive(beta)
            && (entry_value == NONE || entry_value >= probcut_beta)
        {
            self.count(Counter::ProbCut);
            let value =
                self.probcut(board, probcut_beta, depth, ply, hash_move, static_eval, key, raw);
            if self.stopped {
                return DRAW;
            }
            if let Some(value) = value {
                self.count(Counter::ProbCutCut);
                return if is_decisive(value) { value } else { value - (probcut_beta - beta) };
            }
        }

        // Singular extension: is the hash move the only good one?
        let mut extension = 0;
        if !N::ROOT
            && excluded.is_none()
            && depth >= self.params.singular_depth() + i32::from(tt_pv)
            && ply < 2 * self.root_depth as usize
            && let (Some(entry), Some(mv)) = (entry, hash_move)
            && entry.bound.is_lower()
            && entry_value != NONE
            && !is_decisive(entry_value)
            && entry.depth >= depth - 3
        {
            let singular_beta = entry_value - self.params.singular_margin() * depth / 64;
            self.count(Counter::Singular);
            self.frame_mut(ply).excluded = Some(mv);
            let value = self.search::<NonPv>(
                board,
                singular_beta - 1,
                singular_beta,
                (depth - 1) / 2,
                ply,
                cut,
            );
            self.frame_mut(ply).excluded = None;
            if self.stopped {
                return DRAW;
            }
            if value < singular_beta {
                self.count(Counter::SingularExtension);
                extension = 1;
                let doubles = if ply > 0 { self.earlier(ply, 1).doubles } else { 0 };
                if !N::PV
                    && value < singular_beta - self.params.double_margin()
                    && doubles < self.params.double_max()
                {
                    extension = 2;
                    if !mv.is_noisy() && value < singular_beta - self.params.triple_margin() {
                        extension = 3;
                    }
                }
            } else if value >= beta && !is_decisive(value) {
                // Multi-cut: another move beats beta as well.
                self.count(Counter::MultiCut);
                return value;
            } else if entry_value >= beta {
                extension = -2 + i32::from(N::PV);
            } else if cut {
                extension = -2;
            }
        }

        let mut best = floor;
        let mut best_move = None;
        let mut quiets = Tried::new();
        let mut captures = Tried::new();
        let mut move_count = 0;
        let original_alpha = alpha;
        let us = board.side_to_move();
        let earlier = self.earlier_moves(ply);
        let parent_doubles = if N::ROOT { 0 } else { self.earlier(ply, 1).doubles };
        if excluded.is_some() {
            hash_move = None;
        }
        let threatened = board.threatened();
        self.frame_mut(ply).threatened = threatened;
        let mut picker = Picker::new(self, hash_move, ply);
        let mut root_place = 0;
        loop {
            let next = if N::ROOT && self.orders_root() {
                self.root_order.get(root_place).copied()
            } else {
                self.next_move(&mut picker, board)
            };
            let Some(mv) = next else { break };
            root_place += 1;
            if Some(mv) == excluded || (N::ROOT && !self.is_root_candidate(mv)) {
                continue;
            }
            move_count += 1;
            let quiet = !mv.is_noisy();
            let gives_check = board.gives_check(mv);
            let mv_key = MoveKey::new(board, mv, threatened);
            let history = if quiet {
                self.histories.main(us, mv_key)
                    + self.histories.continuation(earlier[0], mv_key)
                    + self.histories.continuation(earlier[1], mv_key)
                    + self.histories.pawn(board, mv_key)
            } else {
                self.histories.capture(board, mv)
            };
            let mut reduction = self.reductions.get(quiet, depth, move_count);

            if !N::ROOT && !is_loss(best) {
                let lmr_depth = (depth - reduction / 1024 + history / 16384).max(0);
                if quiet {
                    // Late move pruning.
                    let limit =
                        (self.params.lmp_base() + depth * depth) / (2 - i32::from(improving));
                    if depth <= self.params.lmp_limit() && !gives_check && move_count as i32 > limit
                    {
                        self.count(Counter::LateMoves);
                        picker.skip_quiets();
                    }
                    // History pruning.
                    if depth <= self.params.history_prune_limit()
                        && history < -self.params.history_prune_scale() * depth
                    {
                        self.count(Counter::HistoryPruning);
                        picker.skip_quiets();
                        continue;
                    }
                }
                // Futility pruning: even what the move wins does not reach alpha.
                let (base, scale, limit) = if quiet {
                    let params = &self.params;
                    (params.futility_base(), params.futility_scale(), params.futility_limit())
                } else {
                    let victim = board.captured(mv).map_or(0, |kind| VALUES[kind]);
                    (
                        self.params.noisy_futility_base() + victim,
                        self.params.noisy_futility_scale(),
                        self.params.noisy_futility_limit(),
                    )
                };
                let futility = static_eval + base + scale * lmr_depth + history / 128;
                if !in_check && !gives_check && lmr_depth <= limit && futility <= alpha {
                    if !is_decisive(best) && best < futility {
                        best = score::clamp_heuristic(futility);
                    }
                    self.count(Counter::Futility);
                    if quiet {
                        picker.skip_quiets();
                    }
                    continue;
                }
                // Exchanges that lose too much for the depth left.
                let threshold = if quiet {
                    -self.params.see_quiet_scale() * lmr_depth * lmr_depth
                } else {
                    -self.params.see_noisy_scale() * depth - history / 64
                };
                if self.params.see_pruning() > 0
                    && picker.stage() > Stage::GoodNoisy
                    && (!quiet || mv_key.is_threatened())
                    && !see_ge(board, mv, threshold.min(0))
                {
                    self.count(Counter::ExchangePruning);
                    continue;
                }
            }

            let move_extension = if Some(mv) == hash_move { extension } else { 0 };
            let new_depth = depth - 1 + move_extension;
            self.frame_mut(ply).doubles = parent_doubles + i32::from(move_extension >= 2);
            let nodes_before = self.nodes;
            let child = self.make_with(board, mv, mv_key, ply);
            let mut value = -INFINITE;

            // Late move reductions.
            if depth >= self.params.lmr_depth() && move_count > 1 + u32::from(N::ROOT) {
                if N::PV {
                    reduction -= self.params.lmr_pv();
                }
                if tt_pv {
                    reduction -= self.params.lmr_tt_pv();
                }
                if cut {
                    reduction += self.params.lmr_cut();
                    if hash_move.is_none() {
                        reduction += self.params.lmr_cut_no_hash();
                    }
                }
                if !improving {
                    reduction += self.params.lmr_improving();
                }
                if gives_check {
                    reduction -= self.params.lmr_check();
                }
                if hash_noisy && quiet {
                    reduction += self.params.lmr_tt_noisy();
                }
                if Some(mv) == self.frame(ply).killer {
                    reduction -= self.params.lmr_killer();
                }
                if self.frame(ply + 1).cutoffs > 2 {
                    reduction += self.params.lmr_cutoffs();
                }
                if N::ROOT {
                    reduction += self.root_reduction(board, mv, gives_check);
                }
                reduction -= self.params.lmr_corr() * correction.abs();
                reduction -= history * self.params.lmr_history() / 1024;
                let reduced = (new_depth - reduction / 1024).clamp(1, (new_depth + 1).max(1));
                self.frame_mut(ply).reduction = (new_depth - reduced).max(0) * 1024;
                self.count_many(Counter::Reduced, u64::from(reduced < new_depth));
                value = -self.search::<NonPv>(&child, -alpha - 1, -alpha, reduced, ply + 1, true);
                self.frame_mut(ply).reduction = 0;
                if value > alpha && new_depth > reduced {
                    // The first look decides how closely the second one looks.
                    let deeper = value
                        > best
                            + self.params.lmr_deeper_base()
                            + self.params.lmr_deeper_scale() * new_depth;
                    let shallower = value < best + new_depth;
                    let again = new_depth + i32::from(deeper) - i32::from(shallower);
                    if again > reduced {
                        self.count(Counter::ReducedAgain);
                        value =
                            -self.search::<NonPv>(&child, -alpha - 1, -alpha, again, ply + 1, !cut);
                    }
                    if quiet && !self.stopped {
                        let bonus = if value > alpha {
                            self.history_bonus(depth)
                        } else {
                            -self.history_malus(depth)
                        };
                        self.histories.update_continuation(mv_key, &earlier, bonus);
                    }
                }
            } else if !N::PV || move_count > 1 {
                value = -self.search::<NonPv>(&child, -alpha - 1, -alpha, new_depth, ply + 1, !cut);
            }
            if N::PV && (move_count == 1 || value > alpha) {
                // The hash move of a long line is not dropped into quiescence.
                let full = if Some(mv) == hash_move && self.root_depth > 8 {
                    new_depth.max(1)
                } else {
                    new_depth
                };
                value = -self.search::<Pv>(&child, -beta, -alpha, full, ply + 1, false);
            }
            self.unmake();
            if self.stopped {
                picker.finish(self);
                return DRAW;
            }
            if N::ROOT {
                self.update_root_move(
                    mv,
                    value,
                    alpha,
                    beta,
                    move_count,
                    self.nodes - nodes_before,
                );
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.extend_line(ply, mv);
                    }
                    if value >= beta {
                        self.frame_mut(ply).cutoffs += 1;
                        self.count_cutoff(move_count);
                        break;
                    }
                    alpha = value;
                    // Later moves rarely raise alpha again.
                    if depth > 3 && depth < 12 && !is_decisive(value) {
                        depth -= 1;
                    }
                }
            }
            if Some(mv) != best_move {
                if quiet {
                    quiets.push(mv);
                } else {
                    captures.push(mv);
                }
            }
        }
        picker.finish(self);

        if move_count == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => self.draw_values[board.side_to_move()],
            };
        }

        best = best.min(ceiling);
        if let Some(mv) = best_move {
            self.reward(board, mv, &quiets, &captures, depth + i32::from(best > beta + 80), ply);
        }
        // A fail-low means the opponent's last move was good.
        if best_move.is_none() && !N::ROOT && excluded.is_none() {
            self.reward_previous(board, ply, depth);
        }
        // Fail-high values are drawn towards beta in proportion to the depth that backs them.
        if best >= beta && !is_decisive(best) && !is_decisive(beta) {
            best = (best * depth + beta) / (depth + 1);
        }
        if !N::ROOT && best <= original_alpha && self.earlier(ply, 1).tt_pv {
            self.frame_mut(ply).tt_pv = true;
        }
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            let bound = if best >= beta || best == floor {
                Bound::Lower
            } else if N::PV && best_move.is_some() {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let pv = self.frame(ply).tt_pv;
            let stored = Entry { mv: best_move, value: best, eval: raw, depth, bound, pv };
            self.shared.tt.store(key, ply, stored);
            // Correction history learns from quiet results that contradict the evaluation.
            if !in_check
                && !best_move.is_some_and(Move::is_noisy)
                && bound.proves(best, static_eval)
                && !is_decisive(best)
            {
                let last = self.earlier(ply, 1).continuation;
                let before = self.earlier(ply, 2).continuation;
                let error = best - static_eval;
                self.histories.corrections.update(board, last, before, depth, error);
            }
        }
        debug_assert!(best.abs() < INFINITE);
        best
    }

    /// Asks the endgame tables for a value and what it is a bound of. They answer for positions
    /// right after a capture or pawn move only: elsewhere the fifty-move rule could spoil a win.
    #[cold]
    fn probe_tables(&mut self, board: &Board, depth: i32, ply: usize) -> Option<(Value, Bound)> {
        let deep = depth >= self.probing.min_depth || board.occupied().count() < self.probe_pieces;
        if !deep || board.halfmove_clock() != 0 || board.castling_rooks().any() {
            return None;
        }
        let found = self.probing.value(board, ply)?;
        self.tb_hits += 1;
        self.shared.publish_tb_hits(self.id, self.tb_hits);
        Some(found)
    }

    /// Empties the frames before a new search.
    pub(super) fn reset_frames(&mut self) {
        self.frames.fill(EMPTY_FRAME);
    }
}
