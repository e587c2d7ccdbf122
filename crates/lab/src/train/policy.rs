//! Training policy nets on the CPU: a transformer with ternary weights that predicts moves.
//!
//! Forward and backward passes are written by hand, one file a layer with its finite differences:
//! `embedding`, `norm`, `matrix` (linear layers), `ternary` (rounding), `attention`, `gate`, `residual`,
//! `policy_head`, `value_head`; `block` and `network` put them together. `games` holds whole games,
//! `deck` deals crops of them, `batch` turns crops into tokens. A step is the sum of `PARTS` gradients
//! in fixed order, so that the result does not depend on the number of threads, and a resumed run
//! ends with the same bits as one that was never stopped.

mod accuracy;
mod attention;
mod batch;
mod block;
mod ceiling;
mod checkpoint;
mod deck;
mod embedding;
mod export;
mod games;
mod gate;
mod layout;
mod matrix;
mod network;
mod norm;
mod optim;
mod plain;
mod policy_head;
mod report;
mod residual;
mod run;
mod schedule;
#[cfg(test)]
mod serve;
mod ternary;
#[cfg(test)]
mod testing;
mod value_head;

pub use accuracy::{Accuracy, Count, MeasureError, measure};
pub use games::{Games, GamesError, Split};
pub use report::{Point, csv, svg};
pub use run::{Control, Data, Outcome, PolicyProgress, run};
pub use ternary::TernaryStatistics;

use crate::work::OtherSetting;
use schedule::Plan;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use tabiya_nn::policy::Config;

/// Gradients computed apart and then added; the most threads that can help.
const PARTS: usize = 4;
/// Micro-batches of each part.
const MICRO_BATCHES: usize = 2;
/// The most positions of a step.
const STEP: u64 = (PARTS * MICRO_BATCHES * deck::TOKENS) as u64;

/// How large a net is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// For experiments, 2.2 million ternary weights.
    Xs,
    /// The recommended size, 6 million ternary weights.
    S,
    /// As small as can be, for tests.
    Tiny,
}

impl Shape {
    /// The shape in numbers.
    pub fn config(self) -> Config {
        match self {
            Self::Xs => Config::extra_small(),
            Self::S => Config::small(),
            Self::Tiny => {
                Config { width: 64, blocks: 1, ffn: 256, heads: 4, head_dim: 16, ..Config::small() }
            }
        }
    }
}

/// Everything that decides what a run produces, besides the data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// How large the net is.
    pub shape: Shape,
    /// Positions of the whole run.
    pub positions: u64,
    /// Highest learning rate.
    pub rate: f32,
    /// Weight decay of matrices in the first stage.
    pub decay: f32,
    /// Share of crops from people's games, if there are games of both kinds.
    pub people: f64,
    /// Whether weights become ternary; otherwise the run is a control in full precision.
    pub ternary: bool,
    /// Decides the first weights and the order of the data.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shape: Shape::Xs,
            positions: 60_000_000,
            rate: 1.5e-3,
            decay: 0.1,
            people: 0.35,
            ternary: true,
            seed: 1,
        }
    }
}

impl Settings {
    fn plan(&self) -> Plan {
        Plan {
            steps: self.positions.div_ceil(STEP).max(1),
            rate: self.rate,
            decay: self.decay,
            ternary: self.ternary,
            finish: None,
        }
    }

    fn check(&self) -> Result<(), PolicyTrainError> {
        let sane = [
            ("positions", self.positions >= 1),
            ("rate", self.rate > 0.0 && self.rate <= 1.0),
            ("decay", (0.0..1.0).contains(&self.decay)),
            ("people", (0.0..=1.0).contains(&self.people)),
        ];
        match sane.iter().find(|(_, sane)| !sane) {
            Some((name, _)) => Err(PolicyTrainError::Setting(name)),
            None => Ok(()),
        }
    }
}

/// Why training failed.
#[derive(Debug, thiserror::Error)]
pub enum PolicyTrainError {
    /// A setting outside its range.
    #[error("{0} is out of range")]
    Setting(&'static str),
    /// No games to learn from, or none to check against.
    #[error("no games to train on or none to test with")]
    NoData,
    /// A weight or loss became infinite or no number.
    #[error("the loss is no number after step {0}")]
    Diverged(u64),
    /// There is a checkpoint already, and nobody asked to continue it.
    #[error(
        "{}: holds a run already; --resume continues it, --force begins anew", .0.display()
    )]
    Exists(PathBuf),
    /// Another run is writing the checkpoint.
    #[error("{}: in use by another run", .0.display())]
    Busy(PathBuf),
    /// The checkpoint belongs to a run with other settings.
    #[error("cannot use the checkpoint: it belongs to a run with other settings: {0}")]
    OtherSettings(#[source] OtherSetting),
    /// A checkpoint that cannot be used, and why.
    #[error("cannot use the checkpoint: {0}")]
    Checkpoint(&'static str),
    /// The checkpoint cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The checkpoint cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}
