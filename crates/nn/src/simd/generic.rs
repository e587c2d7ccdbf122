//! The loops over lines, the same for every instruction set.
//!
//! Everything is forced inline: only inside the entry point of an instruction set may its
//! intrinsics be inlined. Closures over vectors are avoided for the same reason.
#![expect(clippy::inline_always, reason = "loops must be compiled with the caller's features")]

use super::{Simd, flatten};
use crate::line::{Bytes, SmallLine, WordLine};
use crate::nnue::{Activated, Activation, DeepHead};

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

/// Sums of the first dense layer that are added side by side.
const CHAINS: usize = 4;

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

/// What [`Simd::write_places`] does where no instruction does it: eight places are written for each
/// byte, of which as many are kept as there are bits, since a branch for each bit would be
/// mispredicted about once a line (Stockfish's `find_nnz`).
#[inline(always)]
pub(super) fn write_places_by_table(first: u16, bits: u16, out: &mut [u16; Bytes::GROUPS]) {
    let [low, high] = bits.to_le_bytes();
    let places = |byte: u8, first: u16| BIT_PLACES[byte as usize].map(|bit| first + bit);
    out[..8].copy_from_slice(&places(low, first));
    out[low.count_ones() as usize..][..8].copy_from_slice(&places(high, first + 8));
}

/// Appends the active groups of a line, given as bits, to those that were counted.
#[inline(always)]
fn add_active<S: Simd>(simd: S, active: &mut [u16], count: &mut usize, line: usize, bits: u16) {
    let out = active[*count..].first_chunk_mut().expect("there is room for a line more");
    simd.write_places((line * Bytes::GROUPS) as u16, bits, out);
    *count += bits.count_ones() as usize;
}

/// What the hidden layers hand on, through the dense layers. Groups of four activations that are all
/// zero, which is most of them, cost nothing (an idea of Stockfish's `affine_sparse_input`).
#[inline(always)]
pub(super) fn deep<S: Simd>(
    simd: S,
    hidden: [&[WordLine]; 2],
    activated: &mut Activated,
    head: &DeepHead,
) -> f32 {
    let Activated { bytes: activated, active } = activated;
    let mut count = 0;
    let per_side = activated.len() / 2;
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
                    add_active(simd, active, &mut count, first + index, bits);
                }
            }
            Activation::Pairwise => {
                assert!(lines.len() == 2 * per_side);
                let (a, b) = lines.split_at(per_side);
                for (index, ((a, b), bytes)) in a.iter().zip(b).zip(activated).enumerate() {
                    let bits = simd.write_products(load(a), load(b), bytes);
                    add_active(simd, active, &mut count, first + index, bits);
                }
            }
        }
    }
    let active = &active[..count];
    let (activated, _) = flatten(activated).as_chunks::<{ Bytes::GROUP }>();
    assert!(activated.len() == head.first.len());
    // Independent chains hide the latency of the additions.
    let mut dots = [simd.no_dots(); CHAINS];
    let (together, rest) = active.as_chunks::<CHAINS>();
    for group in together {
        for chain in 0..CHAINS {
            let group = group[chain] as usize;
            dots[chain] = simd.add_dots(dots[chain], activated[group], &head.first[group]);
        }
    }
    for group in rest {
        let group = *group as usize;
        dots[0] = simd.add_dots(dots[0], activated[group], &head.first[group]);
    }
    let [a, b, c, d] = dots;
    let dots = simd.join_dots(simd.join_dots(a, b), simd.join_dots(c, d));
    let inputs = head.second_inputs(simd.read_dots(dots));
    let (bias, _) = head.second_bias.as_chunks::<16>();
    // Inputs with even and odd numbers in chains of their own.
    let zeros = simd.load_floats(&[0.0; 16]);
    let mut neurons = [[simd.load_floats(&bias[0]), simd.load_floats(&bias[1])], [zeros; 2]];
    let (pairs, _) = inputs.as_chunks::<2>();
    let (rows, _) = head.second.as_chunks::<2>();
    for (pair, rows) in pairs.iter().zip(rows) {
        for chain in 0..2 {
            let (weights, _) = rows[chain].as_chunks::<16>();
            for half in 0..2 {
                let sums = neurons[chain][half];
                neurons[chain][half] = simd.add_scaled(sums, pair[chain], &weights[half]);
            }
        }
    }
    let [even, odd] = neurons.map(|chain| chain.map(|half| simd.read_floats(half)));
    let mut neurons = even;
    for (sum, number) in neurons.as_flattened_mut().iter_mut().zip(odd.as_flattened()) {
        *sum += number;
    }
    head.output(neurons)
}
