//! Forward and backward pass of some micro-batches through one tile.

use super::activation::{self, Activations};
use super::batch::{MICRO_BATCH, MicroBatch};
use super::first::Sums;
use super::model::{Reader, Tile};
use super::param::Row;
use tabiya_nn::Activation;

/// What a tile remembers between the passes.
#[derive(Clone, Default)]
pub(crate) struct Workspace {
    /// Hidden sums of both sides of every position, then their gradients.
    hidden: Vec<Row>,
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
        self.hidden.resize(2 * slots, Row::ZERO);
        match &tile.reader {
            Reader::Single(_) => self.outputs.resize(slots, 0.0),
            Reader::First(_) => self.sums.resize(slots, Sums::default()),
        }
        let all_rows = self.hidden.chunks_exact_mut(2 * MICRO_BATCH);
        for (index, (batch, hidden)) in batches.iter().zip(all_rows).enumerate() {
            let features = batch.pieces.features_by_row().zip(batch.threats.features_by_row());
            for (row, (pieces, threats)) in hidden.iter_mut().zip(features) {
                *row = tile.input.forward(pieces, threats);
            }
            let first = index * MICRO_BATCH;
            for (bucket, run) in batch.runs() {
                activation::activate(kind, hidden, &batch.places[run.clone()], &mut self.active);
                let slots = first + run.start..first + run.end;
                match &tile.reader {
                    Reader::Single(single) => {
                        single.forward(bucket, &self.active, &mut self.outputs[slots]);
                    }
                    Reader::First(layer) => {
                        layer.forward(bucket, &self.active, &mut self.sums[slots]);
                    }
                }
            }
        }
    }

    /// Adds the gradients of the same micro-batches, once those of outputs or sums are known.
    pub(crate) fn backward(&mut self, kind: Activation, tile: &mut Tile, batches: &[MicroBatch]) {
        let all_rows = self.hidden.chunks_exact_mut(2 * MICRO_BATCH);
        for (batch, hidden) in batches.iter().zip(all_rows) {
            for (bucket, run) in batch.runs() {
                let places = &batch.places[run.clone()];
                activation::activate(kind, hidden, places, &mut self.active);
                let active = &mut self.active;
                match &mut tile.reader {
                    Reader::Single(single) => {
                        single.backward(bucket, active, &batch.output_gradients[run]);
                    }
                    Reader::First(layer) => {
                        layer.backward(bucket, active, &batch.sum_gradients[run]);
                    }
                }
                activation::backward(kind, hidden, places, active);
            }
            tile.input.backward(batch, hidden);
        }
    }
}
