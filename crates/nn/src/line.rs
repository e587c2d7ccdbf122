//! The unit of weight storage: one cache line of 16-bit numbers.
//!
//! Weights and accumulators are vectors of lines, so their alignment follows from the type and no
//! kernel has to assume it.

/// 32 numbers in one aligned cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Line(pub [i16; Line::LANES]);

impl Line {
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

const _: () = assert!(size_of::<Line>() == 64 && align_of::<Line>() == 64);
