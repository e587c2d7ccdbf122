//! Weights that read the hidden layer, as integers that change what they sum up to as little as possible.
//!
//! These weights are few, coarse (1/64) and multiply large activations, so rounding each to the
//! nearest integer costs more than all other rounding of a net. But activations are correlated:
//! what one weight loses another can make up for. This is a least-squares problem in integers,
//! solved by coordinate descent from the nearest integers; it makes up for the rounding of the
//! hidden layer too, because it looks at the activations of the rounded net. (Learning with
//! rounded output weights, straight-through, raised the validation loss by 2 % when it began.)

use rayon::prelude::*;
use tabiya_nn::QB;

/// How strongly weights are held near their exact values, as a share of the mean square of an
/// activation: decides where few positions are known.
const HOLD: f32 = 0.02;
/// Coordinate descent ends by itself long before.
const MAX_SWEEPS: usize = 100;

/// A neuron that reads the hidden layer: its exact weights and bias.
pub(super) struct Exact {
    pub(super) weights: Vec<f32>,
    pub(super) bias: f32,
}

/// Positions of one output bucket: what the rounded hidden layer gives, and what should come out.
pub(super) struct Examples {
    width: usize,
    /// The largest magnitude of an integer weight.
    limit: f32,
    /// Row by row.
    activations: Vec<f32>,
    /// What each neuron should sum up to, position by position.
    wanted: Vec<Vec<f32>>,
}

/// The normal equations of all neurons, means taken out.
struct Equations {
    means: Vec<f32>,
    /// Mean products of activations with each other.
    products: Vec<f32>,
    hold: f32,
}

impl Examples {
    /// For so many neurons that read `width` activations each.
    pub(super) fn new(width: usize, neurons: usize, limit: i16) -> Self {
        let wanted = vec![Vec::new(); neurons];
        Self { width, limit: f32::from(limit), activations: Vec::new(), wanted }
    }

    pub(super) fn len(&self) -> usize {
        self.activations.len() / self.width
    }

    /// Adds a position.
    pub(super) fn push(&mut self, activations: impl Iterator<Item = f32>, wanted: &[f32]) {
        let end = self.activations.len() + self.width;
        self.activations.extend(activations.take(self.width));
        self.activations.resize(end, 0.0);
        for (all, one) in self.wanted.iter_mut().zip(wanted) {
            all.push(*one);
        }
    }

    /// For each neuron the integer weights and the bias that come closest to what is wanted.
    pub(super) fn solve(&self, exact: &[Exact]) -> Vec<(Vec<i16>, f32)> {
        let rounded = |exact: &Exact| exact.weights.iter().map(|w| self.nearest(*w)).collect();
        if self.len() == 0 {
            let alone = |exact: &Exact| (to_integers(rounded(exact)), exact.bias);
            return exact.iter().map(alone).collect();
        }
        let means = self.means();
        let products = self.products(&means);
        let diagonal: f32 = (0..self.width).map(|i| products[i * self.width + i]).sum();
        let hold = (HOLD * diagonal / self.width as f32).max(f32::MIN_POSITIVE);
        let equations = Equations { means, products, hold };
        exact
            .par_iter()
            .zip(&self.wanted)
            .map(|(exact, wanted)| self.descend(&equations, rounded(exact), exact, wanted))
            .collect()
    }

    /// Coordinate descent from some integers.
    fn descend(
        &self,
        equations: &Equations,
        mut weights: Vec<f32>,
        exact: &Exact,
        wanted: &[f32],
    ) -> (Vec<i16>, f32) {
        let Equations { means, products, hold } = equations;
        // With means taken out, the bias takes care of itself.
        let mean = (wanted.iter().map(|x| f64::from(*x)).sum::<f64>() / self.len() as f64) as f32;
        let mut gradient: Vec<f32> = products
            .chunks_exact(self.width)
            .zip(self.products_with(wanted, means, mean))
            .map(|(row, wanted)| dot(row, &weights) - wanted)
            .collect();
        for (component, (weight, exact)) in
            gradient.iter_mut().zip(weights.iter().zip(&exact.weights))
        {
            *component += hold * (weight - exact);
        }
        for _ in 0..MAX_SWEEPS {
            let mut changed = false;
            for index in 0..self.width {
                let row = &products[index * self.width..][..self.width];
                let curvature = row[index] + hold;
                let better = self.nearest(weights[index] - gradient[index] / curvature);
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
        let bias = mean - dot(means, &weights);
        (to_integers(weights), bias)
    }

    fn means(&self) -> Vec<f32> {
        let mut sums = vec![0.0; self.width];
        for row in self.activations.chunks_exact(self.width) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += f64::from(*x);
            }
        }
        sums.iter().map(|sum| (sum / self.len() as f64) as f32).collect()
    }

    /// Mean products of activations with each other, means taken out.
    fn products(&self, means: &[f32]) -> Vec<f32> {
        let share = 1.0 / self.len() as f32;
        let mut products = vec![0.0; self.width * self.width];
        products.par_chunks_exact_mut(self.width).enumerate().for_each(|(index, products)| {
            for row in self.activations.chunks_exact(self.width) {
                let x = (row[index] - means[index]) * share;
                for (product, y) in products.iter_mut().zip(row) {
                    *product += x * y;
                }
            }
        });
        products
    }

    /// Mean products of activations with what is wanted, means taken out.
    fn products_with(&self, wanted: &[f32], means: &[f32], mean: f32) -> Vec<f32> {
        let share = 1.0 / self.len() as f32;
        let mut products = vec![0.0; self.width];
        for (row, wanted) in self.activations.chunks_exact(self.width).zip(wanted) {
            let wanted = (wanted - mean) * share;
            for ((product, x), mean) in products.iter_mut().zip(row).zip(means) {
                *product += (x - mean) * wanted;
            }
        }
        products
    }

    /// The nearest weight that an integer stands for.
    fn nearest(&self, weight: f32) -> f32 {
        (weight * QB as f32).round().clamp(-self.limit, self.limit) / QB as f32
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn to_integers(weights: Vec<f32>) -> Vec<i16> {
    weights.into_iter().map(|weight| (weight * QB as f32).round() as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;
    use tabiya_nn::OUTPUT_LIMIT;

    #[test]
    fn correlated_activations_make_up_for_each_other() {
        let mut random = SplitMix::new(3);
        let width = 40;
        let exact: Vec<f32> = (0..width).map(|_| random.unit() as f32 - 0.5).collect();
        let mut examples = Examples::new(width, 2, OUTPUT_LIMIT);
        let mut rows = Vec::new();
        for _ in 0..2000 {
            // A few causes behind all activations.
            let causes: [f32; 4] = std::array::from_fn(|_| random.unit() as f32);
            let row: Vec<f32> = (0..width)
                .map(|i| causes[i % 4] * (i % 7) as f32 / 7.0 + 0.05 * random.unit() as f32)
                .collect();
            let output = dot(&row, &exact);
            examples.push(row.iter().copied(), &[output + 0.3, -output]);
            rows.push(row);
        }
        let opposite = exact.iter().map(|weight| -weight).collect();
        let solved = examples.solve(&[
            Exact { weights: exact.clone(), bias: 0.3 },
            Exact { weights: opposite, bias: 0.0 },
        ]);
        let [(integers, bias), (opposite, opposite_bias)] = &solved[..] else {
            panic!("two neurons");
        };
        assert!(integers.iter().zip(opposite).all(|(a, b)| *a == -*b));
        assert!((bias - 0.3 + opposite_bias).abs() < 1e-3);
        let error = |weights: &[f32], bias: f32| -> f32 {
            let wrong = rows.iter().map(|row| dot(row, weights) + bias - dot(row, &exact) - 0.3);
            (wrong.map(|x| x * x).sum::<f32>() / rows.len() as f32).sqrt()
        };
        let solved: Vec<f32> = integers.iter().map(|x| f32::from(*x) / QB as f32).collect();
        let naive: Vec<f32> = exact.iter().map(|weight| examples.nearest(*weight)).collect();
        let (solved, naive) = (error(&solved, *bias), error(&naive, 0.3));
        assert!(solved < naive / 3.0, "{solved} {naive}");
    }

    #[test]
    fn without_examples_weights_are_rounded() {
        let exact = Exact { weights: vec![0.5, -0.26, 9.0], bias: 0.7 };
        let solved = Examples::new(3, 1, OUTPUT_LIMIT).solve(&[exact]);
        assert_eq!(solved, [(vec![32, -17, 128], 0.7)]);
    }
}
