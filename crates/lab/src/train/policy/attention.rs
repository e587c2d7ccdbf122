//! Causal attention inside a band, with grouped query heads and rotary embedding by ply.
//!
//! A token's row holds all query heads, then the key heads, then the value heads. A crop is a run of
//! consecutive rows; a ply sees itself and up to `window - 1` plies before it in the same crop.

use super::matrix::{add_scaled, dot};
use tabiya_nn::policy::Config;

/// The sizes that attention needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    queries: usize,
    keys: usize,
    width: usize,
    window: usize,
    rope_base: f32,
}

impl Heads {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            queries: config.heads,
            keys: config.kv_heads,
            width: config.head_dim,
            window: config.window,
            rope_base: config.rope_base,
        }
    }

    /// Numbers in the row of a token.
    pub(crate) fn row(self) -> usize {
        (self.queries + 2 * self.keys) * self.width
    }

    /// Numbers in the output of a token.
    pub(crate) fn output(self) -> usize {
        self.queries * self.width
    }

    /// Weights of a token.
    pub(crate) fn weights(self) -> usize {
        self.queries * self.window
    }

    /// Where a query's key and value begin in a row.
    fn key_value(self, query: usize) -> (usize, usize) {
        let key = query / (self.queries / self.keys);
        ((self.queries + key) * self.width, (self.queries + self.keys + key) * self.width)
    }

    fn scale(self) -> f32 {
        1.0 / (self.width as f32).sqrt()
    }
}

/// The rotation of every ply of a crop: cosines and sines.
pub(crate) struct Rotations {
    half: usize,
    turns: Vec<(f32, f32)>,
}

impl Rotations {
    pub(crate) fn new(heads: Heads, longest: usize) -> Self {
        let half = heads.width / 2;
        let turn = |ply: usize, pair: usize| {
            let frequency = heads.rope_base.powf(-2.0 * pair as f32 / heads.width as f32);
            let (sin, cos) = (ply as f32 * frequency).sin_cos();
            (cos, sin)
        };
        let turns = (0..longest).flat_map(|ply| (0..half).map(move |pair| turn(ply, pair)));
        Self { half, turns: turns.collect() }
    }

    /// Turns a head at a ply of its crop; `back` undoes it.
    fn turn(&self, head: &mut [f32], ply: usize, back: bool) {
        let turns = &self.turns[ply * self.half..][..self.half];
        let (low, high) = head.split_at_mut(self.half);
        for ((low, high), (cos, sin)) in low.iter_mut().zip(high).zip(turns) {
            let sin = if back { -sin } else { *sin };
            (*low, *high) = (*low * cos - *high * sin, *low * sin + *high * cos);
        }
    }

    /// Turns all queries and keys.
    fn turn_all(&self, heads: Heads, rows: &mut [f32], crops: &[usize], back: bool) {
        let plies = crops.iter().flat_map(|length| 0..*length);
        for (row, ply) in rows.chunks_exact_mut(heads.row()).zip(plies) {
            let turned = (heads.queries + heads.keys) * heads.width;
            for head in row[..turned].chunks_exact_mut(heads.width) {
                self.turn(head, ply, back);
            }
        }
    }
}

/// Turns queries and keys in place, then computes the output; remembers the attention weights.
pub(crate) fn forward(
    heads: Heads,
    rotations: &Rotations,
    crops: &[usize],
    rows: &mut [f32],
    weights: &mut [f32],
    y: &mut [f32],
) {
    rotations.turn_all(heads, rows, crops, false);
    let (size, width) = (heads.row(), heads.width);
    for (token, first) in tokens(crops, heads.window) {
        let query_row = &rows[token * size..][..heads.output()];
        let weights = &mut weights[token * heads.weights()..][..heads.weights()];
        let y = &mut y[token * heads.output()..][..heads.output()];
        y.fill(0.0);
        for (head, query) in query_row.chunks_exact(width).enumerate() {
            let (key, value) = heads.key_value(head);
            let weights = &mut weights[head * heads.window..][..=token - first];
            for (weight, seen) in weights.iter_mut().zip(first..) {
                *weight = dot(query, &rows[seen * size + key..][..width]) * heads.scale();
            }
            softmax(weights);
            let y = &mut y[head * width..][..width];
            for (weight, seen) in weights.iter().zip(first..) {
                add_scaled(y, *weight, &rows[seen * size + value..][..width]);
            }
        }
    }
}

/// The gradient by the rows before they were turned.
pub(crate) fn backward(
    heads: Heads,
    rotations: &Rotations,
    crops: &[usize],
    (rows, weights): (&[f32], &[f32]),
    dy: &[f32],
    drows: &mut [f32],
) {
    let (size, width) = (heads.row(), heads.width);
    drows.fill(0.0);
    let mut dweights = vec![0.0; heads.window];
    for (token, first) in tokens(crops, heads.window) {
        let dy = &dy[token * heads.output()..][..heads.output()];
        for (head, dy) in dy.chunks_exact(width).enumerate() {
            let (key, value) = heads.key_value(head);
            let start = token * heads.weights() + head * heads.window;
            let weights = &weights[start..][..=token - first];
            for ((dweight, weight), seen) in dweights.iter_mut().zip(weights).zip(first..) {
                *dweight = dot(dy, &rows[seen * size + value..][..width]);
                add_scaled(&mut drows[seen * size + value..][..width], *weight, dy);
            }
            let mean = dot(&dweights[..weights.len()], weights);
            let query = token * size + head * width;
            for ((dweight, weight), seen) in dweights.iter().zip(weights).zip(first..) {
                let dscore = weight * (dweight - mean) * heads.scale();
                let (key, query_row) = (seen * size + key, &rows[query..][..width]);
                add_scaled(&mut drows[key..][..width], dscore, query_row);
                add_scaled(&mut drows[query..][..width], dscore, &rows[key..][..width]);
            }
        }
    }
    rotations.turn_all(heads, drows, crops, true);
}

/// Every token with the first one it sees.
fn tokens(crops: &[usize], window: usize) -> impl Iterator<Item = (usize, usize)> {
    crops
        .iter()
        .scan(0, |start, length| {
            let first = *start;
            *start += length;
            Some((first, *length))
        })
        .flat_map(move |(start, length)| {
            (0..length).map(move |ply| (start + ply, start + (ply + 1).saturating_sub(window)))
        })
}

/// Turns scores into weights that sum to one.
pub(crate) fn softmax(scores: &mut [f32]) {
    let highest = scores.iter().fold(f32::NEG_INFINITY, |max, score| max.max(*score));
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - highest).exp();
        sum += *score;
    }
    let factor = 1.0 / sum;
    for score in scores {
        *score *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    const HEADS: Heads = Heads { queries: 4, keys: 2, width: 8, window: 3, rope_base: 100.0 };
    const CROPS: [usize; 3] = [5, 1, 2];

    fn run(rows: &[f32]) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
        let mut rows = rows.to_vec();
        let (mut weights, mut y) = (vec![0.0; 8 * HEADS.weights()], vec![0.0; 8 * HEADS.output()]);
        let rotations = Rotations::new(HEADS, 5);
        forward(HEADS, &rotations, &CROPS, &mut rows, &mut weights, &mut y);
        (rows, weights, y)
    }

    #[test]
    fn gradients_agree_with_differences() {
        let rows = random(8 * HEADS.row(), 1);
        let dy = random(8 * HEADS.output(), 2);
        let loss = |rows: &[f32]| run(rows).2.iter().zip(&dy).map(|(y, s)| f64::from(y * s)).sum();
        let (turned, weights, _) = run(&rows);
        let mut drows = vec![0.0; rows.len()];
        let rotations = Rotations::new(HEADS, 5);
        backward(HEADS, &rotations, &CROPS, (&turned, &weights), &dy, &mut drows);
        check_gradient(&rows, &drows, loss);
    }

    #[test]
    fn a_ply_sees_its_band_and_its_crop_only() {
        let rows = random(8 * HEADS.row(), 3);
        let plain = run(&rows).2;
        let changed_by = |token: usize| {
            let mut rows = rows.clone();
            rows[token * HEADS.row()..][..HEADS.row()].fill(0.5);
            let y = run(&rows).2;
            let size = HEADS.output();
            (0..8).filter(|t| y[t * size..][..size] != plain[t * size..][..size]).collect()
        };
        let expected: [&[usize]; 4] = [&[0, 1, 2], &[4], &[5], &[6, 7]];
        for (token, expected) in [0, 4, 5, 6].into_iter().zip(expected) {
            let changed: Vec<usize> = changed_by(token);
            assert_eq!(changed, expected, "after token {token}");
        }
    }

    #[test]
    fn rotation_pairs_the_halves_and_depends_on_distance_only() {
        let rotations = Rotations::new(Heads { width: 4, ..HEADS }, 9);
        let mut head = [1.0, 0.0, 0.0, 0.0];
        rotations.turn(&mut head, 1, false);
        let (sin, cos) = 1.0_f32.sin_cos();
        assert_eq!(head, [cos, 0.0, sin, 0.0]);
        let product = |a: usize, b: usize| {
            let (mut x, mut y) = ([0.3, -0.4, 0.8, 0.1], [0.9, 0.2, -0.5, 0.7]);
            rotations.turn(&mut x, a, false);
            rotations.turn(&mut y, b, false);
            dot(&x, &y)
        };
        assert!((product(2, 5) - product(4, 7)).abs() < 1e-6);
        assert!((product(2, 5) - product(2, 6)).abs() > 1e-3);
    }
}
