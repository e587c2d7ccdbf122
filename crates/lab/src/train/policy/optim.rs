//! `AdamW` with a common limit for the length of the gradient.

use super::layout::Layout;
use super::schedule::Pace;
use rayon::prelude::*;

const MEAN_KEEP: f32 = 0.9;
const SQUARE_KEEP: f32 = 0.95;
const EPSILON: f32 = 1e-8;
/// A longer gradient is shortened to this.
const LONGEST: f64 = 1.0;
/// Numbers that one thread works on at a time.
const CHUNK: usize = 1 << 14;

/// Parameters with their moments.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parameters {
    pub(crate) latent: Vec<f32>,
    pub(crate) mean: Vec<f32>,
    pub(crate) square: Vec<f32>,
}

impl Parameters {
    pub(crate) fn new(latent: Vec<f32>) -> Self {
        let zeros = vec![0.0; latent.len()];
        Self { latent, mean: zeros.clone(), square: zeros }
    }

    /// Takes a step, the first being 1, and clears the gradient. Returns the gradient's length.
    pub(crate) fn step(
        &mut self,
        layout: &Layout,
        gradient: &mut [f32],
        pace: &Pace,
        step: u64,
    ) -> f64 {
        let squares: Vec<f64> = gradient
            .par_chunks(CHUNK)
            .map(|chunk| chunk.iter().map(|g| f64::from(*g) * f64::from(*g)).sum())
            .collect();
        let length = squares.iter().sum::<f64>().sqrt();
        let shorten = (LONGEST / length.max(LONGEST)) as f32;
        let scale = |keep: f32| (1.0 / (1.0 - f64::from(keep).powf(step as f64))) as f32;
        let (mean_scale, square_scale) = (scale(MEAN_KEEP), scale(SQUARE_KEEP));
        for tensor in &layout.tensors {
            let place = tensor.place.clone();
            let keep = if tensor.decays() { 1.0 - pace.rate * pace.decay } else { 1.0 };
            let chunks = self.latent[place.clone()].par_chunks_mut(CHUNK);
            let chunks = chunks.zip(gradient[place.clone()].par_chunks_mut(CHUNK));
            let chunks = chunks.zip(self.mean[place.clone()].par_chunks_mut(CHUNK));
            let chunks = chunks.zip(self.square[place].par_chunks_mut(CHUNK));
            chunks.for_each(|(((latent, gradient), mean), square)| {
                let numbers = latent.iter_mut().zip(gradient);
                let moments = mean.iter_mut().zip(square);
                for ((latent, gradient), (mean, square)) in numbers.zip(moments) {
                    let g = *gradient * shorten;
                    *mean = MEAN_KEEP * *mean + (1.0 - MEAN_KEEP) * g;
                    *square = SQUARE_KEEP * *square + (1.0 - SQUARE_KEEP) * g * g;
                    let change = *mean * mean_scale / ((*square * square_scale).sqrt() + EPSILON);
                    *latent = keep * *latent - pace.rate * change;
                    *gradient = 0.0;
                }
            });
        }
        length
    }
}

/// `sum += part`, and clears the part.
pub(crate) fn reduce(sum: &mut [f32], part: &mut [f32]) {
    sum.par_chunks_mut(CHUNK).zip(part.par_chunks_mut(CHUNK)).for_each(|(sum, part)| {
        for (sum, part) in sum.iter_mut().zip(part) {
            *sum += *part;
            *part = 0.0;
        }
    });
}
