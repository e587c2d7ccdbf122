//! The units of storage: cache lines of 16-bit numbers, of bytes, and of 8-bit weights.
//!
//! Weights and accumulators are vectors of lines, so their alignment follows from the type and no
//! kernel has to assume it.

/// 32 numbers in one aligned cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct WordLine(pub [i16; WordLine::LANES]);

impl WordLine {
    /// Numbers in a line.
    pub const LANES: usize = 32;
    /// A line of zeros.
    pub const ZERO: Self = Self([0; Self::LANES]);

    /// Packs numbers into lines; the last line is filled up with zeros.
    pub fn pack(numbers: &[i16]) -> Vec<Self> {
        let pack = |chunk: &[i16]| {
            let mut line = Self::ZERO;
            line.0[..chunk.len()].copy_from_slice(chunk);
            line
        };
        numbers.chunks(Self::LANES).map(pack).collect()
    }
}

/// 32 weights of 8 bits: what is added to the numbers of a [`WordLine`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct SmallLine(pub [i8; WordLine::LANES]);

impl SmallLine {
    /// Packs weights into lines; the last line is filled up with zeros.
    pub fn pack(weights: &[i8]) -> Vec<Self> {
        let pack = |chunk: &[i8]| {
            let mut line = Self([0; WordLine::LANES]);
            line.0[..chunk.len()].copy_from_slice(chunk);
            line
        };
        weights.chunks(WordLine::LANES).map(pack).collect()
    }
}

/// 64 activations of 8 bits in one aligned cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Bytes(pub [u8; Bytes::LANES]);

impl Bytes {
    /// Activations in a line.
    pub const LANES: usize = 64;
    /// A line of zeros.
    pub const ZERO: Self = Self([0; Self::LANES]);
    /// Activations are skipped or multiplied in groups of this many.
    pub const GROUP: usize = 4;
    /// Groups in a line.
    pub const GROUPS: usize = Self::LANES / Self::GROUP;

    /// Which groups are not all zero, the first one in the lowest bit.
    #[inline]
    pub fn active_groups(&self) -> u16 {
        let (groups, _) = self.0.as_chunks::<{ Self::GROUP }>();
        let bits = groups.iter().map(|group| u16::from(*group != [0; Self::GROUP]));
        bits.rev().fold(0, |bits, bit| bits << 1 | bit)
    }
}

/// What one group of four activations is multiplied with: four weights for each of 16 outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct GroupWeights(pub [i8; 64]);

const _: () = assert!(size_of::<WordLine>() == 64 && align_of::<WordLine>() == 64);
const _: () = assert!(size_of::<SmallLine>() == 32 && align_of::<SmallLine>() == 32);
const _: () = assert!(size_of::<Bytes>() == 64 && align_of::<Bytes>() == 64);
const _: () = assert!(size_of::<GroupWeights>() == 64 && align_of::<GroupWeights>() == 64);
