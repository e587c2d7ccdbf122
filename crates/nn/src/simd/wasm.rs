//! WebAssembly SIMD128: a line is four 128-bit registers. The feature is fixed at compile time.
#![expect(clippy::inline_always, reason = "one call per line of weights would drown the work")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::Line;
use crate::nnue::QA;
use std::arch::wasm32::{
    i16x8_add, i16x8_max, i16x8_min, i16x8_mul, i16x8_splat, i16x8_sub, i32x4_add, i32x4_dot_i16x8,
    i32x4_extract_lane, i32x4_splat, v128, v128_load, v128_store,
};

kernel_table!("wasm", Wasm, tile 4, is_x86_feature_detected []);

#[derive(Clone, Copy)]
struct Wasm;

impl Simd for Wasm {
    type Words = [v128; 4];
    type Sums = v128;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Words {
        let start = std::ptr::from_ref(line).cast::<v128>();
        // SAFETY: a line is 64 bytes.
        unsafe {
            [
                v128_load(start),
                v128_load(start.add(1)),
                v128_load(start.add(2)),
                v128_load(start.add(3)),
            ]
        }
    }

    #[inline(always)]
    fn store(self, line: &mut Line, words: Self::Words) {
        let start = std::ptr::from_mut(line).cast::<v128>();
        for (i, word) in words.into_iter().enumerate() {
            // SAFETY: a line is 64 bytes, sixteen for each of four words.
            unsafe { v128_store(start.add(i), word) }
        }
    }

    #[inline(always)]
    fn add(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for i in 0..4 {
            a[i] = i16x8_add(a[i], b[i]);
        }
        a
    }

    #[inline(always)]
    fn sub(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for i in 0..4 {
            a[i] = i16x8_sub(a[i], b[i]);
        }
        a
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        i32x4_splat(0)
    }

    #[inline(always)]
    fn add_squares(self, mut sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums {
        for i in 0..4 {
            let x = i16x8_min(i16x8_max(x[i], i16x8_splat(0)), i16x8_splat(QA as i16));
            sums = i32x4_add(sums, i32x4_dot_i16x8(i16x8_mul(x, w[i]), x));
        }
        sums
    }

    #[inline(always)]
    fn join(self, a: Self::Sums, b: Self::Sums) -> Self::Sums {
        i32x4_add(a, b)
    }

    #[inline(always)]
    fn total(self, sums: Self::Sums) -> i32 {
        i32x4_extract_lane::<0>(sums)
            .wrapping_add(i32x4_extract_lane::<1>(sums))
            .wrapping_add(i32x4_extract_lane::<2>(sums))
            .wrapping_add(i32x4_extract_lane::<3>(sums))
    }
}
