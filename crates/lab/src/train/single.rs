//! Output weights of a tile in a net with one hidden layer.

use super::activation::Activations;
use super::param::{LANES, Param, Row};
use crate::work::SplitMix;
use tabiya_nn::{OUTPUT_LIMIT, QB, Shape};

/// A little inside the limit, so that rounding cannot cross it.
const CLIP: f32 = (OUTPUT_LIMIT as f32 - 1.0) / QB as f32;

/// Row `2 * bucket + side`, the side to move first.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Single {
    pub(crate) weights: Param,
}

impl Single {
    pub(crate) fn new(shape: Shape, random: &mut SplitMix) -> Self {
        let mut weights = Param::zeros(2 * shape.output_buckets(), CLIP);
        weights.randomise(random, (1.0 / shape.hidden() as f32).sqrt(), LANES);
        Self { weights }
    }

    /// This tile's part of the outputs of positions of one bucket.
    pub(crate) fn forward(&self, bucket: usize, activations: &Activations, outputs: &mut [f32]) {
        let (weights, _) = self.weights.value.as_chunks::<2>();
        let weights = &weights[bucket];
        let rows = activations[0].iter().zip(&activations[1]);
        for (output, (own, other)) in outputs.iter_mut().zip(rows) {
            let mut sum = Row::ZERO;
            for lane in 0..LANES {
                sum.0[lane] = own.0[lane] * weights[0].0[lane] + other.0[lane] * weights[1].0[lane];
            }
            *output = sum.sum();
        }
    }

    /// Adds the gradient of the weights from positions of one bucket, given those of their outputs, and
    /// turns their activations into the gradients of these.
    pub(crate) fn backward(
        &mut self,
        bucket: usize,
        activations: &mut Activations,
        gradients: &[f32],
    ) {
        let (weights, _) = self.weights.value.as_chunks::<2>();
        let (sums, _) = self.weights.gradient.as_chunks_mut::<2>();
        for (side, rows) in activations.iter_mut().enumerate() {
            let weights = weights[bucket][side];
            for (row, gradient) in rows.iter_mut().zip(gradients) {
                sums[bucket][side].add_scaled(*gradient, row);
                *row = Row(weights.0.map(|weight| gradient * weight));
            }
        }
    }
}
