//! The rules from outside: against published numbers, other libraries, slow oracles and broken text.
//!
//! One program for all of it, because every further one has to be built and linked.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/data.rs"]
mod data;
mod differential;
mod game;
mod known_answers;
mod never_panics;
mod perft;
mod pgn;
mod pgn_data;
mod repetition;
