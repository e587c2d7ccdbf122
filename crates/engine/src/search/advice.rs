//! What a thread does with the proposal of the policy net.
//!
//! A policy may only reorder, and change the depth of a root move by one ply; it never prunes and
//! never touches values. Without advice nothing here has any effect.

use super::history::MoveKey;
use super::root::{Job, RootMove};
use super::see::see_ge;
use super::{Worker, hash_key};
use crate::policy::Policy;
use crate::policy::human::Human;
use crate::score::{INFINITE, Value};
use std::cmp::Reverse;
use std::time::Duration;
use tabiya_chess::{Board, Move};

/// Deep nodes without a hash move ask from this depth on.
pub(super) const DEEP: i32 = 12;
/// Answers that are remembered, by the key of the position.
const ANSWERS: usize = 4096;
/// How much a chance that is e times as large moves the history of a quiet move, and the most it may.
const HISTORY_SCALE: f32 = 600.0;
const HISTORY_LIMIT: i32 = 4096;
/// Plies by which a move e times less likely than the likeliest is reduced more, and where that begins.
const REDUCE_SCALE: f32 = 0.25;
const REDUCE_START: f32 = 0.75;

/// A thread's way of asking the net about positions inside the tree.
pub(super) struct DeepPolicy {
    policy: Policy,
    answers: Vec<Option<(u64, Move)>>,
    pub(super) asked: u64,
}

impl DeepPolicy {
    fn best(&mut self, board: &Board) -> Option<Move> {
        let place = board.key() as usize % ANSWERS;
        if let Some((key, mv)) = self.answers[place]
            && key == board.key()
        {
            return Some(mv).filter(|mv| board.is_legal(*mv));
        }
        self.asked += 1;
        let mv = self.policy.best(board)?;
        self.answers[place] = Some((board.key(), mv));
        Some(mv)
    }
}

impl Worker {
    /// Takes the advice of a search: order of the root, history, and what asking costs.
    pub(super) fn take_advice(&mut self, job: &Job) {
        self.advice.clone_from(&job.advice);
        self.root_order.clear();
        self.deep = None;
        let Some(advice) = &job.advice else { return };
        let uses = advice.uses;
        if uses.order {
            let entry = self.shared.tt.probe(hash_key(&job.board), 0, job.board.halfmove_clock());
            let known = entry.filter(|entry| entry.depth >= 1).and_then(|entry| entry.mv);
            let chance = |mv| advice.proposal.chance(mv);
            self.root_moves.sort_by(|a, b| {
                let is_known = |root: &RootMove| Some(root.mv) == known;
                is_known(b).cmp(&is_known(a)).then(chance(b.mv).total_cmp(&chance(a.mv)))
            });
        }
        if uses.threads && !self.root_moves.is_empty() {
            let shift = self.id % 3 % self.root_moves.len();
            self.root_moves.rotate_left(shift);
        }
        if uses.history {
            self.teach_history(job);
        }
        if uses.deep {
            let policy = Policy::new(std::sync::Arc::clone(&advice.net));
            self.deep =
                Some(Box::new(DeepPolicy { policy, answers: vec![None; ANSWERS], asked: 0 }));
        }
        self.charge(1);
    }

    /// Counts questions as nodes where nodes are limited: thinking is not free.
    fn charge(&mut self, questions: u64) {
        if let Some(advice) = &self.advice
            && self.node_limit != u64::MAX
        {
            self.node_limit = self.node_limit.saturating_sub(questions * advice.cost());
        }
    }

    fn teach_history(&mut self, job: &Job) {
        let Some(advice) = &job.advice else { return };
        let logs = advice.proposal.moves.iter().map(|known| known.chance.max(1e-6).ln());
        let mean = logs.clone().sum::<f32>() / advice.proposal.moves.len().max(1) as f32;
        let threatened = job.board.threatened();
        for (known, log) in advice.proposal.moves.iter().zip(logs) {
            if !known.mv.is_noisy() {
                let bonus = (HISTORY_SCALE * (log - mean)).round() as i32;
                let key = MoveKey::new(&job.board, known.mv, threatened);
                let side = job.board.side_to_move();
                let bonus = bonus.clamp(-HISTORY_LIMIT, HISTORY_LIMIT);
                self.histories.update_main(side, key, bonus);
            }
        }
    }

    /// Whether the moves of the root come in the order of [`Self::order_root`].
    #[inline]
    pub(super) fn orders_root(&self) -> bool {
        !self.root_order.is_empty()
    }

    /// Before each search of the root: the best move so far, then those that took most nodes; before
    /// anything was searched, the likeliest.
    pub(super) fn order_root(&mut self) {
        if !self.advice.as_ref().is_some_and(|advice| advice.uses.order) {
            return;
        }
        let mut order: Vec<&RootMove> = self.root_moves[self.pv_index..].iter().collect();
        if let Some((_, rest)) = order.split_first_mut() {
            rest.sort_by_key(|root| Reverse(root.nodes()));
        }
        let order = order.into_iter().map(|root| root.mv).collect();
        self.root_order = order;
    }

    /// By how much more a move of the root is reduced, in 1/1024 plies.
    pub(super) fn root_reduction(&self, board: &Board, mv: Move, gives_check: bool) -> i32 {
        let Some(advice) = self.advice.as_ref().filter(|advice| advice.uses.reduce) else {
            return 0;
        };
        let is_good_capture = mv.is_capture() && see_ge(board, mv, 0);
        let is_leading = self.root_moves.iter().take(3).any(|root| root.mv == mv);
        if gives_check || is_good_capture || is_leading || self.pv_index > 0 {
            return 0;
        }
        let likeliest = advice.proposal.moves.first().map_or(1.0, |known| known.chance);
        let distance = (likeliest / advice.proposal.chance(mv).max(1e-6)).ln();
        let plies = (REDUCE_SCALE * distance - REDUCE_START).round().clamp(-1.0, 1.0);
        1024 * plies as i32
    }

    /// A stand-in for the missing hash move of a deep node.
    pub(super) fn ask_deep(&mut self, board: &Board) -> Option<Move> {
        let deep = self.deep.as_mut()?;
        let before = deep.asked;
        let mv = deep.best(board);
        let questions = deep.asked - before;
        self.charge(questions);
        mv
    }

    /// How much longer than planned to think: less when search and policy agree for long, more when
    /// the search prefers what the policy thinks unlikely.
    pub(super) fn time_factor(&self, best: Move, stable: i32, depth: i32) -> f64 {
        let Some(advice) = self.advice.as_ref().filter(|advice| advice.uses.time) else {
            return 1.0;
        };
        let Some(first) = advice.proposal.moves.first() else { return 1.0 };
        if first.chance > 0.8 && first.mv == best && stable >= 4 {
            0.85
        } else if advice.proposal.chance(best) < 0.02 && depth >= 10 {
            1.15
        } else {
            1.0
        }
    }

    /// Puts the move of a person first, after a short look at it.
    pub(super) fn play_like(&mut self, human: &Human, job: &Job) {
        let best = self.root_moves.first().map_or(-INFINITE, RootMove::known_value);
        let guard = human.guard().filter(|_| best != -INFINITE);
        let chosen = human.choose(|mv| {
            guard.is_some_and(|(depth, cost)| {
                best.saturating_sub(self.look(&job.board, mv, depth)) > cost
            })
        });
        let place = chosen.and_then(|mv| self.root_moves.iter().position(|root| root.mv == mv));
        if let Some(front) = place.and_then(|place| self.root_moves.get_mut(..=place)) {
            front.rotate_right(1);
            front[0].settle();
        }
        self.think_like(human, job);
    }

    /// The value of a root move by a search of its own, whatever the limits were.
    fn look(&mut self, board: &Board, mv: Move, depth: i32) -> Value {
        let (stopped, limit, time) = (self.stopped, self.node_limit, self.time.take());
        (self.stopped, self.node_limit) = (false, u64::MAX);
        let child = self.make(board, mv, 0);
        let value = -self.search::<super::node::Pv>(&child, -INFINITE, INFINITE, depth, 1, false);
        self.unmake();
        (self.stopped, self.node_limit, self.time) = (stopped, limit, time);
        value
    }

    /// Waits as long as a person would think, if a clock runs and nobody says stop. Where there is one
    /// thread only it answers at once: nobody could be heard meanwhile.
    fn think_like(&self, human: &Human, job: &Job) {
        if !cfg!(feature = "threads") {
            return;
        }
        let Some(soft) = self.time.as_ref().and_then(super::time::TimeManager::planned) else {
            return;
        };
        if job.limits.clock(job.board.side_to_move()).is_none() {
            return;
        }
        let wanted = human.thinking_time(soft);
        while self.shared.elapsed() < wanted && !self.shared.is_stopped() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
