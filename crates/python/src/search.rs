//! A running search seen from Python: its events, Ctrl-C, and how it ends.

use crate::errors::{EngineError, guard};
use crate::position::parse_uci;
use pyo3::exceptions::{PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use std::ffi::CString;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tabiya_chess::Board;
use tabiya_engine::{Engine, Event, Info, Limits, SearchResult, Stopper};

/// How long a waiting thread may be deaf to Ctrl-C.
pub(crate) const PATIENCE: Duration = Duration::from_millis(20);

/// When a search ends, as keyword arguments say it.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    /// Seconds.
    pub(crate) time: Option<f64>,
}

impl Bounds {
    /// The limits of a search; without any it runs until it is stopped.
    pub(crate) fn limits(self) -> PyResult<Limits> {
        let wrong = |text: String| PyValueError::new_err(text);
        if self.depth == Some(0) || self.nodes == Some(0) {
            return Err(wrong("depth and nodes must be at least 1".to_owned()));
        }
        let move_time = self
            .time
            .map(|seconds| {
                Duration::try_from_secs_f64(seconds)
                    .map_err(|error| wrong(format!("time: {seconds} seconds: {error}")))
            })
            .transpose()?;
        Ok(Limits { depth: self.depth, nodes: self.nodes, move_time, ..Limits::default() })
    }

    /// The same for a search that must end by itself.
    pub(crate) fn finite_limits(self) -> PyResult<Limits> {
        if self.depth.is_none() && self.nodes.is_none() && self.time.is_none() {
            return Err(PyValueError::new_err("a limit is needed: depth, nodes or time"));
        }
        self.limits()
    }
}

/// Restricts a search to some moves of the position.
pub(crate) fn restrict(limits: &mut Limits, board: &Board, moves: &[String]) -> PyResult<()> {
    limits.search_moves =
        moves.iter().map(|text| parse_uci(board, text)).collect::<PyResult<_>>()?;
    Ok(())
}

/// A search that was started. Dropping it stops it.
pub(crate) struct Search {
    events: Receiver<Event>,
    pub(crate) stopper: Stopper,
}

impl Search {
    /// Starts a search; one that still runs is stopped first.
    pub(crate) fn start(engine: &mut Engine, limits: Limits) -> Self {
        let (sender, events) = channel();
        engine.start(limits, Box::new(sender));
        Self { events, stopper: engine.stopper() }
    }

    /// The next event if it comes soon; `None` if not.
    pub(crate) fn poll(&self) -> PyResult<Option<Event>> {
        match self.events.recv_timeout(PATIENCE) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(EngineError::new_err("the search ended without a result"))
            }
        }
    }

    /// The next line or the result. Other Python threads run meanwhile; Ctrl-C ends the search.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Event> {
        loop {
            // The receiver is not shared: only a mutable reference may change threads.
            let search = &mut *self;
            match guard(|| py.detach(move || search.poll()))? {
                Some(Event::Message(text)) => warn(py, &text)?,
                Some(event) => return Ok(event),
                None => {}
            }
            py.check_signals().inspect_err(|_| self.stopper.stop())?;
        }
    }

    /// Waits for the end: the lines, best first, and the result.
    pub(crate) fn finish(&mut self, py: Python<'_>) -> PyResult<(Vec<Info>, SearchResult)> {
        let mut lines = Lines::default();
        loop {
            match self.next(py)? {
                Event::Info(info) => lines.add(info),
                Event::Finished(result) => return Ok((lines.ranked(), result)),
                Event::Message(_) => {}
            }
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}

/// The last word on each rank.
#[derive(Default)]
pub(crate) struct Lines(Vec<Info>);

impl Lines {
    pub(crate) fn add(&mut self, info: Info) {
        match self.0.get_mut(info.multi_pv - 1) {
            // A bound says less than an exact score of the iteration before.
            Some(_) if info.bound.is_some() => {}
            Some(old) => *old = info,
            None => self.0.push(info),
        }
    }

    /// The lines by rank. A search stopped within an iteration may know a move by two ranks.
    pub(crate) fn ranked(self) -> Vec<Info> {
        let mut lines: Vec<Info> = Vec::new();
        for line in self.0 {
            if lines.iter().all(|better| better.line.first() != line.line.first()) {
                lines.push(line);
            }
        }
        lines
    }
}
