//! The trained numbers: f32 weights with their gradients and moments, cut into tiles of columns.
//!
//! A [`Tile`] owns [`LANES`] neurons completely: their input weights, bias, output weights and
//! optimiser state. Threads work on different tiles, so nothing is shared, nothing is summed across
//! threads, and the result does not depend on how many threads there are.

use crate::work::SplitMix;
use std::f64::consts::TAU;
use tabiya_nn::{FT_LIMIT, OUTPUT_LIMIT, QA, QB, Shape};

/// Neurons of a tile.
pub(crate) const LANES: usize = 32;
/// Features of one king bucket, which is what buckets share.
pub(crate) const SHARED_FEATURES: usize = 768;

/// Weights stay small enough for the integers of the net file.
const HIDDEN_CLIP: f32 = FT_LIMIT as f32 / QA as f32;
/// A little inside the limit, so that rounding cannot cross it.
const OUTPUT_CLIP: f32 = (OUTPUT_LIMIT as f32 - 1.0) / QB as f32;
/// Output biases are hardly limited.
const BIAS_CLIP: f32 = 100.0;

/// With about 20 active inputs this starts nearly half of the neurons inside the linear range.
const INPUT_DEVIATION: f32 = 0.12;
const START_BIAS: f32 = 0.1;

/// One number for each neuron of a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
pub(crate) struct Row(pub(crate) [f32; LANES]);

impl Row {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);

    #[inline]
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, number) in self.0.iter_mut().zip(&other.0) {
            *sum += number;
        }
    }

    /// The sum of all lanes, in a fixed order.
    #[inline]
    pub(crate) fn sum(&self) -> f32 {
        let mut lanes = self.0;
        let mut width = LANES / 2;
        while width > 0 {
            let (low, high) = lanes.split_at_mut(width);
            for (sum, number) in low.iter_mut().zip(high) {
                *sum += *number;
            }
            width /= 2;
        }
        lanes[0]
    }
}

/// Weights with everything the optimiser needs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Param {
    pub(crate) value: Vec<Row>,
    pub(crate) gradient: Vec<Row>,
    /// Running mean of the gradient.
    pub(crate) mean: Vec<Row>,
    /// Running mean of the squared gradient.
    pub(crate) square: Vec<Row>,
    /// No value is further from zero.
    pub(crate) clip: f32,
}

impl Param {
    fn zeros(rows: usize, clip: f32) -> Self {
        let zeros = || vec![Row::ZERO; rows];
        Self { value: zeros(), gradient: zeros(), mean: zeros(), square: zeros(), clip }
    }

    fn randomise(&mut self, random: &mut SplitMix, deviation: f32) {
        for number in self.value.iter_mut().flat_map(|row| &mut row.0) {
            *number = gaussian(random) * deviation;
        }
    }
}

/// A number of the standard normal distribution (Box and Muller).
fn gaussian(random: &mut SplitMix) -> f32 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    (radius * (TAU * random.unit()).cos()) as f32
}

/// A group of neurons.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tile {
    /// Input weights, one row per feature.
    pub(crate) inputs: Param,
    /// Added to the inputs of every king bucket, with several of them: what is true in all buckets
    /// is learnt from all of them (the factoriser of Stockfish's trainers).
    pub(crate) shared: Option<Param>,
    /// `inputs` plus `shared`.
    effective: Vec<Row>,
    /// One row.
    pub(crate) bias: Param,
    /// Output weights, row `2 * bucket + side`, the side to move first.
    pub(crate) output: Param,
}

impl Tile {
    fn new(shape: Shape, random: &mut SplitMix) -> Self {
        let factorised = shape.king_buckets() > 1;
        // The sum of both parts must stay inside the limit.
        let clip = if factorised { HIDDEN_CLIP / 2.0 } else { HIDDEN_CLIP };
        let mut inputs = Param::zeros(shape.features(), clip);
        let mut shared = factorised.then(|| Param::zeros(SHARED_FEATURES, clip));
        shared.as_mut().unwrap_or(&mut inputs).randomise(random, INPUT_DEVIATION);
        let mut bias = Param::zeros(1, HIDDEN_CLIP);
        bias.value[0].0.fill(START_BIAS);
        let mut output = Param::zeros(2 * shape.output_buckets(), OUTPUT_CLIP);
        output.randomise(random, (1.0 / shape.hidden() as f32).sqrt());
        let mut tile = Self { inputs, shared, effective: Vec::new(), bias, output };
        tile.refresh();
        tile
    }

    /// The input weights as the net sees them.
    #[inline]
    pub(crate) fn table(&self) -> &[Row] {
        if self.shared.is_some() { &self.effective } else { &self.inputs.value }
    }

    /// Brings the table up to date after a change of weights.
    pub(crate) fn refresh(&mut self) {
        let Some(shared) = &self.shared else { return };
        self.effective.clone_from(&self.inputs.value);
        for bucket in self.effective.chunks_exact_mut(SHARED_FEATURES) {
            for (row, common) in bucket.iter_mut().zip(&shared.value) {
                row.add(common);
            }
        }
    }

    /// What all buckets learnt is learnt by the shared part too.
    pub(crate) fn share_gradient(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        for bucket in self.inputs.gradient.chunks_exact(SHARED_FEATURES) {
            for (sum, row) in shared.gradient.iter_mut().zip(bucket) {
                sum.add(row);
            }
        }
    }

    pub(crate) fn params_mut(&mut self) -> impl Iterator<Item = &mut Param> {
        [&mut self.inputs, &mut self.bias, &mut self.output].into_iter().chain(&mut self.shared)
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = &Param> {
        [&self.inputs, &self.bias, &self.output].into_iter().chain(&self.shared)
    }
}

/// A net in training.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Model {
    pub(crate) shape: Shape,
    pub(crate) tiles: Vec<Tile>,
    /// One row; the lane is the output bucket.
    pub(crate) output_bias: Param,
}

impl Model {
    /// A net with random weights.
    pub(crate) fn new(shape: Shape, seed: u64) -> Self {
        let mut random = SplitMix::new(seed);
        let tiles = (0..shape.hidden() / LANES).map(|_| Tile::new(shape, &mut random)).collect();
        Self { shape, tiles, output_bias: Param::zeros(1, BIAS_CLIP) }
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = &Param> {
        self.tiles.iter().flat_map(Tile::params).chain([&self.output_bias])
    }

    pub(crate) fn params_mut(&mut self) -> impl Iterator<Item = &mut Param> {
        self.tiles.iter_mut().flat_map(Tile::params_mut).chain([&mut self.output_bias])
    }

    /// Brings everything derived from the weights up to date.
    pub(crate) fn refresh(&mut self) {
        self.tiles.iter_mut().for_each(Tile::refresh);
    }

    /// Whether every weight is a number.
    pub(crate) fn is_finite(&self) -> bool {
        self.params().flat_map(|param| &param.value).all(|row| row.0.iter().all(|x| x.is_finite()))
    }
}
