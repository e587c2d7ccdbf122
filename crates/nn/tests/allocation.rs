//! Following a search and evaluating allocates nothing.

#[path = "../../chess/tests/counting/mod.rs"]
mod counting;

use std::sync::Arc;
use tabiya_chess::Board;
use tabiya_nn::{Accumulators, Delta, Network, Parts, Shape};

fn search(accumulators: &mut Accumulators, board: &Board, depth: usize) -> i32 {
    let mut sum = accumulators.evaluate(board);
    if depth == 0 {
        return sum;
    }
    for mv in &board.legal_moves() {
        let mut child = *board;
        accumulators.push(Delta::new(board, mv));
        child.play(mv);
        sum = sum.wrapping_add(search(accumulators, &child, depth - 1));
        accumulators.pop();
    }
    if !board.in_check() {
        let mut child = *board;
        child.play_null();
        accumulators.push_null();
        sum = sum.wrapping_add(search(accumulators, &child, depth - 1));
        accumulators.pop();
    }
    sum
}

#[test]
fn a_search_allocates_nothing() {
    let single = Network::material(Shape::new(256, 8, 8).unwrap());
    let zeros = |text: &str| {
        let shape = text.parse().unwrap();
        Network::from_parts(shape, &Parts::zeros(shape), "zeros").unwrap()
    };
    let deep = zeros("768x8-256p-16d-32s-1x8");
    let threats = zeros("768x8+threats-128p-16d-32s-1x8");
    for net in [single, deep, threats] {
        search_with(&Arc::new(net));
    }
}

fn search_with(net: &Arc<Network>) {
    let mut accumulators = Accumulators::new(net);
    let boards = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    ]
    .map(|fen| fen.parse::<Board>().expect("a legal position"));
    let mut board = Board::default();
    let before = counting::allocations();
    assert!(before > 0, "the counter must work");
    for board in boards {
        accumulators.reset(&board);
        search(&mut accumulators, &board, 2);
    }
    // A full stack, too.
    accumulators.reset(&board);
    for _ in 0..Accumulators::MAX_PLIES / 2 {
        let Some(mv) = board.legal_moves().get(0) else { break };
        accumulators.push(Delta::new(&board, mv));
        board.play(mv);
        accumulators.push_null();
    }
    assert_eq!(counting::allocations(), before);
}
