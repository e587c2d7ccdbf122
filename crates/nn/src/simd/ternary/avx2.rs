//! AVX2: a line of codes is two 256-bit registers, unpacked eight.
//!
//! Products of pairs are at most 2 * 127 * 2 in 16 bits; each of two running sums takes four of them
//! a line, 64 in the longest row, which is the most that 16 bits hold.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{
    ByteLine, CodeLine, Dot, FloatLine, Kernels, MaskLine, Masked, ROWS, generic, kernel_table,
};
use std::arch::x86_64::{
    __m256, __m256i, _mm_add_epi32, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_ps,
    _mm256_and_si256, _mm256_blendv_ps, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_load_ps, _mm256_load_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setzero_ps, _mm256_setzero_si256,
    _mm256_sllv_epi32, _mm256_srli_epi16, _mm256_store_ps, _mm256_sub_epi32, _mm256_xor_ps,
};

kernel_table!("avx2", Avx2(()), is_x86_feature_detected["avx2"]);

/// Exists only inside functions compiled with AVX2.
#[derive(Clone, Copy)]
struct Avx2(());

impl Dot for Avx2 {
    /// By halves of a line, then by groups of columns.
    type Codes = [[__m256i; 4]; 2];
    /// 16-bit sums of each half.
    type Sums = [__m256i; 2];
    type Lanes = [__m256; 2];

    #[inline(always)]
    fn unpack(self, line: &CodeLine) -> Self::Codes {
        let start = std::ptr::from_ref(line).cast::<__m256i>();
        // SAFETY: the token proves AVX2; a line is 64 bytes with an alignment of 64.
        unsafe {
            let three = _mm256_set1_epi8(3);
            let mut codes = [[three; 4]; 2];
            for (half, codes) in codes.iter_mut().enumerate() {
                let bytes = _mm256_load_si256(start.add(half));
                *codes = [
                    _mm256_and_si256(bytes, three),
                    _mm256_and_si256(_mm256_srli_epi16::<2>(bytes), three),
                    _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), three),
                    _mm256_and_si256(_mm256_srli_epi16::<6>(bytes), three),
                ];
            }
            codes
        }
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn add(self, mut sums: Self::Sums, codes: Self::Codes, x: &[ByteLine; 4]) -> Self::Sums {
        for half in 0..2 {
            for group in 0..4 {
                let x = std::ptr::from_ref(&x[group]).cast::<__m256i>();
                // SAFETY: the token proves AVX2; a line is 64 bytes with an alignment of 64.
                unsafe {
                    let x = _mm256_load_si256(x.add(half));
                    let products = _mm256_maddubs_epi16(codes[half][group], x);
                    sums[half] = _mm256_add_epi16(sums[half], products);
                }
            }
        }
        sums
    }

    #[inline(always)]
    fn totals(self, sums: [Self::Sums; ROWS]) -> [i32; ROWS] {
        // SAFETY: the token proves AVX2; four numbers of 32 bits are 128 bits.
        unsafe {
            let ones = _mm256_set1_epi16(1);
            let mut wide = [_mm256_setzero_si256(); ROWS];
            for r in 0..ROWS {
                let [low, high] = sums[r];
                wide[r] =
                    _mm256_add_epi32(_mm256_madd_epi16(low, ones), _mm256_madd_epi16(high, ones));
            }
            let first = _mm256_hadd_epi32(wide[0], wide[1]);
            let second = _mm256_hadd_epi32(wide[2], wide[3]);
            let four = _mm256_hadd_epi32(first, second);
            let four =
                _mm_add_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
            std::mem::transmute::<std::arch::x86_64::__m128i, [i32; ROWS]>(four)
        }
    }

    #[inline(always)]
    fn no_lanes(self) -> Self::Lanes {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_setzero_ps(); 2] }
    }

    #[inline(always)]
    fn add_masked(self, mut lanes: [Self::Lanes; ROWS], line: Masked) -> [Self::Lanes; ROWS] {
        for word in 0..8 {
            // SAFETY: the token proves AVX2; a line of floats is 64 bytes with an alignment of 64.
            unsafe {
                // Shifted to the left by these, bit b of a mask becomes the sign that chooses.
                let first = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
                let signs = _mm256_set1_ps(-0.0);
                for part in 0..4 {
                    let shift = _mm256_sub_epi32(first, _mm256_set1_epi32(8 * part as i32));
                    let x = line.x[2 * word + part / 2].0.as_ptr().add(8 * (part % 2));
                    let x = _mm256_load_ps(x);
                    let minus_x = _mm256_xor_ps(x, signs);
                    for (lanes, row) in lanes.iter_mut().zip(line.rows) {
                        let plus = _mm256_set1_epi32(row.plus[word] as i32);
                        let minus = _mm256_set1_epi32(row.minus[word] as i32);
                        let plus = _mm256_castsi256_ps(_mm256_sllv_epi32(plus, shift));
                        let minus = _mm256_castsi256_ps(_mm256_sllv_epi32(minus, shift));
                        let term = _mm256_blendv_ps(_mm256_setzero_ps(), x, plus);
                        let term = _mm256_blendv_ps(term, minus_x, minus);
                        lanes[part % 2] = _mm256_add_ps(lanes[part % 2], term);
                    }
                }
            }
        }
        lanes
    }

    #[inline(always)]
    fn lanes(self, lanes: Self::Lanes) -> FloatLine {
        let mut line = FloatLine([0.0; 16]);
        // SAFETY: the token proves AVX2; a line of floats is 64 bytes with an alignment of 64.
        unsafe {
            _mm256_store_ps(line.0.as_mut_ptr(), lanes[0]);
            _mm256_store_ps(line.0.as_mut_ptr().add(8), lanes[1]);
        }
        line
    }
}
