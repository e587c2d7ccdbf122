//! The value: chances to win, draw and lose from one hidden layer, cross-entropy with soft targets.

use super::attention::softmax;
use super::matrix::{self, add_scaled, dot};

/// Weights, or their gradients.
pub(crate) struct Layers<T> {
    pub(crate) hidden_weight: T,
    pub(crate) hidden_bias: T,
    pub(crate) output_weight: T,
    pub(crate) output_bias: T,
}

/// Hidden neurons after their `ReLU`, of all tokens; `h` has `width` numbers a token.
pub(crate) fn hidden(layers: &Layers<&[f32]>, h: &[f32], out: &mut [f32], width: usize) {
    let neurons = layers.hidden_bias.len();
    matrix::forward(h, layers.hidden_weight, out, (neurons, width));
    for out in out.chunks_exact_mut(neurons) {
        for (out, bias) in out.iter_mut().zip(layers.hidden_bias) {
            *out = (*out + bias).max(0.0);
        }
    }
}

/// Chances of one token from its hidden neurons.
pub(crate) fn chances(layers: &Layers<&[f32]>, hidden: &[f32]) -> [f32; 3] {
    let mut out = [0.0; 3];
    for (index, out) in out.iter_mut().enumerate() {
        let weights = &layers.output_weight[index * hidden.len()..][..hidden.len()];
        *out = dot(weights, hidden) + layers.output_bias[index];
    }
    softmax(&mut out);
    out
}

/// Cross-entropy, and its gradient by the logits.
pub(crate) fn loss(chances: [f32; 3], target: [f32; 3]) -> (f32, [f32; 3]) {
    let mut loss = 0.0;
    let mut dlogits = chances;
    for (dlogit, target) in dlogits.iter_mut().zip(target) {
        loss -= target * dlogit.max(1e-30).ln();
        *dlogit -= target;
    }
    (loss, dlogits)
}

/// Adds all gradients, given those of the logits of every token; `hidden` becomes its own gradient.
pub(crate) fn backward(
    layers: &Layers<&[f32]>,
    h: &[f32],
    hidden: &mut [f32],
    dlogits: &[[f32; 3]],
    dh: &mut [f32],
    gradients: &mut Layers<&mut [f32]>,
) {
    let neurons = layers.hidden_bias.len();
    let width = layers.hidden_weight.len() / neurons;
    let mut back = vec![0.0; neurons];
    for (hidden, dlogits) in hidden.chunks_exact_mut(neurons).zip(dlogits) {
        back.fill(0.0);
        for (index, dlogit) in dlogits.iter().enumerate() {
            let weights = index * neurons..(index + 1) * neurons;
            add_scaled(&mut gradients.output_weight[weights.clone()], *dlogit, hidden);
            gradients.output_bias[index] += dlogit;
            add_scaled(&mut back, *dlogit, &layers.output_weight[weights]);
        }
        for (hidden, back) in hidden.iter_mut().zip(&back) {
            *hidden = if *hidden > 0.0 { *back } else { 0.0 };
        }
        add_scaled(gradients.hidden_bias, 1.0, hidden);
    }
    matrix::by_weight(hidden, h, gradients.hidden_weight, (neurons, width));
    let mut by_input = vec![0.0; dh.len()];
    matrix::by_input(hidden, layers.hidden_weight, &mut by_input, (neurons, width));
    add_scaled(dh, 1.0, &by_input);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    const WIDTH: usize = 16;
    const NEURONS: usize = 8;
    const TARGETS: [[f32; 3]; 2] = [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]];

    fn layers(weights: &[f32]) -> Layers<&[f32]> {
        let (hidden_weight, rest) = weights.split_at(WIDTH * NEURONS);
        let (hidden_bias, rest) = rest.split_at(NEURONS);
        let (output_weight, output_bias) = rest.split_at(3 * NEURONS);
        Layers { hidden_weight, hidden_bias, output_weight, output_bias }
    }

    fn run(weights: &[f32], h: &[f32]) -> (f64, Vec<f32>, Vec<[f32; 3]>) {
        let layers = layers(weights);
        let mut neurons = vec![0.0; 2 * NEURONS];
        hidden(&layers, h, &mut neurons, WIDTH);
        let (mut sum, mut dlogits) = (0.0, Vec::new());
        for (hidden, target) in neurons.chunks(NEURONS).zip(TARGETS) {
            let (loss, dlogit) = loss(chances(&layers, hidden), target);
            sum += f64::from(loss);
            dlogits.push(dlogit);
        }
        (sum, neurons, dlogits)
    }

    #[test]
    fn gradients_agree_with_differences() {
        let weights = random(WIDTH * NEURONS + NEURONS + 3 * NEURONS + 3, 1);
        let h = random(2 * WIDTH, 2);
        let (_, mut neurons, dlogits) = run(&weights, &h);
        let (mut dw, mut dh) = (vec![0.0; weights.len()], vec![0.0; h.len()]);
        let (hidden_weight, rest) = dw.split_at_mut(WIDTH * NEURONS);
        let (hidden_bias, rest) = rest.split_at_mut(NEURONS);
        let (output_weight, output_bias) = rest.split_at_mut(3 * NEURONS);
        let mut gradients = Layers { hidden_weight, hidden_bias, output_weight, output_bias };
        backward(&layers(&weights), &h, &mut neurons, &dlogits, &mut dh, &mut gradients);
        check_gradient(&weights, &dw, |weights| run(weights, &h).0);
        check_gradient(&h, &dh, |h| run(&weights, h).0);
    }
}
