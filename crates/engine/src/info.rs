//! What a search tells while it runs and when it ends.

use crate::score::Score;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tabiya_chess::Move;

/// A score that is only a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InfoBound {
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// Chances of winning, drawing and losing in thousandths; they add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// Chance of winning.
    pub win: u32,
    /// Chance of a draw.
    pub draw: u32,
    /// Chance of losing.
    pub loss: u32,
}

/// One line of analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Iteration.
    pub depth: u32,
    /// Longest line looked at.
    pub seldepth: u32,
    /// Rank of the line, from 1.
    pub multi_pv: usize,
    /// The score from the side to move's view.
    pub score: Score,
    /// Set if the score is only a bound.
    pub bound: Option<InfoBound>,
    /// The score as chances.
    pub wdl: Wdl,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// How full the hash table is, in thousandths.
    pub hashfull: u32,
    /// Tablebase positions found.
    pub tb_hits: u64,
    /// The line itself.
    pub line: Vec<Move>,
}

impl Info {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// The outcome of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal move.
    pub best: Option<Move>,
    /// The reply expected.
    pub ponder: Option<Move>,
    /// The score of the best move.
    pub score: Score,
    /// Iterations completed.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// The expected line.
    pub line: Vec<Move>,
}

/// Receives what a search has to say. Called from a search thread.
pub trait Reporter: Send {
    /// A line of analysis.
    fn info(&mut self, info: &Info);
    /// Something to tell the user.
    fn message(&mut self, text: &str);
    /// The search is over; called exactly once, after every other call.
    fn finished(&mut self, result: &SearchResult);
}

/// A report as a value, for those who listen in another thread: a channel's sender is a reporter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A line of analysis.
    Info(Info),
    /// Something to tell the user.
    Message(String),
    /// The search is over.
    Finished(SearchResult),
}

impl Reporter for Sender<Event> {
    fn info(&mut self, info: &Info) {
        // A listener that has left needs no reports.
        let _ = self.send(Event::Info(info.clone()));
    }

    fn message(&mut self, text: &str) {
        let _ = self.send(Event::Message(text.to_owned()));
    }

    fn finished(&mut self, result: &SearchResult) {
        let _ = self.send(Event::Finished(result.clone()));
    }
}
