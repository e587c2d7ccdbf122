//! Fitting the engine's numbers to data.

pub mod texel;
pub mod wdl;
