//! The loop of training.

use super::batch::MicroBatch;
use super::checkpoint::{Checkpoint, State};
use super::deck::Deck;
use super::games::Games;
use super::layout::Layout;
use super::network::{Network, Totals};
use super::optim::{Parameters, reduce};
use super::report::Point;
use super::schedule::Finish;
use super::ternary::TernaryStatistics;
use super::{MICRO_BATCHES, PARTS, PolicyTrainError, STEP, Settings, ceiling, export};
use crate::work::lock::{self, LockError};
use crate::work::settings;
use rayon::prelude::*;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tabiya_nn::policy::gguf::Value;

/// Steps between two points of the curve, and between two measurements on held-out games.
const POINT: u64 = 25;
const MEASURE: u64 = 250;
/// Micro-batches of each kind to measure with.
const MEASURED: u64 = 16;
/// Time between two checkpoints.
const SAVE: Duration = Duration::from_mins(10);
/// Decides the crops to measure with.
const MEASURE_SEED: u64 = 0x7E57;

/// The games of a run; at least one kind for training and for measuring.
pub struct Data<'a> {
    /// A teacher's games,
    pub teacher: Option<&'a Games>,
    /// and people's.
    pub people: Option<&'a Games>,
    /// Held-out games of the teacher,
    pub teacher_test: Option<&'a Games>,
    /// and of people.
    pub people_test: Option<&'a Games>,
}

/// How a run is run.
pub struct Control<'a> {
    /// Where to keep the state of the run.
    pub checkpoint: Option<&'a Path>,
    /// Go on from this state.
    pub resume: Option<&'a Path>,
    /// Whether a run that the checkpoint holds may be replaced.
    pub force: bool,
    /// Begin the second stage now and end after this many positions.
    pub finish: Option<u64>,
    /// Number of threads; the net does not depend on it.
    pub threads: usize,
    /// Ends the run after the current step.
    pub stop: &'a AtomicBool,
}

/// How a run goes.
pub struct PolicyProgress<'a> {
    /// Steps done.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Positions per second since the run was started or resumed.
    pub speed: f64,
    /// The newest point of the curve.
    pub point: Option<&'a Point>,
    /// Whether the point is new.
    pub fresh: bool,
    /// Time left.
    pub left: Duration,
}

/// What a run leaves.
pub struct Outcome {
    /// The settings.
    pub settings: Settings,
    /// The latent parameters.
    pub(crate) latent: Vec<f32>,
    /// The loss curve.
    pub curve: Vec<Point>,
    /// Name and statistics of every ternary matrix.
    pub statistics: Vec<(String, TernaryStatistics)>,
    /// Positions trained on, all in all.
    pub positions: u64,
    /// Positions per second since the run was started or resumed.
    pub speed: f64,
    /// What the products with block weights alone would allow on these threads, in positions per second.
    pub ceiling: f64,
    /// Whether the weights are ternary now; if not, the net is not worth a file.
    pub is_ternary: bool,
    /// Whether the run has reached its end.
    pub finished: bool,
}

impl Outcome {
    /// The net as a file, with a word about its making.
    pub fn to_gguf(&self, name: &str, teacher: &str) -> Vec<u8> {
        let config = self.settings.shape.config();
        let layout = Layout::new(&config);
        let top1 = self.curve.iter().rev().find_map(|point| point.teacher.or(point.people));
        let about = [
            ("general.name", Value::Text(name)),
            ("policynet.train.positions", Value::U64(self.positions)),
            ("policynet.train.teacher", Value::Text(teacher)),
            ("policynet.train.top1", Value::F32(top1.map_or(0.0, |measured| measured.1 as f32))),
        ];
        export::weights(&layout, &self.latent).to_gguf(&config, &about)
    }
}

/// One of the gradients that are added up.
struct Worker<'a> {
    network: Network<'a>,
    gradient: Vec<f32>,
    batch: MicroBatch,
    totals: Totals,
}

/// Trains a net.
pub fn run(
    settings: &Settings,
    data: &Data,
    control: &Control,
    mut show: impl FnMut(&PolicyProgress) + Send,
) -> Result<Outcome, PolicyTrainError> {
    settings.check()?;
    let no_training = data.teacher.is_none() && data.people.is_none();
    if no_training || (data.teacher_test.is_none() && data.people_test.is_none()) {
        return Err(PolicyTrainError::NoData);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads)
        .build()
        .map_err(|error| PolicyTrainError::Threads(error.to_string()))?;
    let _lock = control.checkpoint.map(lock).transpose()?;
    pool.install(|| train(settings, data, control, &mut show))
}

/// Takes a checkpoint for this run alone.
fn lock(path: &Path) -> Result<File, PolicyTrainError> {
    lock::beside(path).map_err(|error| match error {
        LockError::Busy => PolicyTrainError::Busy(path.to_owned()),
        LockError::Io(error) => PolicyTrainError::Write(path.to_owned(), error),
    })
}

fn train(
    settings: &Settings,
    data: &Data,
    control: &Control,
    show: &mut impl FnMut(&PolicyProgress),
) -> Result<Outcome, PolicyTrainError> {
    let layout = Layout::new(&settings.shape.config());
    let mut checkpoint = start(settings, data, control, &layout)?;
    let mut plan = settings.plan();
    plan.finish = checkpoint.state.finish;
    let deck = Deck::new(data.teacher, data.people, settings.people, settings.seed);
    let measure = |games: Option<&Games>| {
        games.map(|games| test_batches(&Deck::new(Some(games), None, 0.0, MEASURE_SEED)))
    };
    let tests = [measure(data.teacher_test), measure(data.people_test)];
    let mut workers: Vec<_> = (0..PARTS).map(|_| Worker::new(&layout)).collect();
    let mut used = vec![0.0; layout.len()];
    let (begin, begun) = (Instant::now(), checkpoint.state.positions);
    let mut saved = Instant::now();
    let mut shown: Option<Instant> = None;
    while checkpoint.state.step < plan.end() && !control.stop.load(Relaxed) {
        let step = checkpoint.state.step;
        let pace = plan.pace(step);
        layout.round(&checkpoint.parameters.latent, &mut used, pace.lambda);
        let totals = one_step(&deck, &mut workers, &used, pace.lambda, step);
        let gradient = &mut workers[0].gradient;
        let length = checkpoint.parameters.step(&layout, gradient, &pace, step + 1);
        if !(totals.policy_loss + totals.value_loss + length).is_finite() {
            return Err(PolicyTrainError::Diverged(step + 1));
        }
        let state = &mut checkpoint.state;
        state.step += 1;
        state.positions += totals.tokens as u64;
        let (steps, policy, value) = &mut state.pending;
        (*steps, *policy, *value) =
            (*steps + 1, *policy + totals.policy(), *value + totals.value());
        let fresh = state.step % POINT == 0 || state.step == plan.end();
        if fresh {
            let mut point = Point {
                step: state.step,
                positions: state.positions,
                rate: pace.rate,
                lambda: pace.lambda,
                policy: *policy / *steps as f64,
                value: *value / *steps as f64,
                teacher: None,
                people: None,
            };
            state.pending = (0, 0.0, 0.0);
            if state.step % MEASURE == 0 || state.step == plan.end() {
                layout.round(&checkpoint.parameters.latent, &mut used, pace.lambda);
                let measured = |tests: &Option<Vec<MicroBatch>>| {
                    tests.as_ref().map(|tests| evaluate(&layout, &used, pace.lambda, tests))
                };
                point.teacher = measured(&tests[0]);
                point.people = measured(&tests[1]);
            }
            state.curve.push(point);
        }
        if let Some(path) = control.checkpoint
            && saved.elapsed() >= SAVE
        {
            checkpoint.save(path)?;
            saved = Instant::now();
        }
        if fresh || shown.is_none_or(|shown| shown.elapsed() >= Duration::from_millis(500)) {
            shown = Some(Instant::now());
            let state = &checkpoint.state;
            let speed = (state.positions - begun) as f64 / begin.elapsed().as_secs_f64();
            let left = (plan.end() - state.step) as f64 * STEP as f64 / speed.max(1.0);
            show(&PolicyProgress {
                step: state.step,
                steps: plan.end(),
                speed,
                point: state.curve.last(),
                fresh,
                left: Duration::from_secs_f64(left),
            });
        }
    }
    if let Some(path) = control.checkpoint {
        checkpoint.save(path)?;
    }
    let speed = (checkpoint.state.positions - begun) as f64 / begin.elapsed().as_secs_f64();
    // Forward, and the gradients by input and weight: a multiplication and an addition each.
    let operations = 6 * settings.shape.config().block_weights();
    let threads = control.threads.min(PARTS) as f64;
    let state = checkpoint.state;
    let last = plan.pace(state.step.saturating_sub(1));
    Ok(Outcome {
        settings: settings.clone(),
        statistics: statistics(&layout, &checkpoint.parameters.latent),
        latent: checkpoint.parameters.latent,
        curve: state.curve,
        positions: state.positions,
        speed,
        ceiling: threads * ceiling::flops() / operations as f64,
        is_ternary: last.lambda == 1.0,
        finished: state.step >= plan.end(),
    })
}

/// A new run, or one that goes on.
fn start(
    given: &Settings,
    data: &Data,
    control: &Control,
    layout: &Layout,
) -> Result<Checkpoint, PolicyTrainError> {
    let identity = identity(data);
    let Some(path) = control.resume else {
        if let Some(path) = control.checkpoint.filter(|path| !control.force && path.exists()) {
            return Err(PolicyTrainError::Exists(path.to_owned()));
        }
        let parameters = Parameters::new(layout.first_parameters(given.seed));
        return Ok(Checkpoint {
            settings: given.clone(),
            data: identity,
            state: State::default(),
            parameters,
        });
    };
    let mut checkpoint = Checkpoint::load(path)?;
    settings::compare(&settings::fields(&checkpoint.settings), &settings::fields(given))
        .map_err(PolicyTrainError::OtherSettings)?;
    if !is_same_data(&checkpoint.data, &identity) {
        return Err(PolicyTrainError::Checkpoint("it belongs to a run on other games"));
    }
    if checkpoint.parameters.latent.len() != layout.len() {
        return Err(PolicyTrainError::Checkpoint("it is damaged or of another kind"));
    }
    if let Some(positions) = control.finish
        && checkpoint.state.finish.is_none()
    {
        let steps = positions.div_ceil(STEP).max(1);
        checkpoint.state.finish = Some(Finish { from: checkpoint.state.step, steps });
    }
    Ok(checkpoint)
}

/// Identifies the games of a run: their moves, then what else they teach.
fn identity(data: &Data) -> String {
    let games = [data.teacher, data.people];
    let prints = games.map(|games| games.map(|games| (games.len(), games.fingerprint())));
    let moves = prints.map(|print| {
        print.map_or_else(String::new, |(count, [moves, _])| format!("{count} games {moves:08x}"))
    });
    let others = prints
        .map(|print| print.map_or_else(String::new, |(_, [_, others])| format!("{others:08x}")));
    format!("{}; {}", moves.join(", "), others.join(", "))
}

/// Checkpoints of older programs tell of the moves only; these must do for them.
fn is_same_data(recorded: &str, given: &str) -> bool {
    let moves = given.split_once("; ").map(|(moves, _)| moves);
    recorded == given || Some(recorded) == moves
}

/// The gradient of a step, in the first worker.
fn one_step(
    deck: &Deck,
    workers: &mut [Worker],
    weights: &[f32],
    lambda: f32,
    step: u64,
) -> Totals {
    workers.par_iter_mut().enumerate().for_each(|(part, worker)| {
        worker.totals = Totals::default();
        for index in 0..MICRO_BATCHES {
            let part = part * MICRO_BATCHES + index;
            deck.deal(step * (PARTS * MICRO_BATCHES) as u64 + part as u64, &mut worker.batch);
            worker.add_gradient(weights, lambda);
        }
    });
    let mut totals = Totals::default();
    for worker in workers.iter() {
        totals.add(&worker.totals);
    }
    if let Some((first, others)) = workers.split_first_mut() {
        for other in others {
            reduce(&mut first.gradient, &mut other.gradient);
        }
    }
    totals
}

impl<'a> Worker<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self {
            network: Network::new(layout),
            gradient: vec![0.0; layout.len()],
            batch: MicroBatch::default(),
            totals: Totals::default(),
        }
    }

    fn add_gradient(&mut self, weights: &[f32], lambda: f32) {
        self.network.forward(weights, lambda, &self.batch);
        let gradient = Some((&mut self.gradient[..], 1.0 / STEP as f32));
        let totals = self.network.losses(weights, lambda, &self.batch, gradient);
        self.totals.add(&totals);
    }
}

fn test_batches(deck: &Deck) -> Vec<MicroBatch> {
    (0..MEASURED)
        .map(|number| {
            let mut batch = MicroBatch::default();
            deck.deal(number, &mut batch);
            batch
        })
        .collect()
}

/// Mean policy loss, and the share of moves predicted.
fn evaluate(layout: &Layout, weights: &[f32], lambda: f32, batches: &[MicroBatch]) -> (f64, f64) {
    let each: Vec<_> = batches
        .par_iter()
        .map(|batch| {
            let mut network = Network::new(layout);
            network.forward(weights, lambda, batch);
            network.losses(weights, lambda, batch, None)
        })
        .collect();
    let mut totals = Totals::default();
    for part in &each {
        totals.add(part);
    }
    (totals.policy(), totals.top1())
}

fn statistics(layout: &Layout, latent: &[f32]) -> Vec<(String, TernaryStatistics)> {
    let ternary = layout.tensors.iter().filter(|tensor| tensor.is_ternary());
    ternary
        .map(|tensor| (tensor.name.clone(), TernaryStatistics::of(&latent[tensor.place.clone()])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    fn games(count: usize) -> Games {
        let line = "1500 1900 60+0 1-0|e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 f7f6 d2d4 e5d4\n\
                    1200 1300 60+0 0-1|d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8 g1f3 b8d7\n";
        Games::from_text(&line.repeat(count)).unwrap()
    }

    fn settings() -> Settings {
        Settings { shape: Shape::Tiny, positions: 10 * STEP, ..Settings::default() }
    }

    fn data(games: &Games) -> Data<'_> {
        Data { teacher: None, people: Some(games), teacher_test: None, people_test: Some(games) }
    }

    fn trained(control: &Control) -> Outcome {
        run(&settings(), &data(&games(40)), control, |_| ()).unwrap()
    }

    #[test]
    fn a_run_learns_and_depends_on_neither_threads_nor_interruption() {
        let folder = std::env::temp_dir().join(format!("tabiya-policy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("run.checkpoint");
        let go_on = AtomicBool::new(false);
        let plain = Control {
            checkpoint: None,
            resume: None,
            force: false,
            finish: None,
            threads: 1,
            stop: &go_on,
        };
        let whole = trained(&plain);
        assert!(whole.finished && whole.is_ternary);
        let last = whole.curve.last().unwrap();
        // A uniform choice among 20 moves and more has a loss above 3.
        assert!(last.people.unwrap().0 < 2.5, "{last:?}");

        let threads = trained(&Control { threads: 3, ..plain });
        assert_eq!(whole.latent, threads.latent);

        let stop = AtomicBool::new(false);
        let games = games(40);
        let data = data(&games);
        let control = Control { checkpoint: Some(&path), stop: &stop, ..plain };
        let at_once = |_: &PolicyProgress| stop.store(true, Relaxed);
        let half = run(&settings(), &data, &control, at_once).unwrap();
        assert!(!half.finished);
        let error = run(&settings(), &data, &control, |_| ()).err().unwrap().to_string();
        assert!(error.contains("holds a run already"), "{error}");
        let other_run = lock(&path).unwrap();
        let forced = Control { force: true, ..control };
        let error = run(&settings(), &data, &forced, |_| ()).err().unwrap().to_string();
        assert!(error.contains("in use by another run"), "{error}");
        drop(other_run);
        let resume = Control { resume: Some(&path), ..plain };
        assert_eq!(trained(&resume).latent, whole.latent);

        let finish = Control { finish: Some(3 * STEP), ..resume };
        let finished = trained(&finish);
        assert!(finished.finished && finished.is_ternary);
        assert!(finished.positions < whole.positions);

        let other = Settings { seed: 9, ..settings() };
        let error = run(&other, &data, &resume, |_| ()).err().unwrap();
        assert!(error.to_string().contains("other settings: seed was 1, now 9"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_run_knows_its_games_again() {
        let games =
            |result| Games::from_text(&format!("1500 1600 60+0 {result}|e2e4 e7e5")).unwrap();
        let [won, lost] = ["1-0", "0-1"].map(|result| identity(&data(&games(result))));
        assert!(is_same_data(&won, &won) && !is_same_data(&won, &lost));
        // An older program has written down the moves alone.
        let (moves, _) = won.split_once("; ").unwrap();
        assert!(is_same_data(moves, &won) && is_same_data(moves, &lost));
    }
}
