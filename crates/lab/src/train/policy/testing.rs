//! Finite differences.

use crate::work::random::SplitMix;

/// Numbers from -1 to 1, always the same for a seed.
pub(crate) fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix::new(seed);
    (0..count).map(|_| (2.0 * random.unit() - 1.0) as f32).collect()
}

/// Compares a gradient with central differences of the loss, at up to 60 places spread evenly.
pub(crate) fn check_gradient(at: &[f32], gradient: &[f32], loss: impl Fn(&[f32]) -> f64) {
    assert_eq!(at.len(), gradient.len());
    let largest = gradient.iter().fold(0.0_f32, |max, g| max.max(g.abs()));
    assert!(largest > 1e-6, "the gradient vanishes");
    let step = 1e-2_f32;
    for index in (0..at.len()).step_by(at.len().div_ceil(60)) {
        let moved = |by: f32| {
            let mut at = at.to_vec();
            at[index] += by;
            loss(&at)
        };
        // Five points: the error is of fourth order, so the step may be long enough for f32.
        let near = moved(step) - moved(-step);
        let far = moved(2.0 * step) - moved(-2.0 * step);
        let difference = (8.0 * near - far) / (12.0 * f64::from(step));
        let error = (difference - f64::from(gradient[index])).abs();
        let scale = f64::from(largest.max(gradient[index].abs()));
        assert!(
            error < 4e-3 * scale + 2e-4,
            "at {index}: gradient {}, difference {difference}",
            gradient[index]
        );
    }
}
