//! Positions and limits at the edge: the search ends or can be stopped, and the stack holds.

use crate::{board, searcher};
use std::thread;
use std::time::Duration;
use tabiya_chess::Board;
use tabiya_engine::{Engine, Limits, MAX_PLY, Searcher};

/// Kings behind a locked chain of pawns: nothing ever happens.
const LOCKED: &str = "7k/8/8/p1p1p1p1/P1P1P1P1/8/8/7K w - - 0 1";

#[test]
fn all_depths_are_reached_where_nothing_happens() {
    let mut engine = Engine::new(4).unwrap();
    for fen in [LOCKED, "8/8/8/4k3/8/8/4K3/8 w - - 0 1"] {
        engine.set_position(board(fen), &[]);
        for depth in [MAX_PLY as u32 - 1, 100_000] {
            let limits = Limits { nodes: Some(3_000_000), ..Limits::depth(depth) };
            let result = engine.go(limits, |info| assert!(info.depth < MAX_PLY as u32));
            assert!(result.best.is_some());
        }
    }
}

#[test]
fn long_forced_lines_fit_the_stack_of_a_plain_thread() {
    // Every check is answered by a check, and rooks chase a bare king.
    for fen in [
        LOCKED,
        "k7/8/8/8/8/8/8/KRRRRRRR w - - 0 1",
        "4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
        "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    ] {
        let search = move || {
            let limits = Limits { nodes: Some(300_000), ..Limits::depth(245) };
            Searcher::new(4).unwrap().search(&board(fen), &[], &limits, |_| {}).best
        };
        let small = thread::Builder::new().stack_size(2 << 20).spawn(search).unwrap();
        assert!(small.join().unwrap().is_some(), "{fen}");
    }
}

#[test]
fn crowded_boards_are_searched() {
    for fen in [
        "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "rnbqkbnr/qqqqqqqq/qqqqqqqq/8/8/QQQQQQQQ/QQQQQQQQ/RNBQKBNR w - - 0 1",
    ] {
        let mut engine = Engine::new(4).unwrap();
        let Ok(start) = tabiya_chess::Board::from_fen_lenient(fen, false) else { continue };
        engine.set_position(start.0, &[]);
        let result = engine.go(Limits::nodes(20_000), |_| {});
        assert!(result.best.is_some_and(|mv| start.0.is_legal(mv)), "{fen}");
        engine.configure(|config| config.multi_pv = 300).unwrap();
        assert!(engine.go(Limits::nodes(60_000), |_| {}).best.is_some());
    }
}

#[test]
fn an_engine_may_be_dropped_in_mid_search() {
    for threads in [1, 2, 5] {
        for wait in [0, 1, 20] {
            let mut engine = Engine::new(1).unwrap();
            engine.set_threads(threads);
            engine.start(
                Limits { infinite: true, ..Limits::default() },
                Box::new(crate::threads::Silent),
            );
            thread::sleep(Duration::from_millis(wait));
        }
    }
}

#[test]
fn a_search_that_ends_in_the_middle_still_knows_a_reply() {
    let positions = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
        "6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1",
    ];
    // Which searches end on a line of one move changes with every number of the search: some do.
    let mut cut_short = 0;
    for nodes in (500..10_000).step_by(50) {
        for start in positions.map(|fen| fen.parse::<Board>().unwrap()) {
            let result = searcher().search(&start, &[], &Limits::nodes(nodes), |_| {});
            let mut after = start;
            after.play(result.best.unwrap());
            let reply = result.ponder;
            assert!(reply.is_some_and(|reply| after.is_legal(reply)), "{nodes} nodes: {reply:?}");
            cut_short += usize::from(result.line.len() == 1);
        }
        if cut_short > 0 && nodes > 1500 {
            return;
        }
    }
    panic!("no line ended with its first move");
}
