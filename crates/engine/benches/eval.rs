//! Evaluations per second over the positions of a test suite, with a warm and with a cold pawn
//! table: `cargo bench -p tabiya-engine --bench eval`.

#[path = "../../chess/tests/common/data.rs"]
mod data;

use std::hint::black_box;
use std::time::{Duration, Instant};
use tabiya_chess::Board;
use tabiya_engine::eval::hce::{PawnTable, evaluate};

const SUITE: &str = "epd/sts-v6.epd";
const PASSES: usize = 1000;

fn main() {
    let Some(text) = data::read(SUITE) else { return };
    let boards: Vec<Board> = text
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().take(4).collect();
            Board::from_fen(&format!("{} 0 1", fields.join(" ")), false).ok()
        })
        .collect();
    let mut pawns = PawnTable::default();
    let mut pass = |clear: bool| {
        if clear {
            pawns.clear();
        }
        let start = Instant::now();
        for board in &boards {
            black_box(evaluate(black_box(board), &mut pawns));
        }
        start.elapsed()
    };
    // The best of many short passes: what else the machine does hardly disturbs it.
    for (name, clear) in [("warm", false), ("cold", true)] {
        let best = (0..PASSES).map(|_| pass(clear)).min().unwrap_or(Duration::MAX);
        let rate = boards.len() as f64 / best.as_secs_f64();
        println!("{name}: {:.2} million evaluations per second", rate / 1e6);
    }
}
