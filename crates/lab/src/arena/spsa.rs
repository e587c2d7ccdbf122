//! SPSA (Spall 1992) over the search's tunables: values are tried against each other in games.
//!
//! Each iteration moves all values a little, each up or down at random, and plays a pair of games
//! (both colours of one opening) between the values moved this way and the values moved the other
//! way. The winner's side pulls all values towards itself. No single pair says much; thousands of
//! them follow the gradient of the strength.
//!
//! Values are real numbers. For play they are rounded up or down at random, so that on average even
//! a small move of a value is felt; both sides of an iteration round with the same random number.
//!
//! A run is a function of its seed, of the number of games at a time and of the results of the
//! games, whatever order these end in (see `run`). With fixed nodes it is therefore reproducible.

mod gains;
mod games;
mod outputs;
mod plot;
mod run;
mod select;
mod source;
mod state;
mod trial;

pub use games::Config;
pub use run::{Judge, Plan, Status, run};
pub use select::{is_available, select};
pub use source::{SourceError, replace_defaults};
pub use state::{Change, State};
pub use trial::{Score, Trial};

use crate::arena::{Fault, OpeningError};
use crate::work::OtherSetting;
use std::io;
use std::path::PathBuf;

/// Why values cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum SpsaError {
    /// This build has its tunables fixed.
    #[error(
        "this build has its tunables fixed; build one that can set them with cargo build --release \
         -p tabiya-cli --features tune"
    )]
    Fixed,
    /// A name or pattern that fits no tunable.
    #[error("params: no tunable is called {0}")]
    NoSuchParam(String),
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
