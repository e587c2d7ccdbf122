//! SPSA (Spall 1992) over the search's tunables: values are tried against each other in games.
//!
//! Each iteration moves all values a little, each up or down at random, and plays a pair of games
//! (both colours of one opening) between the values moved this way and the values moved the other
//! way. The winner's side pulls all values towards itself. No single pair says much; thousands of
//! them follow the slope of the strength.
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
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why values cannot be tuned.
#[derive(Debug)]
pub enum SpsaError {
    /// This build has its tunables fixed.
    Fixed,
    /// A name or pattern that fits no tunable.
    NoSuchParam(String),
    /// A tunable of the clock's use in games without a clock.
    NeedsClock(&'static str),
    /// The openings cannot be used.
    Openings(OpeningError),
    /// A player cannot be made.
    Player(Fault),
    /// A file cannot be read or written.
    Io(PathBuf, io::Error),
    /// There is a run already and resuming was not asked for.
    Exists(PathBuf),
    /// The state makes no sense.
    Damaged(PathBuf, String),
    /// The state belongs to a run with other settings.
    OtherSettings {
        /// The state.
        path: PathBuf,
        /// Name of the first setting that differs.
        name: String,
        /// What the state says.
        recorded: String,
        /// What this run says.
        given: String,
    },
    /// The source file with the tunables cannot be edited.
    Source(PathBuf, SourceError),
}

impl fmt::Display for SpsaError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Fixed => f.write_str(
                "this build has its tunables fixed; build one that can set them with \
                 cargo build --release -p tabiya-cli --features tune",
            ),
            Self::NoSuchParam(pattern) => write!(f, "params: no tunable is called {pattern}"),
            Self::NeedsClock(name) => {
                write!(f, "params: {name} changes nothing in games without a clock (give --tc)")
            }
            Self::Openings(error) => error.fmt(f),
            Self::Player(fault) => write!(f, "player: {fault}"),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Exists(path) => write!(
                f,
                "state {} exists: add --resume to continue that run or choose another name",
                path.display()
            ),
            Self::Damaged(path, reason) => write!(f, "state {}: {reason}", path.display()),
            Self::OtherSettings { path, name, recorded, given } => write!(
                f,
                "state {} belongs to a run with other settings: {name} was {recorded}, now {given}",
                path.display()
            ),
            Self::Source(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for SpsaError {}
