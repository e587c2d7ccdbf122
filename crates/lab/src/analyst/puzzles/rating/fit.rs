//! Fitting the model of difficulty by least squares, and judging it by ranks.

use super::{FEATURES, Features, dot};

/// Keeps weights of rare features small.
const RIDGE: f64 = 3.0;

/// A fitted model.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    /// One weight per feature.
    pub weights: [f64; FEATURES],
    /// Standard deviation of what is left.
    pub deviation: f64,
}

impl Fitted {
    /// The estimate for a puzzle.
    pub fn estimate(&self, features: &Features) -> f64 {
        dot(&self.weights, &features.values)
    }
}

/// The weights with the least squared error, by the normal equations.
pub fn fit(sample: &[(Features, f64)]) -> Fitted {
    let mut matrix = vec![[0.0; FEATURES + 1]; FEATURES];
    for (features, rating) in sample {
        for (row, &value) in matrix.iter_mut().zip(&features.values) {
            for (slot, &other) in row.iter_mut().zip(&features.values) {
                *slot += value * other;
            }
            row[FEATURES] += value * rating;
        }
    }
    for (index, row) in matrix.iter_mut().enumerate() {
        // The constant is no feature that could be rare.
        row[index] += if index == 0 { f64::EPSILON } else { RIDGE };
    }
    let weights = solve(matrix);
    let mut fitted = Fitted { weights, deviation: 0.0 };
    let squares: f64 =
        sample.iter().map(|(features, rating)| (rating - fitted.estimate(features)).powi(2)).sum();
    fitted.deviation = (squares / sample.len().max(1) as f64).sqrt();
    fitted
}

/// Solves a system of linear equations, the last column being the right side, by elimination. The
/// matrix must be positive definite.
fn solve(mut matrix: Vec<[f64; FEATURES + 1]>) -> [f64; FEATURES] {
    for pivot in 0..FEATURES {
        let row = matrix[pivot];
        for below in matrix.iter_mut().skip(pivot + 1) {
            let factor = below[pivot] / row[pivot];
            for (slot, value) in below.iter_mut().zip(row).skip(pivot) {
                *slot -= factor * value;
            }
        }
    }
    let mut solution = [0.0; FEATURES];
    for pivot in (0..FEATURES).rev() {
        let row = &matrix[pivot];
        let known: f64 = (pivot + 1..FEATURES).map(|column| row[column] * solution[column]).sum();
        solution[pivot] = (row[FEATURES] - known) / row[pivot];
    }
    solution
}

/// Spearman's rank correlation of pairs; ties share their mean rank.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let covariance = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    covariance(&first, &second) / (covariance(&first, &first) * covariance(&second, &second)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = before as f64 + (group.len() as f64 - 1.0) / 2.0;
        for index in group {
            ranks[*index] = rank;
        }
        before += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_rule_is_found_again() {
        let mut sample = Vec::new();
        for number in 0..400u32 {
            let mut values = [0.0; FEATURES];
            values[0] = 1.0;
            values[1] = f64::from(number % 7);
            values[2] = f64::from(number % 11);
            let rating = 1000.0 + 50.0 * values[1] - 20.0 * values[2];
            sample.push((Features { is_mate: false, values }, rating));
        }
        let fitted = fit(&sample);
        assert!((fitted.weights[1] - 50.0).abs() < 2.0, "{:?}", fitted.weights);
        assert!(fitted.deviation < 20.0);
        let pairs: Vec<_> = sample.iter().map(|(f, r)| (fitted.estimate(f), *r)).collect();
        assert!(rank_correlation(&pairs) > 0.99);
        assert!((rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]) + 1.0).abs() < 1e-9);
    }
}
