//! From f32 weights to the integers of a net file, and what the rounding costs.

use super::loss::{Target, squared_error};
use super::model::{LANES, Model};
use super::pass::Passes;
use crate::record::Position;
use std::fmt;
use tabiya_nn::{
    Accumulators, FT_LIMIT, NetError, Network, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT, Parts, QA, QB,
    SCALE,
};

/// Outputs beyond this are not compared: nobody cares how winning a won position is.
const COMPARED: f32 = 1000.0;

/// Rounds all weights.
pub(crate) fn quantise(model: &Model, provenance: &str) -> Result<Network, NetError> {
    let shape = model.shape;
    let hidden = shape.hidden();
    let outputs = shape.output_buckets();
    let mut parts = Parts {
        ft_weights: vec![0; shape.features() * hidden],
        ft_bias: vec![0; hidden],
        output_weights: vec![0; outputs * 2 * hidden],
        output_bias: vec![0; outputs],
    };
    for (index, tile) in model.tiles.iter().enumerate() {
        let first = index * LANES;
        let columns = |row: usize| row * hidden + first..row * hidden + first + LANES;
        for (feature, row) in tile.table().iter().enumerate() {
            round(&mut parts.ft_weights[columns(feature)], &row.0, QA, FT_LIMIT);
        }
        round(&mut parts.ft_bias[columns(0)], &tile.bias.value[0].0, QA, FT_LIMIT);
        for (row, weights) in tile.output.value.iter().enumerate() {
            round(&mut parts.output_weights[columns(row)], &weights.0, QB, OUTPUT_LIMIT);
        }
    }
    for (bias, value) in parts.output_bias.iter_mut().zip(model.output_bias.value[0].0) {
        let limit = OUTPUT_BIAS_LIMIT as f32;
        *bias = (value * (QA * QB) as f32).round().clamp(-limit, limit) as i32;
    }
    Network::from_parts(shape, &parts, provenance)
}

fn round(target: &mut [i16], values: &[f32], one: i32, limit: i16) {
    for (integer, value) in target.iter_mut().zip(values) {
        let limit = f32::from(limit);
        *integer = (value * one as f32).round().clamp(-limit, limit) as i16;
    }
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
