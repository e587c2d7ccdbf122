//! The two directions through one tile: the loops where training spends its time.
//!
//! Both are the same primitive, the sum of a list of rows of a small matrix: on the way forward the
//! rows of the weights that a position uses, on the way back the rows of the positions that use a
//! weight. That turns scattered additions into plain loads. The loops are written so that the
//! compiler keeps the sums in vector registers.

use super::batch::{MICRO_BATCH, MicroBatch};
use super::model::{Row, Tile};

/// What a tile remembers between the way forward and the way back.
#[derive(Clone, Default)]
pub(crate) struct Workspace {
    /// Hidden sums of every row, then their derivatives.
    hidden: Vec<Row>,
    /// This tile's part of every output.
    pub(crate) partial: Vec<f32>,
}

/// `start` plus the listed rows.
#[inline]
fn sum_rows(table: &[Row], indices: &[u16], start: Row) -> Row {
    let mut sum = start;
    for index in indices {
        sum.add(&table[*index as usize]);
    }
    sum
}

impl Workspace {
    /// Computes this tile's part of the outputs of some micro-batches, [`MICRO_BATCH`] slots each.
    pub(crate) fn forward(&mut self, tile: &Tile, batches: &[MicroBatch]) {
        self.hidden.resize(2 * MICRO_BATCH * batches.len(), Row::ZERO);
        self.partial.resize(MICRO_BATCH * batches.len(), 0.0);
        let slots = self.hidden.chunks_exact_mut(2 * MICRO_BATCH);
        let outputs = self.partial.chunks_exact_mut(MICRO_BATCH);
        for ((batch, hidden), outputs) in batches.iter().zip(slots).zip(outputs) {
            let (pairs, _) = hidden.as_chunks_mut::<2>();
            let samples = batch.buckets.iter().zip(pairs).zip(outputs).enumerate();
            for (index, ((bucket, pair), output)) in samples {
                let (weights, _) = tile.output.value.as_chunks::<2>();
                let mut sum = Row::ZERO;
                for (side, weights) in weights[*bucket as usize].iter().enumerate() {
                    let features = batch.features(2 * index + side);
                    let row = sum_rows(tile.table(), features, tile.bias.value[0]);
                    pair[side] = row;
                    for ((sum, x), weight) in sum.0.iter_mut().zip(row.0).zip(weights.0) {
                        let x = x.clamp(0.0, 1.0);
                        *sum += x * x * weight;
                    }
                }
                *output = sum.sum();
            }
        }
    }

    /// Adds the gradients of the same micro-batches, whose slopes are known by now.
    pub(crate) fn backward(&mut self, tile: &mut Tile, batches: &[MicroBatch]) {
        let slots = self.hidden.chunks_exact_mut(2 * MICRO_BATCH);
        for (batch, hidden) in batches.iter().zip(slots) {
            derive(tile, batch, hidden);
            let gradients = tile.inputs.gradient.iter_mut();
            for (gradient, rows) in gradients.zip(batch.rows_by_feature()) {
                *gradient = sum_rows(hidden, rows, *gradient);
            }
        }
    }
}

/// Turns hidden sums into derivatives of the loss by them; adds the gradients of output weights and
/// bias on the way.
fn derive(tile: &mut Tile, batch: &MicroBatch, hidden: &mut [Row]) {
    let (weights, _) = tile.output.value.as_chunks::<2>();
    let (gradients, _) = tile.output.gradient.as_chunks_mut::<2>();
    let mut bias = Row::ZERO;
    let (pairs, _) = hidden.as_chunks_mut::<2>();
    for ((bucket, slope), pair) in batch.buckets.iter().zip(&batch.slopes).zip(pairs) {
        let bucket = *bucket as usize;
        for ((row, weight), gradient) in
            pair.iter_mut().zip(&weights[bucket]).zip(&mut gradients[bucket])
        {
            for lane in 0..row.0.len() {
                let x = row.0[lane];
                let active = x.clamp(0.0, 1.0);
                gradient.0[lane] += slope * active * active;
                let slope = if x > 0.0 && x < 1.0 { 2.0 * slope * weight.0[lane] * x } else { 0.0 };
                row.0[lane] = slope;
                bias.0[lane] += slope;
            }
        }
    }
    tile.bias.gradient[0].add(&bias);
}
