//! The files of a run: its state, and a plot and a table of it beside that.

use super::SpsaError;
use super::plot;
use super::run::Plan;
use super::state::State;
use crate::work::files;
use crate::work::lock::{self, LockError};
use crate::work::settings::{self, RunSettings};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Saved {
    tabiya_spsa: u32,
    settings: RunSettings,
    state: State,
}

/// Where a run is kept.
pub(super) struct Outputs {
    state: PathBuf,
    plot: PathBuf,
    table: PathBuf,
    _lock: File,
}

impl Outputs {
    /// The files that belong to a state, for this run alone.
    pub(super) fn new(state: &Path) -> Result<Self, SpsaError> {
        let (plot, table) = (state.with_extension("svg"), state.with_extension("txt"));
        if [&plot, &table].contains(&&state.to_path_buf()) {
            return Err(SpsaError::Name(state.to_path_buf()));
        }
        let lock = lock::beside(state).map_err(|error| match error {
            LockError::Busy => SpsaError::Busy(state.to_path_buf()),
            LockError::Io(error) => SpsaError::Io(state.to_path_buf(), error),
        })?;
        Ok(Self { state: state.to_path_buf(), plot, table, _lock: lock })
    }

    /// Starts a run, or continues one.
    pub(super) fn open(&self, plan: &Plan, resume: bool) -> Result<State, SpsaError> {
        if !resume {
            if self.state.exists() {
                return Err(SpsaError::Exists(self.state.clone()));
            }
            let state = State::new(plan);
            self.save(plan, &state)?;
            return Ok(state);
        }
        let damaged = |reason: String| SpsaError::Damaged(self.state.clone(), reason);
        let text = files::read_text(&self.state)
            .map_err(|error| SpsaError::Io(self.state.clone(), error))?;
        let saved: Saved =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if saved.tabiya_spsa != VERSION {
            return Err(damaged(format!("version {} is not known", saved.tabiya_spsa)));
        }
        settings::compare(&saved.settings, &plan.all_settings())
            .map_err(|other| SpsaError::OtherSettings(self.state.clone(), other))?;
        if !saved.state.fits(plan) {
            return Err(damaged("does not fit its settings".to_string()));
        }
        Ok(saved.state)
    }

    /// Writes everything; a kill at any moment leaves each file old or new.
    pub(super) fn save(&self, plan: &Plan, state: &State) -> Result<(), SpsaError> {
        let saved =
            Saved { tabiya_spsa: VERSION, settings: plan.all_settings(), state: state.clone() };
        let json = serde_json::to_string(&saved).expect("a state holds nothing that JSON cannot");
        for (path, text) in [
            (&self.state, json),
            (&self.plot, plot::render(plan, state)),
            (&self.table, table(plan, state)),
        ] {
            files::replace(path, text.as_bytes())
                .map_err(|error| SpsaError::Io(path.clone(), error))?;
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
