//! Output weights as integers that change the outputs as little as possible.
//!
//! Output weights are few, coarse (1/64) and multiply large activations, so rounding each to the
//! nearest integer costs more than all other rounding of a net. But activations are correlated:
//! what one weight loses another can make up for. This is a least-squares problem in integers,
//! solved by coordinate descent from the nearest integers; it makes up for the rounding of the
//! hidden layer too, because it looks at the activations of the rounded net. (Learning with
//! rounded output weights, straight-through, raised the validation loss by 2 % when it began.)

use rayon::prelude::*;
use tabiya_nn::{OUTPUT_LIMIT, QB};

/// How strongly weights are held near their exact values, as a share of the mean square of an
/// activation: decides where few positions are known.
const HOLD: f32 = 0.02;
/// Coordinate descent ends by itself long before.
const MAX_SWEEPS: usize = 100;

/// Positions of one output bucket: what the rounded hidden layer gives, and what should come out.
#[derive(Default)]
pub(super) struct Examples {
    width: usize,
    /// Row by row.
    activations: Vec<f32>,
    outputs: Vec<f32>,
}

impl Examples {
    pub(super) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Adds a position.
    pub(super) fn push(&mut self, activations: impl Iterator<Item = f32>, output: f32) {
        self.activations.extend(activations.take(self.width));
        self.activations.resize((self.len() + 1) * self.width, 0.0);
        self.outputs.push(output);
    }

    /// The integer weights and the bias that come closest to the outputs.
    pub(super) fn solve(&self, exact: &[f32], exact_bias: f32) -> (Vec<i16>, f32) {
        let mut weights: Vec<f32> = exact.iter().map(|weight| nearest(*weight)).collect();
        if self.len() == 0 {
            return (to_integers(&weights), exact_bias);
        }
        // With means taken out, the bias takes care of itself.
        let (means, mean_output) = self.means();
        let (products, wanted) = self.normal_equations(&means, mean_output);
        let diagonal: f32 = (0..self.width).map(|i| products[i * self.width + i]).sum();
        let hold = (HOLD * diagonal / self.width as f32).max(f32::MIN_POSITIVE);
        let mut gradient: Vec<f32> = products
            .par_chunks_exact(self.width)
            .zip(&wanted)
            .map(|(row, wanted)| dot(row, &weights) - wanted)
            .collect();
        for (component, (weight, exact)) in gradient.iter_mut().zip(weights.iter().zip(exact)) {
            *component += hold * (weight - exact);
        }
        for _ in 0..MAX_SWEEPS {
            let mut changed = false;
            for index in 0..self.width {
                let row = &products[index * self.width..][..self.width];
                let curvature = row[index] + hold;
                let better = nearest(weights[index] - gradient[index] / curvature);
                let step = better - weights[index];
                // The loss falls by this much, times the curvature; next to nothing could be
                // undone for ever.
                let gain = -step * gradient[index] / curvature - 0.5 * step * step;
                if gain <= 1e-3 * step * step {
                    continue;
                }
                changed = true;
                weights[index] = better;
                for (component, product) in gradient.iter_mut().zip(row) {
                    *component += step * product;
                }
                gradient[index] += step * hold;
            }
            if !changed {
                break;
            }
        }
        let bias = mean_output - dot(&means, &weights);
        (to_integers(&weights), bias)
    }

    fn means(&self) -> (Vec<f32>, f32) {
        let mut sums = vec![0.0; self.width];
        for row in self.activations.chunks_exact(self.width) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += f64::from(*x);
            }
        }
        let count = self.len() as f64;
        let mean_output = self.outputs.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        (sums.iter().map(|sum| (sum / count) as f32).collect(), mean_output as f32)
    }

    /// Mean products of activations with each other and with the outputs, means taken out.
    fn normal_equations(&self, means: &[f32], mean_output: f32) -> (Vec<f32>, Vec<f32>) {
        let share = 1.0 / self.len() as f32;
        let mut products = vec![0.0; self.width * self.width];
        let mut wanted = vec![0.0; self.width];
        products.par_chunks_exact_mut(self.width).zip(&mut wanted).enumerate().for_each(
            |(index, (products, wanted))| {
                let rows = self.activations.chunks_exact(self.width);
                for (row, output) in rows.zip(&self.outputs) {
                    let x = (row[index] - means[index]) * share;
                    *wanted += x * (output - mean_output);
                    for (product, y) in products.iter_mut().zip(row) {
                        *product += x * y;
                    }
                }
            },
        );
        (products, wanted)
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The nearest weight that an integer stands for.
fn nearest(weight: f32) -> f32 {
    let limit = f32::from(OUTPUT_LIMIT);
    (weight * QB as f32).round().clamp(-limit, limit) / QB as f32
}

fn to_integers(weights: &[f32]) -> Vec<i16> {
    weights.iter().map(|weight| (weight * QB as f32).round() as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;

    #[test]
    fn correlated_activations_make_up_for_each_other() {
        let mut random = SplitMix::new(3);
        let width = 40;
        let exact: Vec<f32> = (0..width).map(|_| random.unit() as f32 - 0.5).collect();
        let mut examples = Examples::new(width);
        let mut rows = Vec::new();
        for _ in 0..2000 {
            // A few causes behind all activations.
            let causes: [f32; 4] = std::array::from_fn(|_| random.unit() as f32);
            let row: Vec<f32> = (0..width)
                .map(|i| causes[i % 4] * (i % 7) as f32 / 7.0 + 0.05 * random.unit() as f32)
                .collect();
            examples.push(row.iter().copied(), dot(&row, &exact) + 0.3);
            rows.push(row);
        }
        let (integers, bias) = examples.solve(&exact, 0.3);
        let error = |weights: &[f32], bias: f32| -> f32 {
            let wrong = rows.iter().map(|row| dot(row, weights) + bias - dot(row, &exact) - 0.3);
            (wrong.map(|x| x * x).sum::<f32>() / rows.len() as f32).sqrt()
        };
        let solved: Vec<f32> = integers.iter().map(|x| f32::from(*x) / QB as f32).collect();
        let naive: Vec<f32> = exact.iter().map(|weight| nearest(*weight)).collect();
        let (solved, naive) = (error(&solved, bias), error(&naive, 0.3));
        assert!(solved < naive / 3.0, "{solved} {naive}");
    }

    #[test]
    fn without_examples_weights_are_rounded() {
        let (integers, bias) = Examples::new(3).solve(&[0.5, -0.26, 9.0], 0.7);
        assert_eq!((integers, bias), (vec![32, -17, 128], 0.7));
    }
}
