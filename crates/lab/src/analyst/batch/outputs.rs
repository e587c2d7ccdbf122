//! The files a run writes: parts that grow, and the note of how far they are complete.

use super::{BatchConfig, Finished};
use crate::work::files::{self, with_suffix};
use crate::work::lock::{self, LockError};
use crate::work::settings::{self, RunSettings};
use crate::work::traced::Trace;
use crate::work::{LostItem, OtherSetting};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tabiya_chess::pgn::PgnError;

/// Not more than this is lost by a kill.
const PERIOD: Duration = Duration::from_secs(1);

/// Where results go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Standard output, which cannot be resumed.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Output {
    /// `-` is standard output.
    pub fn new(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path.to_path_buf()) }
    }
}

/// Why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The games cannot be read.
    #[error("games {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The input begins with neither a tag nor a move.
    #[error("games {}: not a PGN file: {}", .0.display(), .1)]
    NotPgn(PathBuf, #[source] PgnError),
    /// A result cannot be written.
    #[error("output {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    /// A result is already there.
    #[error("output {} exists already; --force replaces it", .0.display())]
    Exists(PathBuf),
    /// There is nothing left to resume.
    #[error("the run is complete already")]
    Complete,
    /// An interrupted run is already there.
    #[error(
        "{} belongs to an interrupted run: add --resume to continue it, or --force to begin anew",
        .0.display()
    )]
    Interrupted(PathBuf),
    /// Results on standard output are gone.
    #[error("--resume needs a file as output")]
    NotResumable,
    /// Another run is writing.
    #[error("output {} is in use by another run", .0.display())]
    Busy(PathBuf),
    /// A note of progress that cannot be believed.
    #[error("{}: {}", .0.display(), .1)]
    Damaged(PathBuf, String),
    /// The games that are done are not those of the input.
    #[error("games {}: not the games that the interrupted run has read", .0.display())]
    OtherGames(PathBuf),
    /// A game that was not worked on because of a bug.
    #[error(transparent)]
    Lost(#[from] LostItem),
    /// The interrupted run had other settings.
    #[error("the interrupted run had other settings: {0}")]
    OtherSettings(#[from] OtherSetting),
}

/// How far a run is complete, as it is written down.
#[derive(Serialize, Deserialize, Default)]
pub(super) struct Checkpoint {
    settings: RunSettings,
    /// Games of the shard that are done.
    pub(super) games: u64,
    /// Of these, games with something wrong.
    pub(super) problems: u64,
    /// The input up to the end of these games.
    pub(super) read: Trace,
    /// Complete bytes of each output.
    lengths: Vec<u64>,
    /// The sum of the task's notes.
    pub(super) summary: serde_json::Value,
}

/// The growing outputs of a run.
pub(super) struct Parts {
    files: Vec<Part>,
    settings: RunSettings,
    progress: Option<PathBuf>,
    last: Instant,
}

enum Part {
    Stdout,
    File {
        name: PathBuf,
        part: PathBuf,
        file: File,
        /// Bytes of games that are done.
        complete: u64,
        /// Bytes written; more than `complete` while a game is on its way to all outputs.
        written: u64,
    },
}

impl Parts {
    /// Starts the outputs with their heads, or continues those of an interrupted run.
    pub(super) fn open(
        config: &BatchConfig,
        head: impl Fn(usize) -> String,
    ) -> Result<(Self, Option<Checkpoint>), BatchError> {
        let paths = config.outputs.iter().filter_map(|output| match output {
            Output::Stdout => None,
            Output::File(path) => Some(path),
        });
        let paths: Vec<&PathBuf> = paths.collect();
        if config.resume && (paths.is_empty() || paths.len() < config.outputs.len()) {
            return Err(BatchError::NotResumable);
        }
        for path in &paths {
            refuse_busy(&with_suffix(path, ".part"))?;
        }
        // What went to standard output cannot be taken back, so that there is nothing to go on from.
        let resumable = paths.first().filter(|_| paths.len() == config.outputs.len());
        let progress = resumable.map(|path| with_suffix(path, ".progress"));
        if config.force
            && let Some(path) = progress.as_ref().filter(|path| path.exists())
        {
            fs::remove_file(path).map_err(|error| BatchError::Write(path.clone(), error))?;
        }
        let interrupted = progress.as_ref().is_some_and(|path| path.exists());
        if config.resume && !interrupted && paths.iter().all(|path| path.exists()) {
            return Err(BatchError::Complete);
        }
        let is_precious = |path: &&PathBuf| !interrupted && !config.force && path.exists();
        if let Some(path) = paths.iter().copied().find(is_precious) {
            return Err(BatchError::Exists(path.clone()));
        }
        let mut settings = config.settings.clone();
        settings.insert("games".to_owned(), config.input.display().to_string());
        settings.insert("shard".to_owned(), config.shard.to_string());
        if let Some(part) = config.part {
            settings.insert("part".to_owned(), part.to_string());
        }
        let found = progress.as_deref().filter(|_| interrupted);
        let checkpoint = match found {
            Some(path) if !config.resume => {
                return Err(BatchError::Interrupted(path.to_path_buf()));
            }
            Some(path) => Some(Checkpoint::read(path, &settings, paths.len())?),
            None => None,
        };
        let mut parts = Self { files: Vec::new(), settings, progress, last: Instant::now() };
        for output in &config.outputs {
            parts.files.push(match output {
                Output::Stdout => Part::Stdout,
                Output::File(name) => {
                    let done = checkpoint.as_ref().map(|found| found.lengths[parts.files.len()]);
                    Part::open(name, done)?
                }
            });
        }
        if checkpoint.is_none() {
            let heads: Vec<String> = (0..parts.files.len()).map(head).collect();
            parts.append(&heads)?;
            parts.settle();
        }
        Ok((parts, checkpoint))
    }

    /// A note of progress that cannot be believed.
    pub(super) fn damaged(&self, reason: &impl ToString) -> BatchError {
        BatchError::Damaged(self.progress.clone().unwrap_or_default(), reason.to_string())
    }

    /// Adds a text to each output. It counts once [`Self::settle`] was called: an error in between leaves no
    /// game that is in one output and not in another.
    pub(super) fn append(&mut self, texts: &[String]) -> Result<(), BatchError> {
        for (part, text) in self.files.iter_mut().zip(texts) {
            match part {
                Part::Stdout => io::stdout()
                    .write_all(text.as_bytes())
                    .map_err(|error| BatchError::Write("-".into(), error))?,
                Part::File { part, file, written, .. } => {
                    file.write_all(text.as_bytes())
                        .map_err(|error| BatchError::Write(part.clone(), error))?;
                    *written += text.len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Everything written so far belongs to games that are done.
    pub(super) fn settle(&mut self) {
        for part in &mut self.files {
            if let Part::File { complete, written, .. } = part {
                *complete = *written;
            }
        }
    }

    /// Whether it is time to write down how far the outputs are complete.
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= PERIOD
    }

    /// Makes everything up to here durable.
    pub(super) fn checkpoint<S: Serialize>(
        &mut self,
        finished: &Finished<S>,
        read: Trace,
    ) -> Result<(), BatchError> {
        self.last = Instant::now();
        let Some(progress) = &self.progress else { return Ok(()) };
        let mut lengths = Vec::new();
        for part in &self.files {
            if let Part::File { part, file, complete, .. } = part {
                file.sync_data().map_err(|error| BatchError::Write(part.clone(), error))?;
                lengths.push(*complete);
            }
        }
        serde_json::to_value(&finished.summary)
            .and_then(|summary| {
                serde_json::to_vec_pretty(&Checkpoint {
                    settings: self.settings.clone(),
                    games: finished.games,
                    problems: finished.problems,
                    read,
                    lengths,
                    summary,
                })
            })
            .map_err(io::Error::from)
            .and_then(|text| files::replace(progress, &text))
            .map_err(|error| BatchError::Write(progress.clone(), error))
    }

    /// Adds the ends and gives the outputs their names.
    pub(super) fn finish(mut self, tail: impl Fn(usize) -> String) -> Result<(), BatchError> {
        let tails: Vec<String> = (0..self.files.len()).map(tail).collect();
        self.append(&tails)?;
        for part in &self.files {
            if let Part::File { name, part, file, .. } = part {
                file.sync_all()
                    .and_then(|()| fs::rename(part, name))
                    .and_then(|()| files::sync_folder(name))
                    .map_err(|error| BatchError::Write(name.clone(), error))?;
            }
        }
        match self.progress.map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                Err(BatchError::Write(PathBuf::from("progress"), error))
            }
            _ => Ok(()),
        }
    }
}

impl Part {
    /// Opens a part, empty or cut to what is complete.
    fn open(name: &Path, done: Option<u64>) -> Result<Self, BatchError> {
        let part = with_suffix(name, ".part");
        let failed = |error| BatchError::Write(part.clone(), error);
        if done.is_some() && !part.exists() && name.exists() {
            // The run was killed while it gave the outputs their names.
            fs::rename(name, &part).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(done.is_none());
        let mut file = lock::open_unlinked(&part, &options).map_err(|error| match error {
            LockError::Busy => BatchError::Busy(part.clone()),
            LockError::Io(error) => failed(error),
        })?;
        let length = done.unwrap_or(0);
        if file.metadata().map_err(failed)?.len() < length {
            let reason = format!("shorter than the {length} bytes that were written");
            return Err(BatchError::Damaged(part, reason));
        }
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(failed)?;
        Ok(Self::File { name: name.to_path_buf(), part, file, complete: length, written: length })
    }
}

impl Checkpoint {
    fn read(path: &Path, settings: &RunSettings, outputs: usize) -> Result<Self, BatchError> {
        let damaged = |reason: String| BatchError::Damaged(path.to_path_buf(), reason);
        let text = fs::read(path).map_err(|error| damaged(error.to_string()))?;
        let found: Self =
            serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        settings::compare(&found.settings, settings)?;
        if found.lengths.len() != outputs {
            return Err(damaged(format!("{} outputs instead of {outputs}", found.lengths.len())));
        }
        Ok(found)
    }
}

/// Refuses a part that another run is writing, before anything of that run is touched.
fn refuse_busy(part: &Path) -> Result<(), BatchError> {
    match lock::open(part, OpenOptions::new().write(true)) {
        Err(LockError::Busy) => Err(BatchError::Busy(part.to_path_buf())),
        // What else is wrong with it is told when it is opened.
        _ => Ok(()),
    }
}
