//! The policy: a logit for each legal move, softmax over these, cross-entropy with the move played.

use super::attention::softmax;
use super::matrix::{add_scaled, dot};

/// Share of the target that is spread over all legal moves.
const SMOOTHING: f32 = 0.03;

/// What a token should predict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
    /// Policy rows of the legal moves.
    pub(crate) rows: &'a [u16],
    /// The place of the move played in this list.
    pub(crate) played: usize,
}

/// Head weights and bias, or their gradients.
pub(crate) struct Head<T> {
    pub(crate) weight: T,
    pub(crate) bias: T,
}

/// Logits of the legal moves of one token.
pub(crate) fn logits(head: &Head<&[f32]>, h: &[f32], rows: &[u16], out: &mut Vec<f32>) {
    out.clear();
    out.extend(rows.iter().map(|row| {
        let row = *row as usize;
        dot(&head.weight[row * h.len()..][..h.len()], h) + head.bias[row]
    }));
}

/// The loss of a token from its logits, which become their gradients `probability - target`.
pub(crate) fn loss(logits: &mut [f32], played: usize) -> f32 {
    softmax(logits);
    let even = SMOOTHING / logits.len() as f32;
    let mut loss = 0.0;
    for (index, p) in logits.iter_mut().enumerate() {
        let target = even + if index == played { 1.0 - SMOOTHING } else { 0.0 };
        loss -= target * p.max(1e-30).ln();
        *p -= target;
    }
    loss
}

/// Adds the gradients of one token; those of its logits are scaled by `factor`.
pub(crate) fn backward(
    head: &Head<&[f32]>,
    (h, rows): (&[f32], &[u16]),
    (dlogits, factor): (&[f32], f32),
    dh: &mut [f32],
    gradients: &mut Head<&mut [f32]>,
) {
    for (row, dlogit) in rows.iter().zip(dlogits) {
        let (row, dlogit) = (*row as usize, dlogit * factor);
        add_scaled(dh, dlogit, &head.weight[row * h.len()..][..h.len()]);
        add_scaled(&mut gradients.weight[row * h.len()..][..h.len()], dlogit, h);
        gradients.bias[row] += dlogit;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    #[test]
    fn gradients_agree_with_differences() {
        const WIDTH: usize = 16;
        let rows = [7, 2, 0, 5];
        let (weight, bias, h) = (random(8 * WIDTH, 1), random(8, 2), random(WIDTH, 3));
        let losses = |weight: &[f32], bias: &[f32], h: &[f32]| {
            let mut out = Vec::new();
            logits(&Head { weight, bias }, h, &rows, &mut out);
            let loss = loss(&mut out, 2);
            (f64::from(loss), out)
        };
        let (_, out) = losses(&weight, &bias, &h);
        assert!(out.iter().sum::<f32>().abs() < 1e-6);
        let (mut dw, mut db, mut dh) = (vec![0.0; 8 * WIDTH], vec![0.0; 8], vec![0.0; WIDTH]);
        let mut gradients = Head { weight: &mut dw[..], bias: &mut db[..] };
        let head = Head { weight: &weight[..], bias: &bias[..] };
        backward(&head, (&h, &rows), (&out, 1.0), &mut dh, &mut gradients);
        check_gradient(&h, &dh, |h| losses(&weight, &bias, h).0);
        check_gradient(&weight, &dw, |weight| losses(weight, &bias, &h).0);
        check_gradient(&bias, &db, |bias| losses(&weight, bias, &h).0);
    }

    #[test]
    fn a_forced_move_has_no_loss() {
        let mut logits = [3.0];
        assert!(loss(&mut logits, 0).abs() < 1e-6);
        assert!(logits[0].abs() < 1e-6);
    }
}
