//! Nets that know nothing: for tests, and for the speed of shapes nobody has trained.

use super::{Matrix, Spec, Visitor, Weights};
use crate::policy::Config;
use crate::policy::gguf::Kind;
use crate::policy::quant::round_f16;
use std::convert::Infallible;

impl Weights {
    /// A net of this shape with random numbers, the same for the same seed.
    pub fn random(config: &Config, seed: u64) -> Self {
        let mut weights = Self::default();
        let Ok(()) = weights.walk(config, &mut Dice(seed));
        weights
    }
}

/// splitmix64 (Steele, Lea, Flood 2014).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

impl Visitor for Dice {
    type Error = Infallible;

    fn dense(&mut self, spec: Spec, numbers: &mut Vec<f32>) -> Result<(), Infallible> {
        let number = || {
            let x = self.unit();
            match spec.kind {
                // Rows of a table or of a head.
                Kind::F16 => round_f16(0.1 * x),
                _ if spec.name.ends_with("bias") => 0.1 * x,
                _ if spec.name.ends_with("scale.weight") => 0.2 + 0.1 * x,
                _ => 1.0 + 0.2 * x,
            }
        };
        *numbers = std::iter::repeat_with(number).take(spec.dims.iter().product()).collect();
        Ok(())
    }

    fn ternary(&mut self, spec: Spec, matrix: &mut Matrix) -> Result<(), Infallible> {
        let (cols, rows) = (spec.dims[0], spec.dims[1]);
        let codes = std::iter::repeat_with(|| (self.next() % 3) as i8 - 1).take(rows * cols);
        // Outputs about as large as inputs, as in a trained net.
        let gamma = round_f16(1.5 / (cols as f32).sqrt());
        *matrix = Matrix { rows, cols, gamma, codes: codes.collect() };
        Ok(())
    }
}
