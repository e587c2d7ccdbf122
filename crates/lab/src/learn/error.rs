//! Why learning ends early.

use crate::arena::{ArenaError, SpecError};
use crate::data::label::LabelError;
use crate::data::nodes::NodesError;
use crate::data::play::PlayError;
use crate::data::positions::ExpandError;
use crate::train::TrainError;
use crate::work::OtherSetting;
use std::io;
use std::path::PathBuf;
use tabiya_engine::eval::EvalFileError;

/// Why a run of generations cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The folder holds a run already, and nobody asked to continue it.
    #[error("{}: holds a run already; --resume continues it", .0.display())]
    Exists(PathBuf),
    /// The folder holds other things.
    #[error("{}: not empty, and no run of learn in it", .0.display())]
    Foreign(PathBuf),
    /// Another process is at work in the folder.
    #[error("{}: in use by another run", .0.display())]
    Busy(PathBuf),
    /// The run was begun with another choice.
    #[error("{}: begun with other settings: {}", .0.display(), .1)]
    OtherSettings(PathBuf, #[source] OtherSetting),
    /// A choice that makes no sense: which, and why.
    #[error("{0}: {1}")]
    Setting(&'static str, String),
    /// A file of the run that cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// A file of the run that makes no sense.
    #[error("{}: {}", .0.display(), .1)]
    Damaged(PathBuf, String),
    /// A file that cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    /// A yardstick that is no player.
    #[error("yardstick: {0}")]
    Yardstick(#[from] SpecError),
    /// Playing games.
    #[error("generation {0}: games: {1}")]
    Play(u64, #[source] PlayError),
    /// Judging positions of searches: making them,
    #[error("generation {0}: searches: {1}")]
    Nodes(u64, #[source] NodesError),
    /// reading a net for it,
    #[error("{}: {}", .0.display(), .1)]
    Net(PathBuf, #[source] EvalFileError),
    /// and judging them.
    #[error("generation {0}: judging positions: {1}")]
    Label(u64, #[source] LabelError),
    /// Making positions.
    #[error("generation {0}: positions: {1}")]
    Positions(u64, #[source] ExpandError),
    /// No position of its games can be learnt from.
    #[error("generation {0}: no quiet position in {1} games: play more games")]
    NoPositions(u64, u64),
    /// Training.
    #[error("generation {0}: training: {1}")]
    Train(u64, #[source] TrainError),
    /// Measuring.
    #[error("generation {0}: match: {1}")]
    Match(u64, #[source] ArenaError),
}
