//! NEON (64-bit ARM): a line is four 128-bit registers.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::{Bytes, GroupWeights, SmallLine, WordLine};
use crate::nnue::{PRODUCT_SHIFT, QA};
use std::arch::aarch64::{
    float32x4_t, int16x8_t, int32x4_t, vaddq_f32, vaddq_s16, vaddq_s32, vaddvq_s32, vcombine_s16,
    vcombine_u8, vdupq_n_s16, vdupq_n_s32, vget_high_s8, vget_high_s16, vget_low_s8, vget_low_s16,
    vld1_s8, vld1q_f32, vld1q_s8, vld1q_s16, vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16,
    vmovl_s8, vmull_s8, vmull_s16, vmulq_n_f32, vmulq_s16, vpaddlq_s16, vpaddq_s32, vqaddq_s16,
    vqmovun_s16, vreinterpretq_s8_s32, vshrn_n_s32, vst1q_s16, vst1q_u8, vsubq_s16,
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
    fn load(self, line: &WordLine) -> Self::Words {
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
    fn store(self, line: &mut WordLine, words: Self::Words) {
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
    fn load_small(self, line: &SmallLine) -> Self::Words {
        // SAFETY: the token proves NEON; a line holds 32 weights.
        [0, 8, 16, 24].map(|start| unsafe { vmovl_s8(vld1_s8(line.0.as_ptr().add(start))) })
    }

    #[inline(always)]
    fn add_saturating(self, mut a: Self::Words, b: Self::Words) -> Self::Words {
        for i in 0..4 {
            // SAFETY: the token proves NEON.
            a[i] = unsafe { vqaddq_s16(a[i], b[i]) };
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

    /// Four sums each.
    type Dots = [int32x4_t; 4];

    #[inline(always)]
    fn write_products(self, a: [Self::Words; 2], b: [Self::Words; 2], out: &mut Bytes) -> u16 {
        for half in 0..2 {
            for i in 0..2 {
                // SAFETY: the token proves NEON; a line of bytes has room for four registers.
                unsafe {
                    let low = product(a[half][2 * i], b[half][2 * i]);
                    let high = product(a[half][2 * i + 1], b[half][2 * i + 1]);
                    let bytes = vcombine_u8(vqmovun_s16(low), vqmovun_s16(high));
                    vst1q_u8(out.0.as_mut_ptr().add(32 * half + 16 * i), bytes);
                }
            }
        }
        out.active_groups()
    }

    #[inline(always)]
    fn no_dots(self) -> Self::Dots {
        // SAFETY: the token proves NEON.
        unsafe { [vdupq_n_s32(0); 4] }
    }

    #[inline(always)]
    fn add_dots(self, mut dots: Self::Dots, group: [u8; 4], weights: &GroupWeights) -> Self::Dots {
        for (i, dots) in dots.iter_mut().enumerate() {
            // SAFETY: the token proves NEON; a line of weights fills four registers. No byte is above
            // 127, so that it is the same number with a sign.
            unsafe {
                let x = vreinterpretq_s8_s32(vdupq_n_s32(i32::from_le_bytes(group)));
                let weights = vld1q_s8(weights.0.as_ptr().add(16 * i));
                let low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(weights)));
                let high = vpaddlq_s16(vmull_s8(vget_high_s8(x), vget_high_s8(weights)));
                *dots = vaddq_s32(*dots, vpaddq_s32(low, high));
            }
        }
        dots
    }

    #[inline(always)]
    fn join_dots(self, mut a: Self::Dots, b: Self::Dots) -> Self::Dots {
        for (a, b) in a.iter_mut().zip(b) {
            // SAFETY: the token proves NEON.
            *a = unsafe { vaddq_s32(*a, b) };
        }
        a
    }

    type Floats = [float32x4_t; 4];

    #[inline(always)]
    fn load_floats(self, numbers: &[f32; 16]) -> Self::Floats {
        // SAFETY: the token proves NEON; 16 numbers fill four registers.
        [0, 4, 8, 12].map(|start| unsafe { vld1q_f32(numbers.as_ptr().add(start)) })
    }

    #[inline(always)]
    fn add_scaled(self, mut sums: Self::Floats, x: f32, weights: &[f32; 16]) -> Self::Floats {
        for (sum, weights) in sums.iter_mut().zip(self.load_floats(weights)) {
            // SAFETY: the token proves NEON.
            *sum = unsafe { vaddq_f32(*sum, vmulq_n_f32(weights, x)) };
        }
        sums
    }
}

/// `a * b >> 9` of numbers clamped to 0..=QA.
#[inline]
#[target_feature(enable = "neon")]
fn product(a: int16x8_t, b: int16x8_t) -> int16x8_t {
    const SHIFT: i32 = PRODUCT_SHIFT as i32;
    let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let a = vminq_s16(vmaxq_s16(a, zero), one);
    let b = vminq_s16(vmaxq_s16(b, zero), one);
    vcombine_s16(
        vshrn_n_s32::<SHIFT>(vmull_s16(vget_low_s16(a), vget_low_s16(b))),
        vshrn_n_s32::<SHIFT>(vmull_s16(vget_high_s16(a), vget_high_s16(b))),
    )
}
