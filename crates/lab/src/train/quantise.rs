//! From f32 weights to the integers of a net file, and what the rounding costs.

use super::loss::{Target, squared_error};
use super::model::{LANES, Model};
use super::pass::Passes;
use super::rounding::Examples;
use crate::data::record::Position;
use std::fmt;
use tabiya_nn::{
    Accumulators, FT_LIMIT, NetError, Network, OUTPUT_BIAS_LIMIT, Parts, QA, QB, SCALE,
    active_features,
};

/// Outputs beyond this are not compared: nobody cares how winning a won position is.
const COMPARED: f32 = 1000.0;

/// Positions per output bucket by which output weights are rounded.
const EXAMPLES: usize = 8192;

/// Rounds all weights so that the outputs for positions like these change little.
pub(crate) fn quantise(
    passes: &mut Passes,
    positions: &[Position],
    provenance: &str,
) -> Result<Network, NetError> {
    let shape = passes.model.shape;
    let outputs = shape.output_buckets();
    let positions = &positions[..positions.len().min(EXAMPLES * 2 * outputs)];
    let exact = passes.outputs(positions);
    let model = &passes.model;
    let mut parts = Parts {
        ft_weights: vec![0; shape.features() * shape.hidden()],
        ft_bias: vec![0; shape.hidden()],
        output_weights: Vec::new(),
        output_bias: Vec::new(),
    };
    round_hidden(model, &mut parts);
    let examples = examples(model, &parts, positions, &exact);
    for (bucket, examples) in examples.iter().enumerate() {
        let rows = [2 * bucket, 2 * bucket + 1];
        let weights: Vec<f32> = rows
            .iter()
            .flat_map(|row| model.tiles.iter().flat_map(|tile| tile.output.value[*row].0))
            .collect();
        let (integers, bias) = examples.solve(&weights, model.output_bias.value[0].0[bucket]);
        parts.output_weights.extend(integers);
        let limit = OUTPUT_BIAS_LIMIT as f32;
        parts.output_bias.push((bias * (QA * QB) as f32).round().clamp(-limit, limit) as i32);
    }
    Network::from_parts(shape, &parts, provenance)
}

/// Hidden weights to the nearest integers.
fn round_hidden(model: &Model, parts: &mut Parts) {
    let hidden = model.shape.hidden();
    for (index, tile) in model.tiles.iter().enumerate() {
        let first = index * LANES;
        for (feature, row) in tile.table().iter().enumerate() {
            let columns = feature * hidden + first..feature * hidden + first + LANES;
            round(&mut parts.ft_weights[columns], &row.0);
        }
        round(&mut parts.ft_bias[first..first + LANES], &tile.bias.value[0].0);
    }
}

fn round(target: &mut [i16], values: &[f32]) {
    for (integer, value) in target.iter_mut().zip(values) {
        let limit = f32::from(FT_LIMIT);
        *integer = (value * QA as f32).round().clamp(-limit, limit) as i16;
    }
}

/// Activations of the rounded hidden layer with the exact outputs, by output bucket.
fn examples(model: &Model, parts: &Parts, positions: &[Position], exact: &[f32]) -> Vec<Examples> {
    let shape = model.shape;
    let hidden = shape.hidden();
    let mut examples: Vec<_> =
        (0..shape.output_buckets()).map(|_| Examples::new(2 * hidden)).collect();
    let mut sums = vec![0i16; 2 * hidden];
    for (position, output) in positions.iter().zip(exact) {
        let bucket = &mut examples[shape.output_bucket(position.piece_count())];
        let Ok(board) = position.to_board() else { continue };
        if bucket.len() == EXAMPLES {
            continue;
        }
        let side = board.side_to_move();
        for (sums, perspective) in sums.chunks_exact_mut(hidden).zip([side, !side]) {
            sums.copy_from_slice(&parts.ft_bias);
            for feature in active_features(shape, &board, perspective) {
                let row = &parts.ft_weights[feature * hidden..][..hidden];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
        }
        let one = QA as f32;
        bucket
            .push(sums.iter().map(|sum| (f32::from(*sum).clamp(0.0, one) / one).powi(2)), *output);
    }
    examples
}

/// How far the integers of a net file are from the weights it was made of.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RoundingReport {
    /// Positions compared.
    pub positions: usize,
    /// Largest difference, in the unit of the net's output.
    pub max: f32,
    /// Root of the mean squared difference.
    pub rms: f32,
    /// The loss over these positions with exact weights,
    pub exact_loss: f64,
    /// and with the integers.
    pub rounded_loss: f64,
    /// Weights at the limit, per thousand.
    pub saturated_permille: f32,
}

impl fmt::Display for RoundingReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "rounding error over {} positions: rms {:.2}, max {:.2}; loss {:.6} becomes {:.6}; {:.3} \
             per thousand weights at the limit",
            self.positions,
            self.rms,
            self.max,
            self.exact_loss,
            self.rounded_loss,
            self.saturated_permille
        )
    }
}

/// Compares a net with the model it was made of.
pub(crate) fn compare(
    passes: &mut Passes,
    net: &Network,
    positions: &[Position],
    target: Target,
) -> RoundingReport {
    let outputs = passes.outputs(positions);
    let mut accumulators = Accumulators::new(net);
    let mut report = RoundingReport::default();
    let mut squares = 0.0;
    for (position, exact) in positions.iter().zip(outputs) {
        let Ok(board) = position.to_board() else { continue };
        if (exact * SCALE as f32).abs() > COMPARED {
            continue;
        }
        accumulators.reset(&board);
        let rounded = accumulators.evaluate(net, &board) as f32 / SCALE as f32;
        let difference = (rounded - exact).abs() * SCALE as f32;
        report.positions += 1;
        report.max = report.max.max(difference);
        squares += f64::from(difference * difference);
        let loss = |output| f64::from(squared_error(output, target.of(position)).0);
        report.exact_loss += loss(exact);
        report.rounded_loss += loss(rounded);
    }
    let count = report.positions.max(1) as f64;
    report.rms = (squares / count).sqrt() as f32;
    report.exact_loss /= count;
    report.rounded_loss /= count;
    report.saturated_permille = saturated_permille(&passes.model);
    report
}

fn saturated_permille(model: &Model) -> f32 {
    let (mut weights, mut saturated) = (0usize, 0usize);
    for param in model.params() {
        for value in param.value.iter().flat_map(|row| row.0) {
            weights += 1;
            saturated += usize::from(value.abs() >= param.clip * 0.999);
        }
    }
    1000.0 * saturated as f32 / weights as f32
}
