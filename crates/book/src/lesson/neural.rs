//! Neural nets small enough for paper.

/// Two neurons, five features: the net of chapter 9. Weights in quarters, so that all sums are exact.
pub struct PaperNet {
    /// For each feature the weights of both neurons.
    pub rows: [[i32; 2]; 5],
    /// What the neurons start from.
    pub bias: [i32; 2],
    /// What each neuron of the side to move, then of the other side, adds to the output.
    pub output: [i32; 4],
}

/// The net of the chapter; 1.0 is 4.
pub const PAPER: PaperNet = PaperNet {
    rows: [[4, -1], [1, 2], [-2, 3], [0, 1], [3, 0]],
    bias: [1, 2],
    output: [3, -1, -2, 1],
};

/// The integer that stands for 1.0 in the paper net.
pub const ONE: i32 = 4;

impl PaperNet {
    /// The hidden values before activation: the bias and the rows of all features.
    pub fn accumulate(&self, features: &[usize]) -> [i32; 2] {
        features.iter().fold(self.bias, |sum, feature| {
            [sum[0] + self.rows[*feature][0], sum[1] + self.rows[*feature][1]]
        })
    }

    /// The output for the hidden values of both sides, in units of `ONE` cubed.
    pub fn output(&self, own: [i32; 2], other: [i32; 2]) -> i32 {
        let active = [own[0], own[1], other[0], other[1]].map(screlu);
        active.iter().zip(self.output).map(|(value, weight)| value * weight).sum()
    }
}

/// Squared clipped `ReLU`: below 0 nothing, above 1.0 no more, squared between.
pub fn screlu(value: i32) -> i32 {
    value.clamp(0, ONE).pow(2)
}

/// Two bits for each weight, the first in the lowest: the weight plus one, as the packed kernels have it.
pub fn pack(weights: &[i32]) -> u64 {
    weights.iter().rev().fold(0, |bits, weight| bits << 2 | (weight + 1) as u64)
}

/// A sum of products with packed weights: every code is one too large, so the sum is too large by the
/// sum of the values.
pub fn packed_dot(packed: u64, values: &[i32]) -> i32 {
    let codes = (0..).map(|index| (packed >> (2 * index) & 3) as i32);
    let sum: i32 = codes.zip(values).map(|(code, value)| code * value).sum();
    sum - values.iter().sum::<i32>()
}

/// A sum of products with ternary weights: additions and subtractions only.
pub fn ternary_dot(weights: &[i32], values: &[i32]) -> i32 {
    weights.iter().zip(values).fold(0, |sum, (weight, value)| match weight {
        1 => sum + value,
        -1 => sum - value,
        _ => sum,
    })
}

/// Shares that sum to one, the larger the logit the larger.
pub fn softmax(logits: &[f64]) -> Vec<f64> {
    let greatest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<_> = logits.iter().map(|logit| (logit - greatest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// What a query takes from the tokens before it: their values, mixed by how well their keys fit.
pub fn attention(query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let scale = (query.len() as f64).sqrt();
    let logits: Vec<_> = keys
        .iter()
        .map(|key| key.iter().zip(query).map(|(a, b)| a * b).sum::<f64>() / scale)
        .collect();
    let shares = softmax(&logits);
    let mixed = (0..values[0].len())
        .map(|i| shares.iter().zip(values).map(|(share, value)| share * value[i]).sum())
        .collect();
    (shares, mixed)
}

/// The logistic function.
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Gradient descent on one weight: fits `sigmoid(w * x)` to results. Returns the weight and the loss
/// after each step.
pub fn descend(samples: &[(f64, f64)], rate: f64, steps: usize) -> Vec<(f64, f64)> {
    let mut weight = 0.0;
    let loss = |weight: f64| {
        samples.iter().map(|(x, y)| (sigmoid(weight * x) - y).powi(2)).sum::<f64>()
            / samples.len() as f64
    };
    let mut path = vec![(weight, loss(weight))];
    for _ in 0..steps {
        let gradient: f64 = samples
            .iter()
            .map(|(x, y)| {
                let p = sigmoid(weight * x);
                2.0 * (p - y) * p * (1.0 - p) * x
            })
            .sum::<f64>()
            / samples.len() as f64;
        weight -= rate * gradient;
        path.push((weight, loss(weight)));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_gives_what_a_fresh_sum_gives() {
        let before = PAPER.accumulate(&[0, 2, 3]);
        let updated = [0, 1].map(|n| before[n] - PAPER.rows[2][n] + PAPER.rows[4][n]);
        assert_eq!(updated, PAPER.accumulate(&[0, 4, 3]));
    }

    #[test]
    fn packed_weights_keep_their_order() {
        let (weights, values) = ([1, 0, -1, 1], [5, 7, 2, 1]);
        assert_eq!(pack(&weights), 0b10_00_01_10);
        assert_eq!(ternary_dot(&weights, &values), 4);
        assert_eq!(packed_dot(pack(&weights), &values), 4);
    }

    #[test]
    fn descent_never_climbs_with_a_small_rate() {
        let path = descend(&[(1.0, 1.0), (-2.0, 0.0), (0.5, 0.0)], 0.5, 30);
        assert!(path.windows(2).all(|pair| pair[1].1 <= pair[0].1));
    }
}
