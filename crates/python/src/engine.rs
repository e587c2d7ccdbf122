//! The engine as a Python object: a position, options, searches.

use crate::errors::{EngineError, NetError, OptionError, detached, guard, natural};
use crate::position::Position;
use crate::results::{Notation, explanation};
use crate::search::{Bounds, Search, restrict};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBool, PyInt, PyMapping, PyString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tabiya_engine::eval::{StaticEvaluator, hce};
use tabiya_engine::{Config, Event, Info, Limits, SearchResult, Stopper};

/// A chess engine inside the process.
#[pyclass(frozen, module = "tabiya")]
pub(crate) struct Engine {
    /// Held during a search: one at a time.
    inner: Mutex<Inner>,
    /// Stops the search that was started last; held for a moment only.
    running: Mutex<Option<Stopper>>,
}

struct Inner {
    engine: tabiya_engine::Engine,
    position: Position,
}

impl Inner {
    fn notation(&self) -> Notation {
        let chess960 = self.position.chess960 || self.engine.config().chess960;
        Notation { board: *self.position.board(), chess960 }
    }
}

/// Makes an engine and sets it up.
pub(crate) fn make(
    threads: &str,
    hash_mb: &str,
    net: Option<&Path>,
    options: &[(String, String)],
) -> PyResult<tabiya_engine::Engine> {
    let mut engine =
        tabiya_engine::Engine::new(1).map_err(|error| EngineError::new_err(error.to_string()))?;
    // Nobody's clock runs between us and the caller.
    configure(&mut engine, |config| config.move_overhead = Duration::ZERO)?;
    if let Some(path) = net {
        let loaded = engine.configure(|config| path.clone_into(&mut config.eval_file));
        loaded.map_err(|error| NetError::new_err(error.to_string()))?;
    }
    set_option(&mut engine, "Hash", hash_mb)?;
    set_option(&mut engine, "Threads", threads)?;
    for (name, value) in options {
        set_option(&mut engine, name, value)?;
    }
    Ok(engine)
}

fn configure(engine: &mut tabiya_engine::Engine, change: impl FnOnce(&mut Config)) -> PyResult<()> {
    engine.configure(change).map_err(|error| OptionError::new_err(error.to_string()))
}

fn set_option(engine: &mut tabiya_engine::Engine, name: &str, value: &str) -> PyResult<()> {
    let set = engine.set_option(name, Some(value));
    set.map_err(|error| OptionError::new_err(error.to_string()))
}

/// Names and values of options as text.
pub(crate) fn option_texts(
    options: Option<&Bound<'_, PyMapping>>,
) -> PyResult<Vec<(String, String)>> {
    let Some(options) = options else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    for item in options.items()? {
        let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
        texts.push((name, option_text(&value)?));
    }
    Ok(texts)
}

fn option_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyString>() {
        return value.str()?.extract();
    }
    let name = value.get_type().qualname()?;
    Err(PyTypeError::new_err(format!("option: a str, int or bool is needed, not {name}")))
}

/// A number that an option takes, as text: the option table knows what it may be.
fn whole_number(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        return value.str()?.extract();
    }
    let name = value.get_type().qualname()?;
    Err(PyTypeError::new_err(format!("an int is needed, not {name}")))
}

impl Engine {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a search; the caller holds the engine until it knows what to wait for.
    fn start(
        &self,
        py: Python<'_>,
        inner: &mut Inner,
        mut limits: Limits,
        multipv: &str,
        root_moves: &[String],
    ) -> PyResult<Search> {
        restrict(&mut limits, inner.position.board(), root_moves)?;
        set_option(&mut inner.engine, "MultiPV", multipv)?;
        let search = detached(py, || Ok(Search::start(&mut inner.engine, limits)))?;
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(search.stopper.clone());
        Ok(search)
    }

    fn run(
        &self,
        py: Python<'_>,
        limits: Limits,
        multipv: &str,
        root_moves: &[String],
    ) -> PyResult<(Notation, Vec<Info>, SearchResult)> {
        let mut inner = self.lock(py);
        let notation = inner.notation();
        let mut search = self.start(py, &mut inner, limits, multipv, root_moves)?;
        let (lines, result) = search.finish(py)?;
        Ok((notation, lines, result))
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(
        signature = (threads = "1".to_owned(), hash_mb = "64".to_owned(), net = None, options = None),
        text_signature = "(threads=1, hash_mb=64, net=None, options=None)"
    )]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = whole_number)] threads: String,
        #[pyo3(from_py_with = whole_number)] hash_mb: String,
        net: Option<PathBuf>,
        options: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<Self> {
        let options = option_texts(options)?;
        let engine = detached(py, || make(&threads, &hash_mb, net.as_deref(), &options))?;
        let game = tabiya_chess::Game::default();
        let inner = Inner { engine, position: Position { game, chess960: false } };
        Ok(Self { inner: Mutex::new(inner), running: Mutex::new(None) })
    }

    /// Sets the position: a FEN, `"startpos"`, a board, and moves played from there.
    #[pyo3(signature = (position, moves = Vec::new()))]
    fn set_position(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        moves: Vec<String>,
    ) -> PyResult<()> {
        let chess960 = self.lock(py).engine.config().chess960;
        let position = guard(|| {
            let mut position = Position::extract(position, chess960)?;
            moves.iter().try_for_each(|mv| position.push_uci(mv))?;
            Ok(position)
        })?;
        let mut inner = self.lock(py);
        inner.engine.set_game(&position.game);
        inner.position = position;
        Ok(())
    }

    /// The position to be searched.
    #[getter]
    fn fen(&self, py: Python<'_>) -> String {
        self.lock(py).position.board().to_string()
    }

    /// Searches and returns the best move, `None` if there is no legal one.
    #[pyo3(signature = (depth = None, nodes = None, time = None, *, root_moves = Vec::new()))]
    fn best_move(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = natural)] depth: Option<u32>,
        #[pyo3(from_py_with = natural)] nodes: Option<u64>,
        time: Option<f64>,
        root_moves: Vec<String>,
    ) -> PyResult<Option<String>> {
        let limits = Bounds { depth, nodes, time }.finite_limits()?;
        let (notation, _, result) = self.run(py, limits, "1", &root_moves)?;
        Ok(notation.uci(result.best))
    }

    /// Searches and returns everything known about the best lines.
    #[pyo3(
        signature = (depth = None, nodes = None, time = None, *, multipv = "1".to_owned(), root_moves = Vec::new()),
        text_signature = "($self, depth=None, nodes=None, time=None, *, multipv=1, root_moves=[])"
    )]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = natural)] depth: Option<u32>,
        #[pyo3(from_py_with = natural)] nodes: Option<u64>,
        time: Option<f64>,
        #[pyo3(from_py_with = whole_number)] multipv: String,
        root_moves: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limits = Bounds { depth, nodes, time }.finite_limits()?;
        let (notation, lines, result) = self.run(py, limits, &multipv, &root_moves)?;
        notation.analysis(py, &lines, &result)
    }

    /// Starts a search and returns an iterator over what it reports.
    #[pyo3(
        signature = (depth = None, nodes = None, time = None, *, multipv = "1".to_owned(), root_moves = Vec::new()),
        text_signature = "($self, depth=None, nodes=None, time=None, *, multipv=1, root_moves=[])"
    )]
    fn analyse_live(
        slf: Py<Self>,
        py: Python<'_>,
        #[pyo3(from_py_with = natural)] depth: Option<u32>,
        #[pyo3(from_py_with = natural)] nodes: Option<u64>,
        time: Option<f64>,
        #[pyo3(from_py_with = whole_number)] multipv: String,
        root_moves: Vec<String>,
    ) -> PyResult<LiveAnalysis> {
        let limits = Bounds { depth, nodes, time }.limits()?;
        let engine = slf.get();
        let mut inner = engine.lock(py);
        let notation = inner.notation();
        let search = engine.start(py, &mut inner, limits, &multipv, &root_moves)?;
        drop(inner);
        let stopper = search.stopper.clone();
        let live = Mutex::new(Live { search, result: None });
        Ok(LiveAnalysis { notation, stopper, live, _engine: slf })
    }

    /// The static evaluation of the position; with `explain` every term of the hand-crafted one.
    #[pyo3(signature = (explain = false))]
    fn evaluate<'py>(&self, py: Python<'py>, explain: bool) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock(py);
        let notation = inner.notation();
        let evaluation = inner.engine.evaluation();
        drop(inner);
        guard(|| {
            let (score, wdl) = StaticEvaluator::new(&evaluation).score(&notation.board);
            let score = notation.score(py, score, wdl)?;
            if !explain {
                return Ok(score);
            }
            explanation(py, score, &hce::explain(&notation.board))
        })
    }

    /// Ends the running search of another thread or of `analyse_live`.
    fn stop(&self) {
        if let Some(stopper) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.stop();
        }
    }

    /// Forgets everything learned.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock(py);
        let engine = &mut inner.engine;
        detached(py, || {
            engine.new_game();
            Ok(())
        })
    }

    /// Sets a UCI option.
    fn set_option(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = option_text(value)?;
        let mut inner = self.lock(py);
        let engine = &mut inner.engine;
        detached(py, || set_option(engine, name, &value))
    }

    /// Number of search threads.
    #[getter]
    fn threads(&self, py: Python<'_>) -> usize {
        self.lock(py).engine.threads()
    }

    /// Size of the hash table in megabytes.
    #[getter]
    fn hash_mb(&self, py: Python<'_>) -> usize {
        self.lock(py).engine.hash_mb()
    }

    /// What judges positions, in words.
    #[getter]
    fn evaluation(&self, py: Python<'_>) -> String {
        self.lock(py).engine.evaluation().to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let inner = self.lock(py);
        let (engine, fen) = (&inner.engine, inner.position.board());
        let (threads, hash) = (engine.threads(), engine.hash_mb());
        format!("Engine(threads={threads}, hash_mb={hash}, fen='{fen}')")
    }
}

/// A running analysis: an iterator that can be stopped.
#[pyclass(frozen, module = "tabiya")]
pub(crate) struct LiveAnalysis {
    notation: Notation,
    stopper: Stopper,
    live: Mutex<Live>,
    /// An engine that nobody else holds must not end with its search running.
    _engine: Py<Engine>,
}

struct Live {
    search: Search,
    result: Option<SearchResult>,
}

impl Live {
    /// The next line; `None` at the end.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Info>> {
        if self.result.is_some() {
            return Ok(None);
        }
        loop {
            match self.search.next(py)? {
                Event::Info(info) => return Ok(Some(info)),
                Event::Finished(result) => {
                    self.result = Some(result);
                    return Ok(None);
                }
                Event::Message(_) => {}
            }
        }
    }
}

impl LiveAnalysis {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Live> {
        self.live.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl LiveAnalysis {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let info = self.lock(py).next(py)?;
        info.map(|info| self.notation.info(py, &info)).transpose()
    }

    /// Ends the search; lines already reported can still be read.
    fn stop(&self) {
        self.stopper.stop();
    }

    /// Stops, waits for the end, and returns the best move.
    fn best_move(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.stop();
        let mut live = self.lock(py);
        while live.next(py)?.is_some() {}
        Ok(live.result.as_ref().and_then(|result| self.notation.uci(result.best)))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &self,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.stop();
    }
}
