//! Texel's tuning method (Peter Österlund 2014) for the hand-crafted evaluation, with gradients.
//!
//! Each labelled quiet position is reduced once to the list of features the evaluation counts in
//! it; from then on its value is a function of the weights alone, and the mean squared difference
//! between the predicted and the true result is brought down with Adam. All positions take part in
//! each step, in a fixed order of summation, so that a fit is reproducible on any number of
//! threads. A part of the positions is held out; the losses on it choose how far the result is
//! blended with the engine score of a position, and tell what the fit is worth.

mod data;
mod fit;
mod model;
mod output;

pub use data::{DataError, Dataset};
pub use fit::{Options, Report, TexelProgress, run};
pub use output::{OutputError, write_weights};
