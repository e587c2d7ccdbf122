//! The static evaluation of a net file of Stockfish 15.1, as its command `export_net` writes it.
//!
//! Each side sees every piece, kings included, on 64 squares from its own end of the board, mirrored
//! so that its king stands on files e to h, with separate weights for the 32 squares that leaves the
//! king. 1024 sums a side are paired into 512 products; three small layers, chosen by the number of
//! pieces, turn the 1024 products into a value, to which a table of piece values is added. Layout and
//! arithmetic follow the documentation of nnue-pytorch. The weights serve as a teacher only.

use super::NetError;
use super::bytes::Bytes;
use tabiya_chess::{Board, Color, PieceType};

/// Sums per side.
const SUMS: usize = 1024;
/// Products of all sums, both sides together: the inputs of the small layers.
const PRODUCTS: usize = 1024;
/// Own and other pieces of five kinds, and one plane for both kings.
const PLANES: usize = 11;
/// Inputs that can be on or off: squares, planes, squares of the own king.
const FEATURES: usize = 64 * PLANES * 32;
/// Sets of small layers, one for every four pieces.
const BUCKETS: usize = 8;
/// Outputs of the first small layer; the last one goes straight to the result.
const FIRST: usize = 16;
/// Inputs and outputs of the second small layer; two inputs are unused.
const SECOND: usize = 32;
/// 1.0 of sums and layers, and the shift that brings a layer's sum back to it.
const ONE: i64 = 127;
const SHIFT: u32 = 6;
/// The result counts in sixteenths of the inner unit.
const OUTPUT_UNIT: i64 = 16;
/// What 1.0 of the straight output is worth in the inner unit.
const STRAIGHT: i64 = 600;
/// No value is further from zero, whatever the weights: only nonsense gets there.
const LARGEST: i64 = 1_000_000;

/// A net of Stockfish 15.1.
pub struct HalfKa {
    biases: Vec<i16>,
    weights: Vec<i16>,
    piece_values: Vec<i32>,
    layers: Vec<Layers>,
}

/// The small layers of one bucket, weights by output.
struct Layers {
    first_biases: Vec<i32>,
    first: Vec<i8>,
    second_biases: Vec<i32>,
    second: Vec<i8>,
    third_bias: i32,
    third: Vec<i8>,
}

impl HalfKa {
    /// Reads the content of a net file.
    pub fn parse(bytes: &[u8]) -> Result<Self, NetError> {
        let mut rest = Bytes(bytes);
        rest.header()?;
        let net = Self {
            biases: rest.words(SUMS)?,
            weights: rest.words(FEATURES * SUMS)?,
            piece_values: rest.numbers(FEATURES * BUCKETS)?,
            layers: (0..BUCKETS).map(|_| Layers::parse(&mut rest)).collect::<Result<_, _>>()?,
        };
        if rest.0.is_empty() { Ok(net) } else { Err(NetError::Size(Some(rest.0.len()))) }
    }

    /// The value for the side to move in the net's inner unit.
    pub fn evaluate(&self, board: &Board) -> i32 {
        let bucket = (board.occupied().count() as usize - 1) / 4;
        let mut products = [0; PRODUCTS];
        let (own, other) = products.split_at_mut(PRODUCTS / 2);
        let us = board.side_to_move();
        let own_pieces = self.look(board, us, bucket, own);
        let other_pieces = self.look(board, !us, bucket, other);
        let material = (own_pieces - other_pieces) / 2;
        let value = (material + self.layers[bucket].apply(&products)) / OUTPUT_UNIT;
        value.clamp(-LARGEST, LARGEST) as i32
    }

    /// Writes what one side sees; returns the value of the pieces.
    fn look(&self, board: &Board, side: Color, bucket: usize, products: &mut [i16]) -> i64 {
        let mut sums = [0; SUMS];
        sums.copy_from_slice(&self.biases);
        let mut value = 0;
        let turn = if side == Color::Black { 56 } else { 0 };
        let king = board.king(side) as usize ^ turn;
        let mirror = if king % 8 < 4 { 7 } else { 0 };
        let king = king ^ mirror;
        let king_square = (7 - king / 8) * 4 + (7 - king % 8);
        for sq in board.occupied() {
            let Some(piece) = board.piece_on(sq) else { continue };
            let plane = match piece.kind() {
                PieceType::King => PLANES - 1,
                kind => 2 * kind as usize + usize::from(piece.color() != side),
            };
            let feature = (king_square * PLANES + plane) * 64 + (sq as usize ^ turn ^ mirror);
            let row = &self.weights[feature * SUMS..][..SUMS];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(*weight);
            }
            value += i64::from(self.piece_values[feature * BUCKETS + bucket]);
        }
        let (left, right) = sums.split_at(SUMS / 2);
        for ((product, a), b) in products.iter_mut().zip(left).zip(right) {
            *product = (a.clamp(&0, &(ONE as i16)) * b.clamp(&0, &(ONE as i16))) >> 7;
        }
        value
    }
}

impl Layers {
    fn parse(rest: &mut Bytes) -> Result<Self, NetError> {
        let _hash = rest.number()?;
        Ok(Self {
            first_biases: rest.numbers(FIRST)?,
            first: rest.bytes(FIRST * PRODUCTS)?,
            second_biases: rest.numbers(SECOND)?,
            second: rest.bytes(SECOND * SECOND)?,
            third_bias: rest.number()?,
            third: rest.bytes(SECOND)?,
        })
    }

    fn apply(&self, products: &[i16; PRODUCTS]) -> i64 {
        let mut first = [0; FIRST];
        for ((output, bias), row) in
            first.iter_mut().zip(&self.first_biases).zip(self.first.chunks_exact(PRODUCTS))
        {
            *output = i64::from(*bias) + dot(products, row);
        }
        let [hidden @ .., straight] = first;
        // The second layer sees every output twice: squared, and cut off below zero.
        let mut inputs = [0; SECOND];
        let (squares, rest) = inputs.split_at_mut(hidden.len());
        for ((square, plain), value) in squares.iter_mut().zip(rest).zip(hidden) {
            // Beyond the square root of its limit a square is at its limit.
            let value_cut = value.clamp(-(ONE << SHIFT) * 2, (ONE << SHIFT) * 2);
            *square = ((value_cut * value_cut) >> (2 * SHIFT + 7)).min(ONE) as i16;
            *plain = activate(value);
        }
        let mut result = i64::from(self.third_bias);
        for ((bias, row), weight) in
            self.second_biases.iter().zip(self.second.chunks_exact(SECOND)).zip(&self.third)
        {
            let output = activate(i64::from(*bias) + dot(&inputs, row));
            result += i64::from(output) * i64::from(*weight);
        }
        result + straight * (STRAIGHT * OUTPUT_UNIT) / (ONE << SHIFT)
    }
}

fn dot(inputs: &[i16], weights: &[i8]) -> i64 {
    let products = inputs.iter().zip(weights).map(|(a, b)| i32::from(*a) * i32::from(*b));
    i64::from(products.sum::<i32>())
}

fn activate(sum: i64) -> i16 {
    (sum >> SHIFT).clamp(0, ONE) as i16
}

#[cfg(test)]
pub(in crate::data) mod tests;
