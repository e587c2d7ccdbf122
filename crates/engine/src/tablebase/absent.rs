//! What takes the place of tables in a build without them: there never is one.

use super::{TableWdl, TablebaseError};
use std::ffi::OsStr;
use tabiya_chess::{Board, Color};

/// Endgame tables, which this build cannot read.
#[derive(Debug)]
pub enum Tablebase {}

impl Tablebase {
    /// Refuses every folder.
    pub fn open(_: &OsStr) -> Result<Self, TablebaseError> {
        Err(TablebaseError::Unsupported)
    }

    /// Number of files.
    pub fn count(&self) -> usize {
        match *self {}
    }

    /// The most pieces any table has.
    pub fn max_pieces(&self) -> u32 {
        match *self {}
    }

    /// The outcome of a position.
    pub fn wdl(&self, _: &Board) -> Option<TableWdl> {
        match *self {}
    }

    /// Plies to the next capture or pawn move.
    pub fn dtz(&self, _: &Board) -> Option<i32> {
        match *self {}
    }

    /// The winner under the fifty-move rule.
    pub fn winner(&self, _: &Board) -> Option<Option<Color>> {
        match *self {}
    }

    /// What went wrong.
    pub fn take_faults(&self) -> Vec<String> {
        match *self {}
    }
}
