//! The bench: a fixed-depth search of fixed positions. Its node count is the fingerprint of search
//! and evaluation: any change of behaviour changes it, nothing else may.

use crate::eval::Evaluation;
use crate::limits::Limits;
use crate::searcher::Searcher;
use crate::tt::TableError;
use std::time::Duration;
#[cfg(feature = "threads")]
use {
    crate::clock::Instant,
    crate::engine::Engine,
    crate::info::Event,
    crate::search::stats::Stats,
    std::sync::atomic::{AtomicBool, Ordering::Relaxed},
    std::sync::mpsc::channel,
};

/// Iterations per position unless asked otherwise.
pub const DEFAULT_DEPTH: u32 = 11;

/// A depth, and the nodes of the bench there with the classical evaluation: what every build visits,
/// whatever network it carries.
pub const CLASSICAL: (u32, u64) = (7, 93_375);

/// Megabytes of the hash table.
const HASH_MB: usize = 16;

/// How long a wish to stop may wait.
#[cfg(feature = "threads")]
const PATIENCE: Duration = Duration::from_millis(20);

/// Positions of all kinds: openings, middlegames, endings, mates, draws, Chess960.
pub const POSITIONS: [&str; 40] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 1 5",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP3PPP/R1BQKB1R w KQ - 2 6",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "rn1qkb1r/pp2pppp/2p2n2/5b2/P1pP4/2N2N2/1P2PPPP/R1BQKB1R w KQkq - 1 6",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/1BN1B3/PPP1Q1PP/R4RK1 w - - 2 12",
    "r1bqr1k1/ppp2pp1/2n4p/3p4/1b1P4/2NB1N2/PP3PPP/R2QR1K1 w - - 0 13",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "r2qk2r/ppp1b1pp/2n1p3/3pP1n1/3P2b1/2PB1NN1/PP4PP/R1BQK2R w KQkq - 2 12",
    "r1b2rk1/2q1bppp/p2p1n2/np2p3/3PP3/2P2N1P/PPBN1PP1/R1BQR1K1 w - - 1 13",
    "3r1rk1/p5pp/bpp1pp2/8/q1PP1P2/b3P3/P2NQRPP/1R2B1K1 b - - 6 22",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "r1bq1rk1/4bppp/ppnppn2/8/2P1P3/2N5/PP2BPPP/R1BQNRK1 w - - 0 11",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 18",
    "r3r1k1/2p2ppp/p1p1bn2/8/1q2P3/2NPQN2/PPP3PP/R4RK1 b - - 2 15",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "4rrk1/1p1nq3/p7/2p1P1pp/3P2bp/3Q1Bn1/PPPB4/1K2R1NR w - - 40 21",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "3b4/5kp1/1p1p1p1p/pP1PpP1P/P1P1P3/3KN3/8/8 w - - 0 1",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 1",
    "7k/3p2pp/4q3/8/4Q3/5Kp1/P6b/8 w - - 0 1",
    "8/2p5/8/2kPKp1p/2p4P/2P5/3P4/8 w - - 0 1",
    "8/1p3pp1/7p/5P1P/2k3P1/8/2K2P2/8 w - - 0 1",
    "8/pp2r1k1/2p1p3/3pP2p/1P1P1P1P/P5KR/8/8 w - - 0 1",
    "8/3p4/p1bk3p/Pp6/1Kp1PpPp/2P2P1P/2P5/5B2 b - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "6k1/4pp1p/3p2p1/P1pPb3/R7/1r2P1PP/3B1P2/6K1 w - - 0 1",
    "1r3k2/4q3/2Pp3b/3Bp3/2Q2p2/1p1P2P1/1P2KP2/3N4 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/8/8/5N2/8/p7/8/2NK3k w - - 0 1",
    "8/R7/2q5/8/6k1/8/1P5p/K6R w - - 0 124",
    "6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1",
    "r2r1n2/pp2bk2/2p1p2p/3q4/3PN1QP/2P3R1/P4PP1/5RK1 w - - 0 1",
];

/// What a bench measured.
#[derive(Clone, Copy, Debug)]
pub struct BenchResult {
    /// Nodes of all positions: the fingerprint.
    pub nodes: u64,
    /// Time of the searches.
    pub time: Duration,
}

impl BenchResult {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// Searches every position with a fresh table in the caller's thread; `on_position` hears of each
/// result.
pub fn run(
    depth: u32,
    evaluation: &Evaluation,
    mut on_position: impl FnMut(usize, &str, u64),
) -> Result<BenchResult, TableError> {
    let mut searcher = Searcher::new(HASH_MB)?;
    searcher.set_evaluation(evaluation);
    let mut total = BenchResult { nodes: 0, time: Duration::ZERO };
    for (number, fen) in POSITIONS.iter().enumerate() {
        let board = fen.parse().expect("the bench positions are legal");
        searcher.new_game();
        let result = searcher.search(&board, &[], &Limits::depth(depth), |_| {});
        total.time += result.time;
        total.nodes += result.nodes;
        on_position(number + 1, fen, result.nodes);
    }
    Ok(total)
}

/// The same in a thread of its own; it ends soon after `stop` is set, without a result.
#[cfg(feature = "threads")]
pub fn run_until(
    depth: u32,
    evaluation: &Evaluation,
    stop: &AtomicBool,
    on_position: impl FnMut(usize, &str, u64),
) -> Result<Option<BenchResult>, TableError> {
    Ok(search_all(&mut engine(evaluation)?, depth, stop, on_position))
}

/// The same, and what the searches did. Counting takes time, so that the speed is lower.
#[cfg(feature = "threads")]
pub fn run_counted(
    depth: u32,
    evaluation: &Evaluation,
    stop: &AtomicBool,
    on_position: impl FnMut(usize, &str, u64),
) -> Result<Option<(BenchResult, Stats)>, TableError> {
    let mut engine = engine(evaluation)?;
    engine.set_counting(true);
    let result = search_all(&mut engine, depth, stop, on_position);
    Ok(result.map(|result| (result, engine.stats().over(result.time))))
}

#[cfg(feature = "threads")]
fn engine(evaluation: &Evaluation) -> Result<Engine, TableError> {
    let mut engine = Engine::new(HASH_MB)?;
    engine.set_evaluation(evaluation.clone());
    Ok(engine)
}

#[cfg(feature = "threads")]
fn search_all(
    engine: &mut Engine,
    depth: u32,
    stop: &AtomicBool,
    mut on_position: impl FnMut(usize, &str, u64),
) -> Option<BenchResult> {
    let mut total = BenchResult { nodes: 0, time: Duration::ZERO };
    for (number, fen) in POSITIONS.iter().enumerate() {
        let board = fen.parse().expect("the bench positions are legal");
        engine.new_game();
        engine.set_position(board, &[]);
        let start = Instant::now();
        let (sender, events) = channel();
        engine.start(Limits::depth(depth), Box::new(sender));
        let nodes = loop {
            match events.recv_timeout(PATIENCE) {
                Ok(Event::Finished(result)) => break result.nodes,
                Err(_) if stop.load(Relaxed) => return None,
                _ => {}
            }
        };
        total.time += start.elapsed();
        total.nodes += nodes;
        on_position(number + 1, fen, nodes);
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "threads")]
    fn counting_changes_nothing_but_the_speed() {
        let never = AtomicBool::new(false);
        let plain = run(6, &Evaluation::Classical, |_, _, _| {}).unwrap();
        let counted = run_counted(6, &Evaluation::Classical, &never, |_, _, _| {}).unwrap();
        let (result, stats) = counted.unwrap();
        assert_eq!(result.nodes, plain.nodes);
        // Every move played enters a node; roots, verifications and quiescence after razoring do, too.
        assert!(stats.nodes() >= result.nodes, "{stats}");
        assert!(stats.to_string().contains("by the first move"));
    }

    #[test]
    fn two_runs_give_one_number() {
        let nodes = |evaluation| run(5, &evaluation, |_, _, _| {}).unwrap().nodes;
        assert_eq!(nodes(Evaluation::Classical), nodes(Evaluation::Classical));
        assert_eq!(nodes(Evaluation::embedded()), nodes(Evaluation::embedded()));
    }

    #[test]
    #[cfg(feature = "threads")]
    fn a_thread_of_its_own_changes_nothing() {
        let evaluation = Evaluation::embedded();
        let mut here = Vec::new();
        run(5, &evaluation, |_, _, nodes| here.push(nodes)).unwrap();
        let mut there = Vec::new();
        let never = AtomicBool::new(false);
        run_until(5, &evaluation, &never, |_, _, nodes| there.push(nodes)).unwrap().unwrap();
        assert_eq!(here, there);
    }
}
