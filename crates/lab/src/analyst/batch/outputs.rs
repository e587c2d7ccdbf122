//! The files a run writes: parts that grow, and the note of how far they are complete.

use super::{BatchConfig, Finished};
use crate::work::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
#[derive(Debug)]
pub enum BatchError {
    /// The games cannot be read.
    Read(PathBuf, io::Error),
    /// A result cannot be written.
    Write(PathBuf, io::Error),
    /// A result is already there.
    Exists(PathBuf),
    /// There is nothing left to resume.
    Complete,
    /// An interrupted run is already there.
    Interrupted(PathBuf),
    /// Results on standard output are gone.
    NotResumable,
    /// Another run is writing.
    Busy(PathBuf),
    /// A note of progress that cannot be believed.
    Damaged(PathBuf, String),
    /// The interrupted run had other settings.
    OtherSettings {
        /// Name of the first setting that differs.
        name: String,
        /// What it was.
        recorded: String,
        /// What it is now.
        given: String,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "games {}: {error}", path.display()),
            Self::Write(path, error) => write!(f, "output {}: {error}", path.display()),
            Self::Exists(path) => write!(f, "output {} exists already", path.display()),
            Self::Complete => f.write_str("the run is complete already"),
            Self::Interrupted(path) => write!(
                f,
                "{} belongs to an interrupted run: add --resume to continue it, or remove it",
                path.display()
            ),
            Self::NotResumable => f.write_str("--resume needs a file as output"),
            Self::Busy(path) => write!(f, "output {} is in use by another run", path.display()),
            Self::Damaged(path, reason) => write!(f, "{}: {reason}", path.display()),
            Self::OtherSettings { name, recorded, given } => {
                write!(
                    f,
                    "the interrupted run had other settings: {name} was {recorded}, now {given}"
                )
            }
        }
    }
}

impl std::error::Error for BatchError {}

/// How far a run is complete, as it is written down.
#[derive(Serialize, Deserialize, Default)]
pub(super) struct Checkpoint {
    settings: BTreeMap<String, String>,
    /// Games of the shard that are done.
    pub(super) games: u64,
    /// Of these, games with something wrong.
    pub(super) problems: u64,
    /// Complete bytes of each output.
    lengths: Vec<u64>,
    /// The sum of the task's notes.
    pub(super) summary: serde_json::Value,
}

/// The growing outputs of a run.
pub(super) struct Parts {
    files: Vec<Part>,
    settings: BTreeMap<String, String>,
    progress: Option<PathBuf>,
    last: Instant,
}

enum Part {
    Stdout,
    File { name: PathBuf, part: PathBuf, file: File, length: u64 },
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
        let progress = paths.first().map(|path| with_suffix(path, ".progress"));
        let interrupted = progress.as_ref().is_some_and(|path| path.exists());
        if config.resume && !interrupted && paths.iter().all(|path| path.exists()) {
            return Err(BatchError::Complete);
        }
        if let Some(path) = paths.iter().copied().find(|path| !interrupted && path.exists()) {
            return Err(BatchError::Exists(path.clone()));
        }
        let mut settings = config.settings.clone();
        settings.insert("games".to_owned(), config.input.display().to_string());
        settings.insert("shard".to_owned(), config.shard.to_string());
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
        }
        Ok((parts, checkpoint))
    }

    /// Adds a text to each output.
    pub(super) fn append(&mut self, texts: &[String]) -> Result<(), BatchError> {
        for (part, text) in self.files.iter_mut().zip(texts) {
            match part {
                Part::Stdout => io::stdout()
                    .write_all(text.as_bytes())
                    .map_err(|error| BatchError::Write("-".into(), error))?,
                Part::File { part, file, length, .. } => {
                    file.write_all(text.as_bytes())
                        .map_err(|error| BatchError::Write(part.clone(), error))?;
                    *length += text.len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Whether it is time to write down how far the outputs are complete.
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= PERIOD
    }

    /// Makes everything up to here durable.
    pub(super) fn checkpoint<S: Serialize>(
        &mut self,
        finished: &Finished<S>,
    ) -> Result<(), BatchError> {
        self.last = Instant::now();
        let Some(progress) = &self.progress else { return Ok(()) };
        let mut lengths = Vec::new();
        for part in &self.files {
            if let Part::File { part, file, length, .. } = part {
                file.sync_data().map_err(|error| BatchError::Write(part.clone(), error))?;
                lengths.push(*length);
            }
        }
        serde_json::to_value(&finished.summary)
            .and_then(|summary| {
                serde_json::to_vec_pretty(&Checkpoint {
                    settings: self.settings.clone(),
                    games: finished.games,
                    problems: finished.problems,
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
        let mut file = options.open(&part).map_err(failed)?;
        files::lock(&file).map_err(|error| match error {
            TryLockError::WouldBlock => BatchError::Busy(part.clone()),
            TryLockError::Error(error) => failed(error),
        })?;
        let length = done.unwrap_or(0);
        if file.metadata().map_err(failed)?.len() < length {
            let reason = format!("shorter than the {length} bytes that were written");
            return Err(BatchError::Damaged(part, reason));
        }
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(failed)?;
        Ok(Self::File { name: name.to_path_buf(), part, file, length })
    }
}

impl Checkpoint {
    fn read(
        path: &Path,
        settings: &BTreeMap<String, String>,
        outputs: usize,
    ) -> Result<Self, BatchError> {
        let damaged = |reason: String| BatchError::Damaged(path.to_path_buf(), reason);
        let text = fs::read(path).map_err(|error| damaged(error.to_string()))?;
        let found: Self =
            serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        let nothing = "nothing".to_owned();
        for name in settings.keys().chain(found.settings.keys()) {
            let recorded = found.settings.get(name).unwrap_or(&nothing);
            let given = settings.get(name).unwrap_or(&nothing);
            if recorded != given {
                return Err(BatchError::OtherSettings {
                    name: name.clone(),
                    recorded: recorded.clone(),
                    given: given.clone(),
                });
            }
        }
        if found.lengths.len() != outputs {
            return Err(damaged(format!("{} outputs instead of {outputs}", found.lengths.len())));
        }
        Ok(found)
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(suffix);
    path.with_file_name(name)
}
