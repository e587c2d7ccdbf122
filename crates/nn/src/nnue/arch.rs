//! What a net looks like: sizes, bucket maps, quantisation and the limits that make it exact.
//!
//! ```text
//! per side: 768 piece-squares x king buckets -> hidden (i16, +QA = 1.0), mirrored by king file
//! side to move's hidden ++ other side's hidden -> clamp(0, QA)^2 -> one of the output buckets
//! ```
//!
//! Trainer and inference share this file. [`Shape::descriptor`] puts everything two programs must
//! agree on into one line of text whose hash is stored in every net file.

use super::NetError;
use tabiya_chess::Square;

/// The integer that stands for 1.0 in the hidden layer.
pub const QA: i32 = 255;
/// The integer that stands for 1.0 in an output weight.
pub const QB: i32 = 64;
/// Internal units of an output of 1.0.
pub const SCALE: i32 = 400;

/// Features of one king bucket: own and enemy, six types, 64 squares.
pub(super) const PIECE_SQUARES: usize = 768;

/// The largest magnitude of a hidden weight or bias.
///
/// A bias and a piece on each of the 64 squares stay inside 16 bits: `65 * 504 < 2^15`.
pub const FT_LIMIT: i16 = 504;
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

const _: () = {
    assert!(65 * (FT_LIMIT as i32) < 1 << 15);
    assert!(QA * (OUTPUT_LIMIT as i32) < 1 << 15);
    assert!((QA as i64).pow(2) * (OUTPUT_SUM_LIMIT as i64) < 1 << 31);
};

/// The kinds of net a file can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// One hidden layer with squared clipped activation straight to the output.
    SingleLayer,
    /// Pairwise-multiplied hidden layer with a small dense tail; the number is reserved.
    Pairwise,
}

impl Family {
    /// The number of this family in a net file.
    pub const fn code(self) -> u32 {
        match self {
            Self::SingleLayer => 1,
            Self::Pairwise => 2,
        }
    }
}

/// The sizes of a net; always one of the known combinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    hidden: usize,
    king_buckets: usize,
    output_buckets: usize,
}

/// King buckets by rank (first rank first) and file a to d, after mirroring the king to that half.
///
/// The maps with 4 and 8 buckets follow akimbo and Hobbes: fine where kings live, coarse elsewhere.
type KingMap = [[u8; 4]; 8];
const ONE_BUCKET: KingMap = [[0; 4]; 8];
const FOUR_BUCKETS: KingMap =
    [[0, 0, 1, 1], [2; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4]];
const EIGHT_BUCKETS: KingMap =
    [[0, 1, 2, 3], [4, 4, 5, 5], [6; 4], [6; 4], [6; 4], [7; 4], [7; 4], [7; 4]];

impl Shape {
    /// Hidden sizes this build knows.
    pub const HIDDEN: [usize; 6] = [128, 256, 384, 512, 768, 1024];
    /// Numbers of king buckets this build knows.
    pub const KING_BUCKETS: [usize; 3] = [1, 4, 8];
    /// Numbers of outputs this build knows.
    pub const OUTPUT_BUCKETS: [usize; 2] = [1, 8];

    /// The shape with these sizes, if this build knows it.
    pub fn new(
        hidden: usize,
        king_buckets: usize,
        output_buckets: usize,
    ) -> Result<Self, NetError> {
        if !Self::HIDDEN.contains(&hidden) {
            return Err(NetError::Hidden(hidden));
        }
        if !Self::KING_BUCKETS.contains(&king_buckets) {
            return Err(NetError::KingBuckets(king_buckets));
        }
        if !Self::OUTPUT_BUCKETS.contains(&output_buckets) {
            return Err(NetError::OutputBuckets(output_buckets));
        }
        Ok(Self { hidden, king_buckets, output_buckets })
    }

    /// Hidden neurons per side, a multiple of 128.
    #[inline]
    pub const fn hidden(self) -> usize {
        self.hidden
    }

    /// Number of king buckets.
    #[inline]
    pub const fn king_buckets(self) -> usize {
        self.king_buckets
    }

    /// Number of outputs.
    #[inline]
    pub const fn output_buckets(self) -> usize {
        self.output_buckets
    }

    /// Number of features a side can see: 768 per king bucket.
    #[inline]
    pub const fn features(self) -> usize {
        PIECE_SQUARES * self.king_buckets
    }

    const fn king_map(self) -> &'static KingMap {
        match self.king_buckets {
            1 => &ONE_BUCKET,
            4 => &FOUR_BUCKETS,
            _ => &EIGHT_BUCKETS,
        }
    }

    /// The bucket of a king on `king`, as its own side sees the board, mirrored or not.
    #[inline]
    pub const fn king_bucket(self, king: Square) -> usize {
        let file = king as usize & 7;
        let file = if file < 4 { file } else { 7 - file };
        self.king_map()[king as usize >> 3][file] as usize
    }

    /// The output for a position with this many pieces, kings included.
    #[inline]
    pub const fn output_bucket(self, pieces: u32) -> usize {
        if self.output_buckets == 1 {
            return 0;
        }
        let bucket = pieces.saturating_sub(2) as usize / 4;
        if bucket < 8 { bucket } else { 7 }
    }

    /// Everything a trainer and this crate must agree on, in one line.
    pub fn descriptor(self) -> String {
        let kings: String =
            self.king_map().iter().flatten().map(|bucket| (b'0' + bucket) as char).collect();
        format!(
            "family {} features own+enemy PNBRQK a1..h8 flip-ranks-for-black \
             mirror-own-king-to-abcd kings {kings} hidden {} sides stm+other activation screlu \
             outputs {} by (pieces-2)/4 qa {QA} qb {QB} scale {SCALE} order ft-weights ft-bias \
             output-weights output-bias",
            Family::SingleLayer.code(),
            self.hidden,
            self.output_buckets,
        )
    }

    /// The FNV-1a hash of [`Shape::descriptor`], stored in every net file.
    pub fn hash(self) -> u64 {
        fnv1a(self.descriptor().as_bytes())
    }
}

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo). Any change of a single byte changes it.
pub(super) fn fnv1a(bytes: &[u8]) -> u64 {
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

    #[test]
    fn every_bucket_is_used_and_mirrored_kings_share_one() {
        for buckets in Shape::KING_BUCKETS {
            let shape = Shape::new(128, buckets, 1).unwrap();
            let mut seen = vec![0; buckets];
            for sq in Square::ALL {
                seen[shape.king_bucket(sq)] += 1;
                assert_eq!(shape.king_bucket(sq), shape.king_bucket(sq.flip_file()));
            }
            assert!(seen.iter().all(|count| *count > 0));
        }
    }

    #[test]
    fn output_buckets_cover_two_to_sixty_four_pieces() {
        let shape = Shape::new(128, 1, 8).unwrap();
        let buckets: Vec<_> = (2..=33).map(|pieces| shape.output_bucket(pieces)).collect();
        assert_eq!(buckets, (0..32).map(|n| n / 4).collect::<Vec<_>>());
        assert_eq!(shape.output_bucket(64), 7);
        assert_eq!(shape.output_bucket(0), 0);
    }

    #[test]
    fn different_shapes_have_different_hashes() {
        let mut hashes = Vec::new();
        for hidden in Shape::HIDDEN {
            for kings in Shape::KING_BUCKETS {
                for outputs in Shape::OUTPUT_BUCKETS {
                    hashes.push(Shape::new(hidden, kings, outputs).unwrap().hash());
                }
            }
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
