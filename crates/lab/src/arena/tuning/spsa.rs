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
pub use run::{Plan, Status, run};
pub use select::select;
pub use source::{SourceError, replace_defaults};
pub use state::{Change, State};
