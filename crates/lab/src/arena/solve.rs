//! Suites of test positions: does an engine find the move?
//!
//! A line of a suite asks for one of the best moves (`bm`), for anything but some moves (`am`), for
//! a mate in a number of moves (`bm #3`), or grades several moves with points (the Strategic Test
//! Suite, with moves in `c9` or `c7` and points in `c8`, or both in `c0`).

mod goal;

pub use goal::{Goal, Problem};

use crate::arena::{EngineSpec, Fault, Limits, Player, PlayerFactory, Question, Score, SearchInfo};
use crate::work::StopSignal;
use crate::work::files;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;
use tabiya_chess::{EpdError, Game, Move};

/// Why a suite cannot be solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The file cannot be read.
    #[error("suite {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// A line makes no sense.
    #[error("suite {} line {line}: {error}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        #[source]
        error: EpdError,
    },
    /// A line asks for nothing.
    #[error("suite {} line {line}: neither bm nor am", .path.display())]
    NoGoal {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
    },
    /// No position at all.
    #[error("suite {}: no position in it", .0.display())]
    Empty(PathBuf),
    /// The engine fails before the first position.
    #[error("engine {0}: {1}")]
    Engine(String, #[source] Fault),
}

/// Reads a suite, packed or not.
pub fn read_suite(path: &Path) -> Result<Vec<Problem>, SolveError> {
    let text =
        files::read_text(path).map_err(|error| SolveError::Read(path.to_path_buf(), error))?;
    let lines =
        text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let problems: Vec<Problem> = lines
        .map(|(index, text)| {
            let line = index + 1;
            let problem = Problem::parse(text, line).map_err(|error| SolveError::Line {
                path: path.to_path_buf(),
                line,
                error,
            })?;
            problem.ok_or_else(|| SolveError::NoGoal { path: path.to_path_buf(), line })
        })
        .collect::<Result<_, _>>()?;
    if problems.is_empty() {
        return Err(SolveError::Empty(path.to_path_buf()));
    }
    Ok(problems)
}

/// What an engine made of one position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Attempt {
    /// Index of the problem in the suite.
    pub index: usize,
    /// Its name.
    pub id: String,
    /// Whether it was solved.
    pub solved: bool,
    /// Points earned.
    pub points: u32,
    /// The move chosen, in standard notation; `None` after a failure.
    pub chosen: Option<String>,
    /// What was asked for.
    pub wanted: String,
    /// Depth reached.
    pub depth: Option<u32>,
    /// Nodes searched in all.
    pub nodes: u64,
    /// Milliseconds spent in all.
    pub time_ms: u64,
    /// Nodes after which the solution stood to the end, if solved.
    pub nodes_to_solution: Option<u64>,
    /// Milliseconds after which the solution stood to the end, if solved.
    pub ms_to_solution: Option<u64>,
    /// How the engine failed, if it did.
    pub failure: Option<String>,
}

/// The result of a suite.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SuiteResult {
    /// Positions solved.
    pub solved: usize,
    /// Positions tried.
    pub total: usize,
    /// Points earned; without grades in the suite one for each position solved.
    pub points: u32,
    /// Points to be had.
    pub max_points: u32,
    /// Whether the suite has grades.
    pub graded: bool,
    /// Mean nodes to solution of the solved positions.
    pub mean_nodes: Option<f64>,
    /// Mean milliseconds to solution of the solved positions.
    pub mean_ms: Option<f64>,
    /// Times the engine failed.
    pub failures: usize,
    /// Each position in the order of the suite.
    pub attempts: Vec<Attempt>,
}

impl SuiteResult {
    fn new(problems: &[Problem], mut attempts: Vec<Attempt>) -> Self {
        attempts.sort_by_key(|attempt| attempt.index);
        let mean = |value: fn(&Attempt) -> Option<u64>| {
            let values: Vec<u64> = attempts.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| values.iter().sum::<u64>() as f64 / values.len() as f64)
        };
        Self {
            solved: attempts.iter().filter(|attempt| attempt.solved).count(),
            total: attempts.len(),
            points: attempts.iter().map(|attempt| attempt.points).sum(),
            max_points: attempts.iter().map(|a| problems[a.index].goal.max_points()).sum(),
            graded: problems.iter().any(|problem| matches!(problem.goal, Goal::Grades { .. })),
            mean_nodes: mean(|attempt| attempt.nodes_to_solution),
            mean_ms: mean(|attempt| attempt.ms_to_solution),
            failures: attempts.iter().filter(|attempt| attempt.failure.is_some()).count(),
            attempts,
        }
    }
}

/// Solves a suite on several threads; `observe` hears of each attempt as it ends.
pub fn solve(
    problems: &[Problem],
    spec: &EngineSpec,
    factory: &dyn PlayerFactory,
    concurrency: usize,
    stop: &StopSignal,
    observe: &mut dyn FnMut(&Attempt),
) -> Result<SuiteResult, SolveError> {
    // Started once beforehand, so that a wrong program is an error and not a suite of failures.
    let first = factory
        .create(spec, false)
        .map_err(|fault| SolveError::Engine(spec.name.clone(), fault))?;
    let first = Mutex::new(Some(first));
    let queue = Mutex::new(problems.iter().enumerate());
    let next = || queue.lock().ok()?.next();
    let (sender, receiver) = channel();
    let attempts = thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            let (sender, next, first) = (sender.clone(), &next, &first);
            scope.spawn(move || {
                let player = first.lock().ok().and_then(|mut first| first.take());
                Solver { spec, factory, player, stop }.work(next, &sender);
            });
        }
        drop(sender);
        receiver.iter().inspect(|attempt| observe(attempt)).collect()
    });
    Ok(SuiteResult::new(problems, attempts))
}

/// One thread's engine.
struct Solver<'a> {
    spec: &'a EngineSpec,
    factory: &'a dyn PlayerFactory,
    player: Option<Box<dyn Player>>,
    stop: &'a StopSignal,
}

impl Solver<'_> {
    fn work<'p>(mut self, next: &dyn Fn() -> Option<(usize, &'p Problem)>, done: &Sender<Attempt>) {
        while !self.stop.is_raised() {
            let Some((index, problem)) = next() else { return };
            let Some(attempt) = self.attempt(index, problem) else { return };
            if done.send(attempt).is_err() {
                return;
            }
        }
    }

    /// Tries a problem; `None` if it was abandoned.
    fn attempt(&mut self, index: usize, problem: &Problem) -> Option<Attempt> {
        let mut watch = Watch::new(&problem.goal);
        let game = Game::from_board(problem.board);
        let mate = match problem.goal {
            Goal::Mate(moves) => Some(moves.unsigned_abs()),
            _ => None,
        };
        let outcome = self.ask(&game, mate, &mut watch);
        if outcome == Err(Fault::Abandoned) {
            return None;
        }
        let chosen = outcome.as_ref().ok().map(|&(mv, _)| mv);
        let elapsed = outcome.as_ref().map_or(Duration::ZERO, |&(_, elapsed)| elapsed);
        let solved = chosen.is_some_and(|mv| problem.goal.is_met(mv, watch.score));
        let standing = watch.since.unwrap_or((watch.nodes, elapsed));
        if outcome.is_err() {
            // The next problem gets a fresh program.
            self.player = None;
        }
        Some(Attempt {
            index,
            id: problem.id.clone(),
            solved,
            points: chosen.map_or(0, |mv| problem.goal.points(mv, solved)),
            chosen: chosen.map(|mv| problem.board.san(mv)),
            wanted: problem.goal.describe(&problem.board),
            depth: watch.depth,
            nodes: watch.nodes,
            time_ms: elapsed.as_millis() as u64,
            nodes_to_solution: solved.then_some(standing.0),
            ms_to_solution: solved.then_some(standing.1.as_millis() as u64),
            failure: outcome.err().map(|fault| fault.to_string()),
        })
    }

    fn ask(
        &mut self,
        game: &Game,
        mate: Option<u32>,
        watch: &mut Watch,
    ) -> Result<(Move, Duration), Fault> {
        let player = match &mut self.player {
            Some(player) => player,
            none => none.insert(self.factory.create(self.spec, false)?),
        };
        player.new_game()?;
        let limits = Limits { mate, ..self.spec.limits };
        let deadline = limits.move_time.map(|time| time + self.spec.margin);
        let question = Question { game, clocks: [None; 2], limits, deadline, stop: self.stop };
        let answer = player.think(&question, &mut |info| watch.observe(info))?;
        Ok((answer.mv, answer.elapsed))
    }
}

/// Follows a search to see since when it has had the solution.
struct Watch<'a> {
    goal: &'a Goal,
    score: Option<Score>,
    best: Option<Move>,
    depth: Option<u32>,
    nodes: u64,
    time: Duration,
    since: Option<(u64, Duration)>,
}

impl<'a> Watch<'a> {
    fn new(goal: &'a Goal) -> Self {
        let time = Duration::ZERO;
        Self { goal, score: None, best: None, depth: None, nodes: 0, time, since: None }
    }

    fn observe(&mut self, info: &SearchInfo) {
        self.score = info.score.or(self.score);
        self.best = info.best.or(self.best);
        self.depth = info.depth.or(self.depth);
        self.nodes = info.nodes.unwrap_or(self.nodes);
        self.time = info.time.unwrap_or(self.time);
        if self.best.is_some_and(|mv| self.goal.is_met(mv, self.score)) {
            self.since.get_or_insert((self.nodes, self.time));
        } else {
            self.since = None;
        }
    }
}
