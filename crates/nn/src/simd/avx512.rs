//! AVX-512: a line is one 512-bit register.
//!
//! There are two tables. `avx512vnni` sums the products of bytes in the first dense layer with one
//! instruction where `avx512` needs three. Nets without dense layers gain nothing from it.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::{Bytes, GroupWeights, SmallLine, WordLine};
use crate::nnue::{PRODUCT_SHIFT, QA};
use std::arch::x86_64::{
    __m512, __m512i, _mm256_load_si256, _mm256_storeu_si256, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_add_ps, _mm512_adds_epi16, _mm512_cvtepi8_epi16, _mm512_cvtepi32_epi16,
    _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_loadu_ps, _mm512_madd_epi16,
    _mm512_maddubs_epi16, _mm512_maskz_compress_epi32, _mm512_max_epi16, _mm512_min_epi16,
    _mm512_mul_ps, _mm512_mulhi_epi16, _mm512_mullo_epi16, _mm512_packus_epi16,
    _mm512_permutexvar_epi64, _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setr_epi32, _mm512_setr_epi64, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_store_si512, _mm512_sub_epi16, _mm512_test_epi32_mask,
};

pub(super) mod plain {
    use super::{Avx512, Kernels, WordLine, generic, kernel_table};
    kernel_table!(
        "avx512", Avx512::<false>(()), tile 8,
        is_x86_feature_detected ["avx512f", "avx512bw"]
    );
}

pub(super) mod vnni {
    use super::{Avx512, Kernels, WordLine, generic, kernel_table};
    kernel_table!(
        "avx512vnni", Avx512::<true>(()), tile 8,
        is_x86_feature_detected ["avx512f", "avx512bw", "avx512vnni"]
    );
}

/// Exists only inside functions compiled with AVX-512 F and BW, and VNNI where the parameter says so.
#[derive(Clone, Copy)]
struct Avx512<const VNNI: bool>(());

impl<const VNNI: bool> Simd for Avx512<VNNI> {
    type Words = __m512i;
    type Sums = __m512i;

    #[inline(always)]
    fn load(self, line: &WordLine) -> Self::Words {
        // SAFETY: the token proves AVX-512; a line is 64 bytes with an alignment of 64.
        unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
    }

    #[inline(always)]
    fn store(self, line: &mut WordLine, words: Self::Words) {
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
    fn load_small(self, line: &SmallLine) -> Self::Words {
        // SAFETY: the token proves AVX-512; a line is 32 bytes with an alignment of 32.
        unsafe { _mm512_cvtepi8_epi16(_mm256_load_si256(std::ptr::from_ref(line).cast())) }
    }

    #[inline(always)]
    fn add_saturating(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_adds_epi16(a, b) }
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

    type Dots = __m512i;

    #[inline(always)]
    fn write_products(self, a: [Self::Words; 2], b: [Self::Words; 2], out: &mut Bytes) -> u16 {
        // SAFETY: the token proves AVX-512; a line of bytes is 64 bytes with an alignment of 64.
        unsafe {
            let packed = _mm512_packus_epi16(product(a[0], b[0]), product(a[1], b[1]));
            // Packing works in quarters of the register; this puts the numbers back in order.
            let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
            let bytes = _mm512_permutexvar_epi64(order, packed);
            _mm512_store_si512(std::ptr::from_mut(out).cast(), bytes);
            _mm512_test_epi32_mask(bytes, bytes)
        }
    }

    #[inline(always)]
    fn write_places(self, first: u16, bits: u16, out: &mut [u16; Bytes::GROUPS]) {
        // SAFETY: the token proves AVX-512; 16 numbers of 16 bits fill half a register.
        unsafe {
            let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let places = _mm512_add_epi32(places, _mm512_set1_epi32(i32::from(first)));
            let chosen = _mm512_maskz_compress_epi32(bits, places);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(chosen));
        }
    }

    #[inline(always)]
    fn no_dots(self) -> Self::Dots {
        self.zero()
    }

    #[inline(always)]
    fn add_dots(self, dots: Self::Dots, group: [u8; 4], weights: &GroupWeights) -> Self::Dots {
        // SAFETY: the token proves AVX-512; a line of weights is 64 bytes with an alignment of 64.
        unsafe {
            let x = _mm512_set1_epi32(i32::from_le_bytes(group));
            let weights = _mm512_load_si512(std::ptr::from_ref(weights).cast());
            if VNNI {
                return _mm512_dpbusd_epi32(dots, x, weights);
            }
            // Two products of at most 127 * 127 do not saturate 16 bits.
            let pairs = _mm512_maddubs_epi16(x, weights);
            _mm512_add_epi32(dots, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        }
    }

    #[inline(always)]
    fn join_dots(self, a: Self::Dots, b: Self::Dots) -> Self::Dots {
        self.join(a, b)
    }

    type Floats = __m512;

    #[inline(always)]
    fn load_floats(self, numbers: &[f32; 16]) -> Self::Floats {
        // SAFETY: the token proves AVX-512; 16 numbers fill a register.
        unsafe { _mm512_loadu_ps(numbers.as_ptr()) }
    }

    #[inline(always)]
    fn add_scaled(self, sums: Self::Floats, x: f32, weights: &[f32; 16]) -> Self::Floats {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_add_ps(sums, _mm512_mul_ps(_mm512_set1_ps(x), self.load_floats(weights))) }
    }
}

/// `a * b >> 9` of numbers clamped to 0..=QA: one factor is shifted up so that the upper half of the
/// product is what is wanted.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn product(a: __m512i, b: __m512i) -> __m512i {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let a = _mm512_min_epi16(_mm512_max_epi16(a, zero), one);
    // Below zero it makes a product below zero, which packing turns into zero.
    let b = _mm512_min_epi16(b, one);
    _mm512_mulhi_epi16(_mm512_slli_epi16::<{ 16 - PRODUCT_SHIFT }>(a), b)
}
