//! AVX2: a line is two 256-bit registers.
#![expect(clippy::inline_always, reason = "intrinsics must end up in a function with the feature")]

use super::{Kernels, Simd, generic, kernel_table};
use crate::line::{Bytes, GroupWeights, SmallLine, WordLine};
use crate::nnue::{PRODUCT_SHIFT, QA};
use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_load_si128, _mm_shuffle_epi32,
    _mm256_add_epi16, _mm256_add_epi32, _mm256_add_ps, _mm256_adds_epi16, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
    _mm256_load_si256, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_movemask_ps, _mm256_mul_ps, _mm256_mulhi_epi16, _mm256_mullo_epi16,
    _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_set1_ps, _mm256_setzero_si256, _mm256_slli_epi16, _mm256_store_si256, _mm256_sub_epi16,
};

kernel_table!("avx2", Avx2(()), tile 4, is_x86_feature_detected ["avx2"]);

/// Exists only inside functions compiled with AVX2.
#[derive(Clone, Copy)]
struct Avx2(());

impl Simd for Avx2 {
    type Words = [__m256i; 2];
    type Sums = [__m256i; 2];

    #[inline(always)]
    fn load(self, line: &WordLine) -> Self::Words {
        let start = std::ptr::from_ref(line).cast::<__m256i>();
        // SAFETY: the token proves AVX2; a line is 64 bytes with an alignment of 64.
        unsafe { [_mm256_load_si256(start), _mm256_load_si256(start.add(1))] }
    }

    #[inline(always)]
    fn store(self, line: &mut WordLine, words: Self::Words) {
        let start = std::ptr::from_mut(line).cast::<__m256i>();
        // SAFETY: the token proves AVX2; a line is 64 bytes with an alignment of 64.
        unsafe {
            _mm256_store_si256(start, words[0]);
            _mm256_store_si256(start.add(1), words[1]);
        }
    }

    #[inline(always)]
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    fn sub(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_sub_epi16(a[0], b[0]), _mm256_sub_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    fn load_small(self, line: &SmallLine) -> Self::Words {
        let start = std::ptr::from_ref(line).cast::<__m128i>();
        // SAFETY: the token proves AVX2; a line is 32 bytes with an alignment of 32.
        unsafe {
            [
                _mm256_cvtepi8_epi16(_mm_load_si128(start)),
                _mm256_cvtepi8_epi16(_mm_load_si128(start.add(1))),
            ]
        }
    }

    #[inline(always)]
    fn add_saturating(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_adds_epi16(a[0], b[0]), _mm256_adds_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn add_squares(self, mut sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums {
        for i in 0..2 {
            // SAFETY: the token proves AVX2.
            unsafe {
                let x = _mm256_max_epi16(x[i], _mm256_setzero_si256());
                let x = _mm256_min_epi16(x, _mm256_set1_epi16(QA as i16));
                let product = _mm256_mullo_epi16(x, w[i]);
                sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(product, x));
            }
        }
        sums
    }

    #[inline(always)]
    fn join(self, a: Self::Sums, b: Self::Sums) -> Self::Sums {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])] }
    }

    #[inline(always)]
    fn total(self, sums: Self::Sums) -> i32 {
        // SAFETY: the token proves AVX2.
        unsafe {
            let eight = _mm256_add_epi32(sums[0], sums[1]);
            let low = _mm256_castsi256_si128(eight);
            let four = _mm_add_epi32(low, _mm256_extracti128_si256::<1>(eight));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
            let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
            _mm_cvtsi128_si32(one)
        }
    }

    /// Eight sums each.
    type Dots = [__m256i; 2];

    #[inline(always)]
    fn write_products(self, a: [Self::Words; 2], b: [Self::Words; 2], out: &mut Bytes) -> u16 {
        let start = std::ptr::from_mut(out).cast::<__m256i>();
        let mut zeros = 0;
        for half in 0..2 {
            // SAFETY: the token proves AVX2; a line of bytes is 64 bytes with an alignment of 64.
            unsafe {
                let low = product(a[half][0], b[half][0]);
                let high = product(a[half][1], b[half][1]);
                // Packing works in halves of the register; the middle quarters change places.
                let bytes =
                    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(low, high));
                _mm256_store_si256(start.add(half), bytes);
                let is_zero = _mm256_cmpeq_epi32(bytes, _mm256_setzero_si256());
                zeros |= _mm256_movemask_ps(_mm256_castsi256_ps(is_zero)) << (8 * half);
            }
        }
        !zeros as u16
    }

    #[inline(always)]
    fn no_dots(self) -> Self::Dots {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn add_dots(self, mut dots: Self::Dots, group: [u8; 4], weights: &GroupWeights) -> Self::Dots {
        let start = std::ptr::from_ref(weights).cast::<__m256i>();
        for (half, dots) in dots.iter_mut().enumerate() {
            // SAFETY: the token proves AVX2; a line of weights is 64 bytes with an alignment of 64.
            unsafe {
                let x = _mm256_set1_epi32(i32::from_le_bytes(group));
                // Two products of at most 127 * 127 do not saturate 16 bits.
                let pairs = _mm256_maddubs_epi16(x, _mm256_load_si256(start.add(half)));
                let quads = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
                *dots = _mm256_add_epi32(*dots, quads);
            }
        }
        dots
    }

    #[inline(always)]
    fn join_dots(self, a: Self::Dots, b: Self::Dots) -> Self::Dots {
        self.join(a, b)
    }

    type Floats = [__m256; 2];

    #[inline(always)]
    fn load_floats(self, numbers: &[f32; 16]) -> Self::Floats {
        // SAFETY: the token proves AVX2; 16 numbers fill two registers.
        unsafe { [_mm256_loadu_ps(numbers.as_ptr()), _mm256_loadu_ps(numbers.as_ptr().add(8))] }
    }

    #[inline(always)]
    fn add_scaled(self, mut sums: Self::Floats, x: f32, weights: &[f32; 16]) -> Self::Floats {
        for (sum, weights) in sums.iter_mut().zip(self.load_floats(weights)) {
            // SAFETY: the token proves AVX2.
            *sum = unsafe { _mm256_add_ps(*sum, _mm256_mul_ps(_mm256_set1_ps(x), weights)) };
        }
        sums
    }
}

/// `a * b >> 9` of numbers clamped to 0..=QA: one factor is shifted up so that the upper half of the
/// product is what is wanted.
#[inline]
#[target_feature(enable = "avx2")]
fn product(a: __m256i, b: __m256i) -> __m256i {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let a = _mm256_min_epi16(_mm256_max_epi16(a, zero), one);
    // Below zero it makes a product below zero, which packing turns into zero.
    let b = _mm256_min_epi16(b, one);
    _mm256_mulhi_epi16(_mm256_slli_epi16::<{ 16 - PRODUCT_SHIFT as i32 }>(a), b)
}
