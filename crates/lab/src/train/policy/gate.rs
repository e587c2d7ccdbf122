//! The gated middle of the feed-forward part: `m = act(gate) * up`, with `act` = squared `ReLU` or `SiLU`.
//!
//! A token's row holds the gates first, then the values they gate.

use tabiya_nn::policy::config::Activation;

fn act(activation: Activation, gate: f32) -> f32 {
    match activation {
        Activation::Relu2 => gate.max(0.0) * gate.max(0.0),
        Activation::Silu => gate / (1.0 + (-gate).exp()),
    }
}

fn derivative(activation: Activation, gate: f32) -> f32 {
    match activation {
        Activation::Relu2 => 2.0 * gate.max(0.0),
        Activation::Silu => {
            let open = 1.0 / (1.0 + (-gate).exp());
            open * (1.0 + gate * (1.0 - open))
        }
    }
}

/// `y[n][width]` from `x[n][2 width]`.
pub(crate) fn forward(activation: Activation, x: &[f32], y: &mut [f32], width: usize) {
    for (x, y) in x.chunks_exact(2 * width).zip(y.chunks_exact_mut(width)) {
        let (gates, ups) = x.split_at(width);
        for ((y, gate), up) in y.iter_mut().zip(gates).zip(ups) {
            *y = act(activation, *gate) * up;
        }
    }
}

/// The gradient by `x`.
pub(crate) fn backward(
    activation: Activation,
    x: &[f32],
    dy: &[f32],
    dx: &mut [f32],
    width: usize,
) {
    let rows = x.chunks_exact(2 * width).zip(dx.chunks_exact_mut(2 * width));
    for ((x, dx), dy) in rows.zip(dy.chunks_exact(width)) {
        let (gates, ups) = x.split_at(width);
        let (dgates, dups) = dx.split_at_mut(width);
        let gradients = dgates.iter_mut().zip(dups);
        for (((dgate, dup), dy), (gate, up)) in gradients.zip(dy).zip(gates.iter().zip(ups)) {
            *dgate = dy * up * derivative(activation, *gate);
            *dup = dy * act(activation, *gate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    #[test]
    fn gradients_agree_with_differences() {
        const WIDTH: usize = 16;
        for activation in [Activation::Relu2, Activation::Silu] {
            let (x, weights) = (random(6 * WIDTH, 1), random(3 * WIDTH, 2));
            let loss = |x: &[f32]| {
                let mut y = vec![0.0; 3 * WIDTH];
                forward(activation, x, &mut y, WIDTH);
                y.iter().zip(&weights).map(|(y, w)| f64::from(y * w)).sum::<f64>()
            };
            let mut dx = vec![0.0; x.len()];
            backward(activation, &x, &weights, &mut dx, WIDTH);
            check_gradient(&x, &dx, loss);
        }
    }
}
