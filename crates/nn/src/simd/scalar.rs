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
    /// Separate sums let the compiler use whatever vectors the target has.
    type Sums = [i32; Line::LANES];

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
    fn zero(self) -> Self::Sums {
        [0; Line::LANES]
    }

    #[inline(always)]
    fn add_squares(self, mut sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums {
        for i in 0..Line::LANES {
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
}
