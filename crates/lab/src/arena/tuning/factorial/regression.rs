//! The linear regression behind a factorial run.

/// What a factor is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effect {
    /// Elo of the high value over the low one.
    pub elo: f64,
    /// Its standard error.
    pub error: f64,
}

/// Least squares of the results on the draws, with a normal prior of standard deviation `prior` around
/// zero for each effect (ridge regression); 0 means no prior. `draws` has a row of 1 and -1 for each
/// result. There is no constant term: the two sides of a pair are alike but for the draws.
pub fn effects(draws: &[Vec<f64>], results: &[f64], prior: f64) -> Vec<Effect> {
    let factors = draws.first().map_or(0, Vec::len);
    let mut products = vec![vec![0.0; factors]; factors];
    let mut right = vec![0.0; factors];
    for (row, result) in draws.iter().zip(results) {
        for (i, x) in row.iter().enumerate() {
            right[i] += x * result;
            for (sum, y) in products[i].iter_mut().zip(row) {
                *sum += x * y;
            }
        }
    }
    // Variance of a result: that of all of them, as a single effect explains next to nothing of it.
    let variance =
        results.iter().map(|result| result * result).sum::<f64>() / results.len().max(1) as f64;
    // Without a prior just enough to keep a design that is too small for its factors solvable.
    let penalty = if prior > 0.0 { variance / (prior * prior) } else { 1e-9 };
    for (i, row) in products.iter_mut().enumerate() {
        row[i] += penalty.max(1e-9);
    }
    let inverse = inverse(products);
    let effect = |row: &Vec<f64>, i: usize| Effect {
        elo: row.iter().zip(&right).map(|(a, b)| a * b).sum(),
        error: (variance * row[i]).max(0.0).sqrt(),
    };
    inverse.iter().enumerate().map(|(i, row)| effect(row, i)).collect()
}

/// The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for pivot in 0..n {
        let scale = matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|value| *value /= scale);
        let top = matrix[pivot].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            let factor = row[pivot];
            if i != pivot && factor != 0.0 {
                row.iter_mut().zip(&top).for_each(|(value, above)| *value -= factor * above);
            }
        }
    }
    matrix.iter().map(|row| row[n..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;

    fn design(pairs: usize, factors: usize) -> Vec<Vec<f64>> {
        let mut random = SplitMix::new(7);
        let mut sign = |_| if random.below(2) == 0 { -1.0 } else { 1.0 };
        (0..pairs).map(|_| (0..factors).map(&mut sign).collect()).collect()
    }

    #[test]
    fn known_effects_are_found_within_their_errors() {
        const TRUE: [f64; 5] = [30.0, -20.0, 0.0, 5.0, 0.0];
        let draws = design(4000, TRUE.len());
        let mut random = SplitMix::new(9);
        let mut result = |row: &Vec<f64>| {
            let mean: f64 = row.iter().zip(TRUE).map(|(x, effect)| x * effect).sum();
            mean + 200.0 * (2.0 * random.unit() - 1.0) * 3f64.sqrt()
        };
        let results: Vec<f64> = draws.iter().map(&mut result).collect();
        for (effect, expected) in effects(&draws, &results, 0.0).iter().zip(TRUE) {
            // 200 / sqrt(4000) = 3.2, a little more as the effects are part of the variance.
            assert!((3.0..3.5).contains(&effect.error), "{effect:?}");
            assert!((effect.elo - expected).abs() < 3.5 * effect.error, "{effect:?}");
        }
        let drawn = effects(&draws, &results, 3.2)[0];
        assert!((10.0..22.0).contains(&drawn.elo), "half way to zero: {drawn:?}");
    }

    #[test]
    fn exact_results_are_explained_exactly_and_few_ones_do_no_harm() {
        let draws = vec![vec![1.0, 1.0], vec![1.0, -1.0]];
        let found = effects(&draws, &[8.0, 2.0], 0.0);
        assert!((found[0].elo - 5.0).abs() < 1e-6 && (found[1].elo - 3.0).abs() < 1e-6);
        assert_eq!(effects(&[], &[], 5.0), []);
        assert!(effects(&design(2, 6), &[1.0, 2.0], 5.0).iter().all(|e| e.elo.is_finite()));
    }
}
