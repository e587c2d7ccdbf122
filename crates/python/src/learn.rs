//! `tabiya learn` from Python: the same run, its events told to a function.

use crate::errors::{LearnError, check_signals, detached};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tabiya_lab::learn::{self as lab, Choices, Control, Ended, Event, Goal};
use tabiya_lab::work::StopSignal;

/// How often Ctrl-C is looked for.
const PERIOD: Duration = Duration::from_millis(50);

/// Learns in a folder. `tell` gets the kind of each event and what it says as JSON; what it raises ends
/// the run. Returns generations, the best one, whether the goal was reached, and seconds of work.
#[pyfunction]
#[pyo3(signature = (folder, tell, *, hours, generations, resume, threads, start, shape, seed, nodes, games, explore, epochs, window, results, dfrc, gate_games, gate_nodes, yardsticks, yardstick_games, syzygy))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn learn(
    py: Python<'_>,
    folder: PathBuf,
    tell: Py<PyAny>,
    hours: Option<f64>,
    generations: Option<u64>,
    resume: bool,
    threads: Option<usize>,
    start: Option<PathBuf>,
    shape: Option<String>,
    seed: Option<u64>,
    nodes: Option<u64>,
    games: Option<u64>,
    explore: Option<f64>,
    epochs: Option<u64>,
    window: Option<usize>,
    results: Option<f32>,
    dfrc: Option<f64>,
    gate_games: Option<u64>,
    gate_nodes: Option<u64>,
    yardsticks: Option<Vec<String>>,
    yardstick_games: Option<u64>,
    syzygy: Option<String>,
) -> PyResult<(u64, u64, bool, f64)> {
    let goal = match (hours, generations) {
        (Some(hours), None) if hours > 0.0 => Goal::Hours(hours),
        (None, Some(generations)) => Goal::Generations(generations),
        _ => return Err(PyValueError::new_err("give hours above 0 or generations, not both")),
    };
    let shape = shape.map(|text| text.parse()).transpose();
    let shape =
        shape.map_err(|error: tabiya_nn::NetError| PyValueError::new_err(error.to_string()))?;
    let known = start.as_ref().and_then(|start| match start.to_str() {
        Some("random") => Some(false),
        Some("hce") => Some(true),
        _ => None,
    });
    let choices = Choices {
        net: start.filter(|_| known.is_none()),
        hce: known,
        shape,
        seed,
        nodes,
        games,
        explore,
        epochs,
        window,
        results,
        dfrc,
        gate_games,
        yardstick_games,
        gate_nodes,
        yardsticks,
        syzygy,
    };
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let stop = StopSignal::new();
    let threads = threads.unwrap_or_else(cores);
    let control = Control { goal, resume, threads, stop: &stop };
    let raised = Mutex::new(None);
    let keep = |error| {
        let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.get_or_insert(error);
        stop.abandon();
    };
    let mut observe = |event: &Event| {
        let told = Python::attach(|py| tell.call1(py, (event.name(), event.to_json())).map(drop));
        if let Err(error) = told {
            keep(error);
        }
    };
    let ended = detached(py, || {
        // Python hears of Ctrl-C on this thread only, so the work is done by another one.
        let ended = thread::scope(|scope| {
            let work = scope.spawn(|| lab::run(&folder, &choices, &control, &mut observe));
            while !work.is_finished() {
                thread::sleep(PERIOD);
                if let Err(error) = check_signals() {
                    keep(error);
                }
            }
            work.join()
        });
        let ended = ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        ended.map_err(|error| LearnError::new_err(error.to_string()))
    });
    if let Some(error) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let Ended { generations, best, is_complete, seconds } = ended?;
    Ok((generations, best, is_complete, seconds))
}
