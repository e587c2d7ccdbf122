//! Fitting the chances to win, draw and lose to games (`tabiya tune wdl`).
//!
//! The model is `tabiya_engine::wdl::Model`. Games come from `tabiya match --pgn`, whose comments
//! hold the centipawns shown for each move; the position before the move turns them back into the
//! internal units, exactly up to rounding, as long as the games were played by this build: the
//! centipawns of a build with other constants mean other values.
//!
//! `samples` reads games, `fit` maximises the likelihood of their results, `plot` draws both.

mod fit;
mod plot;
mod samples;

pub use fit::{Fit, fit};
pub use plot::render;
pub use samples::{Samples, WdlError};
