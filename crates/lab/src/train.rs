//! Training nets on the CPU, for every [`Shape`] that the engine can run.
//!
//! [`run`] trains and returns the net with the lowest validation loss. `model` holds the weights, a file
//! per layer (`input`, `activation`, `single`, `first`, `tail`) has its forward and backward pass with
//! a finite-difference test, `batch` turns positions into lists, `pass` puts a batch through the net.
//! The result depends on settings, seed and data only, never on the number
//! of threads, and a resumed run ends with the same bits as one that was never stopped.

mod activation;
mod activity;
mod batch;
mod checkpoint;
mod first;
mod input;
mod loss;
mod model;
mod optim;
mod param;
mod pass;
pub mod policy;
mod quantise;
mod report;
mod rounding;
pub mod sanity;
mod schedule;
mod single;
mod source;
mod start;
mod tail;
#[cfg(test)]
mod tests;
mod workspace;

pub use pass::Phases;
pub use quantise::RoundingReport;
pub use report::{Point, csv, svg};

use crate::data::positions::{ExpandError, PositionSet};
use crate::data::record::LabelledPosition;
use crate::work::OtherSetting;
use checkpoint::{Checkpoint, State};
use loss::Target;
use model::Model;
use optim::AdamW;
use pass::Passes;
use serde::{Deserialize, Serialize};
use source::{Source, fingerprint};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tabiya_nn::{NetError, Network, Shape};

/// Everything that decides what a run produces, besides the data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The layers of the net, as text in files. With several king buckets a shared part is learnt too.
    #[serde(with = "shape_text")]
    pub shape: Shape,
    /// Passes over the data.
    pub epochs: u64,
    /// Positions per step.
    pub batch: usize,
    /// Highest learning rate.
    pub peak_rate: f32,
    /// Learning rate of the last step.
    pub final_rate: f32,
    /// Steps until the highest learning rate; at most a tenth of the run.
    pub warm_up: u64,
    /// Weight decay, decoupled from the gradient.
    pub decay: f32,
    /// Score at which the expected result is `sigmoid(1)`.
    pub scale: f32,
    /// Weight of the game's result at the start,
    pub wdl_start: f32,
    /// and at the end.
    pub wdl_end: f32,
    /// Decides the first weights and the order of the data.
    pub seed: u64,
    /// Positions of files that are in memory, and shuffled, at a time.
    pub window: usize,
}

/// What a net learns from.
#[derive(Clone)]
pub enum Training<'a> {
    /// Positions in memory.
    Memory(&'a [LabelledPosition]),
    /// Files that may be larger than memory.
    Files(Arc<PositionSet>),
}

impl Training<'_> {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(positions) => positions.len(),
            Self::Files(set) => set.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shape: Shape::new(256, 1, 1).expect("a known shape"),
            epochs: 20,
            batch: 16384,
            peak_rate: 3e-3,
            final_rate: 2e-6,
            warm_up: 400,
            decay: 0.01,
            scale: 215.0,
            wdl_start: 0.0,
            wdl_end: 0.0,
            seed: 1,
            window: 32 << 20,
        }
    }
}

impl Settings {
    fn check(&self) -> Result<(), TrainError> {
        let sane = [
            ("epochs", (1..=1_000_000).contains(&self.epochs)),
            ("batch", (1..=1 << 20).contains(&self.batch)),
            ("window", (1..=1 << 31).contains(&self.window)),
            ("peak rate", self.peak_rate > 0.0 && self.peak_rate <= 1.0),
            ("final rate", self.final_rate >= 0.0 && self.final_rate <= self.peak_rate),
            ("decay", (0.0..1.0).contains(&self.decay)),
            ("scale", self.scale >= 1.0 && self.scale.is_finite()),
            ("wdl", [self.wdl_start, self.wdl_end].iter().all(|wdl| (0.0..=1.0).contains(wdl))),
        ];
        if let Some((name, _)) = sane.iter().find(|(_, sane)| !sane) {
            return Err(TrainError::Setting(name));
        }
        Ok(())
    }

    /// Steps of a pass over this many positions; a rest smaller than a batch is left out.
    pub fn epoch_steps(&self, positions: usize) -> u64 {
        (positions / self.batch.max(1)).max(1) as u64
    }
}

/// A shape in files: its text.
pub(crate) mod shape_text {
    use serde::{Deserialize, Deserializer, Serializer};
    use tabiya_nn::Shape;

    pub(crate) fn serialize<S: Serializer>(shape: &Shape, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(shape)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Shape, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why training failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A setting outside its range.
    #[error("{0}: out of range")]
    Setting(&'static str),
    /// Nothing to learn from, or nothing to check against.
    #[error("{0}: no positions")]
    NoData(&'static str),
    /// A weight or loss became infinite or no number.
    #[error("step {step}: a weight is no longer a number")]
    NotFinite {
        /// At which step.
        step: u64,
    },
    /// Training positions that cannot be read.
    #[error(transparent)]
    Data(ExpandError),
    /// The thread that reads positions failed.
    #[error("reading positions failed")]
    Reader,
    /// A file that cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// A file that cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    /// There is a checkpoint already, and nobody asked to continue it.
    #[error(
        "{}: holds a run already; --resume continues it, --force begins anew", .0.display()
    )]
    Exists(PathBuf),
    /// Another run is writing the checkpoint.
    #[error("{}: in use by another run", .0.display())]
    Busy(PathBuf),
    /// A damaged checkpoint: which part.
    #[error("checkpoint: damaged {0}")]
    Checkpoint(&'static str),
    /// The checkpoint belongs to a run with other settings.
    #[error("checkpoint: made with other settings: {0}")]
    OtherSettings(#[source] OtherSetting),
    /// The checkpoint belongs to a run with other data.
    #[error("checkpoint: made with other data")]
    OtherData,
    /// The net to start from cannot be read.
    #[error("net to start from: {0}")]
    Start(#[source] NetError),
    /// The net to start from has more neurons or other buckets.
    #[error("net to start from: more neurons or other buckets")]
    StartShape,
    /// The weights do not fit a net file.
    #[error("export: {0}")]
    Export(#[source] NetError),
    /// The threads cannot be started.
    #[error("threads: {0}")]
    Threads(String),
}

/// How a run goes, told twice a second or more rarely.
#[derive(Clone, Copy, Debug)]
pub struct TrainProgress {
    /// Steps done.
    pub step: u64,
    /// Steps of the whole run.
    pub total_steps: u64,
    /// Steps of a pass over the data.
    pub epoch_steps: u64,
    /// Positions learnt per second in this sitting.
    pub samples_per_second: f64,
    /// The learning rate.
    pub rate: f32,
    /// The mean training loss of late, once enough steps were taken.
    pub training: Option<f64>,
    /// The last validation loss.
    pub validation: Option<f64>,
    /// Time left at this speed.
    pub left: Duration,
}

/// Where a run keeps its checkpoint, and how it is controlled.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// The checkpoint file.
    pub checkpoint: Option<&'a Path>,
    /// Whether to go on from it.
    pub resume: bool,
    /// Whether a run that it holds may be replaced.
    pub force: bool,
    /// A net or a checkpoint, perhaps with fewer neurons, whose weights a new run begins with instead
    /// of random ones.
    pub from: Option<&'a Path>,
    /// Number of threads.
    pub threads: usize,
    /// Set to stop after the current step.
    pub stop: &'a AtomicBool,
}

/// What a run ended with.
pub struct Outcome {
    /// The net with the lowest validation loss.
    pub net: Network,
    /// What rounding its weights cost.
    pub rounding: RoundingReport,
    /// That validation loss.
    pub best_loss: f64,
    /// The steps after which it was reached.
    pub best_step: u64,
    /// The loss curve.
    pub curve: Vec<Point>,
    /// Whether all steps were done.
    pub finished: bool,
    /// Where the time went.
    pub phases: Phases,
    /// Positions learnt per second of this sitting.
    pub samples_per_second: f64,
    /// The same for the fastest step: the speed of the machine when nothing else runs on it.
    pub peak_samples_per_second: f64,
}

/// Training loss is noted this often per pass over the data.
const POINTS_PER_EPOCH: u64 = 20;
/// A checkpoint is written this often.
const CHECKPOINT_INTERVAL: Duration = Duration::from_mins(1);
/// Positions with which rounding is checked.
const ROUNDING_POSITIONS: usize = 100_000;

/// Trains a net. `provenance` goes into its file; `observe` hears about progress.
pub fn run(
    settings: &Settings,
    training: &Training,
    validation: &[LabelledPosition],
    provenance: &str,
    control: &Control,
    mut observe: impl FnMut(&TrainProgress) + Send,
) -> Result<Outcome, TrainError> {
    settings.check()?;
    for (name, is_empty) in
        [("training", training.is_empty()), ("validation", validation.is_empty())]
    {
        if is_empty {
            return Err(TrainError::NoData(name));
        }
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads)
        .build()
        .map_err(|error| TrainError::Threads(error.to_string()))?;
    pool.install(|| {
        let mut run = Run::start(settings, training, validation, control)?;
        run.train(control, &mut observe)?;
        run.finish(provenance)
    })
}

/// A net with the random weights that a run with this seed begins with.
pub fn random(shape: Shape, seed: u64, provenance: &str) -> Result<Network, TrainError> {
    let mut passes = Passes::new(Model::new(shape, seed));
    quantise::quantise(&mut passes, &[], provenance).map_err(TrainError::Export)
}

/// A run in progress.
struct Run<'a> {
    settings: &'a Settings,
    source: Source<'a>,
    validation: &'a [LabelledPosition],
    data: String,
    /// Identifies the validation set.
    judges: String,
    _lock: Option<File>,
    state: State,
    passes: Passes,
    best: Model,
    started: Instant,
    first_step: u64,
    fastest_step: Duration,
}

impl<'a> Run<'a> {
    fn start(
        settings: &'a Settings,
        training: &Training<'a>,
        validation: &'a [LabelledPosition],
        control: &Control,
    ) -> Result<Self, TrainError> {
        let source = Source::new(training.clone(), settings.batch, settings.window, settings.seed);
        let data = source.fingerprint();
        let judges = fingerprint(validation);
        let lock = control.checkpoint.map(checkpoint::lock).transpose()?;
        let (state, model, best) = match control.checkpoint {
            Some(path) if control.resume => checkpoint::load(path, settings, &data, &judges)?,
            Some(path) if !control.force && path.exists() => {
                return Err(TrainError::Exists(path.to_owned()));
            }
            _ => {
                let model = match control.from {
                    Some(path) => start::load(path, settings.shape, settings.seed)?,
                    None => Model::new(settings.shape, settings.seed),
                };
                let steps = settings.epoch_steps(source.len()) * settings.epochs;
                (State { total_steps: steps, ..State::default() }, model.clone(), model)
            }
        };
        let first_step = state.step;
        Ok(Self {
            settings,
            source,
            validation,
            data,
            judges,
            _lock: lock,
            state,
            passes: Passes::new(model),
            best,
            started: Instant::now(),
            first_step,
            fastest_step: Duration::MAX,
        })
    }

    fn epoch_steps(&self) -> u64 {
        self.settings.epoch_steps(self.source.len())
    }

    fn total_steps(&self) -> u64 {
        self.state.total_steps
    }

    fn train(
        &mut self,
        control: &Control,
        observe: &mut impl FnMut(&TrainProgress),
    ) -> Result<(), TrainError> {
        let mut saved = Instant::now();
        let mut told = Instant::now();
        let note_every = (self.epoch_steps() / POINTS_PER_EPOCH).max(1);
        while self.state.step < self.total_steps() && !control.stop.load(Relaxed) {
            self.step()?;
            let step = self.state.step;
            let ends_epoch = step.is_multiple_of(self.epoch_steps());
            if ends_epoch || step.is_multiple_of(note_every) {
                self.note(ends_epoch)?;
            }
            if told.elapsed() >= Duration::from_millis(500) || ends_epoch {
                told = Instant::now();
                observe(&self.progress());
            }
            if saved.elapsed() >= CHECKPOINT_INTERVAL {
                saved = Instant::now();
                self.save(control.checkpoint)?;
            }
        }
        self.save(control.checkpoint)
    }

    fn step(&mut self) -> Result<(), TrainError> {
        let (step, total) = (self.state.step, self.total_steps());
        let epoch_steps = self.epoch_steps();
        let optimiser = AdamW {
            rate: self.settings.rate(step, total),
            decay: self.settings.decay,
            step: step + 1,
        };
        let target = Target { scale: self.settings.scale, wdl: self.settings.wdl(step, total) };
        let chosen = self.source.batch_of(step / epoch_steps, step % epoch_steps)?;
        let start = Instant::now();
        let loss = self.passes.learn(&chosen, target, optimiser);
        self.fastest_step = self.fastest_step.min(start.elapsed());
        if !loss.is_finite() {
            return Err(TrainError::NotFinite { step });
        }
        self.state.step += 1;
        self.state.pending.0 += loss;
        self.state.pending.1 += 1;
        Ok(())
    }

    /// Adds a point to the loss curve, at the end of a pass with the validation loss.
    fn note(&mut self, validate: bool) -> Result<(), TrainError> {
        let step = self.state.step;
        let validation = if validate {
            if !self.passes.model.is_finite() {
                return Err(TrainError::NotFinite { step });
            }
            // Always with the targets of the end, so that losses can be compared.
            let target = Target { scale: self.settings.scale, wdl: self.settings.wdl_end };
            let loss = self.passes.loss(self.validation, target);
            if self.state.best.is_none_or(|(best, _)| loss < best) {
                self.state.best = Some((loss, step));
                self.best.clone_from(&self.passes.model);
            }
            Some(loss)
        } else {
            None
        };
        let (sum, count) = std::mem::take(&mut self.state.pending);
        self.state.curve.push(Point {
            step,
            epoch: step as f64 / self.epoch_steps() as f64,
            rate: self.settings.rate(step - 1, self.total_steps()),
            training: sum / count.max(1) as f64,
            validation,
        });
        Ok(())
    }

    fn samples_per_second(&self) -> f64 {
        let samples = (self.state.step - self.first_step) as f64 * self.settings.batch as f64;
        samples / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    fn progress(&self) -> TrainProgress {
        let left = self.total_steps() - self.state.step;
        let speed = self.samples_per_second().max(1.0);
        let last = self.state.curve.last();
        TrainProgress {
            step: self.state.step,
            total_steps: self.total_steps(),
            epoch_steps: self.epoch_steps(),
            samples_per_second: speed,
            rate: self.settings.rate(self.state.step, self.total_steps()),
            training: last.map(|point| point.training),
            validation: self.state.curve.iter().rev().find_map(|point| point.validation),
            left: Duration::from_secs_f64(left as f64 * self.settings.batch as f64 / speed),
        }
    }

    fn save(&mut self, path: Option<&Path>) -> Result<(), TrainError> {
        let Some(path) = path else { return Ok(()) };
        if !self.passes.model.is_finite() {
            return Err(TrainError::NotFinite { step: self.state.step });
        }
        let checkpoint = Checkpoint {
            settings: self.settings,
            data: &self.data,
            validation: &self.judges,
            state: &self.state,
            model: &self.passes.model,
            best: &self.best,
        };
        checkpoint.save(path)
    }

    fn finish(mut self, provenance: &str) -> Result<Outcome, TrainError> {
        let samples_per_second = self.samples_per_second();
        let peak_samples_per_second = self.source.batch() as f64 / self.fastest_step.as_secs_f64();
        let finished = self.state.step == self.total_steps();
        if self.state.best.is_none() {
            self.note(true)?;
        }
        let (best_loss, best_step) = self.state.best.unwrap_or((f64::NAN, 0));
        let epoch = best_step as f64 / self.epoch_steps() as f64;
        let provenance = format!(
            "{provenance}; {} training; epoch {epoch:.1} of {}, batch {}, rate {:e} to {:e}, scale \
             {}, wdl {} to {}, seed {}; validation loss {best_loss:.6}",
            self.data,
            self.settings.epochs,
            self.settings.batch,
            self.settings.peak_rate,
            self.settings.final_rate,
            self.settings.scale,
            self.settings.wdl_start,
            self.settings.wdl_end,
            self.settings.seed,
        );
        let phases = self.passes.phases;
        let target = Target { scale: self.settings.scale, wdl: self.settings.wdl_end };
        let mut passes = Passes::new(self.best);
        let examples = self.source.sample(quantise::examples_wanted(self.settings.shape))?;
        let net =
            quantise::quantise(&mut passes, &examples, &provenance).map_err(TrainError::Export)?;
        let compared = &self.validation[..self.validation.len().min(ROUNDING_POSITIONS)];
        let rounding = quantise::compare(&mut passes, &net, compared, target);
        Ok(Outcome {
            net,
            rounding,
            best_loss,
            best_step,
            curve: self.state.curve,
            finished,
            phases,
            samples_per_second,
            peak_samples_per_second,
        })
    }
}
