//! The native half of the Python package `tabiya`: rules, engine, batches, the lab's files, and the
//! whole program.
//!
//! Classes that compute live here. What they return are plain data classes written in Python
//! (`python/tabiya/results.py`), so that results can be compared, printed and pickled by themselves.

mod batch;
mod board;
mod engine;
mod errors;
mod lab;
mod learn;
mod pgn;
mod position;
mod program;
mod results;
mod search;

use pyo3::prelude::*;

#[pymodule]
mod _tabiya {
    use super::{Bound, PyAnyMethods, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::batch::{analyse_many, evaluate_many};
    #[pymodule_export]
    use super::board::{Board, perft};
    #[pymodule_export]
    use super::engine::{Engine, LiveAnalysis};
    #[pymodule_export]
    use super::errors::fail_on_purpose;
    #[pymodule_export]
    use super::lab::{
        GameReader, PositionReader, import_text, network_info, read_weights, write_network,
    };
    #[pymodule_export]
    use super::learn::learn;
    #[pymodule_export]
    use super::pgn::{PgnGame, PgnReader};
    #[pymodule_export]
    use super::program::run_program;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Names that guides to engines in Python use.
        let engine = module.py().get_type::<Engine>();
        engine.setattr("get_best_move", engine.getattr("best_move")?)?;
        engine.setattr("analyze_position", engine.getattr("analyse")?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
