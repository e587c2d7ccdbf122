//! What hidden neurons hand on, and how gradients come back through it.

use super::param::{LANES, Row};
use tabiya_nn::Activation;

/// Half a row: with pairwise products, the partner of lane `n` is lane `n + HALF`.
const HALF: usize = LANES / 2;

/// Activations of some positions in one tile. With pairwise products one row a position, the side to move's
/// products first; else a row for each side, the side to move's in the first list.
pub(crate) type Activations = [Vec<Row>; 2];

/// Finds the activations of positions, given the places of their two hidden rows.
pub(crate) fn activate(
    activation: Activation,
    hidden: &[Row],
    places: &[[u32; 2]],
    active: &mut Activations,
) {
    active.iter_mut().for_each(Vec::clear);
    match activation {
        Activation::Squared => {
            for (side, active) in active.iter_mut().enumerate() {
                active.extend(places.iter().map(|places| {
                    Row(hidden[places[side] as usize].0.map(|x| {
                        let x = x.clamp(0.0, 1.0);
                        x * x
                    }))
                }));
            }
        }
        Activation::Pairwise => active[0].extend(places.iter().map(|places| {
            let mut out = Row::ZERO;
            let (sides, _) = out.0.as_chunks_mut::<HALF>();
            for (out, place) in sides.iter_mut().zip(places) {
                let (a, b) = hidden[*place as usize].0.split_at(HALF);
                for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                    *out = a.clamp(0.0, 1.0) * b.clamp(0.0, 1.0);
                }
            }
            out
        })),
    }
}

/// Turns hidden rows into the gradients of the loss by them, given those of the activations.
pub(crate) fn backward(
    activation: Activation,
    hidden: &mut [Row],
    places: &[[u32; 2]],
    gradients: &Activations,
) {
    match activation {
        Activation::Squared => {
            for (side, gradients) in gradients.iter().enumerate() {
                for (places, gradient) in places.iter().zip(gradients) {
                    let hidden = &mut hidden[places[side] as usize];
                    for (x, gradient) in hidden.0.iter_mut().zip(gradient.0) {
                        *x = if *x > 0.0 && *x < 1.0 { 2.0 * gradient * *x } else { 0.0 };
                    }
                }
            }
        }
        Activation::Pairwise => {
            for (places, gradients) in places.iter().zip(&gradients[0]) {
                let (sides, _) = gradients.0.as_chunks::<HALF>();
                for (place, gradients) in places.iter().zip(sides) {
                    let (first, second) = hidden[*place as usize].0.split_at_mut(HALF);
                    for ((a, b), gradient) in first.iter_mut().zip(second).zip(gradients) {
                        let through = |x: f32, other: f32| {
                            let slope = gradient * other.clamp(0.0, 1.0);
                            if x > 0.0 && x < 1.0 { slope } else { 0.0 }
                        };
                        (*a, *b) = (through(*a, *b), through(*b, *a));
                    }
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
            // Two positions whose rows do not stand in their order.
            let places = [[2, 0], [1, 3]];
            let hidden: [Row; 4] = std::array::from_fn(|_| row(-0.5, 1.5));
            let gradients = [
                vec![row(-1.0, 1.0), row(-1.0, 1.0)],
                match activation {
                    Activation::Squared => vec![row(-1.0, 1.0), row(-1.0, 1.0)],
                    Activation::Pairwise => Vec::new(),
                },
            ];
            let loss = |hidden: &[Row; 4]| -> f64 {
                let mut out = Activations::default();
                activate(activation, hidden, &places, &mut out);
                let rows = out.iter().flatten().zip(gradients.iter().flatten());
                rows.map(|(out, gradient)| f64::from(out.dot(gradient))).sum()
            };
            let mut found = hidden;
            backward(activation, &mut found, &places, &gradients);
            for place in 0..4 {
                for lane in 0..LANES {
                    let moved = |step: f32| {
                        let mut hidden = hidden;
                        hidden[place].0[lane] += step;
                        loss(&hidden)
                    };
                    let step = 1.0 / 512.0;
                    let x = hidden[place].0[lane];
                    if x.abs() < 2.0 * step || (x - 1.0).abs() < 2.0 * step {
                        continue; // on the kink
                    }
                    let difference = (moved(step) - moved(-step)) / f64::from(2.0 * step);
                    let error = (difference - f64::from(found[place].0[lane])).abs();
                    assert!(error < 2e-3, "{activation:?} {place} {lane}: {error}");
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
