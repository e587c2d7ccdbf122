//! Plain Rust: the specification of every kernel, for all inputs.
#![expect(clippy::inline_always, reason = "one call per line of weights would drown the work")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::Line;
use crate::nnue::QA;

kernel_table!("scalar", Scalar, tile 4, is_x86_feature_detected []);

#[derive(Clone, Copy)]
struct Scalar;

impl Simd for Scalar {
    type Words = [i16; Line::LANES];
    type Sums = i32;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Words {
        line.0
    }

    #[inline(always)]
    fn store(self, line: &mut Line, words: Self::Words) {
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
    fn zero(self) -> i32 {
        0
    }

    #[inline(always)]
    fn add_squares(self, mut sums: i32, hidden: Self::Words, weights: Self::Words) -> i32 {
        for (hidden, weight) in hidden.into_iter().zip(weights) {
            let x = hidden.clamp(0, QA as i16);
            sums = sums.wrapping_add(x.wrapping_mul(weight) as i32 * x as i32);
        }
        sums
    }

    #[inline(always)]
    fn join(self, a: i32, b: i32) -> i32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn total(self, sums: i32) -> i32 {
        sums
    }
}
