//! The engine: what makes Tabiya choose one move over another.
//!
//! - [`eval`]: how good a position is, without searching it.

pub mod eval;
