//! One batch through the whole net: prepare, forward, loss, backward, step.

use super::batch::{MICRO_BATCH, MicroBatch};
use super::kernel::Workspace;
use super::loss::{Target, squared_error};
use super::model::{LANES, Model, Tile};
use super::optim::AdamW;
use crate::data::record::Position;
use rayon::prelude::*;
use std::fmt;
use std::time::{Duration, Instant};

/// Micro-batches between two meetings of the threads.
const GROUP: usize = 4;

/// Where the time goes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Phases {
    /// Turning positions into lists.
    pub prepare: Duration,
    /// From inputs to outputs.
    pub forward: Duration,
    /// Losses and their slopes.
    pub loss: Duration,
    /// From slopes to gradients.
    pub backward: Duration,
    /// Changing the weights.
    pub step: Duration,
}

impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let parts = [
            ("prepare", self.prepare),
            ("forward", self.forward),
            ("loss", self.loss),
            ("backward", self.backward),
            ("step", self.step),
        ];
        let total: Duration = parts.iter().map(|(_, time)| *time).sum();
        for (index, (name, time)) in parts.into_iter().enumerate() {
            let percent = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
            write!(f, "{}{name} {percent:.0} %", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A model with all memory that passes need.
pub(crate) struct Passes {
    pub(crate) model: Model,
    workspaces: Vec<Workspace>,
    batches: Vec<MicroBatch>,
    pub(crate) phases: Phases,
}

impl Passes {
    pub(crate) fn new(model: Model) -> Self {
        let workspaces = vec![Workspace::default(); model.tiles.len()];
        Self { model, workspaces, batches: Vec::new(), phases: Phases::default() }
    }

    /// Learns from the positions with these indices; the mean loss before the step.
    pub(crate) fn learn(
        &mut self,
        positions: &[Position],
        indices: &[u32],
        target: Target,
        optimiser: AdamW,
    ) -> f64 {
        let loss = self.add_gradients(positions, indices, target);
        let start = Instant::now();
        self.model.tiles.par_iter_mut().for_each(|tile| {
            tile.share_gradient();
            tile.params_mut().for_each(|param| optimiser.apply(param));
            tile.refresh();
        });
        optimiser.apply(&mut self.model.output_bias);
        self.phases.step += start.elapsed();
        loss
    }

    /// Adds the gradients of the mean loss over these positions; returns that loss.
    pub(crate) fn add_gradients(
        &mut self,
        positions: &[Position],
        indices: &[u32],
        target: Target,
    ) -> f64 {
        let start = Instant::now();
        let shape = self.model.shape;
        self.batches.resize_with(indices.len().div_ceil(MICRO_BATCH), MicroBatch::default);
        self.batches.par_iter_mut().zip(indices.par_chunks(MICRO_BATCH)).for_each(
            |(batch, indices)| {
                // A tight loop of its own, so that many cache misses are under way at once.
                let chosen: Vec<_> = indices.iter().map(|i| positions[*i as usize]).collect();
                batch.prepare(shape, target, &chosen);
                batch.invert(shape);
            },
        );
        self.phases.prepare += start.elapsed();
        let mut batches = std::mem::take(&mut self.batches);
        let mut loss = 0.0;
        for group in batches.chunks_mut(GROUP) {
            self.forward(group);
            self.set_slopes(group, indices.len());
            loss += group.iter().map(|batch| batch.loss).sum::<f64>();
            let start = Instant::now();
            let bias_gradient = &mut self.model.output_bias.gradient[0].0;
            for batch in group.iter() {
                for (bucket, slope) in batch.buckets.iter().zip(&batch.slopes) {
                    bias_gradient[*bucket as usize % LANES] += slope;
                }
            }
            let tiles = self.model.tiles.par_iter_mut().zip(&mut self.workspaces);
            tiles.for_each(|(tile, workspace)| workspace.backward(tile, group));
            self.phases.backward += start.elapsed();
        }
        self.batches = batches;
        loss / indices.len() as f64
    }

    /// The mean loss over positions.
    pub(crate) fn loss(&mut self, positions: &[Position], target: Target) -> f64 {
        let mut sum = 0.0;
        self.for_each_group(positions, target, |passes, group| {
            passes.set_slopes(group, 1);
            sum += group.iter().map(|batch| batch.loss).sum::<f64>();
        });
        sum / positions.len().max(1) as f64
    }

    /// The net's output for every position.
    pub(crate) fn outputs(&mut self, positions: &[Position]) -> Vec<f32> {
        let mut outputs = Vec::with_capacity(positions.len());
        let target = Target { scale: 1.0, wdl: 0.0 };
        self.for_each_group(positions, target, |passes, group| {
            for (slot, batch) in group.iter().enumerate() {
                outputs.extend((0..batch.len()).map(|index| passes.output(batch, slot, index)));
            }
        });
        outputs
    }

    fn for_each_group(
        &mut self,
        positions: &[Position],
        target: Target,
        mut visit: impl FnMut(&mut Self, &mut [MicroBatch]),
    ) {
        let shape = self.model.shape;
        for positions in positions.chunks(GROUP * MICRO_BATCH) {
            let mut group: Vec<_> = positions
                .par_chunks(MICRO_BATCH)
                .map(|positions| {
                    let mut batch = MicroBatch::default();
                    batch.prepare(shape, target, positions);
                    batch
                })
                .collect();
            self.forward(&group);
            visit(self, &mut group);
        }
    }

    fn forward(&mut self, group: &[MicroBatch]) {
        let start = Instant::now();
        let tiles: &[Tile] = &self.model.tiles;
        self.workspaces
            .par_iter_mut()
            .zip(tiles)
            .for_each(|(workspace, tile)| workspace.forward(tile, group));
        self.phases.forward += start.elapsed();
    }

    /// The output of a position of a group after the way forward. Tiles are added in order.
    fn output(&self, batch: &MicroBatch, slot: usize, index: usize) -> f32 {
        let bias = self.model.output_bias.value[0].0[batch.buckets[index] as usize % LANES];
        self.workspaces
            .iter()
            .fold(bias, |sum, workspace| sum + workspace.partial[slot * MICRO_BATCH + index])
    }

    /// Finds losses and slopes of a group after the way forward.
    fn set_slopes(&mut self, group: &mut [MicroBatch], batch_size: usize) {
        let start = Instant::now();
        let share = 1.0 / batch_size as f32;
        let passes = &*self;
        group.par_iter_mut().enumerate().for_each(|(slot, batch)| {
            let mut slopes = std::mem::take(&mut batch.slopes);
            slopes.clear();
            batch.loss = 0.0;
            for index in 0..batch.len() {
                let output = passes.output(batch, slot, index);
                let (loss, slope) = squared_error(output, batch.targets[index]);
                batch.loss += f64::from(loss);
                slopes.push(slope * share);
            }
            batch.slopes = slopes;
        });
        self.phases.loss += start.elapsed();
    }
}
