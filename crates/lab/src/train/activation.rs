//! What hidden neurons hand on, and how gradients come back through it.

use super::param::{LANES, Row};
use tabiya_nn::Activation;

/// Half a row: with pairwise products, the partner of lane `n` is lane `n + HALF`.
const HALF: usize = LANES / 2;

/// The activations of both sides of a position in one tile: with pairwise products one row (the side to
/// move's products first, the second is empty), else one row per side.
#[inline]
pub(crate) fn activate(activation: Activation, hidden: &[Row; 2]) -> [Row; 2] {
    let mut out = [Row::ZERO; 2];
    match activation {
        Activation::Squared => {
            for (out, hidden) in out.iter_mut().zip(hidden) {
                for (out, x) in out.0.iter_mut().zip(hidden.0) {
                    let x = x.clamp(0.0, 1.0);
                    *out = x * x;
                }
            }
        }
        Activation::Pairwise => {
            for (side, hidden) in hidden.iter().enumerate() {
                for lane in 0..HALF {
                    let [a, b] = [hidden.0[lane], hidden.0[lane + HALF]];
                    out[0].0[side * HALF + lane] = a.clamp(0.0, 1.0) * b.clamp(0.0, 1.0);
                }
            }
        }
    }
    out
}

/// Turns hidden sums into the gradients of the loss by them, given those of the activations.
#[inline]
pub(crate) fn backward(activation: Activation, hidden: &mut [Row; 2], gradients: &[Row; 2]) {
    match activation {
        Activation::Squared => {
            for (hidden, gradient) in hidden.iter_mut().zip(gradients) {
                for (x, gradient) in hidden.0.iter_mut().zip(gradient.0) {
                    *x = if *x > 0.0 && *x < 1.0 { 2.0 * gradient * *x } else { 0.0 };
                }
            }
        }
        Activation::Pairwise => {
            for (side, hidden) in hidden.iter_mut().enumerate() {
                for lane in 0..HALF {
                    let [a, b] = [hidden.0[lane], hidden.0[lane + HALF]];
                    let gradient = gradients[0].0[side * HALF + lane];
                    let through = |x: f32, other: f32| {
                        if x > 0.0 && x < 1.0 { gradient * other.clamp(0.0, 1.0) } else { 0.0 }
                    };
                    hidden.0[lane] = through(a, b);
                    hidden.0[lane + HALF] = through(b, a);
                }
            }
        }
    }
}

/// Which neuron of a hidden layer is a lane of a tile. Partners of pairwise products, half a layer
/// apart, share a tile.
pub(crate) fn neuron(activation: Activation, hidden: usize, tile: usize, lane: usize) -> usize {
    match activation {
        Activation::Squared => tile * LANES + lane,
        Activation::Pairwise => tile * HALF + lane % HALF + lane / HALF * (hidden / 2),
    }
}

/// How many rows of activations a tile has.
pub(crate) fn rows(activation: Activation) -> usize {
    match activation {
        Activation::Squared => 2,
        Activation::Pairwise => 1,
    }
}

/// Which input of the first dense layer (the side to move's activations, then the other side's) is a
/// lane of a tile's row.
pub(crate) fn dense_input(
    activation: Activation,
    per_side: usize,
    tile: usize,
    row: usize,
    lane: usize,
) -> usize {
    match activation {
        Activation::Squared => row * per_side + tile * LANES + lane,
        Activation::Pairwise => lane / HALF * per_side + tile * HALF + lane % HALF,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;

    #[test]
    fn gradients_match_finite_differences() {
        let mut random = SplitMix::new(8);
        let mut row = |low: f64, high: f64| {
            Row(std::array::from_fn(|_| (low + (high - low) * random.unit()) as f32))
        };
        for activation in [Activation::Squared, Activation::Pairwise] {
            let hidden = [row(-0.5, 1.5), row(-0.5, 1.5)];
            let gradients = [row(-1.0, 1.0), row(-1.0, 1.0)];
            let loss = |hidden: &[Row; 2]| -> f64 {
                let out = activate(activation, hidden);
                (0..2).map(|row| f64::from(out[row].dot(&gradients[row]))).sum()
            };
            let mut found = hidden;
            backward(activation, &mut found, &gradients);
            for side in 0..2 {
                for lane in 0..LANES {
                    let moved = |step: f32| {
                        let mut hidden = hidden;
                        hidden[side].0[lane] += step;
                        loss(&hidden)
                    };
                    let step = 1.0 / 512.0;
                    let x = hidden[side].0[lane];
                    if x.abs() < 2.0 * step || (x - 1.0).abs() < 2.0 * step {
                        continue; // on the kink
                    }
                    let difference = (moved(step) - moved(-step)) / f64::from(2.0 * step);
                    let error = (difference - f64::from(found[side].0[lane])).abs();
                    assert!(error < 2e-3, "{activation:?} {side} {lane}: {error}");
                }
            }
        }
    }

    #[test]
    fn every_neuron_and_every_input_has_one_place() {
        for activation in [Activation::Squared, Activation::Pairwise] {
            let (hidden, tiles) = (128, 128 / LANES);
            let mut seen = vec![0; hidden];
            let per_side = hidden * rows(activation) / 2;
            let mut inputs = vec![0; 2 * per_side];
            for tile in 0..tiles {
                for lane in 0..LANES {
                    seen[neuron(activation, hidden, tile, lane)] += 1;
                    for row in 0..rows(activation) {
                        inputs[dense_input(activation, per_side, tile, row, lane)] += 1;
                    }
                }
            }
            assert!(seen.iter().all(|count| *count == 1));
            assert!(inputs.iter().all(|count| *count == 1));
        }
    }
}
