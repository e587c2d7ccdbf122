//! The laboratory: everything that measures the engine and makes it stronger.
//!
//! [`arena`] plays matches between engines, [`stats`] turns their results into Elo, error bars and
//! sequential test decisions, [`solve`] runs suites of test positions, [`tune`] fits the engine's
//! numbers to data. [`book`] makes opening books. [`play`] and [`label`] make training data,
//! [`import`], [`foreign`], [`positions`] and [`record`] handle it, [`train`] turns it into nets.

pub mod arena;
pub mod book;
mod files;
pub mod foreign;
mod growing;
pub mod import;
pub mod label;
mod pipeline;
pub mod play;
mod players;
pub mod positions;
mod random;
pub mod record;
pub mod solve;
pub mod stats;
pub mod train;
pub mod tune;

pub use growing::GrowError;
