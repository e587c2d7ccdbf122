//! The arithmetic of a net on vectors: the operations, the instruction sets, and the choice.
//!
//! `generic` holds the loops, written once over the `Simd` trait; each instruction set has one
//! file that implements the trait and compiles the loops with its features. [`Kernels`] is the
//! table of the compiled loops; [`Kernels::best`] picks the fastest one this machine can run.
//! `scalar` is the specification: all others give the same numbers for all inputs.

mod generic;
mod scalar;
pub mod ternary;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

use crate::line::{Bytes, GroupWeights, SmallLine, WordLine};
use crate::nnue::{Activated, DeepHead};

/// One instruction set's operations on whole lines.
///
/// A value of the implementing type is a token: it exists only in code that runs on a machine
/// with the instructions, which is what makes the methods safe.
#[expect(clippy::inline_always, reason = "one call per line of weights would drown the work")]
trait Simd: Copy {
    /// The 32 numbers of a line in registers.
    type Words: Copy;
    /// 32-bit partial sums in registers.
    type Sums: Copy;

    fn load(self, line: &WordLine) -> Self::Words;
    fn store(self, line: &mut WordLine, words: Self::Words);
    /// The weights of a line as 16-bit numbers.
    fn load_small(self, line: &SmallLine) -> Self::Words;
    /// Sums lane by lane, modulo 2^16.
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Differences lane by lane, modulo 2^16.
    fn sub(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Sums lane by lane, not beyond what 16 bits can hold.
    fn add_saturating(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn zero(self) -> Self::Sums;
    /// Adds `x * (x * w)` for each lane, `x` clamped to 0..=QA.
    ///
    /// The inner product is taken modulo 2^16, which the limits of output weights make exact:
    /// multiplying by the weight first keeps everything in 16 bits until the final widening
    /// multiply-add ("Lizard `SCReLU`").
    fn add_squares(self, sums: Self::Sums, x: Self::Words, w: Self::Words) -> Self::Sums;
    /// The partial sums of two chains together, modulo 2^32.
    fn join(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// The sum of all partial sums, modulo 2^32.
    fn total(self, sums: Self::Sums) -> i32;

    /// 16 sums of 32 bits in registers: 64 bytes of plain integers, the first sum first.
    type Dots: Copy;

    /// Writes the products `a * b >> 9` of the numbers of two lines each, clamped to 0..=QA, as bytes;
    /// returns which groups of four bytes are not all zero, the first group in the lowest bit.
    fn write_products(self, a: [Self::Words; 2], b: [Self::Words; 2], out: &mut Bytes) -> u16;
    /// Writes the places of the bits that are set, plus `first`, to the start of `out`; what follows them
    /// there may change, too.
    #[inline(always)]
    fn write_places(self, first: u16, bits: u16, out: &mut [u16; Bytes::GROUPS]) {
        generic::write_places_by_table(first, bits, out);
    }

    fn no_dots(self) -> Self::Dots;
    /// Adds the products of four bytes, none above 127, with their weights for each of 16 outputs.
    fn add_dots(self, dots: Self::Dots, group: [u8; 4], weights: &GroupWeights) -> Self::Dots;
    /// The sums of two chains together.
    fn join_dots(self, a: Self::Dots, b: Self::Dots) -> Self::Dots;
    #[inline(always)]
    fn read_dots(self, dots: Self::Dots) -> [i32; 16] {
        const { assert!(size_of::<Self::Dots>() == 64) };
        // SAFETY: by the promise of the type, and any bits are integers.
        unsafe { std::mem::transmute_copy(&dots) }
    }

    /// 16 single-precision numbers in registers: 64 bytes of plain numbers, the first one first.
    type Floats: Copy;

    fn load_floats(self, numbers: &[f32; 16]) -> Self::Floats;
    /// Adds `x * weights` number by number. Product and sum are rounded one after the other, so that
    /// machines with and without fused operations agree.
    fn add_scaled(self, sums: Self::Floats, x: f32, weights: &[f32; 16]) -> Self::Floats;
    #[inline(always)]
    fn read_floats(self, floats: Self::Floats) -> [f32; 16] {
        const { assert!(size_of::<Self::Floats>() == 64) };
        // SAFETY: by the promise of the type, and any bits are numbers.
        unsafe { std::mem::transmute_copy(&floats) }
    }
}

/// Activations without the borders of their lines.
fn flatten(lines: &[Bytes]) -> &[u8] {
    // SAFETY: a line is its bytes, as its size, which is checked beside its type, proves.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
}

type Update<const ADDS: usize, const SUBS: usize> =
    unsafe fn(&mut [WordLine], &[WordLine], &[WordLine], [usize; ADDS], [usize; SUBS]);
type Refresh = unsafe fn(&mut [WordLine], &mut [WordLine], &[WordLine], &[u32], &[u32]);
type Adjust = unsafe fn(&mut [WordLine], &[WordLine], &[SmallLine], &[u32], &[u32]);
type Join = unsafe fn(&mut [WordLine], &[WordLine], &[WordLine]);
type Forward = unsafe fn([&[WordLine]; 2], &[WordLine]) -> i32;
type Deep = unsafe fn([&[WordLine]; 2], &mut Activated, &DeepHead) -> f32;

/// The loops of one instruction set.
///
/// Rows of `weights` are as long as the accumulators given along with them. All lengths are
/// checked: a wrong one panics.
pub struct Kernels {
    name: &'static str,
    needs: &'static [&'static str],
    is_detected: fn() -> bool,
    add1_sub1: Update<1, 1>,
    add1_sub2: Update<1, 2>,
    add2_sub2: Update<2, 2>,
    refresh: Refresh,
    adjust: Adjust,
    join: Join,
    forward: Forward,
    deep: Deep,
}

/// Compiles the loops for one instruction set: `TABLE` holds them.
///
/// The list of features appears once and is used three times, for compiling, for detecting and
/// for telling; so nothing can be compiled in that is not also checked.
macro_rules! kernel_table {
    ($name:literal, $token:expr, tile $tile:literal, $detect:tt [$($feature:tt),*]) => {
        $(#[target_feature(enable = $feature)])*
        fn update<const ADDS: usize, const SUBS: usize>(
            dst: &mut [WordLine],
            src: &[WordLine],
            weights: &[WordLine],
            adds: [usize; ADDS],
            subs: [usize; SUBS],
        ) {
            generic::update($token, dst, src, weights, adds, subs);
        }

        $(#[target_feature(enable = $feature)])*
        fn refresh(
            cached: &mut [WordLine],
            dst: &mut [WordLine],
            weights: &[WordLine],
            adds: &[u32],
            subs: &[u32],
        ) {
            generic::refresh::<_, $tile>($token, cached, dst, weights, adds, subs);
        }

        $(#[target_feature(enable = $feature)])*
        fn adjust(
            dst: &mut [WordLine],
            src: &[WordLine],
            weights: &[$crate::line::SmallLine],
            adds: &[u32],
            subs: &[u32],
        ) {
            generic::adjust::<_, $tile>($token, dst, src, weights, adds, subs);
        }

        $(#[target_feature(enable = $feature)])*
        fn join(dst: &mut [WordLine], a: &[WordLine], b: &[WordLine]) {
            generic::join($token, dst, a, b);
        }

        $(#[target_feature(enable = $feature)])*
        fn forward(hidden: [&[WordLine]; 2], weights: &[WordLine]) -> i32 {
            generic::forward($token, hidden, weights)
        }

        $(#[target_feature(enable = $feature)])*
        fn deep(hidden: [&[WordLine]; 2], activated: &mut $crate::nnue::Activated, head: &$crate::nnue::DeepHead) -> f32 {
            generic::deep($token, hidden, activated, head)
        }

        pub(in crate::simd) static TABLE: Kernels = Kernels {
            name: $name,
            needs: &[$($feature),*],
            is_detected: || true $(&& std::arch::$detect!($feature))*,
            add1_sub1: update,
            add1_sub2: update,
            add2_sub2: update,
            refresh,
            adjust,
            join,
            forward,
            deep,
        };
    };
}
use kernel_table;

/// The tables of a module, with those of x86-64 named, and the choice among them.
macro_rules! kernel_choice {
    ($($x86:path),+) => {
        /// Every table of this build, the fastest first.
        static TABLES: &[&Kernels] = &[
            $(
                #[cfg(target_arch = "x86_64")]
                &$x86,
            )+
            #[cfg(target_arch = "aarch64")]
            &neon::TABLE,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            &wasm::TABLE,
            &scalar::TABLE,
        ];

        impl Kernels {
            /// The kernels this machine can run, the fastest first. The last one is `scalar`.
            pub fn available() -> impl Iterator<Item = &'static Self> {
                TABLES.iter().copied().filter(|kernels| (kernels.is_detected)())
            }

            /// The fastest kernels this machine can run.
            pub fn best() -> &'static Self {
                static BEST: std::sync::LazyLock<&Kernels> = std::sync::LazyLock::new(|| {
                    Kernels::available().next().unwrap_or(&scalar::TABLE)
                });
                *BEST
            }

            /// The instruction set: `avx512vnni`, `avx512`, `avx2`, `neon`, `wasm` or `scalar`.
            pub fn name(&self) -> &'static str {
                self.name
            }

            /// The processor features these kernels use.
            pub fn needs(&self) -> &'static [&'static str] {
                self.needs
            }
        }

        impl std::fmt::Debug for Kernels {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, "Kernels({})", self.name)
            }
        }
    };
}
use kernel_choice;

kernel_choice!(avx512::vnni::TABLE, avx512::plain::TABLE, avx2::TABLE);

impl Kernels {
    /// The kernels with this name, if this machine can run them.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::available().find(|kernels| kernels.name == name)
    }

    /// Writes `src` plus one row minus one row to `dst`: a quiet move or a promotion.
    #[inline]
    pub fn add1_sub1(
        &self,
        dst: &mut [WordLine],
        src: &[WordLine],
        weights: &[WordLine],
        adds: [usize; 1],
        subs: [usize; 1],
    ) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.add1_sub1)(dst, src, weights, adds, subs) }
    }

    /// Writes `src` plus one row minus two rows to `dst`: a capture.
    #[inline]
    pub fn add1_sub2(
        &self,
        dst: &mut [WordLine],
        src: &[WordLine],
        weights: &[WordLine],
        adds: [usize; 1],
        subs: [usize; 2],
    ) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.add1_sub2)(dst, src, weights, adds, subs) }
    }

    /// Writes `src` plus two rows minus two rows to `dst`: castling.
    #[inline]
    pub fn add2_sub2(
        &self,
        dst: &mut [WordLine],
        src: &[WordLine],
        weights: &[WordLine],
        adds: [usize; 2],
        subs: [usize; 2],
    ) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.add2_sub2)(dst, src, weights, adds, subs) }
    }

    /// Adds and subtracts any number of rows to `cached` in place and copies it to `dst`.
    #[inline]
    pub fn refresh(
        &self,
        cached: &mut [WordLine],
        dst: &mut [WordLine],
        weights: &[WordLine],
        adds: &[u32],
        subs: &[u32],
    ) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.refresh)(cached, dst, weights, adds, subs) }
    }

    /// Writes `src` plus and minus any number of 8-bit rows to `dst`.
    #[inline]
    pub fn adjust(
        &self,
        dst: &mut [WordLine],
        src: &[WordLine],
        weights: &[SmallLine],
        adds: &[u32],
        subs: &[u32],
    ) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.adjust)(dst, src, weights, adds, subs) }
    }

    /// Writes the saturated sums of `a` and `b` to `dst`.
    #[inline]
    pub fn join(&self, dst: &mut [WordLine], a: &[WordLine], b: &[WordLine]) {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.join)(dst, a, b) }
    }

    /// The sum of `clamp(hidden, 0, QA)^2 * weight` over both sides' hidden layers.
    ///
    /// `weights` belongs to the first side, then to the second. Exact for weights within the
    /// limits that [`Network`](crate::Network) checks.
    #[inline]
    pub fn forward(&self, hidden: [&[WordLine]; 2], weights: &[WordLine]) -> i32 {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.forward)(hidden, weights) }
    }

    /// The output of a net with dense layers after the hidden one.
    #[inline]
    pub(crate) fn deep(
        &self,
        hidden: [&[WordLine]; 2],
        activated: &mut Activated,
        head: &DeepHead,
    ) -> f32 {
        // SAFETY: tables leave this module only after their features were detected.
        unsafe { (self.deep)(hidden, activated, head) }
    }
}
