//! Rates on a noisy machine: the best of many short rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Many short rounds: some of them are left alone by everything else on the machine.
const ROUNDS: usize = 150;
const ROUND: Duration = Duration::from_millis(1);
/// Calls between two looks at the clock.
const BATCH: usize = 16;

/// Calls per second.
pub(crate) fn rate(mut call: impl FnMut(usize)) -> f64 {
    let mut best = 0.0_f64;
    let mut turn = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut calls = 0;
        while start.elapsed() < ROUND {
            for _ in 0..BATCH {
                call(turn);
                turn = turn.wrapping_add(1);
            }
            calls += BATCH;
        }
        best = best.max(calls as f64 / start.elapsed().as_secs_f64());
    }
    best
}

/// Bytes per second of a plain sum over a buffer, with as many running sums as serve it best.
pub(crate) fn read_bandwidth(bytes: usize) -> f64 {
    let sums = [sum_rate::<16>, sum_rate::<32>, sum_rate::<64>];
    sums.map(|sum| sum(bytes)).into_iter().fold(0.0, f64::max)
}

fn sum_rate<const SUMS: usize>(bytes: usize) -> f64 {
    let buffer = vec![[1_u64; SUMS]; bytes / size_of::<[u64; SUMS]>()];
    let passes = rate(|_| {
        let mut sums = [0_u64; SUMS];
        for block in black_box(&buffer) {
            for i in 0..SUMS {
                sums[i] = sums[i].wrapping_add(block[i]);
            }
        }
        black_box(sums);
    });
    passes * bytes as f64
}
