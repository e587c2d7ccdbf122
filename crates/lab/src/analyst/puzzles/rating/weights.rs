//! The fitted weights; `examples/puzzle_rating.rs` prints them.

use super::FEATURES;

pub(super) const MATES_DEVIATION: i32 = 400;
pub(super) const MATES: [f64; FEATURES] = [0.0; FEATURES];
pub(super) const OTHERS_DEVIATION: i32 = 400;
pub(super) const OTHERS: [f64; FEATURES] = [0.0; FEATURES];
