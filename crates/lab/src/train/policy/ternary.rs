//! Weights and activations as the runtime will round them, with straight-through gradients.
//!
//! In the forward pass a weight is `w + lambda * (rounded(w) - w)`, the same for activations; lambda
//! grows from 0 to 1 during the run. In the backward pass rounding counts as the identity, so the
//! gradients by latent weights and by unrounded activations are those by the rounded ones. The
//! rounding itself is the runtime's own code.

use tabiya_nn::policy::quant;

/// Fills the weights that the forward pass uses.
pub(crate) fn round_weights(latent: &[f32], used: &mut [f32], lambda: f32) {
    if lambda == 0.0 {
        used.copy_from_slice(latent);
        return;
    }
    let gamma = quant::absmean(latent);
    for (used, latent) in used.iter_mut().zip(latent) {
        let rounded = gamma * f32::from(quant::ternary(*latent, gamma));
        *used = if lambda == 1.0 { rounded } else { latent + lambda * (rounded - latent) };
    }
}

/// Rounds the activations of each token in place.
pub(crate) fn round_activations(x: &mut [f32], width: usize, lambda: f32) {
    if lambda == 0.0 {
        return;
    }
    let mut codes = vec![0; width];
    for x in x.chunks_exact_mut(width) {
        let step = quant::quantise(x, &mut codes);
        for (x, code) in x.iter_mut().zip(&codes) {
            let rounded = step * f32::from(*code);
            *x = if lambda == 1.0 { rounded } else { *x + lambda * (rounded - *x) };
        }
    }
}

/// What the ternary weights of a matrix look like.
#[derive(Clone, Debug, PartialEq)]
pub struct TernaryStatistics {
    /// The scale.
    pub gamma: f32,
    /// Share of weights that are zero.
    pub zeros: f32,
    /// Share of weights that are positive among those that are not zero.
    pub positive: f32,
}

impl TernaryStatistics {
    /// Of a matrix of latent weights.
    pub fn of(latent: &[f32]) -> Self {
        let gamma = quant::absmean(latent);
        let (mut zeros, mut positive) = (0_usize, 0_usize);
        for weight in latent {
            let code = quant::ternary(*weight, gamma);
            zeros += usize::from(code == 0);
            positive += usize::from(code > 0);
        }
        Self {
            gamma,
            zeros: zeros as f32 / latent.len().max(1) as f32,
            positive: positive as f32 / (latent.len() - zeros).max(1) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix;
    use super::super::testing::random;
    use super::*;

    #[test]
    fn lambda_leads_from_latent_to_ternary_weights() {
        let latent = random(512, 1);
        let gamma = quant::absmean(&latent);
        let mut used = vec![0.0; 512];
        round_weights(&latent, &mut used, 0.0);
        assert_eq!(used, latent);
        round_weights(&latent, &mut used, 1.0);
        assert!(used.iter().all(|used| [-gamma, 0.0, gamma].contains(used)));
        let full = used.clone();
        round_weights(&latent, &mut used, 0.25);
        for ((used, full), latent) in used.iter().zip(&full).zip(&latent) {
            assert!((used - (0.75 * latent + 0.25 * full)).abs() < 1e-6);
        }
    }

    #[test]
    fn activations_are_the_integers_of_the_runtime_times_their_step() {
        let mut x = random(3 * 64, 2);
        let before = x.clone();
        round_activations(&mut x, 64, 1.0);
        for (x, before) in x.chunks(64).zip(before.chunks(64)) {
            let mut codes = [0; 64];
            let step = quant::quantise(before, &mut codes);
            assert!(x.iter().zip(codes).all(|(x, code)| *x == step * f32::from(code)));
        }
    }

    #[test]
    fn float_products_equal_integer_products() {
        let (n, k) = (32, 256);
        let (latent, mut x) = (random(n * k, 3), random(k, 4));
        let mut codes = vec![0; k];
        let step = quant::quantise(&x, &mut codes);
        let gamma = quant::absmean(&latent);
        let mut used = vec![0.0; n * k];
        round_weights(&latent, &mut used, 1.0);
        round_activations(&mut x, k, 1.0);
        let mut y = vec![0.0; n];
        matrix::forward(&x, &used, &mut y, (n, k));
        for (y, row) in y.iter().zip(latent.chunks(k)) {
            let weights = row.iter().map(|w| i32::from(quant::ternary(*w, gamma)));
            let sum: i32 = weights.zip(&codes).map(|(w, x)| w * i32::from(*x)).sum();
            let exact = sum as f32 * (gamma * step);
            assert!((y - exact).abs() < 1e-4, "{y} {exact}");
        }
    }

    /// Straight through: with rounded weights and inputs, the gradients are those of the linear layer
    /// at the rounded numbers.
    #[test]
    fn gradients_ignore_the_rounding() {
        let shape = (16, 32);
        let (latent, mut x, dy) = (random(16 * 32, 5), random(4 * 32, 6), random(4 * 16, 7));
        let mut used = vec![0.0; latent.len()];
        round_weights(&latent, &mut used, 1.0);
        round_activations(&mut x, 32, 1.0);
        let mut dw = vec![0.0; latent.len()];
        matrix::by_weight(&dy, &x, &mut dw, shape);
        for (index, dw) in dw.iter().enumerate() {
            let (output, input) = (index / 32, index % 32);
            let expected: f32 = (0..4).map(|t| dy[t * 16 + output] * x[t * 32 + input]).sum();
            assert!((dw - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn statistics_count_weights() {
        let statistics = TernaryStatistics::of(&[1.0, -1.0, 0.1, 1.0]);
        assert_eq!((statistics.zeros, statistics.positive), (0.25, 2.0 / 3.0));
    }
}
