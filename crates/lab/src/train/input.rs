//! The input layer of a tile: the sparse features of a position to [`LANES`] hidden neurons.
//!
//! Both directions are the same primitive, the sum of a list of rows of a small matrix: forward, the
//! rows of the weights that a position uses; backward, the rows of the positions that use a weight.
//! That turns scattered additions into plain loads. The loops are written so that the compiler keeps
//! the sums in vector registers.

use super::batch::MicroBatch;
use super::param::{LANES, Param, Row};
use crate::work::SplitMix;
use tabiya_nn::{FT_LIMIT, QA, Shape, THREAT_LIMIT};

/// Features of one king bucket, which is what buckets share.
pub(crate) const SHARED_FEATURES: usize = 768;

/// Weights stay small enough for the integers of the net file.
const CLIP: f32 = FT_LIMIT as f32 / QA as f32;
const THREAT_CLIP: f32 = THREAT_LIMIT as f32 / QA as f32;

/// With about 20 active inputs this starts nearly half of the neurons inside the linear range.
const DEVIATION: f32 = 0.12;
const START_BIAS: f32 = 0.1;

/// The input weights of a tile.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Input {
    /// One row per feature.
    pub(crate) weights: Param,
    /// Added to the weights of every king bucket, with several of them: what is true in all buckets
    /// is learnt from all of them (the factoriser of Stockfish's trainers).
    pub(crate) shared: Option<Param>,
    /// `weights` plus `shared`.
    effective: Vec<Row>,
    /// One row.
    pub(crate) bias: Param,
    /// One row per threat, if the net sees them. At first they change nothing.
    pub(crate) threats: Option<Param>,
}

impl Input {
    pub(crate) fn new(shape: Shape, random: &mut SplitMix) -> Self {
        let factorised = shape.king_buckets() > 1;
        // The sum of both parts must stay inside the limit.
        let clip = if factorised { CLIP / 2.0 } else { CLIP };
        let mut weights = Param::zeros(shape.features(), clip);
        let mut shared = factorised.then(|| Param::zeros(SHARED_FEATURES, clip));
        shared.as_mut().unwrap_or(&mut weights).randomise(random, DEVIATION, LANES);
        let mut bias = Param::zeros(1, CLIP);
        bias.fill(START_BIAS, LANES);
        let threats = shape.sees_threats().then(|| Param::sparse(shape.threats(), THREAT_CLIP));
        let mut input = Self { weights, shared, effective: Vec::new(), bias, threats };
        input.refresh();
        input
    }

    /// The weights as the net sees them.
    #[inline]
    pub(crate) fn table(&self) -> &[Row] {
        if self.shared.is_some() { &self.effective } else { &self.weights.value }
    }

    /// Brings the table up to date after a change of weights.
    pub(crate) fn refresh(&mut self) {
        let Some(shared) = &self.shared else { return };
        self.effective.clone_from(&self.weights.value);
        for bucket in self.effective.chunks_exact_mut(SHARED_FEATURES) {
            for (row, common) in bucket.iter_mut().zip(&shared.value) {
                row.add(common);
            }
        }
    }

    /// What all buckets learnt is learnt by the shared part too.
    pub(crate) fn share_gradient(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        for bucket in self.weights.gradient.chunks_exact(SHARED_FEATURES) {
            for (sum, row) in shared.gradient.iter_mut().zip(bucket) {
                sum.add(row);
            }
        }
    }

    /// The hidden sums of one side of a position.
    #[inline]
    pub(crate) fn forward(&self, pieces: &[u32], threats: &[u32]) -> Row {
        let sum = sum_rows(self.table(), pieces, self.bias.value[0]);
        match &self.threats {
            Some(param) => sum_rows(&param.value, threats, sum),
            None => sum,
        }
    }

    /// Adds the gradients of the weights from those of the hidden sums, one row per side of a position.
    pub(crate) fn backward(&mut self, batch: &MicroBatch, hidden_gradients: &[Row]) {
        let mut bias = self.bias.gradient[0];
        for row in &hidden_gradients[..2 * batch.len()] {
            bias.add(row);
        }
        self.bias.gradient[0] = bias;
        let params = [Some(&mut self.weights), self.threats.as_mut()].into_iter().flatten();
        for (param, lists) in params.zip([&batch.pieces, &batch.threats]) {
            for (feature, rows) in lists.rows_by_feature() {
                let gradient = &mut param.gradient[feature];
                *gradient = sum_rows(hidden_gradients, rows, *gradient);
            }
        }
    }

    pub(crate) fn params_mut(&mut self) -> impl Iterator<Item = &mut Param> {
        let optional = self.shared.iter_mut().chain(&mut self.threats);
        [&mut self.weights, &mut self.bias].into_iter().chain(optional)
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = &Param> {
        let optional = self.shared.iter().chain(&self.threats);
        [&self.weights, &self.bias].into_iter().chain(optional)
    }
}

/// `start` plus the listed rows.
#[inline]
fn sum_rows(table: &[Row], indices: &[u32], start: Row) -> Row {
    let mut sum = start;
    for index in indices {
        sum.add(&table[*index as usize]);
    }
    sum
}
