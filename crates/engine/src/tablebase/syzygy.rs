//! Folders of tables, and what they answer.

use super::convert::to_position;
use super::{TableWdl, TablebaseError};
use shakmaty::Chess;
use shakmaty_syzygy::{AmbiguousWdl, SyzygyError, Tablebase as Tables, Wdl};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tabiya_chess::{Board, Color};

/// Troubles with tables: what was seen, and what of it nobody has been told.
#[derive(Default)]
struct Faults {
    seen: HashSet<String>,
    untold: Vec<String>,
}

/// Syzygy tables of one or more folders.
pub struct Tablebase {
    tables: Tables<Chess>,
    count: usize,
    faults: Mutex<Faults>,
}

impl Tablebase {
    /// Finds all tables in a folder, or in several separated as in `PATH`. Files that cannot be
    /// tables are left out, see [`Tablebase::take_faults`]; others are opened when they are needed.
    pub fn open(folders: &OsStr) -> Result<Self, TablebaseError> {
        let mut found =
            Self { tables: Tables::new(), count: 0, faults: Mutex::new(Faults::default()) };
        let mut refused = None;
        for folder in std::env::split_paths(folders).filter(|path| !path.as_os_str().is_empty()) {
            if let Err(error) = found.add_folder(&folder) {
                found.note(error.to_string());
                refused = Some(error);
            }
        }
        if found.count > 0 { Ok(found) } else { Err(refused.unwrap_or(TablebaseError::Empty)) }
    }

    fn add_folder(&mut self, folder: &Path) -> Result<(), TablebaseError> {
        let failed =
            |error: std::io::Error| TablebaseError::Folder(folder.to_path_buf(), error.to_string());
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            match self.tables.add_file(&path) {
                Ok(()) => self.count += 1,
                // Not a table by its name.
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {}
                Err(error) => self.note(format!("table {} left out: {error}", path.display())),
            }
        }
        Ok(())
    }

    /// Number of files.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The most pieces any table has, kings included.
    pub fn max_pieces(&self) -> u32 {
        self.tables.max_pieces() as u32
    }

    /// The outcome of a position whose last move was a capture or a pawn move; `None` if it is not
    /// known.
    pub fn wdl(&self, board: &Board) -> Option<TableWdl> {
        let wdl = self.ask(board, Tables::probe_wdl_after_zeroing)?;
        Some(match wdl {
            Wdl::Loss => TableWdl::Loss,
            Wdl::BlessedLoss => TableWdl::BlessedLoss,
            Wdl::Draw => TableWdl::Draw,
            Wdl::CursedWin => TableWdl::CursedWin,
            Wdl::Win => TableWdl::Win,
        })
    }

    /// Plies to the next capture or pawn move that keeps the outcome, negative for the loser, zero
    /// for a draw; `None` if it is not known. It may be one too small, as tables round.
    pub fn dtz(&self, board: &Board) -> Option<i32> {
        self.ask(board, Tables::probe_dtz).map(|dtz| i32::from(dtz.ignore_rounding()))
    }

    /// The winner under the fifty-move rule as the clock stands: `Some(None)` for a draw, `None`
    /// if it is not known for certain.
    pub fn winner(&self, board: &Board) -> Option<Option<Color>> {
        let us = board.side_to_move();
        match self.ask(board, Tables::probe_wdl)? {
            AmbiguousWdl::Win => Some(Some(us)),
            AmbiguousWdl::Loss => Some(Some(!us)),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(None),
            // The rule may or may not save the loser; they shall play it out.
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }

    /// What went wrong with tables since the last call, each trouble once.
    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner).untold)
    }

    fn ask<T>(
        &self,
        board: &Board,
        probe: impl Fn(&Tables<Chess>, &Chess) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        let small = board.occupied().count() <= self.max_pieces();
        if !small || board.castling_rooks().any() {
            return None;
        }
        let position = to_position(board)?;
        // Nobody promises that a broken file cannot make the reader of tables panic.
        match catch_unwind(AssertUnwindSafe(|| probe(&self.tables, &position))) {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(error)) => self.explain(&error),
            Err(_) => self.fail(format!("table for {board} is broken")),
        }
    }

    #[cold]
    fn explain<T>(&self, error: &SyzygyError) -> Option<T> {
        // A set need not be complete; but a file that is there should be readable.
        let SyzygyError::ProbeFailed { metric, material, error } = error else { return None };
        let reason = match error.as_ref() {
            shakmaty_syzygy::ProbeError::CorruptedTable { .. } => "corrupt or cut off".to_owned(),
            other => other.to_string(),
        };
        self.fail(format!("{metric} table {material}: {reason}"))
    }

    #[cold]
    fn fail<T>(&self, trouble: String) -> Option<T> {
        self.note(trouble);
        None
    }

    fn note(&self, trouble: String) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.seen.insert(trouble.clone()) {
            faults.untold.push(trouble);
        }
    }
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} tables of up to {} pieces", self.count, self.max_pieces())
    }
}
