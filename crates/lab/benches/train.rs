//! The speed of the trainer: samples per second by width, and where the time goes.
//!
//! `cargo bench -p tabiya-lab --bench train`. On a busy machine the fastest step says most.

use std::sync::atomic::AtomicBool;
use tabiya_chess::Board;
use tabiya_lab::data::record::{LabelledPosition, Verdict};
use tabiya_lab::train::{self, Control, Settings, Training};

/// Positions of games of pseudo-random moves.
fn positions(count: usize) -> Vec<LabelledPosition> {
    let mut board = Board::default();
    let mut positions = Vec::new();
    let mut state = 1u64;
    while positions.len() < count {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let moves = board.legal_moves();
        match moves.get((state >> 33) as usize % moves.len().max(1)) {
            Some(mv) if board.fullmove_number() < 100 => board.play(mv),
            _ => board = Board::default(),
        }
        let score = (state >> 40) as i16 % 300;
        positions
            .push(LabelledPosition::new(&board, score, Verdict::Draw).expect("at most 32 pieces"));
    }
    positions
}

fn main() {
    let positions = positions(1 << 20);
    let stop = AtomicBool::new(false);
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for text in [
        "768x1-256s-1x1",
        "768x1-512s-1x1",
        "768x8-1024s-1x8",
        "768x8-512p-16d-32s-1x8",
        "768x8-1024p-16d-32s-1x8",
    ] {
        let shape = text.parse().expect("a known shape");
        for threads in [1, all] {
            let settings = Settings { shape, epochs: 2, ..Settings::default() };
            let control = Control {
                checkpoint: None,
                resume: false,
                force: false,
                from: None,
                threads,
                stop: &stop,
            };
            let outcome = train::run(
                &settings,
                &Training::Memory(&positions),
                &positions[..16384],
                "bench",
                &control,
                |_| (),
            )
            .expect("sane settings");
            println!(
                "{text}, {threads} threads: {:.0} samples/s, \
             fastest step {:.0}; {}",
                outcome.samples_per_second, outcome.peak_samples_per_second, outcome.phases
            );
        }
    }
}
