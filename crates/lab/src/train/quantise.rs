//! From f32 weights to the integers of a net file, and what the rounding costs.

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
    /// Weights at the limit, per thousand.
    pub saturated_permille: f32,
}

impl fmt::Display for RoundingReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "rounding error over {} positions: rms {:.2}, max {:.2}; {:.3} per thousand weights at \
             the limit",
            self.positions, self.rms, self.max, self.saturated_permille
        )
    }
}

/// Compares a net with the model it was made of.
pub(crate) fn compare(
    passes: &mut Passes,
    net: &Network,
    positions: &[Position],
) -> RoundingReport {
    let outputs = passes.outputs(positions);
    let mut accumulators = Accumulators::new(net);
    let (mut count, mut squares, mut max) = (0, 0.0, 0f32);
    for (position, output) in positions.iter().zip(outputs) {
        let exact = output * SCALE as f32;
        let Ok(board) = position.to_board() else { continue };
        if exact.abs() > COMPARED {
            continue;
        }
        accumulators.reset(&board);
        let difference = (accumulators.evaluate(net, &board) as f32 - exact).abs();
        count += 1;
        squares += f64::from(difference * difference);
        max = max.max(difference);
    }
    let (mut weights, mut saturated) = (0usize, 0usize);
    for param in passes.model.params() {
        for value in param.value.iter().flat_map(|row| row.0) {
            weights += 1;
            saturated += usize::from(value.abs() >= param.clip * 0.999);
        }
    }
    RoundingReport {
        positions: count,
        max,
        rms: (squares / count.max(1) as f64).sqrt() as f32,
        saturated_permille: 1000.0 * saturated as f32 / weights as f32,
    }
}
