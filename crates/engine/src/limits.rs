//! What bounds a search.

use std::time::Duration;
use tabiya_chess::{Color, Move};

/// The clock of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// When a search ends. All limits hold together; the first one reached ends the search.
///
/// ```
/// use tabiya_engine::Limits;
/// let limits = Limits { depth: Some(12), nodes: Some(1_000_000), ..Limits::default() };
/// assert!(!limits.infinite);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The clocks of White and Black.
    pub clocks: [Option<Clock>; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// A fixed time for this move.
    pub move_time: Option<Duration>,
    /// Number of iterations.
    pub depth: Option<u32>,
    /// Nodes after which the search stops at once.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration begins.
    pub soft_nodes: Option<u64>,
    /// Ends the search when a mate in this many moves is proven.
    pub mate: Option<u32>,
    /// Only these moves are considered at the root; empty means all.
    pub search_moves: Vec<Move>,
    /// Runs until stopped, whatever happens.
    pub infinite: bool,
    /// Thinks on the opponent's time: no limit holds before `ponderhit`.
    pub ponder: bool,
}

impl Limits {
    /// A search of `depth` iterations.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// A search of `nodes` nodes.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A search of `time`.
    pub fn move_time(time: Duration) -> Self {
        Self { move_time: Some(time), ..Self::default() }
    }

    /// The clock of a side, if it has one.
    pub(crate) fn clock(&self, side: Color) -> Option<Clock> {
        self.clocks[side]
    }
}
