//! Plain Rust: the specification of every kernel, for all inputs.
#![expect(clippy::inline_always, reason = "one call per line of weights would drown the work")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::{Bytes, GroupWeights, SmallLine, WordLine};
use crate::nnue::{PRODUCT_SHIFT, QA};

kernel_table!("scalar", Scalar, tile 4, is_x86_feature_detected []);

#[derive(Clone, Copy)]
struct Scalar;

impl Simd for Scalar {
    type Words = [i16; WordLine::LANES];
    /// Separate sums let the compiler use whatever vectors the target has.
    type Sums = [i32; WordLine::LANES];

    #[inline(always)]
    fn load(self, line: &WordLine) -> Self::Words {
        line.0
    }

    #[inline(always)]
    fn store(self, line: &mut WordLine, words: Self::Words) {
        line.0 = words;
    }

    #[inline(always)]
    fn add(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.wrapping_add(b);
        }
        a
    }

    #[inline(always)]
    fn sub(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.wrapping_sub(b);
        }
        a
    }

    #[inline(always)]
    fn load_small(self, line: &SmallLine) -> Self::Words {
        line.0.map(i16::from)
    }

    #[inline(always)]
    fn add_saturating(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.saturating_add(b);
        }
        a
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        [0; WordLine::LANES]
    }

    #[inline(always)]
    fn add_squares(self, mut sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums {
        for i in 0..WordLine::LANES {
            let x = x[i].clamp(0, QA as i16);
            let square = x.wrapping_mul(w[i]) as i32 * x as i32;
            sums[i] = sums[i].wrapping_add(square);
        }
        sums
    }

    #[inline(always)]
    fn join(self, mut a: Self::Sums, b: Self::Sums) -> Self::Sums {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.wrapping_add(b);
        }
        a
    }

    #[inline(always)]
    fn total(self, sums: Self::Sums) -> i32 {
        sums.into_iter().fold(0, i32::wrapping_add)
    }

    type Dots = [i32; 16];

    #[inline(always)]
    fn write_products(self, a: [Self::Words; 2], b: [Self::Words; 2], out: &mut Bytes) -> u16 {
        let pairs = a.as_flattened().iter().zip(b.as_flattened());
        for (byte, (a, b)) in out.0.iter_mut().zip(pairs) {
            let [a, b] = [a, b].map(|x| i32::from(*x).clamp(0, QA));
            *byte = ((a * b) >> PRODUCT_SHIFT) as u8;
        }
        out.active_groups()
    }

    #[inline(always)]
    fn no_dots(self) -> Self::Dots {
        [0; 16]
    }

    #[inline(always)]
    fn add_dots(self, mut dots: Self::Dots, group: [u8; 4], weights: &GroupWeights) -> Self::Dots {
        let (weights, _) = weights.0.as_chunks::<4>();
        for (dot, weights) in dots.iter_mut().zip(weights) {
            for (x, weight) in group.into_iter().zip(weights) {
                *dot += i32::from(x) * i32::from(*weight);
            }
        }
        dots
    }

    #[inline(always)]
    fn join_dots(self, mut a: Self::Dots, b: Self::Dots) -> Self::Dots {
        for (a, b) in a.iter_mut().zip(b) {
            *a += b;
        }
        a
    }

    type Floats = [f32; 16];

    #[inline(always)]
    fn load_floats(self, numbers: &[f32; 16]) -> Self::Floats {
        *numbers
    }

    #[inline(always)]
    fn add_scaled(self, mut sums: Self::Floats, x: f32, weights: &[f32; 16]) -> Self::Floats {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += x * weight;
        }
        sums
    }
}
