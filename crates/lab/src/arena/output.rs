//! The files of a match: journal, games as PGN, result as JSON.

use super::journal::{GameRecord, Journal, JournalError};
use super::report::Summary;
use crate::work::RunSettings;
use crate::work::files;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often the result file of a running match is renewed.
const SUMMARY_PERIOD: Duration = Duration::from_secs(10);

/// Which files a match writes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outputs {
    /// The journal, without which a match cannot be resumed.
    pub journal: Option<PathBuf>,
    /// All games.
    pub pgn: Option<PathBuf>,
    /// The result.
    pub json: Option<PathBuf>,
    /// Whether to continue the match of the journal.
    pub resume: bool,
}

/// Why a file of a match cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Resuming without a journal.
    #[error("resume: give the journal of the match")]
    NothingToResume,
    /// The file of games is there and would be overwritten.
    #[error("games {} exist: choose another name or remove the file", .0.display())]
    Exists(PathBuf),
    /// The file of games is not the one of the match that goes on.
    #[error("games {}: not the games of this match; choose another name", .0.display())]
    OtherGames(PathBuf),
    /// Writing failed.
    #[error("{}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
}

/// Keeps the files of a running match.
pub(super) struct Recorder {
    journal: Option<Journal>,
    pgn: Option<(PathBuf, File)>,
    json: Option<PathBuf>,
    last_summary: Instant,
}

impl Recorder {
    /// Opens the files and returns the games that are already there.
    ///
    /// The journal is the truth. The games file is written anew from it, because a killed run may
    /// have left it one game short or with half a game at its end.
    pub(super) fn open(
        outputs: &Outputs,
        settings: &RunSettings,
    ) -> Result<(Self, Vec<GameRecord>), OutputError> {
        if outputs.resume && outputs.journal.is_none() {
            return Err(OutputError::NothingToResume);
        }
        if let Some(path) = outputs.pgn.as_ref().filter(|path| !outputs.resume && path.exists()) {
            return Err(OutputError::Exists(path.clone()));
        }
        let (journal, records) = match &outputs.journal {
            Some(path) => {
                let (journal, records) = Journal::open(path, settings, outputs.resume)?;
                (Some(journal), records)
            }
            None => (None, Vec::new()),
        };
        let pgn = match &outputs.pgn {
            Some(path) => Some((path.clone(), start_games(path, &records)?)),
            None => None,
        };
        let json = outputs.json.clone();
        Ok((Self { journal, pgn, json, last_summary: Instant::now() }, records))
    }

    /// Records games; they count once this returns.
    pub(super) fn write(&mut self, records: &[GameRecord]) -> Result<(), OutputError> {
        if records.is_empty() {
            return Ok(());
        }
        if let Some(journal) = &mut self.journal {
            journal.write(records)?;
        }
        if let Some((path, file)) = &mut self.pgn {
            let text: String = records.iter().filter_map(|record| record.pgn.as_deref()).collect();
            file.write_all(text.as_bytes())
                .map_err(|error| OutputError::Write(path.clone(), error))?;
        }
        Ok(())
    }

    /// Renews the result file now and then; while nothing happens there is nothing to renew.
    pub(super) fn write_summary(
        &mut self,
        summary: &Summary,
        idle: bool,
    ) -> Result<(), OutputError> {
        if idle || self.last_summary.elapsed() < SUMMARY_PERIOD {
            return Ok(());
        }
        self.last_summary = Instant::now();
        self.replace_summary(summary)
    }

    /// Writes the final result and makes everything durable.
    pub(super) fn finish(&mut self, summary: &Summary) -> Result<(), OutputError> {
        if let Some((path, file)) = &self.pgn {
            file.sync_all().map_err(|error| OutputError::Write(path.clone(), error))?;
        }
        self.replace_summary(summary)
    }

    fn replace_summary(&self, summary: &Summary) -> Result<(), OutputError> {
        let Some(path) = &self.json else { return Ok(()) };
        serde_json::to_vec_pretty(summary)
            .map_err(io::Error::from)
            .and_then(|mut text| {
                text.push(b'\n');
                files::replace(path, &text)
            })
            .map_err(|error| OutputError::Write(path.clone(), error))
    }
}

/// Writes the games already known and opens the file for more. Whatever is there must be the beginning of these
/// games, or begin with them: another file of games is somebody's work.
fn start_games(path: &Path, records: &[GameRecord]) -> Result<File, OutputError> {
    let fail = |error| OutputError::Write(path.to_path_buf(), error);
    let text: String = records.iter().filter_map(|record| record.pgn.as_deref()).collect();
    let found = match fs::read(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(fail(error)),
    };
    let common = found.len().min(text.len());
    if found[..common] != text.as_bytes()[..common] {
        return Err(OutputError::OtherGames(path.to_path_buf()));
    }
    files::replace(path, text.as_bytes()).map_err(fail)?;
    OpenOptions::new().append(true).open(path).map_err(fail)
}
