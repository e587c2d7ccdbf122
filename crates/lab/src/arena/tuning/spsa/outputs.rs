//! The files of a run: its state, and a plot and a table of it beside that.

use super::plot;
use super::run::Plan;
use super::state::State;
use crate::arena::tuning::TuningError;
use crate::arena::tuning::saved::SavedRun;
use crate::work::files;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Method and version of the state.
const KIND: &str = "spsa 2";

/// Where a run is kept.
pub(super) struct Outputs {
    state: SavedRun,
    plot: PathBuf,
    table: PathBuf,
}

impl Outputs {
    /// The files that belong to a state, for this run alone.
    pub(super) fn new(plan: &Plan, state: &Path) -> Result<Self, TuningError> {
        let (plot, table) = (state.with_extension("svg"), state.with_extension("txt"));
        if [&plot, &table].contains(&&state.to_path_buf()) {
            return Err(TuningError::Name(state.to_path_buf()));
        }
        let state = SavedRun::new(state, KIND, plan.all_settings())?;
        Ok(Self { state, plot, table })
    }

    /// Starts a run, or continues one.
    pub(super) fn open(&self, plan: &Plan, resume: bool) -> Result<State, TuningError> {
        let state = self.state.open(resume, State::new(plan), |state| state.fits(plan))?;
        self.save(plan, &state)?;
        Ok(state)
    }

    /// Writes everything; a kill at any moment leaves each file old or new.
    pub(super) fn save(&self, plan: &Plan, state: &State) -> Result<(), TuningError> {
        self.state.save(state)?;
        for (path, text) in
            [(&self.plot, plot::render(plan, state)), (&self.table, table(plan, state))]
        {
            files::replace(path, text.as_bytes())
                .map_err(|error| TuningError::Io(path.clone(), error))?;
        }
        Ok(())
    }
}

/// Lines `name old new`.
fn table(plan: &Plan, state: &State) -> String {
    let mut text = String::new();
    for change in state.changes(plan) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:24} {:>6} {:>6}", change.name, change.old, change.new_value());
    }
    text
}
