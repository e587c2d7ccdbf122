//! The journal of a match: the one durable record from which a killed run continues.
//!
//! A text file with one JSON value per line: the settings first, then each finished game. A game
//! counts from the moment its line is synced. A last line that was cut short by a crash is removed
//! when the journal is opened again; any other damage is refused.

use super::game::{GameEnd, PlayedGame, Reason, TimeUse};
use super::schedule::Fixture;
use crate::work::files;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tabiya_chess::{Color, GameResult};

/// Settings that decide what is measured, by name. A resumed run must have the same.
pub type Settings = BTreeMap<String, String>;

/// A finished game as it is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the game in the schedule.
    pub game: u64,
    /// Number of its pair.
    pub pair: u64,
    /// Round, and with it the opening.
    pub round: u64,
    /// Index of White.
    pub white: usize,
    /// Index of Black.
    pub black: usize,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Why the game ended.
    pub reason: Reason,
    /// More about a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Plies played after the opening.
    pub plies: usize,
    /// How often it was played before, until the machine let both players think.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replays: u64,
    /// Use of time by White and by Black.
    pub times: [TimeUse; 2],
    /// The game as PGN text, if games are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "asked for by serde")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl GameRecord {
    /// The record of a played fixture.
    pub fn new(fixture: &Fixture, played: &PlayedGame, pgn: Option<String>) -> Self {
        let GameEnd { winner, reason, detail, .. } = &played.end;
        Self {
            game: fixture.game,
            pair: fixture.pair,
            round: fixture.round,
            white: fixture.white,
            black: fixture.black,
            result: winner.map_or(GameResult::Draw, GameResult::Win).to_string(),
            reason: *reason,
            detail: detail.clone(),
            plies: played.notes.len(),
            replays: 0,
            times: played.times,
            pgn,
        }
    }

    /// Half points of a side: 2, 1 or 0.
    pub fn half_points(&self, side: Color) -> u8 {
        match (self.result.as_str(), side) {
            ("1-0", Color::White) | ("0-1", Color::Black) => 2,
            ("1-0" | "0-1", _) => 0,
            _ => 1,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    tabiya_match: u32,
    settings: Settings,
}

const VERSION: u32 = 1;

/// Why a journal cannot be used.
#[derive(Debug)]
pub enum JournalError {
    /// Reading or writing failed.
    Io(PathBuf, io::Error),
    /// There is one already and resuming was not asked for.
    Exists(PathBuf),
    /// Another run is writing it.
    Busy(PathBuf),
    /// A line that is not the last one makes no sense.
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It belongs to a match with other settings.
    OtherSettings {
        /// The journal.
        path: PathBuf,
        /// Name of the first setting that differs.
        name: String,
        /// What the journal says.
        recorded: String,
        /// What this run says.
        given: String,
    },
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "journal {}: {error}", path.display()),
            Self::Exists(path) => write!(
                f,
                "journal {} exists: add --resume to continue that match or choose another name",
                path.display()
            ),
            Self::Busy(path) => write!(f, "journal {} is in use by another run", path.display()),
            Self::Damaged { path, line, reason } => {
                write!(f, "journal {} line {line}: {reason}", path.display())
            }
            Self::OtherSettings { path, name, recorded, given } => write!(
                f,
                "journal {} belongs to a match with other settings: {name} was {recorded}, now {given}",
                path.display()
            ),
        }
    }
}

impl std::error::Error for JournalError {}

/// An open journal. Nobody else can open it as long as this value lives.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Starts a journal, or continues one with the games it holds if `resume` is set.
    pub fn open(
        path: &Path,
        settings: &Settings,
        resume: bool,
    ) -> Result<(Self, Vec<GameRecord>), JournalError> {
        let failed = |error| JournalError::Io(path.to_path_buf(), error);
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut journal = Self { file: file.map_err(failed)?, path: path.to_path_buf() };
        match files::lock(&journal.file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy(journal.path)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        journal.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        journal.file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 {
            // New, or killed before the first line was complete.
            journal.file.set_len(0).map_err(failed)?;
            let header = Header { tabiya_match: VERSION, settings: settings.clone() };
            journal.append(&[to_line(&header)])?;
            files::sync_folder(path).map_err(failed)?;
            return Ok((journal, Vec::new()));
        }
        if !resume {
            return Err(JournalError::Exists(journal.path));
        }
        let records = journal.read(&bytes[..whole], settings)?;
        if whole < bytes.len() {
            journal.file.set_len(whole as u64).map_err(failed)?;
            journal.file.sync_all().map_err(failed)?;
        }
        Ok((journal, records))
    }

    /// Adds games; they count once this returns.
    pub fn write(&mut self, records: &[GameRecord]) -> Result<(), JournalError> {
        let lines: Vec<String> = records.iter().map(to_line).collect();
        self.append(&lines)
    }

    fn append(&mut self, lines: &[String]) -> Result<(), JournalError> {
        self.file
            .write_all(lines.concat().as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|error| JournalError::Io(self.path.clone(), error))
    }

    fn read(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<GameRecord>, JournalError> {
        let damaged = |index: usize, reason: String| JournalError::Damaged {
            path: self.path.clone(),
            line: index + 1,
            reason,
        };
        let mut lines = bytes.split(|&byte| byte == b'\n').enumerate();
        let (_, first) = lines.next().unwrap_or((0, &[]));
        let header: Header =
            serde_json::from_slice(first).map_err(|error| damaged(0, error.to_string()))?;
        if header.tabiya_match != VERSION {
            return Err(damaged(0, format!("version {} is not known", header.tabiya_match)));
        }
        self.compare(&header.settings, settings)?;
        let mut seen = HashSet::new();
        let mut records = Vec::new();
        for (index, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let record: GameRecord =
                serde_json::from_slice(line).map_err(|error| damaged(index, error.to_string()))?;
            if !seen.insert(record.game) {
                return Err(damaged(index, format!("game {} is there twice", record.game)));
            }
            records.push(record);
        }
        Ok(records)
    }

    fn compare(&self, recorded: &Settings, given: &Settings) -> Result<(), JournalError> {
        match first_difference(recorded, given) {
            None => Ok(()),
            Some((name, [recorded, given])) => {
                Err(JournalError::OtherSettings { path: self.path.clone(), name, recorded, given })
            }
        }
    }
}

/// Name and both values of the first setting in which the two differ.
pub(crate) fn first_difference(
    recorded: &Settings,
    given: &Settings,
) -> Option<(String, [String; 2])> {
    let mut names = recorded.keys().chain(given.keys());
    let name = names.find(|&name| recorded.get(name) != given.get(name))?;
    let value = |settings: &Settings| settings.get(name).map_or("not set", String::as_str).into();
    Some((name.clone(), [value(recorded), value(given)]))
}

fn to_line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("records hold nothing that JSON cannot");
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(game: u64) -> GameRecord {
        GameRecord {
            game,
            pair: game / 2,
            round: game / 2,
            white: 0,
            black: 1,
            result: "1-0".to_string(),
            reason: Reason::Checkmate,
            detail: None,
            plies: 3,
            replays: 0,
            times: [TimeUse::default(); 2],
            pgn: Some("[Event \"x\"]\n\n1-0\n".to_string()),
        }
    }

    fn settings(value: &str) -> Settings {
        Settings::from([("openings".to_string(), value.to_string())])
    }

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("tabiya-{}-{name}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    fn reopen(path: &Path) -> Result<Vec<GameRecord>, JournalError> {
        Journal::open(path, &settings("a"), true).map(|(_, records)| records)
    }

    #[test]
    fn a_cut_anywhere_keeps_every_whole_record() {
        let path = path("cut");
        let (mut journal, _) = Journal::open(&path, &settings("a"), false).unwrap();
        journal.write(&[record(0), record(1)]).unwrap();
        journal.write(&[record(2)]).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        // Every few bytes, and all around the line ends, where it matters.
        let is_near_line_end =
            |at: usize| whole[at.saturating_sub(2)..whole.len().min(at + 2)].contains(&b'\n');
        for length in (0..=whole.len()).filter(|&at| at % 37 == 0 || is_near_line_end(at)) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].split(|&byte| byte == b'\n').count() - 1;
            let expected: Vec<_> = (0..lines.saturating_sub(1) as u64).map(record).collect();
            assert_eq!(reopen(&path).unwrap(), expected, "cut at {length}");
            // What was cut off is gone, and appending goes on cleanly.
            let (mut journal, _) = Journal::open(&path, &settings("a"), true).unwrap();
            journal.write(&[record(9)]).unwrap();
            drop(journal);
            assert_eq!(reopen(&path).unwrap().len(), expected.len() + 1);
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn wrong_use_is_refused_with_the_reason() {
        let path = path("refused");
        let (mut journal, _) = Journal::open(&path, &settings("a"), false).unwrap();
        assert!(matches!(reopen(&path), Err(JournalError::Busy(_))));
        journal.write(&[record(0)]).unwrap();
        drop(journal);
        let exists = Journal::open(&path, &settings("a"), false).unwrap_err();
        assert!(exists.to_string().contains("add --resume"));
        let other = Journal::open(&path, &settings("b"), true).unwrap_err().to_string();
        assert!(other.ends_with("openings was a, now b"), "{other}");
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str(&to_line(&record(0)));
        std::fs::write(&path, &text).unwrap();
        let twice = reopen(&path).unwrap_err().to_string();
        assert!(twice.ends_with("line 3: game 0 is there twice"), "{twice}");
        std::fs::write(&path, "{\n").unwrap();
        assert!(matches!(reopen(&path), Err(JournalError::Damaged { line: 1, .. })));
        std::fs::remove_file(path).unwrap();
    }
}
