//! From f32 weights to the integers of a net file, and what the rounding costs.

use super::activation::{dense_input, neuron, rows};
use super::activity;
use super::first::{NEURONS, Sums};
use super::loss::{Target, squared_error};
use super::model::{End, Model, Reader};
use super::param::{LANES, Param};
use super::pass::Passes;
use super::rounding::{Exact, Examples};
use super::tail::TailModel;
use crate::data::record::LabelledPosition;
use std::fmt;
use std::sync::Arc;
use tabiya_nn::{
    Accumulators, DENSE_LIMIT, DEQUANTISE, DeepParts, FT_LIMIT, HeadParts, NetError, Network,
    OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT, Parts, QA, QB, SCALE, Shape, SingleParts, THREAT_LIMIT, Tail,
};

/// Outputs beyond this are not compared: nobody cares how winning a won position is.
const COMPARED: f32 = 1000.0;

/// Positions per output bucket by which weights that read the hidden layer are rounded.
const EXAMPLES: usize = 8192;
/// Positions that show which hidden neurons fire.
const SHOWN: usize = 8192;

/// How many positions rounding a net of this shape looks at.
pub(crate) fn examples_wanted(shape: Shape) -> usize {
    EXAMPLES * 2 * shape.output_buckets()
}

/// Rounds all weights so that the outputs for positions like these change little.
pub(crate) fn quantise(
    passes: &mut Passes,
    positions: &[LabelledPosition],
    provenance: &str,
) -> Result<Network, NetError> {
    let shape = passes.model.shape;
    let mut parts = Parts::zeros(shape);
    round_hidden(&passes.model, &mut parts);
    parts.head = match &passes.model.end {
        End::OutputBias(bias) => {
            let bias = bias.clone();
            HeadParts::Single(round_outputs(passes, &parts, &bias, positions))
        }
        End::Tail(_) => {
            let boards =
                positions.iter().take(SHOWN).filter_map(|position| position.to_board().ok());
            let order = activity::sort(shape, &mut parts, &boards.collect::<Vec<_>>());
            HeadParts::Deep(round_first(passes, &parts, &order, positions))
        }
    };
    Network::from_parts(shape, &parts, provenance)
}

/// Hidden weights to the nearest integers.
fn round_hidden(model: &Model, parts: &mut Parts) {
    let shape = model.shape;
    let hidden = shape.hidden();
    let (limit, threat_limit) = (f32::from(FT_LIMIT), f32::from(THREAT_LIMIT));
    let round = |value: f32| (value * QA as f32).round().clamp(-limit, limit) as i16;
    for (index, tile) in model.tiles.iter().enumerate() {
        for lane in 0..LANES {
            let place = neuron(shape.activation(), hidden, index, lane);
            for (feature, row) in tile.input.table().iter().enumerate() {
                parts.ft_weights[feature * hidden + place] = round(row.0[lane]);
            }
            parts.ft_bias[place] = round(tile.input.bias.value[0].0[lane]);
            let threats = tile.input.threats.iter().flat_map(|threats| &threats.value);
            for (row, weights) in threats.zip(parts.threat_weights.chunks_exact_mut(hidden)) {
                let weight = (row.0[lane] * QA as f32).round();
                weights[place] = weight.clamp(-threat_limit, threat_limit) as i8;
            }
        }
    }
}

/// The dense layers. Weights of the first: the integers that change its sums least; the small layers
/// stay as they are.
fn round_first(
    passes: &mut Passes,
    parts: &Parts,
    order: &[usize],
    positions: &[LabelledPosition],
) -> DeepParts {
    let sums = passes.first_sums(positions);
    let model = &passes.model;
    let shape = model.shape;
    let End::Tail(tail) = &model.end else { return DeepParts::default() };
    let exact = exact_first(model, tail, order);
    let examples = first_examples(shape, parts, positions, &sums, tail);
    let (mut first_weights, mut first_bias) = (Vec::new(), Vec::new());
    for (examples, exact) in examples.iter().zip(exact.chunks_exact(NEURONS)) {
        for (weights, bias) in examples.solve(exact) {
            first_weights.extend(weights.into_iter().map(|weight| weight as i8));
            first_bias.push(bias);
        }
    }
    let Some(Tail { second, .. }) = shape.tail() else { return DeepParts::default() };
    let inputs = shape.tail().map_or(0, Tail::second_inputs);
    let buckets = tail.second.value.chunks_exact(Tail::MOST_INPUTS);
    DeepParts {
        first_weights,
        first_bias,
        second_weights: buckets
            .flat_map(|rows| rows[..inputs].iter().flat_map(|row| &row.0[..second.outputs]))
            .copied()
            .collect(),
        second_bias: lanes(&tail.second_bias, second.outputs),
        output_weights: lanes(&tail.output, second.outputs),
        output_bias: tail.output_bias.value[0].0[..shape.output_buckets()].to_vec(),
    }
}

/// Every neuron of the first dense layer, bucket by bucket, with its inputs in this order.
fn exact_first(model: &Model, tail: &TailModel, order: &[usize]) -> Vec<Exact> {
    let shape = model.shape;
    let per_side = shape.activations();
    let count = rows(shape.activation());
    let mut weights = vec![vec![0.0; 2 * per_side]; shape.output_buckets() * NEURONS];
    for (index, tile) in model.tiles.iter().enumerate() {
        let Reader::First(first) = &tile.reader else { continue };
        for (row, values) in first.weights.value.iter().enumerate() {
            let (neuron, row) = (row / count, row % count);
            for (lane, value) in values.0.iter().enumerate() {
                weights[neuron][dense_input(shape.activation(), per_side, index, row, lane)] =
                    *value;
            }
        }
    }
    let sorted = |weights: Vec<f32>| {
        weights.chunks_exact(per_side).flat_map(|side| order.iter().map(|old| side[*old])).collect()
    };
    let biases = lanes(&tail.first_bias, NEURONS);
    let neurons = weights.into_iter().zip(biases);
    neurons.map(|(weights, bias)| Exact { weights: sorted(weights), bias }).collect()
}

/// Activations of the rounded hidden layer with the exact sums of the first dense layer, by output
/// bucket.
fn first_examples(
    shape: Shape,
    parts: &Parts,
    positions: &[LabelledPosition],
    sums: &[Sums],
    tail: &TailModel,
) -> Vec<Examples> {
    let examples = || Examples::new(2 * shape.activations(), NEURONS, i16::from(DENSE_LIMIT));
    let mut all: Vec<_> = (0..shape.output_buckets()).map(|_| examples()).collect();
    for (position, sums) in positions.iter().zip(sums) {
        let bucket = shape.output_bucket(position.piece_count());
        let Ok(board) = position.to_board() else { continue };
        if all[bucket].len() == EXAMPLES {
            continue;
        }
        let mut wanted = *sums;
        for (sum, bias) in wanted.iter_mut().zip(&tail.first_bias.value[bucket].0) {
            *sum += bias;
        }
        let activations = activity::bytes(shape, parts, &board).into_iter();
        all[bucket].push(activations.map(|x| f32::from(x) * DEQUANTISE * QB as f32), &wanted);
    }
    all
}

/// The first lanes of every row.
fn lanes(param: &Param, width: usize) -> Vec<f32> {
    param.value.iter().flat_map(|row| &row.0[..width]).copied().collect()
}

/// Output weights of a net with one hidden layer: the integers that change its outputs least.
fn round_outputs(
    passes: &mut Passes,
    parts: &Parts,
    bias: &Param,
    positions: &[LabelledPosition],
) -> SingleParts {
    let exact = passes.outputs(positions);
    let model = &passes.model;
    let mut single = SingleParts::default();
    for (bucket, examples) in examples(model, parts, positions, &exact).iter().enumerate() {
        let row = |row: usize| {
            model.tiles.iter().flat_map(move |tile| match &tile.reader {
                Reader::Single(single) => single.weights.value[row].0,
                Reader::First(_) => [0.0; LANES],
            })
        };
        let weights: Vec<f32> = row(2 * bucket).chain(row(2 * bucket + 1)).collect();
        let exact = Exact { weights, bias: bias.value[0].0[bucket] };
        let Some((integers, bias)) = examples.solve(&[exact]).pop() else { continue };
        single.output_weights.extend(integers);
        let limit = OUTPUT_BIAS_LIMIT as f32;
        single.output_bias.push((bias * (QA * QB) as f32).round().clamp(-limit, limit) as i32);
    }
    single
}

/// Activations of the rounded hidden layer with the exact outputs, by output bucket.
fn examples(
    model: &Model,
    parts: &Parts,
    positions: &[LabelledPosition],
    exact: &[f32],
) -> Vec<Examples> {
    let shape = model.shape;
    let hidden = shape.hidden();
    let mut examples: Vec<_> =
        (0..shape.output_buckets()).map(|_| Examples::new(2 * hidden, 1, OUTPUT_LIMIT)).collect();
    for (position, output) in positions.iter().zip(exact) {
        let bucket = &mut examples[shape.output_bucket(position.piece_count())];
        let Ok(board) = position.to_board() else { continue };
        if bucket.len() == EXAMPLES {
            continue;
        }
        let sums = activity::sums(shape, parts, &board);
        let one = QA as f32;
        bucket.push(
            sums.iter().flatten().map(|sum| (f32::from(*sum).clamp(0.0, one) / one).powi(2)),
            &[*output],
        );
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
    positions: &[LabelledPosition],
    target: Target,
) -> RoundingReport {
    let outputs = passes.outputs(positions);
    let mut accumulators = Accumulators::new(&Arc::new(net.clone()));
    let mut report = RoundingReport::default();
    let mut squares = 0.0;
    for (position, exact) in positions.iter().zip(outputs) {
        let Ok(board) = position.to_board() else { continue };
        if (exact * SCALE as f32).abs() > COMPARED {
            continue;
        }
        accumulators.reset(&board);
        let rounded = accumulators.evaluate(&board) as f32 / SCALE as f32;
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
