//! Perft speed of this crate beside cozy-chess and shakmaty, in one run on the same positions.
//!
//! All three count the last ply in bulk and keep their hash keys. The machine is noisy, so every
//! program runs several times in turn and the best time counts; only ratios are meaningful.
//! cozy-chess has its feature `pext` on where this crate uses PEXT itself, which makes it 4 % faster
//! than without (docs/EXPERIMENTS.md).
//! Run with `cargo bench -p tabiya-chess --bench perft`.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, EnPassantMode, Position};
use std::hint::black_box;
use std::time::Instant;

const POSITIONS: [(&str, u32); 4] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 1", 5),
];
const ROUNDS: usize = 5;

fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
        return nodes;
    }
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            nodes += cozy(&child, depth - 1);
        }
        false
    });
    nodes
}

/// shakmaty keeps no key in the position; its incremental update is the fair equivalent.
fn shak(position: &shakmaty::Chess, key: Zobrist64, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        black_box(key);
        return moves.len() as u64;
    }
    let mut nodes = 0;
    for mv in &moves {
        let child_key = position.update_zobrist_hash(key, *mv, EnPassantMode::Legal);
        let mut child = position.clone();
        child.play_unchecked(*mv);
        let child_key = child_key.unwrap_or_else(|| child.zobrist_hash(EnPassantMode::Legal));
        nodes += shak(&child, child_key, depth - 1);
    }
    nodes
}

fn timed(run: impl FnOnce() -> u64) -> (u64, f64) {
    let start = Instant::now();
    let nodes = black_box(run());
    (nodes, nodes as f64 / start.elapsed().as_secs_f64() / 1e6)
}

fn main() {
    let mut log_ratios = 0.0;
    for (fen, depth) in POSITIONS {
        let ours: tabiya_chess::Board = fen.parse().expect("legal position");
        let theirs: cozy_chess::Board = fen.parse().expect("legal position");
        let third: shakmaty::fen::Fen = fen.parse().expect("valid FEN");
        let third: shakmaty::Chess =
            third.into_position(CastlingMode::Standard).expect("legal position");
        let key = third.zobrist_hash(EnPassantMode::Legal);
        let mut best = [0.0_f64; 3];
        for _ in 0..ROUNDS {
            let runs = [
                timed(|| tabiya_chess::perft::count(black_box(&ours), depth)),
                timed(|| cozy(black_box(&theirs), depth)),
                timed(|| shak(black_box(&third), key, depth)),
            ];
            assert!(runs.iter().all(|run| run.0 == runs[0].0), "the node counts differ");
            for (best, (_, speed)) in best.iter_mut().zip(runs) {
                *best = best.max(speed);
            }
        }
        let [tabiya, cozy, shakmaty] = best;
        log_ratios += (tabiya / cozy).ln();
        println!(
            "{fen} depth {depth}: tabiya {tabiya:.0} Mnps, cozy-chess {cozy:.0}, shakmaty {shakmaty:.0}; \
             ratio {:.2} and {:.2}",
            tabiya / cozy,
            tabiya / shakmaty
        );
    }
    println!("geomean vs cozy-chess: {:.2}", (log_ratios / POSITIONS.len() as f64).exp());
}
