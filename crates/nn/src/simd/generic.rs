//! The loops over lines, the same for every instruction set.
//!
//! Everything is forced inline: only inside the entry point of an instruction set may its
//! intrinsics be inlined. Closures over vectors are avoided for the same reason.
#![expect(clippy::inline_always, reason = "loops must be compiled with the caller's features")]

use super::Simd;
use crate::line::{Bytes, SmallLine, WordLine};
use crate::nnue::{Activation, DeepHead};

/// Hidden layers are multiples of this many lines (128 neurons).
const STEP: usize = 4;

/// One row of weights.
#[inline(always)]
fn row(weights: &[WordLine], feature: usize, lines: usize) -> &[WordLine] {
    &weights[feature * lines..][..lines]
}

#[inline(always)]
pub(super) fn update<S: Simd, const ADDS: usize, const SUBS: usize>(
    simd: S,
    dst: &mut [WordLine],
    src: &[WordLine],
    weights: &[WordLine],
    adds: [usize; ADDS],
    subs: [usize; SUBS],
) {
    let lines = dst.len();
    let src = &src[..lines];
    let adds = adds.map(|feature| row(weights, feature, lines));
    let subs = subs.map(|feature| row(weights, feature, lines));
    for i in 0..lines {
        let mut words = simd.load(&src[i]);
        for row in adds {
            words = simd.add(words, simd.load(&row[i]));
        }
        for row in subs {
            words = simd.sub(words, simd.load(&row[i]));
        }
        simd.store(&mut dst[i], words);
    }
}

/// Keeps `TILE` lines in registers while all rows pass by.
#[inline(always)]
pub(super) fn refresh<S: Simd, const TILE: usize>(
    simd: S,
    cached: &mut [WordLine],
    dst: &mut [WordLine],
    weights: &[WordLine],
    adds: &[u32],
    subs: &[u32],
) {
    let lines = cached.len();
    let mut start = 0;
    while lines - start >= TILE {
        tile::<S, TILE>(simd, cached, dst, weights, (adds, subs), start);
        start += TILE;
    }
    while lines - start >= STEP {
        tile::<S, STEP>(simd, cached, dst, weights, (adds, subs), start);
        start += STEP;
    }
    assert!(start == lines, "accumulators are multiples of {STEP} lines");
}

#[inline(always)]
fn tile<S: Simd, const TILE: usize>(
    simd: S,
    cached: &mut [WordLine],
    dst: &mut [WordLine],
    weights: &[WordLine],
    rows: (&[u32], &[u32]),
    start: usize,
) {
    let lines = cached.len();
    let cached = &mut cached[start..][..TILE];
    let dst = &mut dst[start..][..TILE];
    let words = pass_rows::<S, WordLine, TILE>(simd, cached, weights, rows, (lines, start));
    for i in 0..TILE {
        simd.store(&mut cached[i], words[i]);
        simd.store(&mut dst[i], words[i]);
    }
}

/// A line of a row, of whichever width.
trait RowLine {
    fn load<S: Simd>(&self, simd: S) -> S::Words;
}

impl RowLine for WordLine {
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> S::Words {
        simd.load(self)
    }
}

impl RowLine for SmallLine {
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> S::Words {
        simd.load_small(self)
    }
}

/// Some lines of an accumulator plus and minus the same lines of all rows, which are so many lines long and
/// of which those from a certain one on are wanted.
#[inline(always)]
fn pass_rows<S: Simd, L: RowLine, const TILE: usize>(
    simd: S,
    src: &[WordLine],
    weights: &[L],
    (adds, subs): (&[u32], &[u32]),
    (lines, start): (usize, usize),
) -> [S::Words; TILE] {
    let mut words = [simd.load(&src[0]); TILE];
    for i in 1..TILE {
        words[i] = simd.load(&src[i]);
    }
    for feature in adds {
        let row = &weights[*feature as usize * lines + start..][..TILE];
        for i in 0..TILE {
            words[i] = simd.add(words[i], row[i].load(simd));
        }
    }
    for feature in subs {
        let row = &weights[*feature as usize * lines + start..][..TILE];
        for i in 0..TILE {
            words[i] = simd.sub(words[i], row[i].load(simd));
        }
    }
    words
}

/// Rows of 8 bits: keeps `TILE` lines in registers while they pass by.
#[inline(always)]
pub(super) fn adjust<S: Simd, const TILE: usize>(
    simd: S,
    dst: &mut [WordLine],
    src: &[WordLine],
    weights: &[SmallLine],
    adds: &[u32],
    subs: &[u32],
) {
    let lines = dst.len();
    assert!(src.len() == lines);
    let mut start = 0;
    while lines - start >= TILE {
        small_tile::<S, TILE>(simd, dst, src, weights, (adds, subs), start);
        start += TILE;
    }
    while lines - start >= STEP {
        small_tile::<S, STEP>(simd, dst, src, weights, (adds, subs), start);
        start += STEP;
    }
    assert!(start == lines, "accumulators are multiples of {STEP} lines");
}

#[inline(always)]
fn small_tile<S: Simd, const TILE: usize>(
    simd: S,
    dst: &mut [WordLine],
    src: &[WordLine],
    weights: &[SmallLine],
    rows: (&[u32], &[u32]),
    start: usize,
) {
    let lines = dst.len();
    let src = &src[start..][..TILE];
    let dst = &mut dst[start..][..TILE];
    let words = pass_rows::<S, SmallLine, TILE>(simd, src, weights, rows, (lines, start));
    for i in 0..TILE {
        simd.store(&mut dst[i], words[i]);
    }
}

#[inline(always)]
pub(super) fn join<S: Simd>(simd: S, dst: &mut [WordLine], a: &[WordLine], b: &[WordLine]) {
    assert!(a.len() == dst.len() && b.len() == dst.len());
    for ((dst, a), b) in dst.iter_mut().zip(a).zip(b) {
        simd.store(dst, simd.add_saturating(simd.load(a), simd.load(b)));
    }
}

#[inline(always)]
pub(super) fn forward<S: Simd>(simd: S, hidden: [&[WordLine]; 2], weights: &[WordLine]) -> i32 {
    let lines = hidden[0].len();
    assert!(weights.len() == 2 * lines && hidden[1].len() == lines && lines.is_multiple_of(STEP));
    let (first, second) = weights.split_at(lines);
    // Independent chains hide the latency of the multiply-add.
    let mut sums = [simd.zero(); STEP];
    for (hidden, weights) in [(hidden[0], first), (hidden[1], second)] {
        let (hidden, _) = hidden.as_chunks::<STEP>();
        let (weights, _) = weights.as_chunks::<STEP>();
        for (hidden, weights) in hidden.iter().zip(weights) {
            for i in 0..STEP {
                let weights = simd.load(&weights[i]);
                sums[i] = simd.add_squares(sums[i], simd.load(&hidden[i]), weights);
            }
        }
    }
    let [a, b, c, d] = sums;
    simd.total(simd.join(simd.join(a, b), simd.join(c, d)))
}

/// Most groups of four activations: both sides of 1,024 squared neurons.
const MOST_GROUPS: usize = 512;

/// The places of the bits of every byte, the lowest first.
static BIT_PLACES: [[u16; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                places[byte][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};

/// The groups of activations that are not all zero.
struct ActiveGroups {
    groups: [u16; MOST_GROUPS + 8],
    count: usize,
}

impl ActiveGroups {
    /// Adds those of 16 groups, given as bits. Always writes eight places and keeps as many as there are
    /// bits: a branch for each bit would be mispredicted about once a line (Stockfish's `find_nnz`).
    #[inline(always)]
    fn add(&mut self, first: usize, bits: u16) {
        for (half, byte) in bits.to_le_bytes().into_iter().enumerate() {
            let first = (first + 8 * half) as u16;
            let places = &mut self.groups[self.count..][..8];
            for (place, bit) in places.iter_mut().zip(BIT_PLACES[byte as usize]) {
                *place = first + bit;
            }
            self.count += byte.count_ones() as usize;
        }
    }
}

/// What the hidden layers hand on, through the dense layers. Groups of four activations that are all
/// zero, which is most of them, cost nothing (an idea of Stockfish's `affine_sparse_input`).
#[inline(always)]
pub(super) fn deep<S: Simd>(
    simd: S,
    hidden: [&[WordLine]; 2],
    activated: &mut [Bytes],
    head: &DeepHead,
) -> f32 {
    let mut active = ActiveGroups { groups: [0; MOST_GROUPS + 8], count: 0 };
    let per_side = activated.len() / 2;
    assert!(2 * per_side * Bytes::GROUPS <= MOST_GROUPS);
    for (side, hidden) in hidden.into_iter().enumerate() {
        let first = side * per_side;
        let activated = &mut activated[first..][..per_side];
        let load = |lines: &[WordLine; 2]| [simd.load(&lines[0]), simd.load(&lines[1])];
        let (lines, _) = hidden.as_chunks::<2>();
        match head.activation {
            Activation::Squared => {
                assert!(lines.len() == per_side);
                for (index, (lines, bytes)) in lines.iter().zip(activated).enumerate() {
                    let lines = load(lines);
                    let bits = simd.write_products(lines, lines, bytes);
                    active.add((first + index) * Bytes::GROUPS, bits);
                }
            }
            Activation::Pairwise => {
                assert!(lines.len() == 2 * per_side);
                let (a, b) = lines.split_at(per_side);
                for (index, ((a, b), bytes)) in a.iter().zip(b).zip(activated).enumerate() {
                    let bits = simd.write_products(load(a), load(b), bytes);
                    active.add((first + index) * Bytes::GROUPS, bits);
                }
            }
        }
    }
    let active = &active.groups[..active.count];
    assert!(activated.len() * Bytes::GROUPS == head.first.len());
    let group_at = |group: usize| activated[group / Bytes::GROUPS].group(group % Bytes::GROUPS);
    // Two chains hide the latency of the additions.
    let mut dots = [simd.no_dots(); 2];
    let (pairs, rest) = active.as_chunks::<2>();
    for pair in pairs {
        for chain in 0..2 {
            let group = pair[chain] as usize;
            dots[chain] = simd.add_dots(dots[chain], group_at(group), &head.first[group]);
        }
    }
    for group in rest {
        let group = *group as usize;
        dots[0] = simd.add_dots(dots[0], group_at(group), &head.first[group]);
    }
    let inputs = head.second_inputs(simd.read_dots(simd.join_dots(dots[0], dots[1])));
    let (bias, _) = head.second_bias.as_chunks::<16>();
    let mut neurons = [simd.load_floats(&bias[0]), simd.load_floats(&bias[1])];
    for (x, weights) in inputs.iter().zip(head.second.iter()) {
        let (weights, _) = weights.as_chunks::<16>();
        for half in 0..2 {
            neurons[half] = simd.add_scaled(neurons[half], *x, &weights[half]);
        }
    }
    head.output([simd.read_floats(neurons[0]), simd.read_floats(neurons[1])])
}
