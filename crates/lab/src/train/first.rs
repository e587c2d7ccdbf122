//! The first dense layer, as far as it reads the neurons of one tile.
//!
//! Each tile owns the weights of its own activations and gives its part of the 16 sums, so that nothing
//! is shared between threads. Positions of one output bucket go through it together: both passes are
//! small matrix products.

use super::activation::{self, Activations};
use super::param::{LANES, Param, Row};
use crate::work::SplitMix;
use tabiya_nn::{Activation, DENSE_LIMIT, QB, Shape, Tail};
use wide::f32x8;

/// Neurons of the layer.
pub(crate) const NEURONS: usize = Tail::FIRST;
/// One number for each of them.
pub(crate) type Sums = [f32; NEURONS];

/// A little inside the limit, so that rounding cannot cross it.
const CLIP: f32 = (DENSE_LIMIT as f32 - 0.5) / QB as f32;
/// Positions that go through the layer together, so that a weight is loaded once for all of them and
/// their sums stay in 12 of the 16 vector registers of AVX2.
const BLOCK: usize = 6;
/// Neurons, or positions, whose rows of sums stay in 8 registers.
const FEW: usize = 2;

/// Weights of one tile's activations.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct First {
    /// Row `(bucket * 16 + neuron) * rows + row`, a lane per activation.
    pub(crate) weights: Param,
    /// The same as `[bucket][row * 32 + lane][neuron]`.
    transposed: Vec<Sums>,
    /// Rows of activations.
    rows: usize,
}

impl First {
    pub(crate) fn new(shape: Shape, random: &mut SplitMix) -> Self {
        let rows = activation::rows(shape.activation());
        let mut weights = Param::zeros(shape.output_buckets() * NEURONS * rows, CLIP);
        // Pairwise products are small: about one in five is not near zero.
        let gain = match shape.activation() {
            Activation::Squared => 3.0,
            Activation::Pairwise => 6.0,
        };
        weights.randomise(random, (gain / (2 * shape.activations()) as f32).sqrt(), LANES);
        let mut first = Self { weights, transposed: Vec::new(), rows };
        first.refresh();
        first
    }

    /// Brings the transposed weights up to date after a change.
    pub(crate) fn refresh(&mut self) {
        let buckets = self.weights.value.len() / (NEURONS * self.rows);
        let width = self.rows * LANES;
        self.transposed.resize(buckets * width, [0.0; NEURONS]);
        for (index, row) in self.weights.value.iter().enumerate() {
            let (bucket, neuron, part) =
                (index / self.rows / NEURONS, index / self.rows % NEURONS, index % self.rows);
            let first = bucket * width + part * LANES;
            for (sums, weight) in self.transposed[first..first + LANES].iter_mut().zip(row.0) {
                sums[neuron] = weight;
            }
        }
    }

    /// This tile's part of the sums, for positions of one bucket.
    pub(crate) fn forward(&self, bucket: usize, activations: &Activations, sums: &mut [Sums]) {
        sums.fill([0.0; NEURONS]);
        let (weights, _) = self.transposed.as_chunks::<LANES>();
        let weights = &weights[bucket * self.rows..][..self.rows];
        for (weights, rows) in weights.iter().zip(activations) {
            let (blocks, rest) = rows.as_chunks::<BLOCK>();
            let (block_sums, rest_sums) = sums.as_chunks_mut::<BLOCK>();
            for (rows, sums) in blocks.iter().zip(block_sums) {
                add_products(weights, rows, sums);
            }
            for (row, sums) in rest.iter().zip(rest_sums) {
                add_products(weights, std::array::from_ref(row), std::array::from_mut(sums));
            }
        }
    }

    /// Adds the gradient of the weights from positions of one bucket, given those of their sums, and
    /// turns their activations into the gradients of these.
    pub(crate) fn backward(
        &mut self,
        bucket: usize,
        activations: &mut Activations,
        gradients: &[Sums],
    ) {
        let first = bucket * NEURONS * self.rows;
        for (part, rows) in activations.iter_mut().take(self.rows).enumerate() {
            let place = |neuron: usize| first + neuron * self.rows + part;
            for neuron in (0..NEURONS).step_by(FEW) {
                let sums = outer_products(rows, gradients, neuron);
                for (index, sum) in sums.iter().enumerate() {
                    self.weights.gradient[place(neuron + index)].add(sum);
                }
            }
            let weights = std::array::from_fn(|neuron| self.weights.value[place(neuron)]);
            let (blocks, rest) = rows.as_chunks_mut::<FEW>();
            let (block_gradients, rest_gradients) = gradients.as_chunks::<FEW>();
            for (rows, gradients) in blocks.iter_mut().zip(block_gradients) {
                *rows = weighted_rows(&weights, gradients);
            }
            for (row, gradients) in rest.iter_mut().zip(rest_gradients) {
                [*row] = weighted_rows(&weights, std::array::from_ref(gradients));
            }
        }
    }
}

// Three matrix products. Loops over positions or neurons have a fixed length, so that the compiler
// unrolls them and keeps all sums in registers.

/// Adds inputs times weights (a row of neurons for each input) to the sums of some positions. The order
/// of additions does not depend on how many there are.
///
/// With explicit vectors: left alone, the compiler makes vectors of positions and scatters them.
#[inline]
fn add_products<const N: usize>(weights: &[Sums; LANES], inputs: &[Row; N], sums: &mut [Sums; N]) {
    let mut totals = sums.each_ref().map(vectors);
    for (lane, weights) in weights.iter().enumerate() {
        let weights = vectors(weights);
        for (totals, row) in totals.iter_mut().zip(inputs) {
            let input = f32x8::splat(row.0[lane]);
            for (total, weights) in totals.iter_mut().zip(weights) {
                *total = input.mul_add(weights, *total);
            }
        }
    }
    for (sums, [low, high]) in sums.iter_mut().zip(totals) {
        let (first, second) = sums.split_at_mut(NEURONS / 2);
        first.copy_from_slice(low.as_array());
        second.copy_from_slice(high.as_array());
    }
}

#[inline]
fn vectors(sums: &Sums) -> [f32x8; 2] {
    let (halves, _) = sums.as_chunks::<8>();
    [f32x8::new(halves[0]), f32x8::new(halves[1])]
}

/// Gradients of the weights of [`FEW`] neurons, summed over positions.
#[inline]
fn outer_products(rows: &[Row], gradients: &[Sums], first_neuron: usize) -> [Row; FEW] {
    let mut sums = [Row::ZERO.vectors(); FEW];
    for (row, gradients) in rows.iter().zip(gradients) {
        let row = row.vectors();
        for (sums, gradient) in sums.iter_mut().zip(&gradients[first_neuron..first_neuron + FEW]) {
            add_scaled(sums, *gradient, row);
        }
    }
    sums.map(Row::from_vectors)
}

/// Rows of weights (one for each neuron), weighted by the gradients of each position.
#[inline]
fn weighted_rows<const N: usize>(weights: &[Row; NEURONS], gradients: &[Sums; N]) -> [Row; N] {
    let mut sums = [Row::ZERO.vectors(); N];
    for (neuron, weights) in weights.iter().enumerate() {
        let weights = weights.vectors();
        for (sums, gradients) in sums.iter_mut().zip(gradients) {
            add_scaled(sums, gradients[neuron], weights);
        }
    }
    sums.map(Row::from_vectors)
}

#[inline]
fn add_scaled(sums: &mut [f32x8; LANES / 8], factor: f32, row: [f32x8; LANES / 8]) {
    let factor = f32x8::splat(factor);
    for (sum, row) in sums.iter_mut().zip(row) {
        *sum = factor.mul_add(row, *sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layer is linear in weights and inputs, so differences need not be small to be exact.
    #[test]
    fn gradients_match_differences() {
        for text in ["768x1-128p-16d-32s-1x8", "768x1-128s-16c-8c-1x8"] {
            let shape: Shape = text.parse().unwrap();
            let mut random = SplitMix::new(3);
            let mut layer = First::new(shape, &mut random);
            let count = 2 * BLOCK + 3;
            let mut number = || (random.unit() * 2.0 - 1.0) as f32;
            let mut rows = |count| -> Vec<Row> {
                (0..count).map(|_| Row(std::array::from_fn(|_| number()))).collect()
            };
            let activations = [rows(count), rows(if layer.rows == 2 { count } else { 0 })];
            let gradients: Vec<Sums> =
                (0..count).map(|_| std::array::from_fn(|_| number())).collect();
            let bucket = 5;
            let loss = |layer: &First, activations: &Activations| -> f64 {
                let mut sums = vec![Sums::default(); count];
                layer.forward(bucket, activations, &mut sums);
                let pairs = sums.as_flattened().iter().zip(gradients.as_flattened());
                pairs.map(|(sum, gradient)| f64::from(*sum) * f64::from(*gradient)).sum()
            };
            let mut found = activations.clone();
            layer.backward(bucket, &mut found, &gradients);
            let before = loss(&layer, &activations);
            for part in 0..layer.rows {
                for index in 0..count {
                    let lane = index * 5 % LANES;
                    let mut moved = activations.clone();
                    moved[part][index].0[lane] += 1.0;
                    let difference = loss(&layer, &moved) - before;
                    let found = f64::from(found[part][index].0[lane]);
                    assert!((difference - found).abs() < 1e-4, "{part} {index}");
                }
            }
            for row in 0..layer.weights.value.len() {
                let lane = row * 7 % LANES;
                let mut moved = layer.clone();
                moved.weights.value[row].0[lane] += 1.0;
                moved.refresh();
                let difference = loss(&moved, &activations) - before;
                let found = f64::from(layer.weights.gradient[row].0[lane]);
                assert!((difference - found).abs() < 1e-4, "{row}: {difference} {found}");
            }
        }
    }
}
