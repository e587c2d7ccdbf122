//! What the machine could do at best: the speed of one large product alone.

use super::deck::TOKENS;
use super::matrix;
use std::time::{Duration, Instant};

/// Floating-point operations per second of one thread in the product of a micro-batch with a matrix
/// of 256 inputs and 1024 outputs: the fastest of several within a tenth of a second.
pub(crate) fn flops() -> f64 {
    const SHAPE: (usize, usize) = (1024, 256);
    let (x, w) = (vec![0.5; TOKENS * SHAPE.1], vec![0.25; SHAPE.0 * SHAPE.1]);
    let mut y = vec![0.0; TOKENS * SHAPE.0];
    let (start, mut fastest) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < Duration::from_millis(100) {
        let start = Instant::now();
        matrix::forward(&x, &w, &mut y, SHAPE);
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    (2 * TOKENS * SHAPE.0 * SHAPE.1) as f64 / fastest
}
