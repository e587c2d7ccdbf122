//! The descent: steepness first, then the blend of result and score, then the weights.

use super::data::{self, DataError, Dataset};
use super::model::{self, Target, Weights, loss};
use crate::work::golden::lowest;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tabiya_engine::eval::hce::ONE_PER_PIECE;

/// Weights of the result (WDL) in the target that are tried out.
const WDL_WEIGHTS: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// How closely the steepness of the curve is found.
const STEEPNESS_TOLERANCE: f64 = 1e-3;

/// Adam (Kingma and Ba 2014): decay of the mean and of the mean square of the gradient.
const ADAM_DECAY: [f64; 2] = [0.9, 0.999];

/// What to fit and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Files of labelled positions.
    pub data: Vec<PathBuf>,
    /// Steps of the final descent.
    pub steps: usize,
    /// Steps of each trial descent that chooses the blend.
    pub trial_steps: usize,
    /// Size of the first steps, in centipawns; it falls to a hundredth.
    pub rate: f64,
    /// Strength of the pull towards the weights the engine was built with.
    pub pull: f64,
    /// Threads; the fit does not depend on their number.
    pub threads: usize,
}

/// How far a fit is.
#[derive(Clone, Copy, Debug)]
pub struct TexelProgress {
    /// The weight of the result (WDL) in the target of this descent.
    pub wdl_weight: f64,
    /// Steps done.
    pub step: usize,
    /// Steps of this descent.
    pub steps: usize,
    /// Loss on the training positions, against the blended target.
    pub loss: f64,
}

/// What a fit found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The fitted weights, middlegame and endgame.
    pub weights: Vec<[f64; 2]>,
    /// Positions learned from and held out.
    pub positions: [usize; 2],
    /// Steepness of the curve from values to expected results.
    pub steepness: f64,
    /// Steepness of the curve for the scores in the data.
    pub score_steepness: f64,
    /// For each weight of the result: the loss on held-out positions after the trial.
    pub trials: Vec<(f64, f64)>,
    /// The weight of the result (WDL) in the final target.
    pub wdl_weight: f64,
    /// Mean squared error against the results before the fit: training, held out.
    pub before: [f64; 2],
    /// The same after it.
    pub after: [f64; 2],
}

/// Fits the weights. `progress` hears of every step and may break off the current descent.
pub fn run(
    options: &Options,
    progress: &mut dyn FnMut(TexelProgress) -> ControlFlow<()>,
) -> Result<Report, DataError> {
    let split = data::read(&options.data)?;
    let threads = options.threads.max(1);
    let start = model::current_weights();
    let results = Target { steepness: 1.0, score_steepness: 1.0, wdl_weight: 1.0 };
    let steepness = lowest(0.2, 10.0, STEEPNESS_TOLERANCE, |steepness| {
        loss(&split.training, &start, &Target { steepness, ..results }, threads, None)
    });
    let score_steepness =
        lowest(0.2, 10.0, STEEPNESS_TOLERANCE, |steepness| score_loss(&split.training, steepness));
    let results = Target { steepness, score_steepness, wdl_weight: 1.0 };
    let judge = |weights: &Weights| {
        [&split.training, &split.held_out].map(|set| loss(set, weights, &results, threads, None))
    };

    let mut descent = Descent { options, data: &split.training, start: &start, threads, progress };
    let mut trials = Vec::new();
    for wdl_weight in WDL_WEIGHTS {
        let weights = descent.run(Target { wdl_weight, ..results }, options.trial_steps);
        trials.push((wdl_weight, judge(&weights)[1]));
    }
    let best = trials.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let wdl_weight = best.map_or(1.0, |(share, _)| *share);
    let mut weights = descent.run(Target { wdl_weight, ..results }, options.steps);
    centre(&mut weights, &split.training);
    Ok(Report {
        positions: [split.training.len(), split.held_out.len()],
        steepness,
        score_steepness,
        trials,
        wdl_weight,
        before: judge(&start),
        after: judge(&weights),
        weights,
    })
}

/// How badly the scores in the data predict the results.
fn score_loss(data: &Dataset, steepness: f64) -> f64 {
    let scored = data.samples.iter().filter_map(|sample| Some((sample.score?, sample.result)));
    scored
        .map(|(score, result)| {
            (model::expected(f64::from(score), steepness) - f64::from(result)).powi(2)
        })
        .sum()
}

struct Descent<'a> {
    options: &'a Options,
    data: &'a Dataset,
    start: &'a Weights,
    threads: usize,
    progress: &'a mut dyn FnMut(TexelProgress) -> ControlFlow<()>,
}

impl Descent<'_> {
    fn run(&mut self, target: Target, steps: usize) -> Weights {
        let mut weights = self.start.clone();
        let mut gradient = Weights::new();
        let mut moments = vec![[[0.0; 2]; 2]; weights.len()];
        for step in 0..steps {
            let loss = loss(self.data, &weights, &target, self.threads, Some(&mut gradient));
            let done = (step as f64 / steps as f64 * std::f64::consts::PI).cos();
            let rate = self.options.rate * (0.01 + 0.99 * f64::midpoint(1.0, done));
            let correction = ADAM_DECAY.map(|decay| 1.0 - decay.powi(step as i32 + 1));
            for (index, weight) in weights.iter_mut().enumerate() {
                for phase in 0..2 {
                    let away = weight[phase] - self.start[index][phase];
                    let gradient = gradient[index][phase] + 2.0 * self.options.pull * away;
                    let [mean, square] = &mut moments[index][phase];
                    *mean += (1.0 - ADAM_DECAY[0]) * (gradient - *mean);
                    *square += (1.0 - ADAM_DECAY[1]) * (gradient * gradient - *square);
                    let size = (*square / correction[1]).sqrt() + 1e-12;
                    weight[phase] -= rate * (*mean / correction[0]) / size;
                }
            }
            let wdl_weight = target.wdl_weight;
            if (self.progress)(TexelProgress { wdl_weight, step: step + 1, steps, loss }).is_break()
            {
                break;
            }
        }
        weights
    }
}

/// Moves what all squares and all degrees of mobility of a piece have in common into its material
/// value. No evaluation changes: each piece has exactly one square and one mobility.
fn centre(weights: &mut Weights, data: &Dataset) {
    let occurrences = data.occurrences();
    for (term, material) in ONE_PER_PIECE {
        let total: u64 = occurrences[term.range()].iter().sum();
        let mean = [0, 1].map(|phase| {
            let weighted = |index: usize| weights[index][phase] * occurrences[index] as f64;
            term.range().map(weighted).sum::<f64>() / total.max(1) as f64
        });
        for phase in [0, 1] {
            term.range().for_each(|index| weights[index][phase] -= mean[phase]);
            weights[material][phase] += mean[phase];
        }
    }
}
