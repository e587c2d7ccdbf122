//! One thread, same position, same limits: the same result, always.

use crate::board;
use tabiya_engine::{Engine, Limits, SearchResult, Searcher};

const POSITIONS: [&str; 3] = [
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
];

/// Twenty budgets from a hundred nodes upwards.
fn budgets() -> impl Iterator<Item = u64> {
    (0..20).map(|step| (100.0 * 1.4_f64.powi(step)) as u64)
}

fn facts(result: SearchResult) -> impl PartialEq + std::fmt::Debug {
    (result.best, result.ponder, result.score, result.depth, result.nodes, result.line)
}

#[test]
fn node_limits_are_exact_and_results_repeat() {
    let run = |searcher: &mut Searcher| {
        let mut results = Vec::new();
        for nodes in budgets() {
            for fen in POSITIONS {
                let result = searcher.search(&board(fen), &[], &Limits::nodes(nodes), |_| {});
                if nodes >= 200 {
                    assert_eq!(result.nodes, nodes, "{fen}");
                }
                results.push(facts(result));
            }
        }
        results
    };
    let mut searcher = Searcher::new(2).unwrap();
    let first = run(&mut searcher);
    searcher.new_game();
    assert!(first == run(&mut searcher), "differs after a new game");
    assert!(first == run(&mut Searcher::new(2).unwrap()), "differs with a fresh searcher");
}

#[test]
fn the_engine_with_one_thread_equals_the_searcher() {
    let mut engine = Engine::new(2).unwrap();
    let mut searcher = Searcher::new(2).unwrap();
    for fen in POSITIONS {
        for limits in [Limits::nodes(5_000), Limits::depth(9)] {
            engine.set_position(board(fen), &[]);
            let by_engine = engine.go(limits.clone(), |_| {});
            let by_searcher = searcher.search(&board(fen), &[], &limits, |_| {});
            assert!(facts(by_engine) == facts(by_searcher), "{fen}");
        }
    }
}

#[test]
fn clearing_and_resizing_the_table_forget_everything_it_knew() {
    let fresh = |engine: &mut Engine| {
        engine.set_position(board(POSITIONS[0]), &[]);
        engine.go(Limits::depth(8), |_| {}).nodes
    };
    let mut engine = Engine::new(4).unwrap();
    let first = fresh(&mut engine);
    engine.set_hash(1).unwrap();
    engine.set_hash(4).unwrap();
    engine.new_game();
    assert_eq!(fresh(&mut engine), first);
    for mb in [1, 8, 2, 4] {
        engine.set_hash(mb).unwrap();
        assert!(engine.go(Limits::depth(6), |_| {}).best.is_some());
    }
}
