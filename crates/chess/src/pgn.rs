//! Games as text: PGN in (as a stream, in bounded memory) and out.
//!
//! [`PgnReader`] reads any `BufRead` game by game and survives everything: a broken game comes with
//! its [`PgnError`] and whatever could be read of it, and the next game follows. Writing is the
//! `Display` of a [`PgnGame`].
//!
//! ```
//! use tabiya_chess::pgn::PgnReader;
//! let text = "[White \"Anna\"]\n\n1. e4 e5 2. Nf3 {natural} (2. f4 $5) 2... Nc6 *";
//! for game in PgnReader::new(text.as_bytes()) {
//!     let game = game?;
//!     assert_eq!(game.tag("White"), Some("Anna"));
//!     assert_eq!(game.mainline.moves.len(), 4);
//!     assert_eq!(game.mainline.moves[2].comment, "natural");
//!     assert_eq!(game.mainline.moves[2].variations[0].moves[0].nags, [5]);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod comment;
mod error;
mod lexer;
mod reader;
mod writer;

use crate::board::Board;
use crate::game::{Game, GameResult};
use crate::moves::Move;

pub use comment::{Arrow, Comment, EngineNote, Eval, MarkColor, Score};
pub use error::{PgnError, PgnErrorKind};
pub use reader::PgnReader;

/// Variations may be nested this deep.
pub const MAX_DEPTH: usize = 128;

/// The tags, moves and comments of one game may take this many bytes, counted as the sizes of their
/// parts: about 100,000 moves without comments.
pub const MAX_GAME_BYTES: usize = 8 << 20;

/// The tags every exported game has, in their order, with the value that means "unknown".
const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

/// A game with everything a PGN file says about it.
///
/// ```
/// use tabiya_chess::{GameResult, pgn::PgnReader};
/// let game = PgnReader::new(&b"1. f3 e5 2. g4 Qh4# 0-1"[..]).next().unwrap()?;
/// assert_eq!(game.to_game().result(), game.result);
/// assert_eq!((game.mainline.moves.len(), game.error), (4, None));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PgnGame {
    /// Names and values in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Board,
    /// The game itself.
    pub mainline: Variation,
    /// The result: what stands after the moves, or else in the tag `Result`.
    pub result: GameResult,
    /// The first thing that was wrong. A mistake in a variation cuts only that variation short, one
    /// in the main line ends it.
    pub error: Option<PgnError>,
}

/// Moves that follow each other.
///
/// ```
/// use tabiya_chess::pgn::PgnReader;
/// let game = PgnReader::new(&b"{Sharp.} 1. e4 c5 *"[..]).next().unwrap()?;
/// assert_eq!((game.mainline.comment.as_str(), game.mainline.moves.len()), ("Sharp.", 2));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variation {
    /// What is said before the first move; empty if nothing.
    pub comment: String,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move with its annotations.
///
/// ```
/// use tabiya_chess::pgn::PgnReader;
/// let game = PgnReader::new(&b"1. e4 $1 {Best by test.} (1. d4) *"[..]).next().unwrap()?;
/// let step = &game.mainline.moves[0];
/// assert_eq!((&step.nags[..], step.comment.as_str()), (&[1][..], "Best by test."));
/// assert_eq!(step.variations.len(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PgnMove {
    /// The move; `None` is a null move (`--`), which analysts use to show a threat.
    pub mv: Option<Move>,
    /// Numeric annotation glyphs: 1 is `!`, 2 is `?`, 3 is `!!`, …
    pub nags: Vec<u8>,
    /// What is said after the move, several comments joined by a space; empty if nothing.
    /// [`Comment::parse`] takes clocks, evaluations and drawings out of it.
    pub comment: String,
    /// What could have been played instead of this move.
    pub variations: Vec<Variation>,
}

impl PgnGame {
    /// The value of a tag.
    ///
    /// ```
    /// use tabiya_chess::pgn::PgnGame;
    /// assert_eq!(PgnGame::default().tag("White"), None);
    /// ```
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, keeping its place if it is already there.
    ///
    /// ```
    /// use tabiya_chess::pgn::PgnGame;
    /// let mut game = PgnGame::default();
    /// game.set_tag("White", "Anna");
    /// assert!(game.to_string().contains("[White \"Anna\"]"));
    /// ```
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.to_owned(), value.into())),
        }
    }

    /// The main line as a game, up to its first null or illegal move.
    ///
    /// ```
    /// use tabiya_chess::pgn::PgnReader;
    /// let pgn = PgnReader::new(&b"1. e4 -- 2. d4 *"[..]).next().unwrap()?;
    /// assert_eq!(pgn.to_game().moves().len(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn to_game(&self) -> Game {
        let mut game = Game::from_board(self.start);
        for step in &self.mainline.moves {
            if step.mv.is_none_or(|mv| game.play(mv).is_err()) {
                break;
            }
        }
        game
    }
}

impl From<&Game> for PgnGame {
    /// The moves and the result; all tags but `Result` are up to the caller.
    fn from(game: &Game) -> Self {
        let step = |mv: &Move| PgnMove { mv: Some(*mv), ..PgnMove::default() };
        Self {
            start: *game.start(),
            mainline: Variation {
                comment: String::new(),
                moves: game.moves().iter().map(step).collect(),
            },
            result: game.result(),
            ..Self::default()
        }
    }
}

/// Plays a move or a null move; `false` if the position does not allow it.
fn play(board: &mut Board, mv: Option<Move>) -> bool {
    match mv {
        Some(mv) => board.try_play(mv).is_ok(),
        None if board.in_check() => false,
        None => {
            board.play_null();
            true
        }
    }
}

/// How annotators write the glyphs that have a short form.
const GLYPHS: [(&str, u8); 18] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("=", 10),
    ("~", 13),
    ("+=", 14),
    ("+/=", 14),
    ("=+", 15),
    ("=/+", 15),
    ("+/-", 16),
    ("-/+", 17),
    ("+-", 18),
    ("+--", 18),
    ("-+", 19),
    ("N", 146),
];

/// The numeric glyph of a short form like `!?` or `+-`.
fn glyph(text: &str) -> Option<u8> {
    GLYPHS.iter().find(|(short, _)| *short == text).map(|(_, nag)| *nag)
}
