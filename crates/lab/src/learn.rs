//! Learning from nothing: a player that teaches itself by its own games, generation by generation.
//!
//! Each generation plays games with the best net so far, turns them into positions, trains on those of
//! the last generations, and lets the new net meet the best one. Everything is in one [`Folder`]. What a
//! generation will do is fixed by its [`Plan`] before it begins; from then on the clock has no say, and
//! every result follows from the files. A part is done when its file is there, so a run that was killed
//! goes on by looking at what it finds.

mod budget;
mod calibrate;
mod error;
mod folder;
mod gate;
mod inbox;
mod openings;
mod overview;
mod page;
mod phases;
mod plan;
mod result;
mod run;
mod settings;
mod shown;
mod status;

pub use error::LearnError;
pub use folder::Folder;
pub use overview::{Overview, Rated};
pub use page::{live, report, script, style};
pub use plan::Plan;
pub use result::{Generation, Histogram, MatchResult, PieceValue};
pub use run::{Control, Ended, Event, Goal, run};
pub use settings::{Choices, Settings, Start};
pub use shown::{ShownGame, ShownPly};
pub use status::{Phase, Status};

#[cfg(test)]
mod tests;
