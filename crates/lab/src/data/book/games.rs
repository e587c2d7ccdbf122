//! Books from games: a move weighs what it scored.

use super::Collection;
use crate::work::files;
use std::collections::HashMap;
use std::io::{self, BufReader};
use std::path::Path;
use tabiya_chess::pgn::{PgnGame, PgnReader};
use tabiya_chess::{Board, GameResult};
use tabiya_engine::book::BookEntry;

/// Which moves of games get into a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameFilter {
    /// A move must have been played in so many games.
    pub min_games: u32,
    /// Moves of a game that count.
    pub max_ply: usize,
}

/// What was played how often, and how it ended.
#[derive(Default)]
pub struct GameTally {
    /// Games and points (two for a win, one for a draw) of whoever played the move.
    moves: HashMap<(u64, u16), (u32, u32)>,
    games: u64,
    skipped: u64,
}

impl GameTally {
    /// Games that counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Games without a result or from another start.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn add(&mut self, game: &PgnGame, filter: &GameFilter) {
        if game.result == GameResult::Unknown || game.start != Board::default() {
            self.skipped += 1;
            return;
        }
        self.games += 1;
        let mut board = game.start;
        // What is wrong with a game, if anything, comes after these moves.
        for mv in game.mainline.moves.iter().map_while(|step| step.mv).take(filter.max_ply) {
            let entry = BookEntry::new(&board, mv, 0);
            let (games, points) = self.moves.entry((entry.key, entry.mv)).or_default();
            *games += 1;
            *points += match game.result {
                GameResult::Win(winner) if winner == board.side_to_move() => 2,
                GameResult::Draw => 1,
                _ => 0,
            };
            board.play(mv);
        }
    }

    /// The moves played often enough that scored something.
    pub fn to_collection(&self, filter: &GameFilter) -> Collection {
        let mut collection = Collection::default();
        for (&(key, mv), &(games, points)) in &self.moves {
            if games >= filter.min_games && points > 0 {
                let weight = points.min(u32::from(u16::MAX)) as u16;
                collection.add(BookEntry { key, mv, weight, learn: 0 });
            }
        }
        collection
    }
}

/// Adds the games of a PGN file, packed or not, to a tally.
pub fn add_games(tally: &mut GameTally, path: &Path, filter: &GameFilter) -> io::Result<()> {
    for game in PgnReader::new(BufReader::new(files::open_text(path)?)) {
        tally.add(&game?, filter);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_weigh_what_they_scored() {
        let text =
            "1. e4 e5 2. Nf3 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 0-1\n\n1. e4 e5 0-1\n\n1. a4 *\n";
        let filter = GameFilter { min_games: 2, max_ply: 2 };
        let mut tally = GameTally::default();
        for game in PgnReader::new(text.as_bytes()) {
            tally.add(&game.unwrap(), &filter);
        }
        assert_eq!((tally.games(), tally.skipped()), (4, 1));
        let board = Board::default();
        let mut after = board;
        let e4 = board.parse_uci("e2e4").unwrap();
        after.play(e4);
        let e5 = after.parse_uci("e7e5").unwrap();
        // 1. e4 won once and drew once in three games; 1. ... e5 won once in two.
        let mut expected = [BookEntry::new(&board, e4, 3), BookEntry::new(&after, e5, 2)];
        expected.sort_unstable();
        assert_eq!(tally.to_collection(&filter).to_entries(), expected);
    }
}
