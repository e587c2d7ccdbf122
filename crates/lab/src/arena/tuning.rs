//! Improving the search's tunables by games of the engine against itself.
//!
//! [`spsa`] moves many values at once in small steps. [`factorial`] tells what each of many choices is
//! worth. Both play pairs of games between two sets of values by the rules of a [`GameSetup`].

pub mod factorial;
mod saved;
pub mod spsa;
mod table;

pub use table::{GameSetup, Judge, Score, Trial, is_available};

use self::spsa::SourceError;
use crate::arena::{Fault, OpeningError};
use crate::work::{LostItem, OtherSetting};
use std::io;
use std::path::PathBuf;

/// Why values cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// This build has its tunables fixed.
    #[error(
        "this build has its tunables fixed; build one that can set them with cargo build --release \
         -p tabiya-cli --features tune"
    )]
    Fixed,
    /// A name or pattern that fits no tunable.
    #[error("params: no tunable is called {0}")]
    NoSuchParam(String),
    /// Not a factor.
    #[error(
        "factor {0}: expected NAME=HIGH or NAME=LOW:HIGH with two different values in the range of \
         the tunable"
    )]
    Factor(String),
    /// The work on a pair of games panicked.
    #[error(transparent)]
    Lost(LostItem),
    /// A tunable of the clock's use in games without a clock.
    #[error("params: {0} changes nothing in games without a clock (give --tc)")]
    NeedsClock(&'static str),
    /// The openings cannot be used.
    #[error(transparent)]
    Openings(OpeningError),
    /// A player cannot be made.
    #[error("player: {0}")]
    Player(Fault),
    /// A file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// There is a run already and resuming was not asked for.
    #[error("state {} exists: add --resume to continue that run or choose another name", .0.display())]
    Exists(PathBuf),
    /// Another run has the state.
    #[error("state {}: in use by another run", .0.display())]
    Busy(PathBuf),
    /// The plot or the table would take the state's place.
    #[error("state {}: .svg and .txt are the plot and the table beside it", .0.display())]
    Name(PathBuf),
    /// The state makes no sense.
    #[error("state {}: {}", .0.display(), .1)]
    Damaged(PathBuf, String),
    /// The state belongs to a run with other settings.
    #[error("state {} belongs to a run with other settings: {}", .0.display(), .1)]
    OtherSettings(PathBuf, #[source] OtherSetting),
    /// The source file with the tunables cannot be edited.
    #[error("{}: {}", .0.display(), .1)]
    Source(PathBuf, #[source] SourceError),
}
