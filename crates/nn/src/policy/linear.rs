//! A ternary matrix in the layout of the kernels, and what it is multiplied with.

use super::config::ActQuant;
use super::quant;
use super::weights::Matrix;
use crate::simd::ternary::{ByteLine, COLUMNS, CodeLine, FloatLine, Kernels, MaskLine, ROWS};

/// A packed ternary matrix.
pub(super) struct Ternary {
    rows: usize,
    gamma: f32,
    packed: Packed,
}

enum Packed {
    Codes(Vec<CodeLine>),
    Masks(Vec<MaskLine>),
}

impl Ternary {
    /// Packs a matrix for activations of this kind.
    pub(super) fn new(matrix: &Matrix, act_quant: ActQuant) -> Self {
        // Rows of zeros fill up the last group of four.
        let padded = matrix.rows.next_multiple_of(ROWS) * matrix.cols;
        let mut codes = matrix.codes.clone();
        codes.resize(padded, 0);
        let (lines, rest) = codes.as_chunks::<COLUMNS>();
        assert!(rest.is_empty(), "columns are a multiple of {COLUMNS}");
        let packed = match act_quant {
            ActQuant::Int8 => Packed::Codes(lines.iter().map(CodeLine::pack).collect()),
            ActQuant::None => Packed::Masks(lines.iter().map(MaskLine::pack).collect()),
        };
        Self { rows: matrix.rows, gamma: matrix.gamma, packed }
    }

    /// Bytes of packed weights.
    pub(super) fn bytes(&self) -> usize {
        64 * match &self.packed {
            Packed::Codes(lines) => lines.len(),
            Packed::Masks(lines) => lines.len(),
        }
    }

    /// Writes the products with all tokens, one token after the other.
    pub(super) fn apply(
        &self,
        kernels: &Kernels,
        input: &Activations,
        sums: &mut Vec<i32>,
        out: &mut Vec<f32>,
    ) {
        let padded = self.rows.next_multiple_of(ROWS);
        self.multiply(kernels, input, 0..padded, sums, out);
        if padded != self.rows {
            let mut index = 0;
            out.retain(|_| {
                index += 1;
                (index - 1) % padded < self.rows
            });
        }
    }

    /// The outputs of a single token for some rows.
    pub(super) fn apply_rows(
        &self,
        kernels: &Kernels,
        input: &Activations,
        rows: &[usize],
        out: &mut [f32],
    ) {
        let (mut sums, mut four) = (Vec::new(), Vec::new());
        for (row, out) in rows.iter().zip(out) {
            let first = row / ROWS * ROWS;
            self.multiply(kernels, input, first..first + ROWS, &mut sums, &mut four);
            *out = four[row % ROWS];
        }
    }

    /// Multiplies with some of the rows, whole groups of four.
    fn multiply(
        &self,
        kernels: &Kernels,
        input: &Activations,
        rows: std::ops::Range<usize>,
        sums: &mut Vec<i32>,
        out: &mut Vec<f32>,
    ) {
        let count = rows.len();
        out.clear();
        out.resize(count * input.tokens, 0.0);
        let lines = |rows: std::ops::Range<usize>| {
            let lines = input.columns / COLUMNS;
            rows.start * lines..rows.end * lines
        };
        match &self.packed {
            Packed::Codes(codes) => {
                sums.clear();
                sums.resize(out.len(), 0);
                kernels.integers(&codes[lines(rows)], &input.bytes, input.tokens, sums);
                let tokens = out.chunks_exact_mut(count).zip(sums.chunks_exact(count));
                for ((out, sums), step) in tokens.zip(&input.steps) {
                    let scale = self.gamma * step;
                    for (out, sum) in out.iter_mut().zip(sums) {
                        *out = *sum as f32 * scale;
                    }
                }
            }
            Packed::Masks(masks) => {
                kernels.floats(&masks[lines(rows)], &input.floats, input.tokens, out);
                for out in out {
                    *out *= self.gamma;
                }
            }
        }
    }
}

/// The activations of some tokens, as the kernels want them.
#[derive(Default)]
pub(super) struct Activations {
    tokens: usize,
    columns: usize,
    bytes: Vec<ByteLine>,
    steps: Vec<f32>,
    floats: Vec<FloatLine>,
    scratch: Vec<i8>,
}

impl Activations {
    /// Takes the numbers of all tokens, one after the other.
    pub(super) fn load(&mut self, x: &[f32], columns: usize, act_quant: ActQuant) {
        (self.tokens, self.columns) = (x.len() / columns, columns);
        match act_quant {
            ActQuant::Int8 => {
                self.bytes.clear();
                self.steps.clear();
                self.scratch.resize(columns, 0);
                for token in x.chunks_exact(columns) {
                    self.steps.push(quant::quantise(token, &mut self.scratch));
                    self.bytes.extend(self.scratch.as_chunks().0.iter().map(|x| ByteLine(*x)));
                }
            }
            ActQuant::None => {
                self.floats.clear();
                self.floats.extend(x.as_chunks().0.iter().map(|x| FloatLine(*x)));
            }
        }
    }
}
