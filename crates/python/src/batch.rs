//! Many positions at once: all cores, columns as results, bounded memory.
//!
//! Positions are taken from any iterable a chunk at a time, worked on while other Python threads
//! run, and answered in their order. Every search starts with an empty memory, so that results do
//! not depend on how the work was dealt.

use crate::engine::{make, option_texts};
use crate::errors::{EngineError, FenError, NetError, check_signals, detached, natural};
use crate::position::{Position, parse_fen};
use crate::results::{Columns, Notation, finished_wdl};
use crate::search::{Bounds, Lines, PATIENCE, Search};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyMapping, PyString};
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::ScopedJoinHandle;
use tabiya_chess::Board;
use tabiya_engine::eval::{Evaluation, StaticEvaluator};
use tabiya_engine::{Engine, Event, Limits, SearchResult, Wdl};

/// Positions evaluated between two looks at the Python side.
const EVALUATE_CHUNK: usize = 1 << 15;
/// Positions searched between two looks at the Python side.
const ANALYSE_CHUNK: usize = 1 << 10;

/// What a position was given as; strings are parsed where there are more hands.
enum Item {
    Fen(String),
    Board(Board),
}

impl Item {
    fn extract(object: &Bound<'_, PyAny>, chess960: bool) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self::Fen(text.to_cow()?.into_owned()));
        }
        Ok(Self::Board(*Position::extract(object, chess960)?.board()))
    }

    fn board(&self, chess960: bool) -> PyResult<Board> {
        match self {
            Self::Fen(fen) => parse_fen(fen, chess960),
            Self::Board(board) => Ok(*board),
        }
    }
}

/// The static evaluation of many positions: columns `cp`, `win`, `draw`, `loss` for the side to move.
#[pyfunction]
#[pyo3(signature = (positions, *, threads = None, net = None, classical = false, chess960 = false))]
pub(crate) fn evaluate_many<'py>(
    py: Python<'py>,
    positions: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = natural)] threads: Option<usize>,
    net: Option<PathBuf>,
    classical: bool,
    chess960: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let evaluation = match net {
        Some(path) => {
            Evaluation::from_file(&path).map_err(|error| NetError::new_err(error.to_string()))?
        }
        None if classical => Evaluation::Classical,
        None => Evaluation::embedded(),
    };
    let mut workers: Vec<_> =
        (0..thread_count(threads)?).map(|_| StaticEvaluator::new(&evaluation)).collect();
    let mut scores: Vec<(i32, Wdl)> = Vec::new();
    let mut chunks = Chunks::new(positions)?;
    while let Some((first, items)) =
        chunks.next(EVALUATE_CHUNK, |object| Item::extract(object, chess960))?
    {
        let work = Work { first, block: 256 };
        let evaluated = work.run(py, &mut workers, &items, |evaluator, item, _| {
            let (score, wdl) = evaluator.score(&item.board(chess960)?);
            Ok((score.comparable(), wdl))
        })?;
        scores.extend(evaluated);
    }
    let thousandths = |part: fn(&Wdl) -> u32| scores.iter().map(move |(_, wdl)| part(wdl) as u16);
    Columns::new(py)
        .numbers("cp", scores.iter().map(|(cp, _)| *cp), None)?
        .numbers("win", thousandths(|wdl| wdl.win), None)?
        .numbers("draw", thousandths(|wdl| wdl.draw), None)?
        .numbers("loss", thousandths(|wdl| wdl.loss), None)?
        .build()
}

/// One searched position as a row.
struct Row {
    best: Option<String>,
    pv: Vec<String>,
    cp: i32,
    mate: i16,
    wdl: Wdl,
    depth: u16,
    nodes: u64,
}

impl Row {
    fn new(notation: Notation, wdl: Wdl, result: &SearchResult) -> Self {
        let score = result.score;
        let cp = score.comparable();
        Self {
            best: notation.uci(result.best),
            pv: notation.line(&result.line).0,
            cp,
            mate: score.mate().unwrap_or(0) as i16,
            wdl,
            depth: result.depth as u16,
            nodes: result.nodes,
        }
    }
}

/// A search of each of many positions, each with one thread and an empty memory.
#[pyfunction]
#[pyo3(signature = (positions, *, depth = None, nodes = None, time = None, threads = None, hash_mb = 4, net = None, options = None, chess960 = false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn analyse_many<'py>(
    py: Python<'py>,
    positions: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = natural)] depth: Option<u32>,
    #[pyo3(from_py_with = natural)] nodes: Option<u64>,
    time: Option<f64>,
    #[pyo3(from_py_with = natural)] threads: Option<usize>,
    #[pyo3(from_py_with = natural)] hash_mb: usize,
    net: Option<PathBuf>,
    options: Option<&Bound<'_, PyMapping>>,
    chess960: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let limits = Bounds { depth, nodes, time }.finite_limits()?;
    let options = option_texts(options)?;
    let hash_mb = hash_mb.to_string();
    let mut engines = (0..thread_count(threads)?)
        .map(|_| make("1", &hash_mb, net.as_deref(), &options))
        .collect::<PyResult<Vec<_>>>()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut chunks = Chunks::new(positions)?;
    while let Some((first, items)) =
        chunks.next(ANALYSE_CHUNK, |object| Position::extract(object, chess960))?
    {
        let work = Work { first, block: 1 };
        rows.extend(work.run(py, &mut engines, &items, |engine, position, cancelled| {
            search(engine, position, limits.clone(), cancelled)
        })?);
    }
    let thousandths = |part: fn(&Wdl) -> u32| rows.iter().map(move |row| part(&row.wdl) as u16);
    Columns::new(py)
        .numbers("cp", rows.iter().map(|row| row.cp), None)?
        .numbers("mate", rows.iter().map(|row| row.mate), None)?
        .numbers("win", thousandths(|wdl| wdl.win), None)?
        .numbers("draw", thousandths(|wdl| wdl.draw), None)?
        .numbers("loss", thousandths(|wdl| wdl.loss), None)?
        .numbers("depth", rows.iter().map(|row| row.depth), None)?
        .numbers("nodes", rows.iter().map(|row| row.nodes), None)?
        .list("best_move", rows.iter().map(|row| row.best.clone()).collect())?
        .list("pv", rows.into_iter().map(|row| row.pv).collect::<Vec<_>>())?
        .build()
}

/// Searches one position from scratch.
fn search(
    engine: &mut Engine,
    position: &Position,
    limits: Limits,
    cancelled: &AtomicBool,
) -> PyResult<Row> {
    engine.new_game();
    engine.set_game(&position.game);
    let notation = Notation { board: *position.board(), chess960: position.chess960 };
    let search = Search::start(engine, limits);
    let mut lines = Lines::default();
    loop {
        match search.poll()? {
            Some(Event::Info(info)) => lines.add(info),
            Some(Event::Message(text)) => return Err(EngineError::new_err(text)),
            Some(Event::Finished(result)) => {
                let wdl = lines.ranked().first().map(|line| line.wdl);
                let wdl = wdl.unwrap_or_else(|| finished_wdl(result.score));
                return Ok(Row::new(notation, wdl, &result));
            }
            None if cancelled.load(Relaxed) => search.stopper.stop(),
            None => {}
        }
    }
}

/// As many threads as wanted, or as the machine has.
fn thread_count(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        Some(0) => Err(PyValueError::new_err("threads must be at least 1")),
        Some(threads) => Ok(threads.min(1024)),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZero::get)),
    }
}

/// An iterable in pieces, counting what was taken.
struct Chunks<'py> {
    objects: Bound<'py, PyIterator>,
    taken: usize,
}

impl<'py> Chunks<'py> {
    fn new(objects: &Bound<'py, PyAny>) -> PyResult<Self> {
        if objects.is_instance_of::<PyString>() {
            return Err(PyValueError::new_err("positions: a list is needed, not one string"));
        }
        Ok(Self { objects: objects.try_iter()?, taken: 0 })
    }

    /// The next piece and the number of its first item; `None` at the end.
    fn next<T>(
        &mut self,
        size: usize,
        extract: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Option<(usize, Vec<T>)>> {
        let first = self.taken;
        let mut items = Vec::new();
        for object in self.objects.by_ref().take(size) {
            let object = object?;
            items.push(extract(&object).map_err(|error| at(object.py(), self.taken, error))?);
            self.taken += 1;
        }
        Ok((!items.is_empty()).then_some((first, items)))
    }
}

/// Names the position an error is about.
fn at(py: Python<'_>, index: usize, error: PyErr) -> PyErr {
    if error.is_instance_of::<FenError>(py) {
        return FenError::new_err(format!("position {index}: {}", error.value(py)));
    }
    error
}

/// Answers to several items in a row, with the number of the first.
type Blocks<R> = Vec<(usize, Vec<R>)>;

/// A chunk to be worked on by several threads.
struct Work {
    /// The number of its first item.
    first: usize,
    /// Items taken at a time.
    block: usize,
}

impl Work {
    /// Applies `job` to every item; the answers are in the order of the items. Ctrl-C cancels.
    fn run<W: Send, T: Sync, R: Send>(
        &self,
        py: Python<'_>,
        workers: &mut [W],
        items: &[T],
        job: impl Fn(&mut W, &T, &AtomicBool) -> PyResult<R> + Sync,
    ) -> PyResult<Vec<R>> {
        let next = AtomicUsize::new(0);
        let cancelled = AtomicBool::new(false);
        let serve = |worker: &mut W| -> Result<Blocks<R>, (usize, PyErr)> {
            let mut answers = Vec::new();
            while !cancelled.load(Relaxed)
                && let Some(range) = take(&next, self.block, items.len())
            {
                let start = range.start;
                let mut block = Vec::with_capacity(range.len());
                for index in range {
                    block.push(job(worker, &items[index], &cancelled).map_err(|error| {
                        cancelled.store(true, Relaxed);
                        (index, error)
                    })?);
                }
                answers.push((start, block));
            }
            Ok(answers)
        };
        let outcomes = detached(py, || {
            std::thread::scope(|scope| {
                let (alive, ended) = channel::<()>();
                let handles: Vec<_> = workers
                    .iter_mut()
                    .map(|worker| {
                        let alive = alive.clone();
                        let serve = &serve;
                        scope.spawn(move || {
                            let _alive = alive;
                            serve(worker)
                        })
                    })
                    .collect();
                drop(alive);
                let mut interrupted = Ok(());
                while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PATIENCE) {
                    if interrupted.is_ok() {
                        interrupted = check_signals();
                        cancelled.fetch_or(interrupted.is_err(), Relaxed);
                    }
                }
                let outcomes = handles.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>();
                interrupted.map(|()| outcomes)
            })
        })?;
        let mut answers = Vec::new();
        let mut failure: Option<(usize, PyErr)> = None;
        for outcome in outcomes {
            match outcome {
                Ok(Ok(blocks)) => answers.extend(blocks),
                // The first of several wrong positions is the one to name.
                Ok(Err(error)) if failure.as_ref().is_none_or(|first| error.0 < first.0) => {
                    failure = Some(error);
                }
                Ok(Err(_)) => {}
                Err(_) => return Err(EngineError::new_err("internal error: a thread failed")),
            }
        }
        if let Some((index, error)) = failure {
            return Err(at(py, self.first + index, error));
        }
        answers.sort_by_key(|(start, _)| *start);
        Ok(answers.into_iter().flat_map(|(_, block)| block).collect())
    }
}

/// Takes the next few items.
fn take(next: &AtomicUsize, block: usize, count: usize) -> Option<Range<usize>> {
    let start = next.fetch_add(block, Relaxed);
    (start < count).then(|| start..count.min(start + block))
}
