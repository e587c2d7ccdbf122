//! NEON (64-bit ARM): a line is four 128-bit registers.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::Line;
use crate::nnue::QA;
use std::arch::aarch64::{
    int16x8_t, int32x4_t, vaddq_s16, vaddq_s32, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16,
    vld1q_s16, vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16, vmulq_s16, vst1q_s16, vsubq_s16,
};

kernel_table!("neon", Neon(()), tile 4, is_aarch64_feature_detected ["neon"]);

/// Exists only inside functions compiled with NEON.
#[derive(Clone, Copy)]
struct Neon(());

impl Simd for Neon {
    type Words = [int16x8_t; 4];
    /// Two chains: the lower and the upper halves of the registers.
    type Sums = [int32x4_t; 2];

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Words {
        let start = line.0.as_ptr();
        // SAFETY: the token proves NEON; a line holds 32 numbers.
        unsafe {
            [
                vld1q_s16(start),
                vld1q_s16(start.add(8)),
                vld1q_s16(start.add(16)),
                vld1q_s16(start.add(24)),
            ]
        }
    }

    #[inline(always)]
    fn store(self, line: &mut Line, words: Self::Words) {
        let start = line.0.as_mut_ptr();
        for (i, word) in words.into_iter().enumerate() {
            // SAFETY: the token proves NEON; a line holds 32 numbers, eight for each of four words.
            unsafe { vst1q_s16(start.add(8 * i), word) }
        }
    }

    #[inline(always)]
    fn add(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for i in 0..4 {
            // SAFETY: the token proves NEON.
            a[i] = unsafe { vaddq_s16(a[i], b[i]) };
        }
        a
    }

    #[inline(always)]
    fn sub(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for i in 0..4 {
            // SAFETY: the token proves NEON.
            a[i] = unsafe { vsubq_s16(a[i], b[i]) };
        }
        a
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the token proves NEON.
        unsafe { [vdupq_n_s32(0); 2] }
    }

    #[inline(always)]
    fn add_squares(self, sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums {
        let [mut low, mut high] = sums;
        for i in 0..4 {
            // SAFETY: the token proves NEON.
            unsafe {
                let x = vmaxq_s16(x[i], vdupq_n_s16(0));
                let x = vminq_s16(x, vdupq_n_s16(QA as i16));
                let product = vmulq_s16(x, w[i]);
                low = vmlal_s16(low, vget_low_s16(product), vget_low_s16(x));
                high = vmlal_high_s16(high, product, x);
            }
        }
        [low, high]
    }

    #[inline(always)]
    fn join(self, a: Self::Sums, b: Self::Sums) -> Self::Sums {
        // SAFETY: the token proves NEON.
        unsafe { [vaddq_s32(a[0], b[0]), vaddq_s32(a[1], b[1])] }
    }

    #[inline(always)]
    fn total(self, sums: Self::Sums) -> i32 {
        // SAFETY: the token proves NEON.
        unsafe { vaddvq_s32(vaddq_s32(sums[0], sums[1])) }
    }
}
