//! Output weights of a tile in a net with one hidden layer.

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

    /// This tile's part of the output.
    #[inline]
    pub(crate) fn forward(&self, bucket: usize, activations: &[Row; 2]) -> f32 {
        let (weights, _) = self.weights.value.as_chunks::<2>();
        let weights = &weights[bucket];
        let mut sum = Row::ZERO;
        for side in 0..2 {
            for lane in 0..LANES {
                sum.0[lane] += activations[side].0[lane] * weights[side].0[lane];
            }
        }
        sum.sum()
    }

    /// Adds the gradient of the weights; returns that of the activations.
    #[inline]
    pub(crate) fn backward(
        &mut self,
        bucket: usize,
        activations: &[Row; 2],
        gradient: f32,
    ) -> [Row; 2] {
        let (weights, _) = self.weights.value.as_chunks::<2>();
        let (sums, _) = self.weights.gradient.as_chunks_mut::<2>();
        for (sum, activations) in sums[bucket].iter_mut().zip(activations) {
            sum.add_scaled(gradient, activations);
        }
        weights[bucket].map(|weights| Row(weights.0.map(|weight| gradient * weight)))
    }
}
