//! The weights in use: fitted to the length and the published themes of 10,126 puzzles alone, so all other
//! features weigh nothing yet. `examples/puzzle_rating.rs` fits and prints all of them.

use super::FEATURES;

pub(super) const MATES_DEVIATION: i32 = 351;
pub(super) const MATES: [f64; FEATURES] = [
    868.1, 185.4, 199.8, 174.9, 22.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    171.0, -347.2, 0.0, 231.4, 287.2, 78.1, 236.3, -86.2, -55.2, 345.5, 387.1, 99.2, 235.5, 0.0,
    -6.0, 0.0,
];
pub(super) const OTHERS_DEVIATION: i32 = 444;
pub(super) const OTHERS: [f64; FEATURES] = [
    1230.5, 232.4, 283.2, 248.5, 210.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    -67.7, 0.0, 42.3, -40.4, -192.0, -71.1, -253.3, -52.5, -104.1, -3.5, 74.9, -392.7, 181.6,
    -414.3, 0.0, -15.0,
];
