//! The journal of a match: the one durable record from which a killed run continues.
//!
//! A text file with one JSON object per line: the settings first, then each finished game. The last
//! field of every line, `crc32`, is the checksum of the line without it. A game counts from the moment
//! its line is synced. A last line that was cut short by a crash is removed when the journal is opened
//! again; any other damage is refused.

use super::game::{GameEnd, PlayedGame, Reason, TimeUse};
use super::schedule::Fixture;
use crate::work::files;
use crate::work::hash::fnv1a;
use crate::work::lock::{self, LockError};
use crate::work::settings::{self, OtherSetting, RunSettings};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tabiya_chess::{Color, Game, GameResult};

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
    /// A hash of its positions: equal for equal games.
    #[serde(default)]
    pub positions: u64,
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

/// A hash of all positions of a game (FNV-1a over their keys).
fn hash_of(game: &Game) -> u64 {
    let keys = game.keys().iter().copied().chain([game.board().key()]);
    fnv1a(keys)
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
            positions: hash_of(&played.game),
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
    settings: RunSettings,
}

const VERSION: u32 = 2;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error("journal {}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// There is one already and resuming was not asked for.
    #[error("journal {} exists: add --resume to continue that match or choose another name", .0.display())]
    Exists(PathBuf),
    /// Another run is writing it.
    #[error("journal {} is in use by another run", .0.display())]
    Busy(PathBuf),
    /// A line that is not the last one makes no sense.
    #[error("journal {} line {line}: {reason}", .path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It belongs to a match with other settings.
    #[error("journal {} belongs to a match with other settings: {}", .0.display(), .1)]
    OtherSettings(PathBuf, #[source] OtherSetting),
}

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
        settings: &RunSettings,
        resume: bool,
    ) -> Result<(Self, Vec<GameRecord>), JournalError> {
        let failed = |error| JournalError::Io(path.to_path_buf(), error);
        let file = lock::open(path, OpenOptions::new().read(true).append(true).create(true));
        let file = file.map_err(|error| match error {
            LockError::Busy => JournalError::Busy(path.to_path_buf()),
            LockError::Io(error) => failed(error),
        })?;
        let mut journal = Self { file, path: path.to_path_buf() };
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

    fn read(&self, bytes: &[u8], settings: &RunSettings) -> Result<Vec<GameRecord>, JournalError> {
        let damaged = |index: usize, reason: String| JournalError::Damaged {
            path: self.path.clone(),
            line: index + 1,
            reason,
        };
        let mut lines = bytes.split(|&byte| byte == b'\n').enumerate();
        let (_, first) = lines.next().unwrap_or((0, &[]));
        // The version comes first: lines of another one may have another form.
        let header: Header =
            serde_json::from_slice(first).map_err(|error| damaged(0, error.to_string()))?;
        if header.tabiya_match != VERSION {
            return Err(damaged(0, format!("version {} is not known", header.tabiya_match)));
        }
        check_line(first).map_err(|reason| damaged(0, reason))?;
        settings::compare(&header.settings, settings)
            .map_err(|other| JournalError::OtherSettings(self.path.clone(), other))?;
        let mut seen = HashSet::new();
        let mut records = Vec::new();
        for (index, line) in lines.filter(|(_, line)| !line.is_empty()) {
            check_line(line).map_err(|reason| damaged(index, reason))?;
            let record: GameRecord =
                serde_json::from_slice(line).map_err(|error| damaged(index, error.to_string()))?;
            if !seen.insert(record.game) {
                return Err(damaged(index, format!("game {} is there twice", record.game)));
            }
            records.push(record);
        }
        Ok(records)
    }
}

/// What the checksum stands behind.
const CHECKSUM_FIELD: &str = ",\"crc32\":\"";
/// Bytes of the checksum with its field and the end of the object.
const CHECKSUM_LENGTH: usize = CHECKSUM_FIELD.len() + "01234567\"}".len();

fn to_line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("records hold nothing that JSON cannot");
    let checksum = crc32fast::hash(line.as_bytes());
    line.pop();
    line + CHECKSUM_FIELD + &format!("{checksum:08x}\"}}\n")
}

/// Compares a line with its checksum.
fn check_line(line: &[u8]) -> Result<(), String> {
    let missing = || "no checksum".to_owned();
    let length = line.len().checked_sub(CHECKSUM_LENGTH).ok_or_else(missing)?;
    let (object, checksum) = line.split_at(length);
    let checksum = checksum
        .strip_prefix(CHECKSUM_FIELD.as_bytes())
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .ok_or_else(missing)?;
    let found = crc32fast::hash(&[object, b"}"].concat());
    if checksum == format!("{found:08x}").as_bytes() {
        Ok(())
    } else {
        Err("checksum does not match".to_owned())
    }
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
            positions: game,
            replays: 0,
            times: [TimeUse::default(); 2],
            pgn: Some("[Event \"x\"]\n\n1-0\n".to_string()),
        }
    }

    fn settings(value: &str) -> RunSettings {
        RunSettings::from([("openings".to_string(), value.to_string())])
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
        // A flipped result is as good JSON as the true one.
        let flipped = text.replacen("\"result\":\"1-0\"", "\"result\":\"0-1\"", 1);
        std::fs::write(&path, flipped).unwrap();
        let flipped = reopen(&path).unwrap_err().to_string();
        assert!(flipped.ends_with("line 2: checksum does not match"), "{flipped}");
        std::fs::write(&path, text.replacen("\"a\"", "\"b\"", 1)).unwrap();
        assert!(matches!(reopen(&path), Err(JournalError::Damaged { line: 1, .. })));
        std::fs::write(&path, "{\n").unwrap();
        assert!(matches!(reopen(&path), Err(JournalError::Damaged { line: 1, .. })));
        std::fs::remove_file(path).unwrap();
    }
}
