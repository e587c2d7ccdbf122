//! AVX-512 with VNNI: a line of codes is one 512-bit register, unpacked four.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{
    ByteLine, CodeLine, Dot, FloatLine, Kernels, MaskLine, Masked, ROWS, generic, kernel_table,
};
use std::arch::x86_64::{
    __m512, __m512i, _mm512_and_si512, _mm512_dpbusd_epi32, _mm512_load_ps, _mm512_load_si512,
    _mm512_mask_add_ps, _mm512_mask_sub_ps, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_setzero_ps, _mm512_setzero_si512, _mm512_srli_epi16, _mm512_store_ps,
};

kernel_table!(
    "avx512vnni", Avx512(()),
    is_x86_feature_detected ["avx512f", "avx512bw", "avx512vnni"]
);

/// Exists only inside functions compiled with AVX-512 F, BW and VNNI.
#[derive(Clone, Copy)]
struct Avx512(());

impl Dot for Avx512 {
    type Codes = [__m512i; 4];
    type Sums = __m512i;
    type Lanes = __m512;

    #[inline(always)]
    fn unpack(self, line: &CodeLine) -> Self::Codes {
        // SAFETY: the token proves AVX-512; a line is 64 bytes with an alignment of 64.
        unsafe {
            let three = _mm512_set1_epi8(3);
            let line = _mm512_load_si512(std::ptr::from_ref(line).cast());
            [
                _mm512_and_si512(line, three),
                _mm512_and_si512(_mm512_srli_epi16::<2>(line), three),
                _mm512_and_si512(_mm512_srli_epi16::<4>(line), three),
                _mm512_and_si512(_mm512_srli_epi16::<6>(line), three),
            ]
        }
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn add(self, mut sums: Self::Sums, codes: Self::Codes, x: &[ByteLine; 4]) -> Self::Sums {
        for group in 0..4 {
            // SAFETY: the token proves AVX-512 VNNI; a line is 64 bytes with an alignment of 64.
            unsafe {
                let x = _mm512_load_si512(std::ptr::from_ref(&x[group]).cast());
                sums = _mm512_dpbusd_epi32(sums, codes[group], x);
            }
        }
        sums
    }

    #[inline(always)]
    fn totals(self, sums: [Self::Sums; ROWS]) -> [i32; ROWS] {
        let mut totals = [0; ROWS];
        for r in 0..ROWS {
            // SAFETY: the token proves AVX-512.
            totals[r] = unsafe { _mm512_reduce_add_epi32(sums[r]) };
        }
        totals
    }

    #[inline(always)]
    fn no_lanes(self) -> Self::Lanes {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    fn add_masked(self, mut lanes: [Self::Lanes; ROWS], line: Masked) -> [Self::Lanes; ROWS] {
        for k in 0..16 {
            // SAFETY: the token proves AVX-512; a line is 64 bytes with an alignment of 64.
            unsafe {
                let x = _mm512_load_ps(line.x[k].0.as_ptr());
                for (lanes, row) in lanes.iter_mut().zip(line.rows) {
                    let shift = 16 * (k % 2);
                    let plus = (row.plus[k / 2] >> shift) as u16;
                    let minus = (row.minus[k / 2] >> shift) as u16;
                    let sum = _mm512_mask_add_ps(*lanes, plus, *lanes, x);
                    *lanes = _mm512_mask_sub_ps(sum, minus, sum, x);
                }
            }
        }
        lanes
    }

    #[inline(always)]
    fn lanes(self, lanes: Self::Lanes) -> FloatLine {
        let mut line = FloatLine([0.0; 16]);
        // SAFETY: the token proves AVX-512; a line is 64 bytes with an alignment of 64.
        unsafe { _mm512_store_ps(line.0.as_mut_ptr(), lanes) }
        line
    }
}
