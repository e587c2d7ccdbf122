//! Forward and backward pass of some micro-batches through one tile.

use super::activation;
use super::batch::{MICRO_BATCH, MicroBatch};
use super::first::{Activations, Sums};
use super::model::{Reader, Tile};
use super::param::Row;
use tabiya_nn::Activation;

/// What a tile remembers between the passes.
#[derive(Clone, Default)]
pub(crate) struct Workspace {
    /// Hidden sums of both sides of every position, then their gradients.
    hidden: Vec<[Row; 2]>,
    /// This tile's part of every output of a net with one hidden layer,
    pub(crate) outputs: Vec<f32>,
    /// or of the sums of the first dense layer.
    pub(crate) sums: Vec<Sums>,
    /// Activations of the positions at work, then their gradients.
    active: Activations,
}

impl Workspace {
    /// Computes this tile's part of some micro-batches, [`MICRO_BATCH`] slots each.
    pub(crate) fn forward(&mut self, kind: Activation, tile: &Tile, batches: &[MicroBatch]) {
        let slots = MICRO_BATCH * batches.len();
        self.hidden.resize(slots, [Row::ZERO; 2]);
        match &tile.reader {
            Reader::Single(_) => self.outputs.resize(slots, 0.0),
            Reader::First(_) => self.sums.resize(slots, Sums::default()),
        }
        for (index, batch) in batches.iter().enumerate() {
            let first = index * MICRO_BATCH;
            let hidden = &mut self.hidden[first..first + batch.len()];
            let rows = hidden.as_flattened_mut();
            for row in batch.by_bucket() {
                rows[*row as usize] = tile.input.forward(batch.features(*row as usize));
            }
            match &tile.reader {
                Reader::Single(single) => {
                    let outputs = &mut self.outputs[first..];
                    for (position, (output, hidden)) in outputs.iter_mut().zip(hidden).enumerate() {
                        let active = activation::activate(kind, hidden);
                        *output = single.forward(batch.buckets[position] as usize, &active);
                    }
                }
                Reader::First(layer) => {
                    for (bucket, run) in batch.runs() {
                        activate_all(kind, &hidden[run.clone()], &mut self.active);
                        let sums = &mut self.sums[first + run.start..first + run.end];
                        layer.forward(bucket, &self.active, sums);
                    }
                }
            }
        }
    }

    /// Adds the gradients of the same micro-batches, once those of outputs or sums are known.
    pub(crate) fn backward(&mut self, kind: Activation, tile: &mut Tile, batches: &[MicroBatch]) {
        for (batch, hidden) in batches.iter().zip(self.hidden.chunks_exact_mut(MICRO_BATCH)) {
            let hidden = &mut hidden[..batch.len()];
            match &mut tile.reader {
                Reader::Single(single) => {
                    for (position, hidden) in hidden.iter_mut().enumerate() {
                        let active = activation::activate(kind, hidden);
                        let bucket = batch.buckets[position] as usize;
                        let gradient = batch.output_gradients[position];
                        let gradients = single.backward(bucket, &active, gradient);
                        activation::backward(kind, hidden, &gradients);
                    }
                }
                Reader::First(layer) => {
                    for (bucket, run) in batch.runs() {
                        let hidden = &mut hidden[run.clone()];
                        activate_all(kind, hidden, &mut self.active);
                        layer.backward(bucket, &mut self.active, &batch.sum_gradients[run]);
                        for (index, hidden) in hidden.iter_mut().enumerate() {
                            let gradients = self.active.each_ref().map(|rows| rows.get(index));
                            let gradients = gradients.map(|row| row.copied().unwrap_or(Row::ZERO));
                            activation::backward(kind, hidden, &gradients);
                        }
                    }
                }
            }
            tile.input.backward(batch, hidden.as_flattened());
        }
    }
}

/// The activations of some positions.
fn activate_all(kind: Activation, hidden: &[[Row; 2]], active: &mut Activations) {
    let used = activation::rows(kind);
    active.iter_mut().for_each(Vec::clear);
    for hidden in hidden {
        let rows = activation::activate(kind, hidden);
        for (all, row) in active.iter_mut().zip(rows).take(used) {
            all.push(row);
        }
    }
}
