//! Products of ternary matrices and vectors: packings, instruction sets, and the choice.
//!
//! There are two packings. [`CodeLine`] holds two-bit codes `w + 1` and meets 8-bit activations: sums
//! are integers, so all kernels agree on them. [`MaskLine`] holds a mask of the weights +1 and one of
//! the weights -1 and meets single-precision activations, as in `KiyEngine`: sums are floats, which agree
//! because every kernel adds the columns `16 k + l` in lane `l` in the order of `k`, and the sixteen
//! lanes in one tree.
//!
//! As in the module above, `generic` holds the loops over a trait, each instruction set has one file,
//! and `scalar` is the specification.

mod generic;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

use super::kernel_choice;

/// Columns in a line of codes or masks.
pub const COLUMNS: usize = 256;
/// Rows are computed four at a time; matrices are filled up to a multiple.
pub const ROWS: usize = 4;
/// Sums of 16 bits hold for this many lines: 2 * 127 * 2 for each of 64 products.
const LINE_LIMIT: usize = 16;

/// 256 codes of two bits: bits `2 s` and `2 s + 1` of byte `j` belong to column `64 s + j`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct CodeLine(pub [u8; 64]);

/// 64 activations of 8 bits, none of them -128.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct ByteLine(pub [i8; 64]);

/// Which of 256 weights are +1 and which are -1: bit `b` of word `k` belongs to column `32 k + b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct MaskLine {
    /// The weights +1.
    pub plus: [u32; 8],
    /// The weights -1.
    pub minus: [u32; 8],
}

/// 16 activations of single precision.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct FloatLine(pub [f32; 16]);

impl CodeLine {
    /// Packs 256 weights of -1, 0 or 1.
    pub fn pack(weights: &[i8; COLUMNS]) -> Self {
        let code = |column: usize| (weights[column] + 1) as u8;
        let byte = |j| (0..4).fold(0, |byte, s| byte | code(64 * s + j) << (2 * s));
        Self(std::array::from_fn(byte))
    }

    /// The weights again.
    pub fn unpack(&self) -> [i8; COLUMNS] {
        std::array::from_fn(|column| (self.0[column % 64] >> (2 * (column / 64)) & 3) as i8 - 1)
    }
}

impl MaskLine {
    /// Packs 256 weights of -1, 0 or 1.
    pub fn pack(weights: &[i8; COLUMNS]) -> Self {
        let mask = |sign: i8| {
            std::array::from_fn(|k| {
                (0..32).fold(0, |word, b| word | u32::from(weights[32 * k + b] == sign) << b)
            })
        };
        Self { plus: mask(1), minus: mask(-1) }
    }

    /// The weights again.
    pub fn unpack(&self) -> [i8; COLUMNS] {
        let bit = |mask: &[u32; 8], column: usize| (mask[column / 32] >> (column % 32) & 1) as i8;
        std::array::from_fn(|column| bit(&self.plus, column) - bit(&self.minus, column))
    }
}

/// A line of masks of each of four rows, and the activations that all of them meet.
#[derive(Clone, Copy)]
struct Masked<'a> {
    rows: [&'a MaskLine; ROWS],
    x: &'a [FloatLine; 16],
}

/// One instruction set's operations on whole lines.
///
/// A value of the implementing type is a token: it exists only in code that runs on a machine
/// with the instructions, which is what makes the methods safe.
trait Dot: Copy {
    /// The 256 codes of a line, a byte each.
    type Codes: Copy;
    /// Partial sums of products; they hold for `LINE_LIMIT` lines.
    type Sums: Copy;
    /// Sixteen floats.
    type Lanes: Copy;

    fn unpack(self, line: &CodeLine) -> Self::Codes;
    fn zero(self) -> Self::Sums;
    /// Adds the products of codes (not weights) and activations.
    fn add(self, sums: Self::Sums, codes: Self::Codes, x: &[ByteLine; 4]) -> Self::Sums;
    /// The sums of all partial sums.
    fn totals(self, sums: [Self::Sums; ROWS]) -> [i32; ROWS];

    fn no_lanes(self) -> Self::Lanes;
    /// Adds `x` where the weight is +1 and `-x` where it is -1, for each row.
    fn add_masked(self, lanes: [Self::Lanes; ROWS], line: Masked) -> [Self::Lanes; ROWS];
    fn lanes(self, lanes: Self::Lanes) -> FloatLine;
}

type Integers = unsafe fn(&[CodeLine], &[ByteLine], usize, &mut [i32]);
type Floats = unsafe fn(&[MaskLine], &[FloatLine], usize, &mut [f32]);

/// The loops of one instruction set.
///
/// All lengths are checked: a wrong one panics.
pub struct Kernels {
    name: &'static str,
    needs: &'static [&'static str],
    is_detected: fn() -> bool,
    integers: Integers,
    floats: Floats,
}

/// Compiles the loops for one instruction set: `TABLE` holds them.
macro_rules! kernel_table {
    ($name:literal, $token:expr, $detect:tt [$($feature:tt),*]) => {
        $(#[target_feature(enable = $feature)])*
        fn integers(codes: &[CodeLine], x: &[ByteLine], tokens: usize, out: &mut [i32]) {
            generic::integers($token, codes, x, tokens, out);
        }

        $(#[target_feature(enable = $feature)])*
        fn floats(masks: &[MaskLine], x: &[FloatLine], tokens: usize, out: &mut [f32]) {
            generic::floats($token, masks, x, tokens, out);
        }

        pub(super) static TABLE: Kernels = Kernels {
            name: $name,
            needs: &[$($feature),*],
            is_detected: || true $(&& std::arch::$detect!($feature))*,
            integers,
            floats,
        };
    };
}
use kernel_table;

kernel_choice!(avx512::TABLE, avx2::TABLE);

impl Kernels {
    /// The products of a ternary matrix and the 8-bit activations of some tokens.
    ///
    /// Rows of `codes` follow each other, as many as `out` has numbers for each token, which is a
    /// multiple of four; so do the tokens of `x` and of `out`.
    #[inline]
    pub fn integers(&self, codes: &[CodeLine], x: &[ByteLine], tokens: usize, out: &mut [i32]) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.integers)(codes, x, tokens, out) }
    }

    /// The products of a ternary matrix and the single-precision activations of some tokens.
    #[inline]
    pub fn floats(&self, masks: &[MaskLine], x: &[FloatLine], tokens: usize, out: &mut [f32]) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.floats)(masks, x, tokens, out) }
    }
}
