//! Searching allocates nothing per node; only the reports of the root may.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../chess/tests/counting/mod.rs"]
mod counting;

use tabiya_chess::Board;
use tabiya_engine::eval::Evaluation;
use tabiya_engine::{Limits, Searcher};

/// Allocations and iterations of a search.
fn count(searcher: &mut Searcher, board: &Board, nodes: u64) -> (u64, u64) {
    searcher.new_game();
    let before = counting::allocations();
    let result = searcher.search(board, &[], &Limits::nodes(nodes), |_| {});
    assert_eq!(result.nodes, nodes);
    (counting::allocations() - before, u64::from(result.depth))
}

#[test]
fn ten_times_the_nodes_allocate_no_more_than_their_iterations() {
    compare(&Evaluation::Classical);
    if let network @ Evaluation::Network(..) = Evaluation::embedded() {
        compare(&network);
    }
    assert!(counting::allocations() > 0);
}

fn compare(evaluation: &Evaluation) {
    let mut searcher = Searcher::new(16).unwrap();
    searcher.set_evaluation(evaluation);
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let board: Board = fen.parse().unwrap();
        let (few, shallow) = count(&mut searcher, &board, 20_000);
        let (many, deep) = count(&mut searcher, &board, 200_000);
        // An iteration records a line for every root move that becomes the best, and reports it.
        let allowed = 30 * (deep - shallow + 1);
        assert!(many <= few + allowed, "{fen}: {few} at depth {shallow}, {many} at depth {deep}");
    }
}
