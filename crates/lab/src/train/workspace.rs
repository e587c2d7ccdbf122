//! Forward and backward pass of some micro-batches through one tile.

use super::activation;
use super::batch::{MICRO_BATCH, MicroBatch};
use super::first::Sums;
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
        let mut active = [Row::ZERO; 2];
        for (index, batch) in batches.iter().enumerate() {
            let first = index * MICRO_BATCH;
            let hidden = self.hidden[first..first + batch.len()].as_flattened_mut();
            for row in batch.by_bucket() {
                hidden[*row as usize] = tile.input.forward(batch.features(*row as usize));
            }
            for position in 0..batch.len() {
                activation::activate(kind, &self.hidden[first + position], &mut active);
                let bucket = batch.buckets[position] as usize;
                match &tile.reader {
                    Reader::Single(single) => {
                        self.outputs[first + position] = single.forward(bucket, &active);
                    }
                    Reader::First(layer) => {
                        self.sums[first + position] = layer.forward(bucket, &active);
                    }
                }
            }
        }
    }

    /// Adds the gradients of the same micro-batches, once those of outputs or sums are known.
    pub(crate) fn backward(&mut self, kind: Activation, tile: &mut Tile, batches: &[MicroBatch]) {
        let mut active = [Row::ZERO; 2];
        for (batch, hidden) in batches.iter().zip(self.hidden.chunks_exact_mut(MICRO_BATCH)) {
            for (position, hidden) in hidden[..batch.len()].iter_mut().enumerate() {
                activation::activate(kind, hidden, &mut active);
                let bucket = batch.buckets[position] as usize;
                let gradients = match &mut tile.reader {
                    Reader::Single(single) => {
                        single.backward(bucket, &active, batch.output_gradients[position])
                    }
                    Reader::First(layer) => {
                        layer.backward(bucket, &active, &batch.sum_gradients[position])
                    }
                };
                activation::backward(kind, hidden, &gradients);
            }
            tile.input.backward(batch, hidden.as_flattened());
        }
    }
}
