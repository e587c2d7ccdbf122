//! The engine from outside: what the search finds, promises and survives; its fingerprint, books, endgame
//! tables and the policy net beside it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bench;
mod book;
#[path = "../../../chess/tests/common/data.rs"]
mod data;
mod determinism;
mod draws;
mod endings;
mod extremes;
mod king_and_pawn;
mod mates;
mod policy;
mod tablebase;
mod threads;

use tabiya_chess::{Board, Game};
use tabiya_engine::eval::Evaluation;
use tabiya_engine::{Limits, SearchResult, Searcher};

fn board(fen: &str) -> Board {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A searcher whose knowledge does not change with the network of the day.
fn searcher() -> Searcher {
    let mut searcher = Searcher::new(4).unwrap();
    searcher.set_evaluation(&Evaluation::Classical);
    searcher
}

/// A fresh search of a position.
fn search(fen: &str, limits: &Limits) -> SearchResult {
    searcher().search(&board(fen), &[], limits, |_| {})
}

/// A fresh search of the end of a game.
fn search_game(game: &Game, limits: &Limits) -> SearchResult {
    searcher().search(game.board(), game.keys(), limits, |_| {})
}

/// The best move in algebraic notation.
fn best(fen: &str, limits: &Limits) -> String {
    board(fen).san(search(fen, limits).best.unwrap())
}
