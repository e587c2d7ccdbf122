//! AVX-512: a line is one 512-bit register.
//!
//! The fused multiply-add of VNNI was tried and measured no faster, so it is not asked for.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::Line;
use crate::nnue::QA;
use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_load_si512, _mm512_madd_epi16,
    _mm512_max_epi16, _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi32,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_store_si512, _mm512_sub_epi16,
};

kernel_table!(
    "avx512", Avx512(()), tile 8,
    is_x86_feature_detected ["avx512f", "avx512bw"]
);

/// Exists only inside functions compiled with AVX-512 F and BW.
#[derive(Clone, Copy)]
struct Avx512(());

impl Simd for Avx512 {
    type Words = __m512i;
    type Sums = __m512i;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Words {
        // SAFETY: the token proves AVX-512; a line is 64 bytes with an alignment of 64.
        unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
    }

    #[inline(always)]
    fn store(self, line: &mut Line, words: Self::Words) {
        // SAFETY: the token proves AVX-512; a line is 64 bytes with an alignment of 64.
        unsafe { _mm512_store_si512(std::ptr::from_mut(line).cast(), words) }
    }

    #[inline(always)]
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn add_squares(self, sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums {
        // SAFETY: the token proves AVX-512.
        unsafe {
            let x = _mm512_max_epi16(x, _mm512_setzero_si512());
            let x = _mm512_min_epi16(x, _mm512_set1_epi16(QA as i16));
            _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_mullo_epi16(x, w), x))
        }
    }

    #[inline(always)]
    fn join(self, a: Self::Sums, b: Self::Sums) -> Self::Sums {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn total(self, sums: Self::Sums) -> i32 {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_reduce_add_epi32(sums) }
    }
}
