//! `TQ2_0`, the ternary type of ggml (llama.cpp change #8151): 256 codes of two bits, then a scale.
//!
//! In each half of 128 weights, the code of weight `32 l + j` is in bits `2 l` and `2 l + 1` of byte `j`.

use super::Matrix;
use crate::policy::PolicyError;
use crate::policy::quant::{f16_bits, f16_value};

const BLOCK: usize = 256;
const BLOCK_BYTES: usize = 66;

/// The bytes of a matrix whose columns are a multiple of 256.
pub(super) fn encode(matrix: &Matrix) -> Vec<u8> {
    let (blocks, rest) = matrix.codes.as_chunks::<BLOCK>();
    assert!(rest.is_empty(), "rows are whole blocks");
    let mut out = Vec::with_capacity(blocks.len() * BLOCK_BYTES);
    for block in blocks {
        for half in block.as_chunks::<128>().0 {
            for j in 0..32 {
                let code = |l: usize| (half[32 * l + j] + 1) as u8 & 3;
                out.push(code(0) | code(1) << 2 | code(2) << 4 | code(3) << 6);
            }
        }
        out.extend(f16_bits(matrix.gamma).to_le_bytes());
    }
    out
}

/// The matrix of these bytes, if all its blocks have one scale above zero and no code is 3.
pub(super) fn decode(
    name: &str,
    rows: usize,
    cols: usize,
    bytes: &[u8],
) -> Result<Matrix, PolicyError> {
    let (blocks, _) = bytes.as_chunks::<BLOCK_BYTES>();
    let mut codes = Vec::with_capacity(rows * cols);
    let mut gamma = None;
    for (number, block) in blocks.iter().enumerate() {
        let wrong = || PolicyError::Number { name: name.to_owned(), index: number * BLOCK };
        let scale = f16_value(u16::from_le_bytes([block[64], block[65]]));
        // One scale for the whole matrix: what the kernels multiply with, once for each output.
        if *gamma.get_or_insert(scale) != scale || !(scale > 0.0 && scale.is_finite()) {
            return Err(wrong());
        }
        for half in block[..64].as_chunks::<32>().0 {
            for l in 0..4 {
                codes.extend(half.iter().map(|byte| (byte >> (2 * l) & 3) as i8 - 1));
            }
        }
        if codes[number * BLOCK..].contains(&2) {
            return Err(wrong());
        }
    }
    Ok(Matrix { rows, cols, gamma: gamma.unwrap_or(1.0), codes })
}
