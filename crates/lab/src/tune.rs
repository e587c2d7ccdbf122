//! Fitting the engine's numbers to data and games.

pub mod spsa;
pub mod texel;
pub mod wdl;
