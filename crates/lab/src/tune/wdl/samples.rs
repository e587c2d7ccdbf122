//! Values and results, counted.

use crate::work::files;
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use tabiya_chess::pgn::{Comment, PgnGame, PgnReader, Score};
use tabiya_chess::{Color, GameResult};
use tabiya_engine::wdl;

/// Values are counted in steps of this many units.
const STEP: i32 = 5;
/// Larger values decide the game, whatever the model says.
const LARGEST: i32 = 2000;

/// Why games cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WdlError {
    /// The file cannot be read.
    #[error("games {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// Not enough to fit eight numbers.
    #[error("{0} evaluated positions with a result: at least 1000 are needed")]
    TooFew(u64),
}

/// How often positions of some value and material were won, drawn and lost by the side to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Samples {
    /// Counts of wins, draws and losses by material (in 1/58) and value (in steps).
    cells: BTreeMap<(i32, i32), [u64; 3]>,
    /// Games read.
    pub games: u64,
}

/// Positions of about the same value and material.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cell {
    pub(super) value: f64,
    pub(super) material: f64,
    pub(super) wins: f64,
    pub(super) draws: f64,
    pub(super) losses: f64,
}

impl Samples {
    /// Adds the games of a PGN file, packed or not.
    pub fn read(&mut self, path: &Path) -> Result<(), WdlError> {
        let failed = |error| WdlError::Read(path.to_path_buf(), error);
        let text = files::open_text(path).map_err(failed)?;
        for game in PgnReader::new(BufReader::new(text)) {
            self.add_game(&game.map_err(failed)?);
        }
        Ok(())
    }

    /// Adds the evaluated positions of a game that has a result.
    pub fn add_game(&mut self, game: &PgnGame) {
        let winner = match game.result {
            GameResult::Win(winner) => Some(winner),
            GameResult::Draw => None,
            GameResult::Unknown => return,
        };
        self.games += 1;
        let mut board = game.start;
        for step in &game.mainline.moves {
            let Some(mv) = step.mv else { return };
            let side = board.side_to_move();
            let eval = Comment::parse(&step.comment).eval;
            if let Some(Score::Centipawns(shown)) = eval.map(|eval| eval.score) {
                // The comment is from White's view.
                let shown = if side == Color::White { shown } else { -shown };
                let value = wdl::from_centipawns(shown, &board);
                let outcome = winner.map_or(1, |winner| if winner == side { 0 } else { 2 });
                self.add(value, wdl::material(&board), outcome);
            }
            if board.try_play(mv).is_err() {
                return;
            }
        }
    }

    /// Adds a position: 0 for a win of the side to move, 1 for a draw, 2 for a loss.
    pub(super) fn add(&mut self, value: i32, material: f64, outcome: usize) {
        if value.abs() <= LARGEST {
            let key = ((material * 58.0).round() as i32, value.div_euclid(STEP));
            self.cells.entry(key).or_default()[outcome] += 1;
        }
    }

    /// Positions counted.
    pub fn positions(&self) -> u64 {
        self.cells.values().flatten().sum()
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter().map(|((material, step), counts)| Cell {
            value: f64::from(*step * STEP) + f64::from(STEP - 1) / 2.0,
            material: f64::from(*material) / 58.0,
            wins: counts[0] as f64,
            draws: counts[1] as f64,
            losses: counts[2] as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_from_the_movers_view() {
        let text = "1. e4 {[%eval 0.30,8]} e5 {[%eval -0.50,8]} 2. Nf3 {no eval} Nc6 \
                    {[%eval #-3]} 1-0\n\n1. d4 {[%eval 0.10]} *";
        let mut samples = Samples::default();
        for game in PgnReader::new(text.as_bytes()) {
            samples.add_game(&game.unwrap());
        }
        assert_eq!((samples.games, samples.positions()), (1, 2));
        let board = tabiya_chess::Board::default();
        let cells: Vec<Cell> = samples.cells().collect();
        let value = f64::from(wdl::from_centipawns(30, &board));
        assert!((cells[0].value - value).abs() <= f64::from(STEP) && cells[0].wins == 1.0);
        // Black's -0.50 for White is +0.50 for Black, who lost.
        let value = f64::from(wdl::from_centipawns(50, &board));
        assert!((cells[1].value - value).abs() <= f64::from(STEP) && cells[1].losses == 1.0);
    }
}
