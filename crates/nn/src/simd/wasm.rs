//! WebAssembly SIMD128: a line is four 128-bit registers. The feature is fixed at compile time.
#![expect(clippy::inline_always, reason = "one call per line of weights would drown the work")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::{Bytes, GroupWeights, SmallLine, WordLine};
use crate::nnue::{PRODUCT_SHIFT, QA};
use std::arch::wasm32::{
    f32x4_add, f32x4_mul, f32x4_splat, i8x16_shuffle, i16x8_add, i16x8_add_sat,
    i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i16x8_load_extend_i8x8, i16x8_max, i16x8_min,
    i16x8_mul, i16x8_splat, i16x8_sub, i32x4_add, i32x4_bitmask, i32x4_dot_i16x8, i32x4_eq,
    i32x4_extract_lane, i32x4_splat, u8x16_narrow_i16x8, u16x8_shr, v128, v128_load, v128_store,
};

kernel_table!("wasm", Wasm, tile 4, is_x86_feature_detected []);

#[derive(Clone, Copy)]
struct Wasm;

impl Simd for Wasm {
    type Words = [v128; 4];
    type Sums = v128;

    #[inline(always)]
    fn load(self, line: &WordLine) -> Self::Words {
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
    fn store(self, line: &mut WordLine, words: Self::Words) {
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
    fn load_small(self, line: &SmallLine) -> Self::Words {
        // SAFETY: a line holds 32 weights.
        [0, 8, 16, 24].map(|start| unsafe { i16x8_load_extend_i8x8(line.0.as_ptr().add(start)) })
    }

    #[inline(always)]
    fn add_saturating(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for i in 0..4 {
            a[i] = i16x8_add_sat(a[i], b[i]);
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

    /// Four sums each.
    type Dots = [v128; 4];

    #[inline(always)]
    fn write_products(self, a: [Self::Words; 2], b: [Self::Words; 2], out: &mut Bytes) -> u16 {
        let start = std::ptr::from_mut(out).cast::<v128>();
        let mut zeros = 0;
        for quarter in 0..4 {
            let (half, i) = (quarter / 2, 2 * (quarter % 2));
            let low = product(a[half][i], b[half][i]);
            let high = product(a[half][i + 1], b[half][i + 1]);
            let bytes = u8x16_narrow_i16x8(low, high);
            // SAFETY: a line of bytes is 64 bytes.
            unsafe { v128_store(start.add(quarter), bytes) };
            zeros |= u16::from(i32x4_bitmask(i32x4_eq(bytes, i32x4_splat(0)))) << (4 * quarter);
        }
        !zeros
    }

    #[inline(always)]
    fn no_dots(self) -> Self::Dots {
        [i32x4_splat(0); 4]
    }

    #[inline(always)]
    fn add_dots(self, mut dots: Self::Dots, group: [u8; 4], weights: &GroupWeights) -> Self::Dots {
        let start = std::ptr::from_ref(weights).cast::<v128>();
        // No byte is above 127, so that it is the same number with a sign.
        let x = i16x8_extend_low_i8x16(i32x4_splat(i32::from_le_bytes(group)));
        for (i, dots) in dots.iter_mut().enumerate() {
            // SAFETY: a line of weights is 64 bytes.
            let weights = unsafe { v128_load(start.add(i)) };
            let low = i32x4_dot_i16x8(x, i16x8_extend_low_i8x16(weights));
            let high = i32x4_dot_i16x8(x, i16x8_extend_high_i8x16(weights));
            // Neighbours belong together.
            let even = i8x16_shuffle::<0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27>(
                low, high,
            );
            let odd = i8x16_shuffle::<4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31>(
                low, high,
            );
            *dots = i32x4_add(*dots, i32x4_add(even, odd));
        }
        dots
    }

    #[inline(always)]
    fn join_dots(self, mut a: Self::Dots, b: Self::Dots) -> Self::Dots {
        for (a, b) in a.iter_mut().zip(b) {
            *a = i32x4_add(*a, b);
        }
        a
    }

    type Floats = [v128; 4];

    #[inline(always)]
    fn load_floats(self, numbers: &[f32; 16]) -> Self::Floats {
        // SAFETY: 16 numbers fill four registers.
        [0, 4, 8, 12].map(|start| unsafe { v128_load(numbers.as_ptr().add(start).cast()) })
    }

    #[inline(always)]
    fn add_scaled(self, mut sums: Self::Floats, x: f32, weights: &[f32; 16]) -> Self::Floats {
        for (sum, weights) in sums.iter_mut().zip(self.load_floats(weights)) {
            *sum = f32x4_add(*sum, f32x4_mul(f32x4_splat(x), weights));
        }
        sums
    }
}

/// `a * b >> 9` of numbers clamped to 0..=QA: their product fits 16 bits without a sign.
#[inline(always)]
fn product(a: v128, b: v128) -> v128 {
    let (zero, one) = (i16x8_splat(0), i16x8_splat(QA as i16));
    let a = i16x8_min(i16x8_max(a, zero), one);
    let b = i16x8_min(i16x8_max(b, zero), one);
    u16x8_shr(i16x8_mul(a, b), PRODUCT_SHIFT)
}
