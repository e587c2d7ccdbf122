//! Names of openings: which named position a game has passed through last.
//!
//! The table in `openings/names.txt` is made by `tabiya openings make` from the lichess-org/
//! chess-openings collection (CC0-1.0). Positions count, not moves, so that a transposition gets the
//! name of where it leads.
//!
//! ```
//! use tabiya_chess::{Game, openings};
//! let mut game = Game::default();
//! for text in ["Nf3", "c5", "e4"] {
//!     game.play(game.board().parse_san(text)?)?;
//! }
//! let opening = openings::of_game(&game).expect("a Sicilian");
//! assert_eq!((opening.eco, opening.name), ("B27", "Sicilian Defense"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::board::Board;
use crate::game::Game;
use crate::san::SanError;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};
use std::sync::LazyLock;

/// No line of the table is longer.
const LONGEST_LINE: usize = 40;
/// Half a key is enough to tell the few thousand positions of the table from all others.
const KEY_BITS: u32 = 48;

/// A named opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The code of the Encyclopaedia of Chess Openings, `A00` to `E99`.
    pub eco: &'static str,
    /// The name, with the variation after a colon.
    pub name: &'static str,
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.eco, self.name)
    }
}

/// The committed table.
const TEXT: &str = include_str!("openings/names.txt");

static TABLE: LazyLock<HashMap<u64, Opening>> = LazyLock::new(|| {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.filter_map(|line| {
        let mut fields = line.split('\t');
        let opening = Opening { eco: fields.next()?, name: fields.next()? };
        Some((opening, fields.next()?))
    });
    let keys = parts.flat_map(|(opening, keys)| keys.split(' ').map(move |key| (key, opening)));
    keys.filter_map(|(key, opening)| Some((u64::from_str_radix(key, 16).ok()?, opening))).collect()
});

/// The name of a position.
pub fn of_board(board: &Board) -> Option<Opening> {
    TABLE.get(&key(board)).copied()
}

/// The name of the last named position of a game.
pub fn of_game(game: &Game) -> Option<Opening> {
    let mut board = *game.start();
    let mut last = of_board(&board);
    for mv in game.moves().iter().take(LONGEST_LINE) {
        board.play(*mv);
        last = of_board(&board).or(last);
    }
    last
}

/// Polyglot's key: it will never change, so that neither does the table.
fn key(board: &Board) -> u64 {
    board.polyglot_key() >> (64 - KEY_BITS)
}

/// Why a collection cannot be made into a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpeningsError {
    /// A line is not `eco`, `name`, `moves`.
    Fields(usize),
    /// A move is wrong.
    Move(usize, SanError),
    /// A line is longer than any game is followed.
    TooLong(usize),
    /// Two lines give different names to one position.
    Twice(usize),
}

impl fmt::Display for OpeningsError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Fields(line) => write!(f, "line {line}: eco, name and moves expected"),
            Self::Move(line, error) => write!(f, "line {line}: {error}"),
            Self::TooLong(line) => write!(f, "line {line}: more than {LONGEST_LINE} plies"),
            Self::Twice(line) => write!(f, "line {line}: this position has another name already"),
        }
    }
}

impl std::error::Error for OpeningsError {}

/// Makes the text of the table from lines of `eco`, `name` and moves, separated by tabs; the first
/// line may be a header. Lines are counted over the whole text.
pub fn make_table(collection: &str) -> Result<String, OpeningsError> {
    let mut names: BTreeMap<(&str, &str), Vec<u64>> = BTreeMap::new();
    let mut known = HashMap::new();
    for (index, line) in collection.lines().enumerate() {
        let number = index + 1;
        if line.is_empty() || line.starts_with("eco\t") {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let [eco, name, moves] = fields[..] else { return Err(OpeningsError::Fields(number)) };
        let key = key(&play(moves, number)?);
        if *known.entry(key).or_insert((eco, name)) != (eco, name) {
            return Err(OpeningsError::Twice(number));
        }
        let keys = names.entry((eco, name)).or_default();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut text = String::from(
        "# Opening names by position, from lichess-org/chess-openings (CC0-1.0).\n\
         # Written by `tabiya openings make`: eco, name, first 48 bits of the Polyglot keys.\n",
    );
    for ((eco, name), mut keys) in names {
        keys.sort_unstable();
        let keys: Vec<String> = keys.iter().map(|key| format!("{key:012x}")).collect();
        let _ = writeln!(text, "{eco}\t{name}\t{}", keys.join(" "));
    }
    Ok(text)
}

/// The position after moves like `1. e4 e5 2. Nf3`.
fn play(moves: &str, line: usize) -> Result<Board, OpeningsError> {
    let mut board = Board::default();
    let mut plies = 0;
    for word in moves.split_whitespace().filter(|word| !word.ends_with('.')) {
        let mv = board.parse_san(word).map_err(|error| OpeningsError::Move(line, error))?;
        board.play(mv);
        plies += 1;
    }
    if plies > LONGEST_LINE { Err(OpeningsError::TooLong(line)) } else { Ok(board) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(moves: &str) -> Option<&'static str> {
        let mut game = Game::default();
        for text in moves.split(' ') {
            game.play(game.board().parse_san(text).unwrap()).unwrap();
        }
        of_game(&game).map(|opening| opening.name)
    }

    #[test]
    fn the_deepest_named_position_counts() {
        assert_eq!(name("e4 e5 Nf3 Nc6 Bb5"), Some("Ruy Lopez"));
        assert_eq!(name("e4 e5 Nf3 Nc6 Bb5 h5 h3 h4"), Some("Ruy Lopez"));
        // By another order of moves.
        assert_eq!(name("Nf3 Nc6 e4 e5 Bb5"), Some("Ruy Lopez"));
        assert_eq!(of_game(&Game::default()), None);
    }

    #[test]
    fn the_table_has_every_volume() {
        for volume in ["A", "B", "C", "D", "E"] {
            assert!(TABLE.values().any(|opening| opening.eco.starts_with(volume)));
        }
        assert!(TABLE.len() > 3000);
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = |text: &str| make_table(text).unwrap_err().to_string();
        assert_eq!(error("eco\tname\tpgn\nA00\tx"), "line 2: eco, name and moves expected");
        assert!(error("A00\tx\t1. e5").starts_with("line 1: "));
        let twice = "A00\tx\t1. e4\nA01\ty\t1. e4";
        assert_eq!(error(twice), "line 2: this position has another name already");
    }
}
