//! The analyst: games annotated, moves compared, puzzles found. [`insight`] judges single positions,
//! [`batch`] takes every game of a file through a task.

pub mod annotate;
#[cfg(feature = "native")]
pub mod batch;
#[cfg(feature = "native")]
pub mod explain;
pub mod facts;
pub mod insight;
pub mod motifs;
#[cfg(feature = "native")]
pub mod puzzles;
