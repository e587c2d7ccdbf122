//! The laboratory: everything that measures the engine and makes it stronger.
//!
//! [`arena`] plays matches between engines, [`stats`] turns their results into Elo, error bars and
//! sequential test decisions, [`solve`] runs suites of test positions, [`tune`] fits the engine's
//! numbers to data. [`book`] makes opening books. [`play`], [`label`] and [`distil`] make training data,
//! [`import`], [`foreign`], [`positions`] and [`record`] handle it, [`train`] turns it into nets.
//! [`annotate`], [`puzzles`] and [`explain`] are the analyst; [`insight`] and [`batch`] are what they
//! are made of.

pub mod annotate;
pub mod arena;
pub mod batch;
pub mod book;
pub mod distil;
pub mod explain;
mod files;
pub mod foreign;
mod growing;
pub mod import;
pub mod insight;
pub mod label;
mod pipeline;
pub mod play;
mod players;
pub mod positions;
pub mod puzzles;
mod random;
pub mod record;
pub mod solve;
pub mod stats;
pub mod train;
pub mod tune;

pub use files::remove_unfinished;
pub use growing::GrowError;
