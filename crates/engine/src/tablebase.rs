//! Endgame tables (Syzygy, by Ronald de Man): opening folders of them and asking them.
//!
//! The tables themselves are read by the `shakmaty-syzygy` crate, in `syzygy`; `convert` turns our board
//! into its position, `ranking` orders the moves of a position that the tables know, `probing` says how the
//! search may use them. A table that is missing or broken costs its knowledge and nothing else.

#[cfg(not(feature = "tables"))]
mod absent;
#[cfg(feature = "tables")]
mod convert;
mod probing;
mod ranking;
#[cfg(feature = "tables")]
mod syzygy;

use std::fmt;
use std::path::PathBuf;

#[cfg(not(feature = "tables"))]
pub use absent::Tablebase;
#[cfg(feature = "tables")]
pub use syzygy::Tablebase;

pub use ranking::TableMove;

pub(crate) use probing::Probing;
pub(crate) use ranking::{Ranking, TieBreak};

/// The outcome of a position with best play, from the side to move's view, when the last move was
/// a capture or a pawn move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TableWdl {
    /// Lost.
    Loss,
    /// Lost, but saved by the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but for the fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

/// Why no table could be opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TablebaseError {
    /// A folder cannot be read.
    Folder(PathBuf, String),
    /// There are folders, but no table in any of them.
    Empty,
    /// This build cannot read tables.
    #[cfg(not(feature = "tables"))]
    Unsupported,
}

impl fmt::Display for TablebaseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Folder(path, reason) => write!(f, "folder {}: {reason}", path.display()),
            Self::Empty => write!(f, "no tables found"),
            #[cfg(not(feature = "tables"))]
            Self::Unsupported => write!(f, "this build cannot read endgame tables"),
        }
    }
}

impl std::error::Error for TablebaseError {}
