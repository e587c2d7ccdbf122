//! The laboratory: everything that measures the engine and makes it stronger, in seven rooms.
//!
//! [`arena`] plays matches between engines and turns their results into Elo, error bars and
//! sequential test decisions; it also runs suites and tunes by games. [`analyst`] annotates games.
//! [`data`] makes and keeps training data, [`train`] turns it into nets, [`tune`] fits other numbers
//! to it. [`learn`] runs the whole loop from games to nets and back. [`work`] is what the long jobs of all of them have in common.

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
