//! A batch through the net: forward pass, losses, backward pass, a step of the optimiser.

use super::batch::{MICRO_BATCH, MicroBatch};
use super::first::Sums;
use super::loss::{Target, squared_error};
use super::model::{End, Model, Tile};
use super::optim::AdamW;
use super::param::LANES;
use super::workspace::Workspace;
use crate::data::record::LabelledPosition;
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
    /// Losses and their gradients; the layers that no tile owns.
    pub loss: Duration,
    /// From these to the gradients of the tiles.
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

/// Positions of a larger set, by their places.
pub(crate) struct Chosen<'a> {
    pub(crate) positions: &'a [LabelledPosition],
    pub(crate) indices: &'a [u32],
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

    /// Learns from positions; the mean loss before the step.
    pub(crate) fn learn(&mut self, positions: &Chosen, target: Target, optimiser: AdamW) -> f64 {
        let loss = self.add_gradients(positions, target);
        let start = Instant::now();
        self.model.tiles.par_iter_mut().for_each(|tile| {
            tile.input.share_gradient();
            tile.params_mut().for_each(|param| optimiser.apply(param));
            tile.refresh();
        });
        for param in self.model.end.params_mut() {
            optimiser.apply(param);
        }
        self.model.end.refresh();
        self.phases.step += start.elapsed();
        loss
    }

    /// Adds the gradients of the mean loss over these positions; returns that loss.
    pub(crate) fn add_gradients(&mut self, chosen: &Chosen, target: Target) -> f64 {
        let start = Instant::now();
        let shape = self.model.shape;
        let count = chosen.indices.len();
        self.batches.resize_with(count.div_ceil(MICRO_BATCH), MicroBatch::default);
        self.batches.par_iter_mut().zip(chosen.indices.par_chunks(MICRO_BATCH)).for_each(
            |(batch, indices)| {
                // A tight loop of its own, so that many cache misses are under way at once.
                let chosen: Vec<_> =
                    indices.iter().map(|i| chosen.positions[*i as usize]).collect();
                batch.prepare(shape, target, &chosen);
                batch.invert(shape);
            },
        );
        self.phases.prepare += start.elapsed();
        let mut batches = std::mem::take(&mut self.batches);
        let mut loss = 0.0;
        for group in batches.chunks_mut(GROUP) {
            self.forward(group);
            self.find_losses(group, count);
            loss += group.iter().map(|batch| batch.loss).sum::<f64>();
            let start = Instant::now();
            self.add_end_gradients(group);
            let kind = shape.activation();
            let tiles = self.model.tiles.par_iter_mut().zip(&mut self.workspaces);
            tiles.for_each(|(tile, workspace)| workspace.backward(kind, tile, group));
            self.phases.backward += start.elapsed();
        }
        self.batches = batches;
        loss / count as f64
    }

    /// Adds the gradients of what no tile owns, batch by batch in order.
    fn add_end_gradients(&mut self, group: &[MicroBatch]) {
        for batch in group {
            match &mut self.model.end {
                End::OutputBias(bias) => {
                    let sums = &mut bias.gradient[0].0;
                    for (bucket, gradient) in batch.buckets.iter().zip(&batch.output_gradients) {
                        sums[*bucket as usize % LANES] += gradient;
                    }
                }
                End::Tail(tail) => {
                    batch.tail_gradients.iter().for_each(|gradients| tail.add_gradients(gradients));
                }
            }
        }
    }

    /// The mean loss over positions.
    pub(crate) fn loss(&mut self, positions: &[LabelledPosition], target: Target) -> f64 {
        let mut sum = 0.0;
        self.for_each_group(positions, target, |passes, group| {
            for (slot, batch) in group.iter().enumerate() {
                let outputs = passes.batch_outputs(batch, slot);
                for (output, target) in outputs.into_iter().zip(&batch.targets) {
                    sum += f64::from(squared_error(output, *target).0);
                }
            }
        });
        sum / positions.len().max(1) as f64
    }

    /// The net's output for every position.
    pub(crate) fn outputs(&mut self, positions: &[LabelledPosition]) -> Vec<f32> {
        let mut outputs = Vec::with_capacity(positions.len());
        let target = Target { scale: 1.0, wdl: 0.0 };
        self.for_each_group(positions, target, |passes, group| {
            for (slot, batch) in group.iter().enumerate() {
                let first = outputs.len();
                outputs.resize(first + batch.len(), 0.0);
                let found = passes.batch_outputs(batch, slot);
                for (place, output) in batch.order.iter().zip(found) {
                    outputs[first + *place as usize] = output;
                }
            }
        });
        outputs
    }

    /// The exact sums of the first dense layer for every position, biases left out. Only for nets that
    /// have one.
    pub(crate) fn first_sums(&mut self, positions: &[LabelledPosition]) -> Vec<Sums> {
        let mut sums = Vec::with_capacity(positions.len());
        let target = Target { scale: 1.0, wdl: 0.0 };
        self.for_each_group(positions, target, |passes, group| {
            for (slot, batch) in group.iter().enumerate() {
                let first = sums.len();
                sums.resize(first + batch.len(), Sums::default());
                for (place, found) in batch.order.iter().zip(passes.batch_sums(batch, slot)) {
                    sums[first + *place as usize] = found;
                }
            }
        });
        sums
    }

    fn for_each_group(
        &mut self,
        positions: &[LabelledPosition],
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
        let kind = self.model.shape.activation();
        self.workspaces
            .par_iter_mut()
            .zip(tiles)
            .for_each(|(workspace, tile)| workspace.forward(kind, tile, group));
        self.phases.forward += start.elapsed();
    }

    /// The outputs of a micro-batch of a group after the forward pass. Tiles are added in order.
    fn batch_outputs(&self, batch: &MicroBatch, slot: usize) -> Vec<f32> {
        match &self.model.end {
            End::OutputBias(bias) => {
                let bias = |bucket: &u8| bias.value[0].0[*bucket as usize % LANES];
                let mut outputs: Vec<_> = batch.buckets.iter().map(bias).collect();
                for workspace in &self.workspaces {
                    let parts = &workspace.outputs[slot * MICRO_BATCH..];
                    for (output, part) in outputs.iter_mut().zip(parts) {
                        *output += part;
                    }
                }
                outputs
            }
            End::Tail(tail) => {
                let sums = self.batch_sums(batch, slot);
                let inputs = batch.buckets.iter().zip(&sums);
                inputs.map(|(bucket, sums)| tail.output(*bucket as usize, sums)).collect()
            }
        }
    }

    /// The sums of the first dense layer. Tiles are added in order.
    fn batch_sums(&self, batch: &MicroBatch, slot: usize) -> Vec<Sums> {
        let mut all = vec![Sums::default(); batch.len()];
        for workspace in &self.workspaces {
            for (sums, parts) in all.iter_mut().zip(&workspace.sums[slot * MICRO_BATCH..]) {
                for (sum, part) in sums.iter_mut().zip(parts) {
                    *sum += part;
                }
            }
        }
        all
    }

    /// Finds losses and their gradients, down to what tiles need, after the forward pass.
    fn find_losses(&mut self, group: &mut [MicroBatch], batch_size: usize) {
        let start = Instant::now();
        let share = 1.0 / batch_size as f32;
        let passes = &*self;
        group.par_iter_mut().enumerate().for_each(|(slot, batch)| {
            let mut loss = 0.0;
            match &passes.model.end {
                End::OutputBias(_) => {
                    let mut gradients = std::mem::take(&mut batch.output_gradients);
                    gradients.clear();
                    let outputs = passes.batch_outputs(batch, slot);
                    for (output, target) in outputs.into_iter().zip(&batch.targets) {
                        let (error, gradient) = squared_error(output, *target);
                        loss += f64::from(error);
                        gradients.push(gradient * share);
                    }
                    batch.output_gradients = gradients;
                }
                End::Tail(tail) => {
                    let mut gradients = tail.gradients();
                    batch.sum_gradients.clear();
                    for (index, sums) in passes.batch_sums(batch, slot).iter().enumerate() {
                        let bucket = batch.buckets[index] as usize;
                        let target = batch.targets[index];
                        let (error, back) =
                            tail.backward(bucket, sums, target, share, &mut gradients);
                        loss += f64::from(error);
                        batch.sum_gradients.push(back);
                    }
                    batch.tail_gradients = Some(gradients);
                }
            }
            batch.loss = loss;
        });
        self.phases.loss += start.elapsed();
    }
}
