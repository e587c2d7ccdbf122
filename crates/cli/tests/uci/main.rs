//! Conversations with the real program over pipes.
//!
//! `process` drives it and kills it when it hangs, `answer` checks everything a search says; the
//! other modules hold the tests.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answer;
mod compliance;
mod input;
mod latency;
mod lifecycle;
mod options;
mod process;
#[path = "../../../chess/tests/common/mod.rs"]
mod random;
mod searches;
mod streams;
mod typed;

/// The engine under test; `crates/teaching` runs some of these checks with another one.
fn program() -> &'static str {
    env!("CARGO_BIN_EXE_tabiya")
}
