//! The file that keeps a run, so that it can be continued after a stop or a kill.

use super::TuningError;
use crate::work::files;
use crate::work::lock::{self, LockError};
use crate::work::settings::{self, RunSettings};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
struct Content<T> {
    /// Method and version.
    tabiya: String,
    settings: RunSettings,
    state: T,
}

/// The file of a run, for this run alone.
pub(super) struct SavedRun {
    path: PathBuf,
    kind: &'static str,
    settings: RunSettings,
    _lock: File,
}

impl SavedRun {
    /// Takes the file. `kind` names the method and the version of its state.
    pub(super) fn new(
        path: &Path,
        kind: &'static str,
        settings: RunSettings,
    ) -> Result<Self, TuningError> {
        let path = path.to_path_buf();
        let lock = lock::beside(&path).map_err(|error| match error {
            LockError::Busy => TuningError::Busy(path.clone()),
            LockError::Io(error) => TuningError::Io(path.clone(), error),
        })?;
        Ok(Self { path, kind, settings, _lock: lock })
    }

    /// Starts a run with this state, or continues one whose state `fits`.
    pub(super) fn open<T: Serialize + DeserializeOwned>(
        &self,
        resume: bool,
        start: T,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, TuningError> {
        if !resume {
            if self.path.exists() {
                return Err(TuningError::Exists(self.path.clone()));
            }
            self.save(&start)?;
            return Ok(start);
        }
        let damaged = |reason: String| TuningError::Damaged(self.path.clone(), reason);
        let text = files::read_text(&self.path)
            .map_err(|error| TuningError::Io(self.path.clone(), error))?;
        let content: Content<T> =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if content.tabiya != self.kind {
            return Err(damaged(format!(
                "it is of the kind {}, not {}",
                content.tabiya, self.kind
            )));
        }
        settings::compare(&content.settings, &self.settings)
            .map_err(|other| TuningError::OtherSettings(self.path.clone(), other))?;
        if !fits(&content.state) {
            return Err(damaged("does not fit its settings".to_string()));
        }
        Ok(content.state)
    }

    /// Writes the state; a kill at any moment leaves the old file or the new one.
    pub(super) fn save<T: Serialize>(&self, state: &T) -> Result<(), TuningError> {
        let content =
            Content { tabiya: self.kind.to_string(), settings: self.settings.clone(), state };
        let json = serde_json::to_string(&content).expect("a state holds nothing that JSON cannot");
        files::replace(&self.path, json.as_bytes())
            .map_err(|error| TuningError::Io(self.path.clone(), error))
    }
}
