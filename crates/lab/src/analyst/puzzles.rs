//! Puzzles from games: positions where one line of only moves wins.
//!
//! [`find`] looks for the moments at which a side suddenly stands better, and follows the solution as
//! long as exactly one move wins. [`PuzzleHunt`] does it for the games of a file. The rules are those
//! that lichess describes for its puzzle generator, written anew.

mod find;
mod output;
mod page;
mod rated;
pub mod rating;

pub use find::{Goal, Hunt, Puzzle, find, is_only_solution};
pub use output::PuzzleFormat;
pub use rated::{Agreement, RatedPuzzle, agreement, read_rated};

use crate::analyst::batch::{BatchError, GameTexts, NumberedGame, Task, WithinGame};
use crate::analyst::insight::Thinker;
use crate::work::StopSignal;
use serde::{Deserialize, Serialize};

/// How many puzzles were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PuzzleCount {
    /// All.
    pub puzzles: u64,
    /// Of these, mates.
    pub mates: u64,
}

/// Hunts for puzzles and writes them in several forms.
#[derive(Clone, Debug)]
pub struct PuzzleHunt {
    /// What counts as a puzzle.
    pub hunt: Hunt,
    /// What goes to each output, in their order.
    pub formats: Vec<PuzzleFormat>,
}

impl Task for PuzzleHunt {
    type Worker = Thinker;
    type Note = PuzzleCount;
    type Summary = PuzzleCount;

    fn work(
        &self,
        thinker: &mut Thinker,
        NumberedGame { number, game }: NumberedGame,
        stop: &StopSignal,
        tell: &mut dyn FnMut(WithinGame),
    ) -> Option<GameTexts<PuzzleCount>> {
        let puzzles = find(thinker, &self.hunt, number, &game, stop, |done, positions| {
            tell(WithinGame { game: number, done, positions });
        })?;
        let text = |format: &PuzzleFormat| -> String {
            puzzles.iter().map(|puzzle| format.text(puzzle, &game)).collect()
        };
        let mates = puzzles.iter().filter(|puzzle| puzzle.is_mate()).count() as u64;
        let note = PuzzleCount { puzzles: puzzles.len() as u64, mates };
        Some(GameTexts { texts: self.formats.iter().map(text).collect(), note })
    }

    fn add(&self, summary: &mut PuzzleCount, note: PuzzleCount) -> Result<(), BatchError> {
        summary.puzzles += note.puzzles;
        summary.mates += note.mates;
        Ok(())
    }

    fn head(&self, output: usize) -> String {
        self.formats.get(output).map_or_else(String::new, |format| format.head())
    }

    fn tail(&self, output: usize, _: &PuzzleCount) -> String {
        self.formats.get(output).map_or_else(String::new, |format| format.tail())
    }
}
