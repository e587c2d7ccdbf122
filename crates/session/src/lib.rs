//! A session between a board and an engine: the messages both understand, and what carries them out.
//!
//! `tabiya serve` puts a socket and threads around it, `tabiya-wasm` a web worker.

mod endgame;
#[cfg(test)]
mod fuzz;
mod inspect;
mod lines;
pub mod protocol;
mod review;
mod session;
mod sliced;
#[cfg(test)]
mod typescript;

pub use lines::LineSet;
pub use review::Review;
pub use session::{HASH_MB, Player, Search, Session};
pub use sliced::Sliced;
