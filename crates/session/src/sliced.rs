//! A player without threads: it searches whenever it is given a moment.

use crate::lines::LineSet;
use crate::protocol::{Lines, Reply};
use crate::review::Review;
use crate::session::{HASH_MB, Player, Search};
use std::collections::VecDeque;
use tabiya_engine::eval::Evaluation;
use tabiya_engine::options::OptionError;
use tabiya_engine::policy::Policy;
use tabiya_engine::{Config, Searcher, SlicedSearch, TableError, Tablebase};
use tabiya_lab::work::StopSignal;

/// A search under way.
struct Running {
    search: SlicedSearch,
    lines: LineSet,
    is_endless: bool,
}

/// An engine that searches slice by slice, and the answers it has for the page.
pub struct Sliced {
    searcher: Searcher,
    running: Option<Running>,
    review: Option<Review>,
    outbox: VecDeque<Reply>,
}

impl Sliced {
    /// An engine with the hash table of a session.
    pub fn new() -> Result<Self, TableError> {
        let searcher = Searcher::new(HASH_MB)?;
        Ok(Self { searcher, running: None, review: None, outbox: VecDeque::new() })
    }

    /// Makes the chances of levels and books those of a seed.
    pub fn seed(&mut self, seed: u64) {
        self.searcher.seed_level(seed);
    }

    /// Judges by another evaluation from now on.
    pub fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.searcher.set_evaluation(evaluation);
    }

    /// Asks this policy net from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.searcher.set_policy(policy);
    }

    /// The next answer for the page.
    pub fn take_reply(&mut self) -> Option<Reply> {
        self.outbox.pop_front()
    }

    /// Whether another moment would be used.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Searches for a moment.
    pub fn step(&mut self) {
        let Some(running) = &mut self.running else { return };
        let mut newest: Option<Lines> = None;
        self.searcher.search_slice(&mut running.search, |info| {
            if let Some(lines) = running.lines.add(info) {
                newest = Some(lines);
            }
        });
        self.outbox.extend(newest.map(Reply::Lines));
        if running.search.is_done() {
            self.finish();
        }
    }

    /// Makes the report that was asked for, all at once: for a page that has an engine to itself for it.
    pub fn run_review(&mut self, tell: impl FnMut(Reply)) {
        if let Some(mut review) = self.review.take() {
            review.run(&StopSignal::new(), tell);
        }
    }

    /// Ends the search with its move, if it owes one.
    fn finish(&mut self) {
        let Some(running) = self.running.take() else { return };
        if running.is_endless {
            return;
        }
        let result = self.searcher.finish(running.search);
        self.outbox.push_back(running.lines.best(&result));
    }
}

impl Player for Sliced {
    fn threads(&self) -> usize {
        1
    }

    fn review_threads(&self) -> usize {
        1
    }

    fn set_threads(&mut self, _: usize) {}

    fn evaluation(&self) -> Evaluation {
        self.searcher.evaluation()
    }

    fn has_policy(&self) -> bool {
        self.searcher.has_policy()
    }

    fn tables(&self) -> Option<&Tablebase> {
        None
    }

    fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), OptionError> {
        self.searcher.configure(change)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.searcher.set_option(name, value)
    }

    fn new_game(&mut self) {
        self.searcher.new_game();
    }

    fn stop(&mut self) {
        self.finish();
    }

    fn start(&mut self, search: Search) -> Result<(), String> {
        let Search { id, game, limits, lines } = search;
        let board = *game.board();
        self.running = Some(Running {
            is_endless: limits.infinite,
            search: SlicedSearch::of_game(&game, limits),
            lines: LineSet::new(id, &board, lines, 1),
        });
        Ok(())
    }

    fn review(&mut self, review: Review) -> Result<(), String> {
        self.review = Some(review);
        Ok(())
    }

    fn cancel_review(&mut self) {
        self.review = None;
    }

    fn send(&mut self, reply: Reply) {
        self.outbox.push_back(reply);
    }
}

#[cfg(test)]
mod tests;
