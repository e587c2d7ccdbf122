//! Root mean square norm: `y = x / sqrt(mean(x^2) + epsilon) * gain`, token by token.

use super::matrix::dot;

/// Computes the output and remembers the factor of each token.
pub(crate) fn forward(x: &[f32], gain: &[f32], epsilon: f32, y: &mut [f32], factors: &mut [f32]) {
    let width = gain.len();
    let rows = x.chunks_exact(width).zip(y.chunks_exact_mut(width));
    for ((x, y), factor) in rows.zip(factors) {
        *factor = 1.0 / (dot(x, x) / width as f32 + epsilon).sqrt();
        for ((y, x), gain) in y.iter_mut().zip(x).zip(gain) {
            *y = x * *factor * gain;
        }
    }
}

/// Adds the gradients by input and gain.
pub(crate) fn backward(
    (x, gain, factors): (&[f32], &[f32], &[f32]),
    dy: &[f32],
    dx: &mut [f32],
    dgain: &mut [f32],
) {
    let width = gain.len();
    let rows = x.chunks_exact(width).zip(dy.chunks_exact(width)).zip(dx.chunks_exact_mut(width));
    let mut scaled = vec![0.0; width];
    for (((x, dy), dx), factor) in rows.zip(factors) {
        for ((scaled, dy), gain) in scaled.iter_mut().zip(dy).zip(gain) {
            *scaled = dy * gain;
        }
        for ((dgain, dy), x) in dgain.iter_mut().zip(dy).zip(x) {
            *dgain += dy * x * factor;
        }
        let along = dot(&scaled, x) * factor * factor / width as f32;
        for ((dx, scaled), x) in dx.iter_mut().zip(&scaled).zip(x) {
            *dx += factor * (scaled - x * along);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    #[test]
    fn gradients_agree_with_differences() {
        const WIDTH: usize = 32;
        let (x, gain, dy) = (random(3 * WIDTH, 1), random(WIDTH, 2), random(3 * WIDTH, 3));
        let run = |x: &[f32], gain: &[f32]| {
            let (mut y, mut factors) = (vec![0.0; x.len()], vec![0.0; 3]);
            forward(x, gain, 1e-5, &mut y, &mut factors);
            (y, factors)
        };
        let loss = |x: &[f32], gain: &[f32]| {
            run(x, gain).0.iter().zip(&dy).map(|(y, s)| f64::from(y * s)).sum::<f64>()
        };
        let factors = run(&x, &gain).1;
        let (mut dx, mut dgain) = (vec![0.0; x.len()], vec![0.0; WIDTH]);
        backward((&x, &gain, &factors), &dy, &mut dx, &mut dgain);
        check_gradient(&x, &dx, |x| loss(x, &gain));
        check_gradient(&gain, &dgain, |gain| loss(&x, gain));
    }
}
