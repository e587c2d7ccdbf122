//! The laboratory: everything that measures the engine and makes it stronger, in seven modules.
//!
//! - [`arena`] plays matches between engines and turns their results into Elo, error bars and decisions of
//!   sequential tests; it also runs suites and tunes search parameters by games (SPSA).
//! - [`analyst`] annotates games, explains moves and finds puzzles.
//! - [`data`] makes and keeps training data, [`train`] turns it into nets, [`tune`] fits other numbers to it.
//! - [`learn`] runs the whole loop from games to nets and back.
//! - [`work`] is what the long jobs of all of them have in common: files that survive a kill, locks, an
//!   ordered parallel map, the signal to stop.
//!
//! Without the feature `native` only [`analyst`] and [`work`] are there, for web pages.

pub mod analyst;
#[cfg(feature = "native")]
pub mod arena;
#[cfg(feature = "native")]
pub mod data;
#[cfg(feature = "native")]
pub mod learn;
#[cfg(feature = "native")]
pub mod train;
#[cfg(feature = "native")]
pub mod tune;
pub mod work;
