//! Float arithmetic that gives the same bits everywhere.
//!
//! Sums run in sixteen lanes and one tree, so that every vector width adds in the same order; Rust
//! never fuses a multiplication with an addition by itself; and the functions that libraries compute
//! each in their own way (exponential, sine, roots) are written out here.

use std::f64::consts::{PI, TAU};

const LANES: usize = 16;

/// Sixteen lanes of products, added up in one tree.
///
/// # Panics
/// Unless both have the same length, a multiple of sixteen.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, rest), (b, other)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    assert!(a.len() == b.len() && rest.is_empty() && other.is_empty(), "whole lines");
    let mut lanes = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for l in 0..LANES {
            lanes[l] += a[l] * b[l];
        }
    }
    for width in [8, 4, 2, 1] {
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
    }
    lanes[0]
}

/// Writes `x`, scaled to a root mean square of one, times the gains.
pub(super) fn rms_norm(x: &[f32], gains: &[f32], epsilon: f32, out: &mut [f32]) {
    let scale = 1.0 / (dot(x, x) / x.len() as f32 + epsilon).sqrt();
    for ((out, x), gain) in out.iter_mut().zip(x).zip(gains) {
        *out = x * scale * gain;
    }
}

/// The exponential function, within two units in the last place; 0 far below, finite far above.
pub(super) fn exp(x: f32) -> f32 {
    // Two parts of ln 2, the first one short enough for an exact product.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let power = (x * std::f32::consts::LOG2_E).round_ties_even();
    let r = x - power * HIGH - power * LOW;
    // The Taylor series of e^r up to r^7, for |r| below 0.35.
    let mut sum = 1.0 / 5040.0;
    for factor in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * r + factor;
    }
    sum * f32::from_bits(((power as i32 + 127) as u32) << 23)
}

/// `x / (1 + e^-x)`.
pub(super) fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

/// The hyperbolic tangent.
pub(super) fn tanh(x: f32) -> f32 {
    let e = exp(2.0 * x.clamp(-20.0, 20.0));
    (e - 1.0) / (e + 1.0)
}

/// Turns logits into chances that add up to one. Nothing happens to an empty list.
pub fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in logits.iter_mut() {
        *x = exp(*x - largest);
        sum += *x;
    }
    for x in logits.iter_mut() {
        *x /= sum;
    }
}

/// The frequencies of rotary embedding: `base^(-2 i / dim)` for each of `dim / 2` pairs.
pub(super) fn rope_frequencies(base: f32, dim: usize) -> Vec<f64> {
    let pairs = dim / 2;
    // The root of 1 / base by bisection: only multiplications, so the same everywhere.
    let power = |x: f64| (0..pairs).fold(1.0, |product, _| product * x);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if power(middle) * (base as f64) < 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (0..pairs).scan(1.0, |product, _| Some(std::mem::replace(product, *product * high))).collect()
}

/// Sine and cosine by their series.
pub(super) fn sin_cos(angle: f64) -> (f32, f32) {
    let x = angle - TAU * (angle / TAU).round_ties_even();
    debug_assert!(x.abs() <= PI + 1e-6);
    let series = |first: f64, start: u32| {
        let (mut term, mut sum) = (first, first);
        for n in 0..12 {
            let k = (start + 2 * n) as f64;
            term = -term * x * x / (k * (k + 1.0));
            sum += term;
        }
        sum as f32
    };
    (series(x, 2), series(1.0, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_close_to_the_truth() {
        for i in -8700..8800 {
            let x = i as f32 / 100.0;
            let truth = (x as f64).exp();
            assert!((exp(x) as f64 / truth - 1.0).abs() < 3e-7, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::INFINITY).is_finite());
        for x in [-30.0, -3.0, -0.1, 0.0, 0.5, 2.0, 50.0] {
            assert!((tanh(x) as f64 - (x as f64).tanh()).abs() < 1e-6);
            assert!((silu(x) as f64 - x as f64 / (1.0 + (-x as f64).exp())).abs() < 1e-5);
        }
    }

    #[test]
    fn rotations_are_close_to_the_truth() {
        for (i, frequency) in rope_frequencies(10_000.0, 64).into_iter().enumerate() {
            let truth = 10_000_f64.powf(-2.0 * i as f64 / 64.0);
            assert!((frequency / truth - 1.0).abs() < 1e-12, "{i}");
            for position in [0, 1, 7, 255, 6000] {
                let angle = position as f64 * frequency;
                let (sin, cos) = sin_cos(angle);
                assert!((sin as f64 - angle.sin()).abs() < 1e-7, "{angle}");
                assert!((cos as f64 - angle.cos()).abs() < 1e-7, "{angle}");
            }
        }
    }

    #[test]
    fn chances_add_up_to_one() {
        for count in [1, 2, 35, 218] {
            let mut chances: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 - 50.0).collect();
            softmax(&mut chances);
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)));
        }
        softmax(&mut []);
    }
}
