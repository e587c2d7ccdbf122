//! What a run is doing.

use super::shown::ShownGame;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The parts of a generation, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Looking at how fast this machine is.
    Planning,
    /// Games of the best net against itself.
    Play,
    /// Positions of short searches, judged by others.
    Explore,
    /// Games to positions.
    Positions,
    /// A new net.
    Train,
    /// The new net against the best one.
    Gate,
    /// The new net against yardsticks.
    Measure,
    /// Nothing: the run is over, or was stopped.
    Idle,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Planning => "planning",
            Self::Play => "playing games",
            Self::Explore => "judging positions of searches",
            Self::Positions => "choosing positions",
            Self::Train => "training",
            Self::Gate => "meeting the best net",
            Self::Measure => "meeting yardsticks",
            Self::Idle => "at rest",
        })
    }
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// The generation at work.
    pub generation: u64,
    /// What it is doing.
    pub phase: Phase,
    /// How much of it is done,
    pub done: u64,
    /// of how much,
    pub total: u64,
    /// of what.
    pub unit: String,
    /// Per second: positions played or learnt, games measured.
    pub rate: f64,
    /// Seconds left of this phase.
    pub left: Option<f64>,
    /// Seconds of work on this run, in all sittings.
    pub seconds: f64,
    /// Losses of the training under way: steps, training loss, last validation loss.
    pub losses: Vec<(u64, f64, Option<f64>)>,
    /// Some of the latest games.
    pub games: Vec<ShownGame>,
}

impl Status {
    /// Nothing is done yet.
    pub(super) fn new() -> Self {
        Self {
            generation: 0,
            phase: Phase::Idle,
            done: 0,
            total: 0,
            unit: String::new(),
            rate: 0.0,
            left: None,
            seconds: 0.0,
            losses: Vec::new(),
            games: Vec::new(),
        }
    }

    /// From 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total == 0 { 0.0 } else { (self.done as f64 / self.total as f64).min(1.0) }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { generation, phase, done, total, unit, rate, left, .. } = self;
        write!(f, "generation {generation}: {phase}")?;
        if *total > 0 {
            write!(f, ", {done}/{total} {unit}, {rate:.0}/s")?;
        }
        match left {
            Some(left) if *left >= 90.0 => write!(f, ", {:.0} min left", left / 60.0),
            Some(left) => write!(f, ", {left:.0} s left"),
            None => Ok(()),
        }
    }
}
