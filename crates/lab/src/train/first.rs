//! The first dense layer, as far as it reads the neurons of one tile.
//!
//! Each tile owns the weights of its own activations and gives its part of the 16 sums, so that nothing
//! is shared between threads.

use super::activation;
use super::param::{LANES, Param, Row};
use crate::work::SplitMix;
use tabiya_nn::{Activation, DENSE_LIMIT, QB, Shape, Tail};

/// Neurons of the layer.
pub(crate) const NEURONS: usize = Tail::FIRST;
/// One number for each of them.
pub(crate) type Sums = [f32; NEURONS];

/// A little inside the limit, so that rounding cannot cross it.
const CLIP: f32 = (DENSE_LIMIT as f32 - 0.5) / QB as f32;
/// Chains of additions that do not wait for each other.
const CHAINS: usize = 4;

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

    /// This tile's part of the sums.
    #[inline]
    pub(crate) fn forward(&self, bucket: usize, activations: &[Row]) -> Sums {
        let width = self.rows * LANES;
        let weights = &self.transposed[bucket * width..][..width];
        let mut chains = [[0.0; NEURONS]; CHAINS];
        let (weights, _) = weights.as_chunks::<LANES>();
        for (row, weights) in activations[..self.rows].iter().zip(weights) {
            let (inputs, _) = row.0.as_chunks::<CHAINS>();
            let (weights, _) = weights.as_chunks::<CHAINS>();
            for (inputs, weights) in inputs.iter().zip(weights) {
                for chain in 0..CHAINS {
                    for neuron in 0..NEURONS {
                        chains[chain][neuron] += inputs[chain] * weights[chain][neuron];
                    }
                }
            }
        }
        let [a, b, c, d] = chains;
        std::array::from_fn(|neuron| (a[neuron] + b[neuron]) + (c[neuron] + d[neuron]))
    }

    /// Adds the gradient of the weights; returns that of the activations.
    #[inline]
    pub(crate) fn backward(
        &mut self,
        bucket: usize,
        activations: &[Row; 2],
        gradients: &Sums,
    ) -> [Row; 2] {
        let first = bucket * NEURONS * self.rows;
        let weights = &self.weights.value[first..][..NEURONS * self.rows];
        let sums = &mut self.weights.gradient[first..][..NEURONS * self.rows];
        let mut back = [Row::ZERO; 2];
        for part in 0..self.rows {
            let mut sum = Row::ZERO;
            for (neuron, gradient) in gradients.iter().enumerate() {
                sum.add_scaled(*gradient, &weights[neuron * self.rows + part]);
                sums[neuron * self.rows + part].add_scaled(*gradient, &activations[part]);
            }
            back[part] = sum;
        }
        back
    }
}
