//! Endgame tables as a referee: games end as soon as Syzygy tables know the result.

use super::adjudicate::Oracle;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use shakmaty_syzygy::{AmbiguousWdl, Tablebase};
use std::io;
use std::path::Path;
use tabiya_chess::{Board, Color};

/// Syzygy tables of one or more folders.
pub struct SyzygyTables {
    tables: Tablebase<Chess>,
}

impl SyzygyTables {
    /// Opens all tables in a folder, or in several separated as in `PATH`.
    pub fn open(folders: &Path) -> io::Result<Self> {
        let mut tables = Tablebase::new();
        let mut found = 0;
        for folder in std::env::split_paths(folders) {
            found += tables.add_directory(folder)?;
        }
        if found == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no tables in it"));
        }
        Ok(Self { tables })
    }
}

impl Oracle for SyzygyTables {
    fn verdict(&self, board: &Board) -> Option<Option<Color>> {
        if board.occupied().count() as usize > self.tables.max_pieces()
            || !board.castling_rooks().is_empty()
        {
            return None;
        }
        let fen: Fen = board.to_string().parse().ok()?;
        let position: Chess = fen.into_position(CastlingMode::Standard).ok()?;
        let us = board.side_to_move();
        match self.tables.probe_wdl(&position).ok()? {
            AmbiguousWdl::Win => Some(Some(us)),
            AmbiguousWdl::Loss => Some(Some(!us)),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(None),
            // The 50-move rule may or may not save the loser; they shall play it out.
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/syzygy");

    #[test]
    fn tables_know_small_endgames_and_nothing_else() {
        if !Path::new(TABLES).exists() {
            assert!(std::env::var("CI").is_err(), "{TABLES} is missing");
            eprintln!("skipped: {TABLES} is missing");
            return;
        }
        let tables = SyzygyTables::open(Path::new(TABLES)).unwrap();
        let verdict = |fen: &str| tables.verdict(&fen.parse().unwrap());
        assert_eq!(verdict("4k3/8/8/8/8/8/8/4K2Q b - - 0 1"), Some(Some(Color::White)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/4K2Q w - - 0 1"), Some(Some(Color::White)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"), Some(None));
        // A mate that comes after the 50-move rule would have ended the game is a draw.
        assert_eq!(verdict("7k/8/8/8/8/8/8/KBN5 w - - 98 100"), Some(None));
        assert_eq!(verdict("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1"), None);
        assert_eq!(verdict("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
    }

    #[test]
    fn a_folder_without_tables_is_refused() {
        assert!(SyzygyTables::open(Path::new("/no/such/folder")).is_err());
        assert!(SyzygyTables::open(Path::new(env!("CARGO_MANIFEST_DIR"))).is_err());
    }
}
