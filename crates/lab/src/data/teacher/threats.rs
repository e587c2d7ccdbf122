//! The static evaluation of a net file of Stockfish 18.
//!
//! Each side sees every piece as with Stockfish 15.1 (see `halfka`), and every attack of one piece on
//! another (`features`). 1024 sums a side are paired into 512 products; three small layers, chosen by
//! the number of pieces, turn the 1024 products into a value, to which tables of piece and threat
//! values are added. Layout and arithmetic follow Stockfish's published network code; the weights are
//! in the public domain (CC0) and serve as a teacher only.

mod features;
mod sums;
#[cfg(test)]
mod tests;

pub use sums::Sums;

use super::NetError;
use super::bytes::{Bytes, PACKED};
use features::{PIECES, THREATS};
use sums::{SUMS, Side};
use tabiya_chess::Board;

/// Products of all sums, both sides together: the inputs of the small layers.
const PRODUCTS: usize = 1024;
/// Sets of small layers, one for every four pieces.
const BUCKETS: usize = 8;
/// Outputs of the first small layer; the last one goes straight to the result.
const FIRST: usize = 16;
/// Inputs and outputs of the second small layer; two inputs are unused.
const SECOND: usize = 32;
/// 1.0 of the layers' inputs, and the shift that brings a layer's sum back to it.
const ONE: i32 = 127;
const SHIFT: u32 = 6;
/// The result counts in sixteenths of the inner unit.
const OUTPUT_UNIT: i64 = 16;
/// What 1.0 of the straight output is worth in the inner unit.
const STRAIGHT: i64 = 600;
/// No part of a value is further from zero, whatever the weights: only nonsense gets there.
const LARGEST: i64 = 1_000_000;

/// Weights of one input for all sums, on their own cache lines.
#[derive(Clone)]
#[repr(C, align(64))]
struct Row<T>([T; SUMS]);

/// A net of Stockfish 18.
pub struct ThreatNet {
    biases: Row<i16>,
    pieces: Vec<Row<i16>>,
    threats: Vec<Row<i8>>,
    piece_values: Vec<[i32; BUCKETS]>,
    threat_values: Vec<[i32; BUCKETS]>,
    layers: Vec<Layers>,
}

/// The small layers of one bucket, weights by output.
struct Layers {
    first_biases: Vec<i32>,
    first: Vec<Row<i8>>,
    second_biases: Vec<i32>,
    second: Vec<[i8; SECOND]>,
    third_bias: i32,
    third: Vec<i8>,
}

/// The two parts of a value, for the side to move, in the net's inner unit. Their sum is the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// What pieces and threats are worth by the tables.
    pub psqt: i32,
    /// What the layers add.
    pub positional: i32,
}

impl ThreatNet {
    /// Whether a file that begins like this is meant to be such a net.
    pub(super) fn is_meant(bytes: &[u8]) -> bool {
        let mut rest = Bytes(bytes);
        rest.header().is_ok() && rest.0.starts_with(PACKED)
    }

    /// Reads the content of a net file.
    pub fn parse(bytes: &[u8]) -> Result<Self, NetError> {
        let mut rest = Bytes(bytes);
        rest.header()?;
        let mut biases = Row([0; SUMS]);
        rest.packed(SUMS, |index, number| biases.0[index] = number as i16)?;
        let (threats, _) = rest.take(THREATS * SUMS)?.as_chunks();
        let threats = threats.iter().map(|row| Row(row.map(u8::cast_signed))).collect();
        // Every packed number takes a byte at least: a short file asks for no memory.
        if rest.0.len() < PIECES * SUMS {
            return Err(NetError::Size(None));
        }
        let mut pieces = vec![Row([0; SUMS]); PIECES];
        rest.packed(PIECES * SUMS, |index, number| {
            pieces[index / SUMS].0[index % SUMS] = number as i16;
        })?;
        let mut threat_values = vec![[0; BUCKETS]; THREATS];
        let mut piece_values = vec![[0; BUCKETS]; PIECES];
        rest.packed((THREATS + PIECES) * BUCKETS, |index, number| {
            let (feature, bucket) = (index / BUCKETS, index % BUCKETS);
            match feature.checked_sub(THREATS) {
                Some(piece) => piece_values[piece][bucket] = number,
                None => threat_values[feature][bucket] = number,
            }
        })?;
        let layers = (0..BUCKETS).map(|_| Layers::parse(&mut rest)).collect::<Result<_, _>>()?;
        let net = Self { biases, pieces, threats, piece_values, threat_values, layers };
        if rest.0.is_empty() { Ok(net) } else { Err(NetError::Size(Some(rest.0.len()))) }
    }

    /// The value of a position, with what `sums` knows of those before it.
    pub fn evaluate(&self, board: &Board, sums: &mut Sums) -> Parts {
        let us = board.side_to_move();
        let bucket = (board.occupied().count() as usize - 1) / 4;
        let mut products = Row([0; PRODUCTS]);
        let mut values = [0; 2];
        let halves = products.0.chunks_exact_mut(PRODUCTS / 2);
        for ((value, half), side) in values.iter_mut().zip(halves).zip([us, !us]) {
            let Side { pieces, threats } = sums.look(self, board, side);
            multiply(&pieces.row.0, &threats.row.0, half);
            *value = i64::from(pieces.values[bucket]) + i64::from(threats.values[bucket]);
        }
        let psqt = (values[0] - values[1]) / 2 / OUTPUT_UNIT;
        let positional = self.layers[bucket].apply(&products) / OUTPUT_UNIT;
        Parts {
            psqt: psqt.clamp(-LARGEST, LARGEST) as i32,
            positional: positional.clamp(-LARGEST, LARGEST) as i32,
        }
    }
}

/// What the layers see of one side: products of the clipped sums of one half and the other.
fn multiply(pieces: &[i16; SUMS], threats: &[i16; SUMS], products: &mut [u8]) {
    let clipped = |index: usize| pieces[index].wrapping_add(threats[index]).clamp(0, 255) as u16;
    for (index, product) in products.iter_mut().enumerate().take(SUMS / 2) {
        *product = ((clipped(index) * clipped(index + SUMS / 2)) >> 9) as u8;
    }
}

impl Layers {
    fn parse(rest: &mut Bytes) -> Result<Self, NetError> {
        let _hash = rest.number()?;
        let first_biases = rest.numbers(FIRST)?;
        let (first, _) = rest.take(FIRST * PRODUCTS)?.as_chunks();
        let first = first.iter().map(|row| Row(row.map(u8::cast_signed))).collect();
        let second_biases = rest.numbers(SECOND)?;
        let (second, _) = rest.take(SECOND * SECOND)?.as_chunks();
        Ok(Self {
            first_biases,
            first,
            second_biases,
            second: second.iter().map(|row| row.map(u8::cast_signed)).collect(),
            third_bias: rest.number()?,
            third: rest.bytes(SECOND)?,
        })
    }

    fn apply(&self, products: &Row<u8>) -> i64 {
        let mut first = [0; FIRST];
        for ((output, bias), row) in first.iter_mut().zip(&self.first_biases).zip(&self.first) {
            *output = i64::from(*bias) + i64::from(dot(&products.0, &row.0));
        }
        let [hidden @ .., straight] = first;
        // The second layer sees every output twice: squared, and cut off below zero.
        let mut inputs = [0; SECOND];
        let (squares, rest) = inputs.split_at_mut(hidden.len());
        for ((square, plain), value) in squares.iter_mut().zip(rest).zip(hidden) {
            // Beyond this a square is at its limit.
            let near = value.clamp(-(1 << 14), 1 << 14);
            *square = ((near * near) >> (2 * SHIFT + 7)).min(i64::from(ONE)) as u8;
            *plain = activate(value);
        }
        let mut result = i64::from(self.third_bias);
        for ((bias, row), weight) in self.second_biases.iter().zip(&self.second).zip(&self.third) {
            let output = activate(i64::from(*bias) + i64::from(dot(&inputs, row)));
            result += i64::from(output) * i64::from(*weight);
        }
        result + straight * (STRAIGHT * OUTPUT_UNIT) / i64::from(ONE << SHIFT)
    }
}

fn dot<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    inputs.iter().zip(weights).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

fn activate(sum: i64) -> u8 {
    (sum >> SHIFT).clamp(0, i64::from(ONE)) as u8
}
