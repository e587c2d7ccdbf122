//! Rust errors and panics as Python exceptions.
//!
//! The classes are written in Python (`python/tabiya/errors.py`), where they can have two bases.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

pyo3::import_exception!(tabiya.errors, EngineError);
pyo3::import_exception!(tabiya.errors, FenError);
pyo3::import_exception!(tabiya.errors, LearnError);
pyo3::import_exception!(tabiya.errors, NetError);
pyo3::import_exception!(tabiya.errors, OptionError);
pyo3::import_exception!(tabiya.errors, PgnError);
pyo3::import_exception!(tabiya.errors, RecordError);
pyo3::import_exception!(tabiya.errors, SanError);
pyo3::import_exception!(tabiya.errors, UciMoveError);

/// Runs what may panic: a panic becomes an `EngineError` that ordinary handlers catch.
pub(crate) fn guard<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Err(EngineError::new_err(format!("internal error: {text}")))
    })
}

/// The same while other Python threads run.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    guard(|| py.detach(work))
}

/// An argument that counts something. Python's numbers have no bounds: one that does not fit is a wrong
/// value as any other, not an `OverflowError`.
pub(crate) fn natural<'py, T>(value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    value.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            return PyValueError::new_err(format!("{value} is out of range"));
        }
        error
    })
}

/// Hears Ctrl-C in the midst of work that runs without the interpreter.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method fits one lifetime only")]
pub(crate) fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// What is wrong with a file, with its name.
pub(crate) fn in_file(path: &Path, error: &impl Display) -> String {
    format!("{}: {error}", path.display())
}

/// An operating system's error with the name of the file.
pub(crate) fn os_error(path: &Path, error: std::io::Error) -> PyErr {
    std::io::Error::new(error.kind(), in_file(path, &error)).into()
}

/// Panics where the engine would: the tests check what becomes of it.
#[pyfunction]
#[pyo3(name = "_fail_on_purpose")]
pub(crate) fn fail_on_purpose(py: Python<'_>, text: String) -> PyResult<()> {
    detached(py, || panic!("{text}"))
}
