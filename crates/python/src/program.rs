//! The program `tabiya` inside the package: `python -m tabiya` is the same as the binary.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments, the first of which is its name, and returns its exit code.
/// It talks to the standard streams of the process and may end it: only for a process of its own.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let code = py.detach(|| tabiya_cli::run(args));
    // An exit code does not tell its number.
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}
