//! NEON (64-bit ARM): a line of codes is four 128-bit registers, unpacked sixteen.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{
    ByteLine, CodeLine, Dot, FloatLine, Kernels, MaskLine, Masked, ROWS, generic, kernel_table,
};
use std::arch::aarch64::{
    float32x4_t, int8x16_t, int32x4_t, vaddq_f32, vaddvq_s32, vandq_u8, vbslq_f32, vdupq_n_f32,
    vdupq_n_s16, vdupq_n_s32, vdupq_n_u8, vdupq_n_u32, vget_low_s8, vld1q_f32, vld1q_s8, vld1q_u8,
    vld1q_u32, vmlal_high_s8, vmlal_s8, vnegq_f32, vpadalq_s16, vreinterpretq_s8_u8, vshrq_n_u8,
    vst1q_f32, vtstq_u32,
};

kernel_table!("neon", Neon(()), is_aarch64_feature_detected["neon"]);

/// Exists only inside functions compiled with NEON.
#[derive(Clone, Copy)]
struct Neon(());

impl Dot for Neon {
    /// By quarters of a line, then by groups of columns.
    type Codes = [[int8x16_t; 4]; 4];
    type Sums = int32x4_t;
    type Lanes = [float32x4_t; 4];

    #[inline(always)]
    fn unpack(self, line: &CodeLine) -> Self::Codes {
        let start = line.0.as_ptr();
        // SAFETY: the token proves NEON; a line is 64 bytes, sixteen for each of four quarters.
        unsafe {
            let three = vdupq_n_u8(3);
            let mut codes = [[vreinterpretq_s8_u8(three); 4]; 4];
            for (quarter, codes) in codes.iter_mut().enumerate() {
                let bytes = vld1q_u8(start.add(16 * quarter));
                *codes = [
                    vreinterpretq_s8_u8(vandq_u8(bytes, three)),
                    vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8::<2>(bytes), three)),
                    vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8::<4>(bytes), three)),
                    vreinterpretq_s8_u8(vshrq_n_u8::<6>(bytes)),
                ];
            }
            codes
        }
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the token proves NEON.
        unsafe { vdupq_n_s32(0) }
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, codes: Self::Codes, x: &[ByteLine; 4]) -> Self::Sums {
        // SAFETY: the token proves NEON; a line is 64 bytes. Each lane of 16 bits takes sixteen
        // products of at most 254.
        unsafe {
            let mut low = vdupq_n_s16(0);
            let mut high = vdupq_n_s16(0);
            for quarter in 0..4 {
                for group in 0..4 {
                    let codes = codes[quarter][group];
                    let x = vld1q_s8(x[group].0.as_ptr().add(16 * quarter));
                    low = vmlal_s8(low, vget_low_s8(codes), vget_low_s8(x));
                    high = vmlal_high_s8(high, codes, x);
                }
            }
            vpadalq_s16(vpadalq_s16(sums, low), high)
        }
    }

    #[inline(always)]
    fn totals(self, sums: [Self::Sums; ROWS]) -> [i32; ROWS] {
        let mut totals = [0; ROWS];
        for r in 0..ROWS {
            // SAFETY: the token proves NEON.
            totals[r] = unsafe { vaddvq_s32(sums[r]) };
        }
        totals
    }

    #[inline(always)]
    fn no_lanes(self) -> Self::Lanes {
        // SAFETY: the token proves NEON.
        unsafe { [vdupq_n_f32(0.0); 4] }
    }

    #[inline(always)]
    fn add_masked(self, mut lanes: [Self::Lanes; ROWS], line: Masked) -> [Self::Lanes; ROWS] {
        for k in 0..16 {
            for part in 0..4 {
                let first = 16 * (k % 2) + 4 * part;
                let bits: [u32; 4] = [1 << first, 2 << first, 4 << first, 8 << first];
                // SAFETY: the token proves NEON; a line holds sixteen floats.
                unsafe {
                    let bits = vld1q_u32(bits.as_ptr());
                    let x = vld1q_f32(line.x[k].0.as_ptr().add(4 * part));
                    for (lanes, row) in lanes.iter_mut().zip(line.rows) {
                        let plus = vtstq_u32(vdupq_n_u32(row.plus[k / 2]), bits);
                        let minus = vtstq_u32(vdupq_n_u32(row.minus[k / 2]), bits);
                        let term = vbslq_f32(plus, x, vdupq_n_f32(0.0));
                        let term = vbslq_f32(minus, vnegq_f32(x), term);
                        lanes[part] = vaddq_f32(lanes[part], term);
                    }
                }
            }
        }
        lanes
    }

    #[inline(always)]
    fn lanes(self, lanes: Self::Lanes) -> FloatLine {
        let mut line = FloatLine([0.0; 16]);
        for (i, lanes) in lanes.into_iter().enumerate() {
            // SAFETY: the token proves NEON; a line holds sixteen floats, four for each register.
            unsafe { vst1q_f32(line.0.as_mut_ptr().add(4 * i), lanes) }
        }
        line
    }
}
