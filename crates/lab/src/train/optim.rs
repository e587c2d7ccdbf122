//! `AdamW` (Loshchilov and Hutter 2019): Adam with decoupled weight decay, and clipping.

use super::param::{Param, Row};

/// How weights follow their gradients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct AdamW {
    pub(crate) rate: f32,
    pub(crate) decay: f32,
    /// Steps taken so far, this one included.
    pub(crate) step: u64,
}

const MEAN_KEEP: f32 = 0.9;
const SQUARE_KEEP: f32 = 0.999;
const EPSILON: f32 = 1e-8;

impl AdamW {
    /// Takes a step and forgets the gradient.
    pub(crate) fn apply(self, param: &mut Param) {
        let steps = self.step as f64;
        let mean_scale = (1.0 / (1.0 - f64::from(MEAN_KEEP).powf(steps))) as f32;
        let square_scale = (1.0 / (1.0 - f64::from(SQUARE_KEEP).powf(steps))) as f32;
        let keep = 1.0 - self.rate * self.decay;
        let (clip, is_sparse) = (param.clip, param.is_sparse);
        let rows = param.value.iter_mut().zip(&mut param.gradient);
        for ((value, gradient), (mean, square)) in
            rows.zip(param.mean.iter_mut().zip(&mut param.square))
        {
            // Lazy, as in PyTorch's SparseAdam: tens of thousands of rows that nothing asked for cost more
            // than all the rest, and their moments would only fade.
            if is_sparse && *gradient == Row::ZERO {
                continue;
            }
            for lane in 0..value.0.len() {
                let g = gradient.0[lane];
                let m = MEAN_KEEP * mean.0[lane] + (1.0 - MEAN_KEEP) * g;
                let s = SQUARE_KEEP * square.0[lane] + (1.0 - SQUARE_KEEP) * g * g;
                let change = m * mean_scale / ((s * square_scale).sqrt() + EPSILON);
                value.0[lane] = (keep * value.0[lane] - self.rate * change).clamp(-clip, clip);
                mean.0[lane] = m;
                square.0[lane] = s;
                gradient.0[lane] = 0.0;
            }
        }
    }
}
