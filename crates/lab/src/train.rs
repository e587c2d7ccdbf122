//! Training nets on the CPU: `(768 x king buckets -> hidden)x2 -> squared clipped -> outputs`.
//!
//! [`run`] trains on positions in memory and returns the net with the lowest validation loss.
//! `model` holds the weights, `batch` turns positions into lists, `kernel` has the loops, `pass` puts
//! a batch through the net. The result depends on settings, seed and data only, never on the number
//! of threads, and a resumed run ends with the same bits as one that was never stopped.

mod batch;
mod checkpoint;
mod kernel;
mod loss;
mod model;
mod optim;
mod pass;
pub mod policy;
mod quantise;
mod report;
mod rounding;
mod schedule;
mod start;
#[cfg(test)]
mod tests;

pub use pass::Phases;
pub use quantise::RoundingReport;
pub use report::{Point, csv, svg};

use crate::data::record::{Position, Record};
use crate::work::files;
use crate::work::random::SplitMix;
use checkpoint::{Checkpoint, State};
use loss::Target;
use model::Model;
use optim::AdamW;
use pass::Passes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tabiya_nn::{NetError, Network, Shape};

/// Everything that decides what a run produces, besides the data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Hidden neurons per side.
    pub hidden: usize,
    /// King buckets; with several, a shared part is learnt too.
    pub king_buckets: usize,
    /// Output buckets by number of pieces.
    pub output_buckets: usize,
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
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hidden: 256,
            king_buckets: 1,
            output_buckets: 1,
            epochs: 20,
            batch: 16384,
            peak_rate: 1e-3,
            final_rate: 2e-6,
            warm_up: 400,
            decay: 0.01,
            scale: 215.0,
            wdl_start: 0.0,
            wdl_end: 0.2,
            seed: 1,
        }
    }
}

impl Settings {
    /// The shape of the net.
    pub fn shape(&self) -> Result<Shape, TrainError> {
        Shape::new(self.hidden, self.king_buckets, self.output_buckets).map_err(TrainError::Shape)
    }

    fn check(&self) -> Result<Shape, TrainError> {
        let sane = [
            ("epochs", self.epochs >= 1),
            ("batch", (1..=1 << 20).contains(&self.batch)),
            ("peak rate", self.peak_rate > 0.0 && self.peak_rate <= 1.0),
            ("final rate", self.final_rate >= 0.0 && self.final_rate <= self.peak_rate),
            ("decay", (0.0..1.0).contains(&self.decay)),
            ("scale", self.scale >= 1.0 && self.scale.is_finite()),
            ("wdl", [self.wdl_start, self.wdl_end].iter().all(|wdl| (0.0..=1.0).contains(wdl))),
        ];
        if let Some((name, _)) = sane.iter().find(|(_, sane)| !sane) {
            return Err(TrainError::Setting(name));
        }
        self.shape()
    }

    /// Steps of a pass over this many positions; a rest smaller than a batch is left out.
    fn epoch_steps(&self, positions: usize) -> u64 {
        (positions / self.batch).max(1) as u64
    }

    /// The first setting in which two runs differ.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            ("hidden", self.hidden != other.hidden),
            ("king buckets", self.king_buckets != other.king_buckets),
            ("output buckets", self.output_buckets != other.output_buckets),
            ("epochs", self.epochs != other.epochs),
            ("batch", self.batch != other.batch),
            ("peak rate", self.peak_rate != other.peak_rate),
            ("final rate", self.final_rate != other.final_rate),
            ("warm-up", self.warm_up != other.warm_up),
            ("decay", self.decay != other.decay),
            ("scale", self.scale != other.scale),
            ("wdl", (self.wdl_start, self.wdl_end) != (other.wdl_start, other.wdl_end)),
            ("seed", self.seed != other.seed),
        ];
        differences.iter().find(|(_, differs)| *differs).map(|(name, _)| *name)
    }
}

/// Why training failed.
#[derive(Debug)]
pub enum TrainError {
    /// Sizes that no net can have.
    Shape(NetError),
    /// A setting outside its range.
    Setting(&'static str),
    /// Nothing to learn from, or nothing to check against.
    NoData(&'static str),
    /// A weight or loss became infinite or no number.
    NotFinite {
        /// At which step.
        step: u64,
    },
    /// A file that cannot be read.
    Read(PathBuf, io::Error),
    /// A file that cannot be written.
    Write(PathBuf, io::Error),
    /// A damaged checkpoint: which part.
    Checkpoint(&'static str),
    /// The checkpoint belongs to a run with another value of this setting.
    OtherSettings(&'static str),
    /// The checkpoint belongs to a run with other data.
    OtherData,
    /// The net to start from cannot be read.
    Start(NetError),
    /// The net to start from has more neurons or other buckets.
    StartShape,
    /// The weights do not fit a net file.
    Export(NetError),
    /// The threads cannot be started.
    Threads(String),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Shape(error) => write!(f, "shape: {error}"),
            Self::Setting(name) => write!(f, "{name}: out of range"),
            Self::NoData(name) => write!(f, "{name}: no positions"),
            Self::NotFinite { step } => write!(f, "step {step}: a weight is no longer a number"),
            Self::Read(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Self::Write(path, error) => write!(f, "cannot write {}: {error}", path.display()),
            Self::Checkpoint(part) => write!(f, "checkpoint: damaged {part}"),
            Self::OtherSettings(name) => write!(f, "checkpoint: made with another {name}"),
            Self::OtherData => write!(f, "checkpoint: made with other data"),
            Self::Start(error) => write!(f, "net to start from: {error}"),
            Self::StartShape => write!(f, "net to start from: more neurons or other buckets"),
            Self::Export(error) => write!(f, "export: {error}"),
            Self::Threads(reason) => write!(f, "threads: {reason}"),
        }
    }
}

impl std::error::Error for TrainError {}

/// How a run goes, told twice a second or more rarely.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
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
pub struct Control<'a> {
    /// The checkpoint file.
    pub checkpoint: Option<&'a Path>,
    /// Whether to go on from it.
    pub resume: bool,
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
    /// The same for the fastest step: what the machine can do when nothing else runs on it.
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
    training: &[Position],
    validation: &[Position],
    provenance: &str,
    control: &Control,
    mut observe: impl FnMut(&Progress) + Send,
) -> Result<Outcome, TrainError> {
    let shape = settings.check()?;
    for (name, positions) in [("training", training), ("validation", validation)] {
        if positions.is_empty() {
            return Err(TrainError::NoData(name));
        }
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads)
        .build()
        .map_err(|error| TrainError::Threads(error.to_string()))?;
    pool.install(|| {
        let mut run = Run::start(settings, shape, training, validation, control)?;
        run.train(control, &mut observe)?;
        run.finish(provenance)
    })
}

/// Writes a result so that a crash leaves the old or the new content.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    files::replace(path, bytes)
}

/// Identifies data by number and a sample of the positions.
fn fingerprint(positions: &[Position]) -> String {
    let mut bytes = Vec::new();
    for position in positions.iter().step_by(positions.len() / 10_000 + 1) {
        position.encode(&mut bytes);
    }
    format!("{} positions, {:08x}", positions.len(), crc32fast::hash(&bytes))
}

/// A run in progress.
struct Run<'a> {
    settings: &'a Settings,
    training: &'a [Position],
    validation: &'a [Position],
    data: String,
    state: State,
    passes: Passes,
    best: Model,
    /// The order of the data in the current pass over it.
    order: Vec<u32>,
    order_epoch: Option<u64>,
    started: Instant,
    first_step: u64,
    fastest_step: Duration,
}

impl<'a> Run<'a> {
    fn start(
        settings: &'a Settings,
        shape: Shape,
        training: &'a [Position],
        validation: &'a [Position],
        control: &Control,
    ) -> Result<Self, TrainError> {
        let data = fingerprint(training);
        let (state, model, best) = match control.checkpoint {
            Some(path) if control.resume => checkpoint::load(path, settings, &data)?,
            _ => {
                let model = match control.from {
                    Some(path) => start::load(path, shape, settings.seed)?,
                    None => Model::new(shape, settings.seed),
                };
                let steps = settings.epoch_steps(training.len()) * settings.epochs;
                (State { total_steps: steps, ..State::default() }, model.clone(), model)
            }
        };
        let first_step = state.step;
        Ok(Self {
            settings,
            training,
            validation,
            data,
            state,
            passes: Passes::new(model),
            best,
            order: Vec::new(),
            order_epoch: None,
            started: Instant::now(),
            first_step,
            fastest_step: Duration::MAX,
        })
    }

    fn epoch_steps(&self) -> u64 {
        self.settings.epoch_steps(self.training.len())
    }

    fn total_steps(&self) -> u64 {
        self.state.total_steps
    }

    fn train(
        &mut self,
        control: &Control,
        observe: &mut impl FnMut(&Progress),
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
        let epoch = step / self.epoch_steps();
        if self.order_epoch != Some(epoch) {
            self.shuffle(epoch);
        }
        let batch = self.settings.batch.min(self.training.len());
        let first = (step % self.epoch_steps()) as usize * batch;
        let optimiser = AdamW {
            rate: self.settings.rate(step, total),
            decay: self.settings.decay,
            step: step + 1,
        };
        let target = Target { scale: self.settings.scale, wdl: self.settings.wdl(step, total) };
        let indices = &self.order[first..first + batch];
        let start = Instant::now();
        let loss = self.passes.learn(self.training, indices, target, optimiser);
        self.fastest_step = self.fastest_step.min(start.elapsed());
        if !loss.is_finite() {
            return Err(TrainError::NotFinite { step });
        }
        self.state.step += 1;
        self.state.pending.0 += loss;
        self.state.pending.1 += 1;
        Ok(())
    }

    /// Puts the data into the order of a pass, the same whenever it is asked for.
    fn shuffle(&mut self, epoch: u64) {
        self.order = (0..self.training.len() as u32).collect();
        let mut seeds = SplitMix::new(self.settings.seed);
        let seed = seeds.next() ^ SplitMix::new(epoch).next();
        SplitMix::new(seed).shuffle(&mut self.order);
        self.order_epoch = Some(epoch);
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

    fn progress(&self) -> Progress {
        let left = self.total_steps() - self.state.step;
        let speed = self.samples_per_second().max(1.0);
        let last = self.state.curve.last();
        Progress {
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
            state: &self.state,
            model: &self.passes.model,
            best: &self.best,
        };
        checkpoint.save(path)
    }

    fn finish(mut self, provenance: &str) -> Result<Outcome, TrainError> {
        let samples_per_second = self.samples_per_second();
        let batch = self.settings.batch.min(self.training.len());
        let peak_samples_per_second = batch as f64 / self.fastest_step.as_secs_f64();
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
        let net = quantise::quantise(&mut passes, self.training, &provenance)
            .map_err(TrainError::Export)?;
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
