//! The run itself: iterations under way on several threads, results in order, state saved.

use super::gains::Gains;
use super::outputs::Outputs;
use super::state::State;
use crate::arena::Fault;
use crate::arena::tuning::{Judge, Score, Trial, TuningError};
use crate::work::{RunSettings, StopSignal};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tabiya_engine::ParamSpec;

/// How often the caller hears of a run in which nothing happens.
const TICK: Duration = Duration::from_millis(500);
/// A kill costs at most this much of a run, and the games under way.
const SAVE_EVERY: Duration = Duration::from_secs(20);

/// What is tuned, and how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tunables that take part.
    pub params: Vec<ParamSpec>,
    /// Number of iterations, each a pair of games.
    pub iterations: u64,
    /// How far a game won more than lost moves the values at the end, in units of the steps.
    pub rate: f64,
    /// Decides about everything random.
    pub seed: u64,
    /// Everything else that must not change when a run is resumed.
    pub settings: RunSettings,
}

impl Plan {
    pub(super) fn gains(&self) -> Gains {
        Gains::new(self.iterations, self.rate)
    }

    /// All that must not change when a run is resumed.
    pub(super) fn all_settings(&self) -> RunSettings {
        let mut settings = self.settings.clone();
        settings.insert("iterations".to_string(), self.iterations.to_string());
        settings.insert("rate".to_string(), self.rate.to_string());
        settings.insert("seed".to_string(), self.seed.to_string());
        for ParamSpec { name, default, min, max, step } in &self.params {
            settings
                .insert(format!("param {name}"), format!("{default}, {min}..={max}, step {step}"));
        }
        settings
    }
}

/// A look at a running run.
#[derive(Clone, Copy, Debug)]
pub struct Status<'a> {
    /// What is tuned.
    pub plan: &'a Plan,
    /// Where it stands.
    pub state: &'a State,
    /// Iterations since this program started.
    pub iterations: u64,
    /// Time since then.
    pub elapsed: Duration,
}

impl Status<'_> {
    /// Iterations per second.
    pub fn rate(&self) -> f64 {
        self.iterations as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Time that the rest will take, once anything is known about it.
    pub fn remaining(&self) -> Option<Duration> {
        let left = self.plan.iterations - self.state.iteration;
        Duration::try_from_secs_f64(left as f64 / self.rate()).ok()
    }
}

/// Tunes with as many threads as there are judges and returns the last state, which is complete
/// unless `stop` was raised. The state is kept in a file, with a plot and a table beside it (ending
/// in `svg` and `txt`); `resume` continues from it. `stop` is raised in turn when the run fails.
pub fn run<J: Judge>(
    plan: &Plan,
    judges: Vec<J>,
    file: &Path,
    resume: bool,
    stop: &StopSignal,
    report: &mut dyn FnMut(&Status),
) -> Result<State, TuningError> {
    let outputs = Outputs::new(plan, file)?;
    let mut state = outputs.open(plan, resume)?;
    // Ahead of the threads, so that they need not wait for the longest game; one thread never waits.
    let ahead = 4 * judges.len() - 3;
    let (todo, jobs) = channel();
    let jobs = Mutex::new(jobs);
    let (done, results) = channel();
    thread::scope(|scope| {
        for mut judge in judges {
            let (jobs, done) = (&jobs, done.clone());
            scope.spawn(move || work(&mut judge, jobs, &done));
        }
        drop(done);
        let desk = Desk { plan, outputs: &outputs, todo, results, stop };
        let outcome = desk.collect(&mut state, ahead, report);
        if outcome.is_err() {
            stop.abandon();
        }
        outcome
    })?;
    Ok(state)
}

/// Plays trials until there are no more.
fn work<J: Judge>(judge: &mut J, jobs: &Mutex<Receiver<Trial>>, done: &Sender<Finished>) {
    loop {
        let job = jobs.lock().ok().and_then(|jobs| jobs.recv().ok());
        let Some(trial) = job else { return };
        let outcome = match judge.compare(&trial) {
            Ok(Some(score)) => Ok(score),
            Ok(None) => return,
            Err(fault) => Err(fault),
        };
        if done.send((trial.iteration, outcome)).is_err() {
            return;
        }
    }
}

/// The outcome of an iteration.
type Finished = (u64, Result<Score, Fault>);

/// Hands out work and takes results, alone.
struct Desk<'a> {
    plan: &'a Plan,
    outputs: &'a Outputs,
    todo: Sender<Trial>,
    results: Receiver<Finished>,
    stop: &'a StopSignal,
}

impl Desk<'_> {
    fn collect(
        self,
        state: &mut State,
        ahead: usize,
        report: &mut dyn FnMut(&Status),
    ) -> Result<(), TuningError> {
        let (plan, started) = (self.plan, Instant::now());
        let (first, seconds) = (state.iteration, state.seconds);
        let mut saved = started;
        let mut trials = state.set_ahead(plan, ahead);
        loop {
            for trial in trials.drain(..) {
                // Nobody takes work any more once all have stopped; the results then tell.
                let _ = self.todo.send(trial);
            }
            if state.iteration == plan.iterations || self.stop.is_raised() {
                break;
            }
            match self.results.recv_timeout(TICK) {
                Ok((iteration, outcome)) => {
                    let score = outcome.map_err(TuningError::Player)?;
                    trials = state.take(plan, iteration, score);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            state.seconds = seconds + started.elapsed().as_secs_f64();
            if saved.elapsed() >= SAVE_EVERY {
                self.outputs.save(plan, state)?;
                saved = Instant::now();
            }
            let iterations = state.iteration - first;
            report(&Status { plan, state, iterations, elapsed: started.elapsed() });
        }
        self.outputs.save(plan, state)
    }
}

#[cfg(test)]
#[path = "run/tests.rs"]
pub(super) mod tests;
