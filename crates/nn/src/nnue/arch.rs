//! Quantisation, and the limits that make integer sums exact. Trainer and inference share this file.

use super::threats::MOST_THREATS;

/// The integer that stands for 1.0 in the hidden layer.
pub const QA: i32 = 255;
/// The integer that stands for 1.0 in an output weight, and in a weight of the first dense layer.
pub const QB: i32 = 64;
/// Internal units of an output of 1.0.
pub const SCALE: i32 = 400;

/// Features of one king bucket: own and enemy, six types, 64 squares.
pub(super) const PIECE_SQUARES: usize = 768;

/// The largest magnitude of a hidden weight or bias.
///
/// A bias and a piece on each of the 64 squares stay inside 16 bits: `65 * 504 < 2^15`.
pub const FT_LIMIT: i16 = 504;
/// The largest magnitude of a weight of a threat.
///
/// The threats of any placement stay inside 16 bits, whichever are added first.
pub const THREAT_LIMIT: i8 = 78;
/// The largest magnitude of an output weight: `QA * 128 < 2^15`, so that the product with a
/// clamped activation stays inside 16 bits.
pub const OUTPUT_LIMIT: i16 = 128;
/// The largest sum of the positive, and of the negative, weights of one output.
///
/// With every activation at `QA` the sum of all products, and every partial sum in any order, is
/// `QA^2 * 33025 < 2^31`.
pub const OUTPUT_SUM_LIMIT: i32 = 33_025;
/// The largest magnitude of an output bias, about 1000.0.
pub const OUTPUT_BIAS_LIMIT: i32 = 1 << 24;

/// The product of two clamped numbers of the hidden layer loses this many bits to fit a byte.
pub const PRODUCT_SHIFT: u32 = 9;
/// The largest 8-bit activation.
pub const BYTE_LIMIT: i32 = (QA * QA) >> PRODUCT_SHIFT;
/// The largest magnitude of a weight of the first dense layer.
///
/// Two products of a byte with a weight stay inside 16 bits, which AVX2 needs.
pub const DENSE_LIMIT: i8 = 127;
/// The largest magnitude of the f32 numbers of the tail.
pub const FLOAT_LIMIT: f32 = 1024.0;
/// What a sum of the first dense layer is multiplied with to become a number near 1.
pub const DEQUANTISE: f32 = (1 << PRODUCT_SHIFT) as f32 / (QA * QA * QB) as f32;

const _: () = {
    assert!(65 * (FT_LIMIT as i32) < 1 << 15);
    assert!(MOST_THREATS * (THREAT_LIMIT as usize) < 1 << 15);
    assert!(QA * (OUTPUT_LIMIT as i32) < 1 << 15);
    assert!((QA as i64).pow(2) * (OUTPUT_SUM_LIMIT as i64) < 1 << 31);
    // A clamped number shifted up for the multiplication of upper halves.
    assert!(QA << (16 - PRODUCT_SHIFT) < 1 << 15);
    assert!(2 * BYTE_LIMIT * (DENSE_LIMIT as i32) < 1 << 15);
    // The widest layer has 2 * 1024 activations.
    assert!(2048 * (BYTE_LIMIT as i64) * (DENSE_LIMIT as i64) < 1 << 31);
};

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo). Any change of a single byte changes it.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ *byte as u64).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv1a_matches_the_published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf29ce484222325);
        assert_eq!(fnv1a(b"a"), 0xaf63dc4c8601ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x85944171f73967e8);
    }
}
