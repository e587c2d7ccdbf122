//! Everything a run needs to go on as if it had never stopped, in one file.
//!
//! Magic, version, a JSON text with settings and position of the run, all weights with their moments
//! and the best weights so far as f32, then a checksum. The order of the data follows from the seed
//! and the number of the epoch, so no random state is stored.

use super::model::Model;
use super::param::{Param, Row};
use super::report::Point;
use super::{Settings, TrainError};
use crate::work::lock::{self, LockError};
use crate::work::{files, settings};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;

const MAGIC: &[u8; 8] = b"TabiyaCk";
const VERSION: u32 = 2;

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Steps done.
    pub(crate) step: u64,
    /// Steps of the whole run.
    pub(crate) total_steps: u64,
    /// The best validation loss so far and the step it was reached at.
    pub(crate) best: Option<(f64, u64)>,
    /// The loss curve so far.
    pub(crate) curve: Vec<Point>,
    /// Sum and number of training losses since the last point of the curve.
    pub(crate) pending: (f64, u64),
}

#[derive(Serialize, Deserialize)]
struct Text {
    settings: Settings,
    data: String,
    /// Older checkpoints do not know it.
    validation: Option<String>,
    state: State,
}

/// A run on disk or about to be.
pub(crate) struct Checkpoint<'a> {
    pub(crate) settings: &'a Settings,
    /// Identifies the training data.
    pub(crate) data: &'a str,
    /// Identifies the validation set, by which the best weights were chosen.
    pub(crate) validation: &'a str,
    pub(crate) state: &'a State,
    pub(crate) model: &'a Model,
    pub(crate) best: &'a Model,
}

impl Checkpoint<'_> {
    pub(crate) fn save(&self, path: &Path) -> Result<(), TrainError> {
        let text = Text {
            settings: self.settings.clone(),
            data: self.data.to_owned(),
            validation: Some(self.validation.to_owned()),
            state: self.state.clone(),
        };
        let text = serde_json::to_vec(&text).map_err(|_| TrainError::Checkpoint("settings"))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        for param in self.model.params() {
            for rows in [&param.value, &param.mean, &param.square] {
                put(&mut bytes, rows);
            }
        }
        self.best.params().for_each(|param| put(&mut bytes, &param.value));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        files::replace(path, &bytes).map_err(|error| TrainError::Write(path.to_owned(), error))
    }
}

/// Reads a run back: its state, its model and its best model.
pub(crate) fn load(
    path: &Path,
    given: &Settings,
    data: &str,
    validation: &str,
) -> Result<(State, Model, Model), TrainError> {
    let bytes = std::fs::read(path).map_err(|error| TrainError::Read(path.to_owned(), error))?;
    let (text, model, best) = parse(&bytes)?;
    settings::compare(&settings::fields(&text.settings), &settings::fields(given))
        .map_err(TrainError::OtherSettings)?;
    if text.data != data || text.validation.is_some_and(|found| found != validation) {
        return Err(TrainError::OtherData);
    }
    Ok((text.state, model, best))
}

/// Takes a checkpoint for this run alone.
pub(crate) fn lock(path: &Path) -> Result<File, TrainError> {
    lock::beside(path).map_err(|error| match error {
        LockError::Busy => TrainError::Busy(path.to_owned()),
        LockError::Io(error) => TrainError::Write(path.to_owned(), error),
    })
}

/// The best weights of any run.
pub(crate) fn best(bytes: &[u8]) -> Result<Model, TrainError> {
    parse(bytes).map(|(_, _, best)| best)
}

/// Whether a file begins like a checkpoint.
pub(crate) fn is_checkpoint(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

fn parse(bytes: &[u8]) -> Result<(Text, Model, Model), TrainError> {
    let (content, checksum) =
        bytes.split_last_chunk::<4>().ok_or(TrainError::Checkpoint("length"))?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return Err(TrainError::Checkpoint("checksum"));
    }
    let rest = content.strip_prefix(MAGIC).ok_or(TrainError::Checkpoint("magic"))?;
    let (version, rest) = number(rest)?;
    if version != VERSION {
        return Err(TrainError::Checkpoint("version"));
    }
    let (length, rest) = number(rest)?;
    let (text, mut rest) =
        rest.split_at_checked(length as usize).ok_or(TrainError::Checkpoint("length"))?;
    let text: Text = serde_json::from_slice(text).map_err(|_| TrainError::Checkpoint("text"))?;
    let mut model = Model::new(text.settings.shape, text.settings.seed);
    let mut best = model.clone();
    for param in model.params_mut() {
        let Param { value, mean, square, .. } = param;
        for rows in [value, mean, square] {
            take(&mut rest, rows)?;
        }
    }
    for param in best.params_mut() {
        take(&mut rest, &mut param.value)?;
    }
    if !rest.is_empty() {
        return Err(TrainError::Checkpoint("length"));
    }
    model.refresh();
    best.refresh();
    Ok((text, model, best))
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), TrainError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(TrainError::Checkpoint("length"))?;
    Ok((u32::from_le_bytes(*number), rest))
}

fn put(bytes: &mut Vec<u8>, rows: &[Row]) {
    bytes.extend(rows.iter().flat_map(|row| row.0).flat_map(f32::to_le_bytes));
}

fn take(bytes: &mut &[u8], rows: &mut [Row]) -> Result<(), TrainError> {
    let length = size_of_val(rows);
    let (taken, rest) = bytes.split_at_checked(length).ok_or(TrainError::Checkpoint("length"))?;
    let (words, _) = taken.as_chunks();
    for (number, word) in rows.iter_mut().flat_map(|row| &mut row.0).zip(words) {
        *number = f32::from_le_bytes(*word);
    }
    *bytes = rest;
    Ok(())
}
