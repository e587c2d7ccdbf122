//! WebAssembly SIMD128: a line of codes is four 128-bit registers, unpacked sixteen.
#![expect(clippy::inline_always, reason = "one call per line of weights would drown the work")]

use super::{
    ByteLine, CodeLine, Dot, FloatLine, Kernels, MaskLine, Masked, ROWS, generic, kernel_table,
};
use std::arch::wasm32::{
    f32x4_add, f32x4_neg, f32x4_splat, i8x16_splat, i16x8_add, i16x8_extmul_high_i8x16,
    i16x8_extmul_low_i8x16, i16x8_splat, i32x4, i32x4_add, i32x4_eq, i32x4_extadd_pairwise_i16x8,
    i32x4_extract_lane, i32x4_splat, u8x16_shr, v128, v128_and, v128_bitselect, v128_load,
    v128_store,
};

kernel_table!("wasm", Wasm, is_x86_feature_detected []);

#[derive(Clone, Copy)]
struct Wasm;

impl Dot for Wasm {
    /// By quarters of a line, then by groups of columns.
    type Codes = [[v128; 4]; 4];
    type Sums = v128;
    type Lanes = [v128; 4];

    #[inline(always)]
    fn unpack(self, line: &CodeLine) -> Self::Codes {
        let three = i8x16_splat(3);
        let start = std::ptr::from_ref(line).cast::<v128>();
        std::array::from_fn(|quarter| {
            // SAFETY: a line is 64 bytes, sixteen for each of four quarters.
            let bytes = unsafe { v128_load(start.add(quarter)) };
            [0, 2, 4, 6].map(|shift| v128_and(u8x16_shr(bytes, shift), three))
        })
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        i32x4_splat(0)
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, codes: Self::Codes, x: &[ByteLine; 4]) -> Self::Sums {
        // Each lane of 16 bits takes 32 products of at most 254.
        let mut words = i16x8_splat(0);
        for (quarter, codes) in codes.into_iter().enumerate() {
            for (codes, x) in codes.into_iter().zip(x) {
                // SAFETY: a line is 64 bytes, sixteen for each of four quarters.
                let x = unsafe { v128_load(std::ptr::from_ref(x).cast::<v128>().add(quarter)) };
                words = i16x8_add(words, i16x8_extmul_low_i8x16(codes, x));
                words = i16x8_add(words, i16x8_extmul_high_i8x16(codes, x));
            }
        }
        i32x4_add(sums, i32x4_extadd_pairwise_i16x8(words))
    }

    #[inline(always)]
    fn totals(self, sums: [Self::Sums; ROWS]) -> [i32; ROWS] {
        sums.map(|sums| {
            i32x4_extract_lane::<0>(sums)
                + i32x4_extract_lane::<1>(sums)
                + i32x4_extract_lane::<2>(sums)
                + i32x4_extract_lane::<3>(sums)
        })
    }

    #[inline(always)]
    fn no_lanes(self) -> Self::Lanes {
        [f32x4_splat(0.0); 4]
    }

    #[inline(always)]
    fn add_masked(self, mut lanes: [Self::Lanes; ROWS], line: Masked) -> [Self::Lanes; ROWS] {
        for (k, x) in line.x.iter().enumerate() {
            for part in 0..4 {
                let first = 16 * (k % 2) + 4 * part;
                let bits = i32x4(1 << first, 2 << first, 4 << first, 8 << first);
                // SAFETY: a line is 64 bytes, sixteen for each of four parts.
                let x = unsafe { v128_load(std::ptr::from_ref(x).cast::<v128>().add(part)) };
                let has = |mask: u32| i32x4_eq(v128_and(i32x4_splat(mask as i32), bits), bits);
                for (lanes, row) in lanes.iter_mut().zip(line.rows) {
                    let zero = f32x4_splat(0.0);
                    let term = v128_bitselect(x, zero, has(row.plus[k / 2]));
                    let term = v128_bitselect(f32x4_neg(x), term, has(row.minus[k / 2]));
                    lanes[part] = f32x4_add(lanes[part], term);
                }
            }
        }
        lanes
    }

    #[inline(always)]
    fn lanes(self, lanes: Self::Lanes) -> FloatLine {
        let mut line = FloatLine([0.0; 16]);
        let start = std::ptr::from_mut(&mut line).cast::<v128>();
        for (i, lanes) in lanes.into_iter().enumerate() {
            // SAFETY: a line is 64 bytes, sixteen for each of four registers.
            unsafe { v128_store(start.add(i), lanes) }
        }
        line
    }
}
