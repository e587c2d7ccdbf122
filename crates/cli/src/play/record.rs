//! The game as PGN.

use crate::args::UsageError;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use tabiya_chess::pgn::PgnGame;
use tabiya_chess::{Color, Game, GameResult, openings};

pub(super) fn to_pgn(
    game: &Game,
    person: Color,
    engine: &str,
    end: Option<(GameResult, String)>,
) -> String {
    let mut pgn = PgnGame::from(game);
    pgn.set_tag("Event", "Tabiya play");
    let names = if person == Color::White { ["You", engine] } else { [engine, "You"] };
    pgn.set_tag("White", names[0]);
    pgn.set_tag("Black", names[1]);
    pgn.result = GameResult::Unknown;
    if let Some((result, reason)) = end {
        pgn.result = result;
        pgn.set_tag("Reason", reason);
    }
    if let Some(opening) = openings::of_game(game) {
        pgn.set_tag("ECO", opening.eco);
        pgn.set_tag("Opening", opening.name);
    }
    pgn.to_string()
}

/// Whether a game can be added to a file: before it is played, not after.
pub(super) fn check(path: &Path) -> anyhow::Result<()> {
    let is_new = !path.exists();
    open(path).map_err(|error| unwritable(path, &error))?;
    if is_new {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Adds a game to a file, in one piece.
pub(super) fn append(path: &Path, pgn: &str) -> anyhow::Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = open(path)?;
        let gap = if file.metadata()?.len() > 0 { "\n" } else { "" };
        file.write_all(format!("{gap}{pgn}").as_bytes())
    };
    write().map_err(|error| unwritable(path, &error))
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

fn unwritable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    UsageError(format!("--pgn {}: {error}", path.display())).into()
}
