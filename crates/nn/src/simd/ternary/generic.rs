//! The loops over lines, the same for every instruction set.
#![expect(clippy::inline_always, reason = "loops must be compiled with the caller's features")]

use super::{ByteLine, CodeLine, Dot, FloatLine, LINE_LIMIT, MaskLine, Masked, ROWS};

/// Rows and lines of a row, from the lengths of everything.
#[inline(always)]
fn shape(weights: usize, x: usize, x_lines: usize, tokens: usize, out: usize) -> (usize, usize) {
    assert!(tokens > 0 && x > 0, "something to multiply");
    let (lines, rows) = (x / tokens / x_lines, out / tokens);
    assert!(x == tokens * lines * x_lines && out == tokens * rows, "whole tokens");
    assert!(weights == rows * lines && rows.is_multiple_of(ROWS), "whole rows, four at a time");
    (rows, lines)
}

#[inline(always)]
pub(super) fn integers<D: Dot>(
    dot: D,
    codes: &[CodeLine],
    x: &[ByteLine],
    tokens: usize,
    out: &mut [i32],
) {
    let (rows, lines) = shape(codes.len(), x.len(), 4, tokens, out.len());
    assert!(lines <= LINE_LIMIT, "rows of at most 4096 columns");
    let x = x.as_chunks::<4>().0;
    let mut token = 0;
    // Four tokens share the unpacking of a row.
    while tokens - token >= 4 {
        let x: [_; 4] = std::array::from_fn(|t| &x[(token + t) * lines..][..lines]);
        let offset = x.map(total);
        for row in 0..rows {
            let codes = &codes[row * lines..][..lines];
            let mut sums = [dot.zero(); 4];
            for line in 0..lines {
                let codes = dot.unpack(&codes[line]);
                for t in 0..4 {
                    sums[t] = dot.add(sums[t], codes, &x[t][line]);
                }
            }
            let sums = dot.totals(sums);
            for t in 0..4 {
                out[(token + t) * rows + row] = sums[t] - offset[t];
            }
        }
        token += 4;
    }
    // Four rows share the activations of a token, and hide each other's latency.
    while token < tokens {
        let x = &x[token * lines..][..lines];
        let out = &mut out[token * rows..][..rows];
        let offset = total(x);
        let (quads, _) = out.as_chunks_mut::<ROWS>();
        for (quad, out) in quads.iter_mut().enumerate() {
            let codes: [_; ROWS] =
                std::array::from_fn(|r| &codes[(ROWS * quad + r) * lines..][..lines]);
            let mut sums = [dot.zero(); ROWS];
            for line in 0..lines {
                for r in 0..ROWS {
                    sums[r] = dot.add(sums[r], dot.unpack(&codes[r][line]), &x[line]);
                }
            }
            *out = dot.totals(sums).map(|sum| sum - offset);
        }
        token += 1;
    }
}

/// The sum of all activations: what codes `w + 1` give too much.
#[inline(always)]
fn total(x: &[[ByteLine; 4]]) -> i32 {
    x.as_flattened().iter().flat_map(|line| line.0).map(i32::from).sum()
}

#[inline(always)]
pub(super) fn floats<D: Dot>(
    dot: D,
    masks: &[MaskLine],
    x: &[FloatLine],
    tokens: usize,
    out: &mut [f32],
) {
    let (rows, lines) = shape(masks.len(), x.len(), 16, tokens, out.len());
    let (x, _) = x.as_chunks::<16>();
    for (x, out) in x.chunks_exact(lines).zip(out.chunks_exact_mut(rows)) {
        let (quads, _) = out.as_chunks_mut::<ROWS>();
        for (quad, out) in quads.iter_mut().enumerate() {
            let masks: [_; ROWS] =
                std::array::from_fn(|r| &masks[(ROWS * quad + r) * lines..][..lines]);
            let mut lanes = [dot.no_lanes(); ROWS];
            for line in 0..lines {
                let rows = std::array::from_fn(|r| &masks[r][line]);
                lanes = dot.add_masked(lanes, Masked { rows, x: &x[line] });
            }
            for r in 0..ROWS {
                out[r] = tree(dot.lanes(lanes[r]));
            }
        }
    }
}

/// The sum of sixteen lanes, always in the same order.
#[inline(always)]
fn tree(lanes: FloatLine) -> f32 {
    let x = lanes.0;
    let eight: [f32; 8] = std::array::from_fn(|i| x[i] + x[i + 8]);
    let four: [f32; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
