//! Where a run stands: everything that is needed to continue it.

use super::run::Plan;
use super::trial::signs;
use crate::arena::tuning::{Score, Trial};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Points in a plot's lines.
const SAMPLES: u64 = 200;

/// Where a run stands.
///
/// Several iterations are played at the same time, but their results are taken in order, and each
/// iteration starts from the values that were known a fixed number of iterations before. So nothing
/// depends on which game ends first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Iterations whose results are in the values.
    pub iteration: u64,
    /// The values, one for each tunable of the plan.
    pub values: Vec<f64>,
    /// Results of those iterations.
    pub score: Score,
    /// Seconds played.
    pub seconds: f64,
    /// The values at the first and at evenly spaced later iterations.
    pub history: Vec<(u64, Vec<f64>)>,
    /// The values that the next iterations, already under way, start from.
    pending: VecDeque<Vec<f64>>,
    /// Results of iterations that wait for an earlier one.
    finished: BTreeMap<u64, Score>,
}

/// How far a tunable has moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// Its name.
    pub name: &'static str,
    /// Where it started.
    pub old: i32,
    /// Where it is now.
    pub value: f64,
    /// The difference in units of its step.
    pub steps: f64,
}

impl Change {
    /// The value to build an engine with.
    pub fn new_value(&self) -> i32 {
        self.value.round() as i32
    }
}

impl State {
    /// The start of a run.
    pub(super) fn new(plan: &Plan) -> Self {
        let values: Vec<f64> = plan.params.iter().map(|param| f64::from(param.default)).collect();
        Self {
            iteration: 0,
            history: vec![(0, values.clone())],
            values,
            score: Score::default(),
            seconds: 0.0,
            pending: VecDeque::new(),
            finished: BTreeMap::new(),
        }
    }

    /// Whether this can be a state of the plan.
    pub(super) fn fits(&self, plan: &Plan) -> bool {
        let is_set = |values: &Vec<f64>| {
            values.len() == plan.params.len() && values.iter().all(|value| value.is_finite())
        };
        self.iteration <= plan.iterations
            && is_set(&self.values)
            && self.pending.iter().all(is_set)
            && self.history.iter().all(|(_, values)| is_set(values))
    }

    /// Sets how many iterations are under way and returns those that have to be played.
    pub(super) fn set_ahead(&mut self, plan: &Plan, ahead: usize) -> Vec<Trial> {
        self.pending.truncate(ahead);
        self.finished.retain(|&k, _| k < self.iteration + ahead as u64);
        while self.pending.len() < ahead && self.next_to_start() < plan.iterations {
            self.pending.push_back(self.values.clone());
        }
        let trials = (self.iteration..).zip(&self.pending);
        let trials = trials.filter(|(iteration, _)| !self.finished.contains_key(iteration));
        trials.map(|(iteration, values)| Trial::new(plan, iteration, values)).collect()
    }

    fn next_to_start(&self) -> u64 {
        self.iteration + self.pending.len() as u64
    }

    /// Takes a result and returns the iterations that can be played now.
    pub(super) fn take(&mut self, plan: &Plan, iteration: u64, score: Score) -> Vec<Trial> {
        self.finished.insert(iteration, score);
        let mut trials = Vec::new();
        while let Some(score) = self.finished.remove(&self.iteration) {
            self.apply(plan, &score);
            let next = self.next_to_start();
            if next < plan.iterations {
                self.pending.push_back(self.values.clone());
                trials.push(Trial::new(plan, next, &self.values));
            }
        }
        trials
    }

    /// Moves the values towards the winner of the oldest iteration under way.
    fn apply(&mut self, plan: &Plan, score: &Score) {
        let pull = plan.gains().pull(self.iteration) * score.lead();
        let signs = signs(plan, self.iteration);
        for ((value, param), sign) in self.values.iter_mut().zip(&plan.params).zip(signs) {
            let moved = *value + pull * sign * f64::from(param.step);
            *value = moved.clamp(f64::from(param.min), f64::from(param.max));
        }
        self.score.add(score);
        self.pending.pop_front();
        self.iteration += 1;
        let is_last = self.iteration == plan.iterations;
        if is_last || self.iteration.is_multiple_of(plan.iterations.div_ceil(SAMPLES)) {
            self.history.push((self.iteration, self.values.clone()));
        }
    }

    /// How far each tunable has moved.
    pub fn changes(&self, plan: &Plan) -> Vec<Change> {
        let change = |(param, &value): (&tabiya_engine::ParamSpec, &f64)| {
            let steps = (value - f64::from(param.default)) / f64::from(param.step);
            Change { name: param.name, old: param.default, value, steps }
        };
        plan.params.iter().zip(&self.values).map(change).collect()
    }

    /// The same, the furthest first.
    pub fn movers(&self, plan: &Plan) -> Vec<Change> {
        let mut changes = self.changes(plan);
        changes.sort_by(|a, b| b.steps.abs().total_cmp(&a.steps.abs()));
        changes
    }
}
