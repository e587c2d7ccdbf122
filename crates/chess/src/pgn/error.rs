//! What can be wrong with a game in a PGN file, and where.

use super::{MAX_DEPTH, MAX_GAME_BYTES};
use crate::fen::FenError;
use crate::game::GameResult;
use crate::san::SanError;
use std::fmt;

/// Why a game could not be read to its end.
///
/// ```
/// use tabiya_chess::pgn::PgnReader;
/// let game = PgnReader::new(&b"1. e4 e5\n2. Ke3 *"[..]).next().unwrap()?;
/// assert_eq!(game.error.unwrap().to_string(), "game 1, line 2: no legal move is Ke3");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnError {
    /// The number of the game in its file, from 1.
    pub game: u64,
    /// The line of the file, from 1.
    pub line: u64,
    /// What is wrong there.
    pub kind: PgnErrorKind,
}

/// What can be wrong with a game.
///
/// ```
/// use tabiya_chess::pgn::{PgnErrorKind, PgnReader};
/// let game = PgnReader::new(&b"1. e4 (1. d4 *"[..]).next().unwrap()?;
/// assert_eq!(game.error.map(|error| error.kind), Some(PgnErrorKind::UnclosedVariation));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PgnErrorKind {
    /// A tag that is not written like `[Name "value"]`.
    Tag(String),
    /// The tag FEN has no legal position.
    Fen(FenError),
    /// The tag Variant names a game with other rules.
    Variant(String),
    /// The tag Result and the end of the moves say different things.
    Result {
        /// What the tag says.
        tag: GameResult,
        /// What stands behind the moves, which holds.
        moves: GameResult,
    },
    /// A move that cannot be read or is not legal.
    Move(SanError),
    /// A null move by a side in check.
    NullMoveInCheck,
    /// A `)` without its `(`.
    UnexpectedClose,
    /// A `(` without its `)`.
    UnclosedVariation,
    /// A variation in a line that has no move it could replace.
    VariationWithoutMove,
    /// A `{` without its `}`.
    UnclosedComment,
    /// A character that has no meaning here.
    UnexpectedCharacter(char),
    /// Variations nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A game larger than [`MAX_GAME_BYTES`].
    TooLarge,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "game {}, line {}: {}", self.game, self.line, self.kind)
    }
}

impl fmt::Display for PgnErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Tag(text) => write!(f, "tag: '{text}' is not like [Name \"value\"]"),
            Self::Fen(error) => write!(f, "tag FEN: {error}"),
            Self::Variant(name) => {
                write!(f, "the game is {}, not chess", crate::fen::quote(name))
            }
            Self::Result { tag, moves } => {
                write!(f, "the tag Result says {tag}, but the moves end with {moves}")
            }
            Self::Move(error) => error.fmt(f),
            Self::NullMoveInCheck => f.write_str("null move in check"),
            Self::UnexpectedClose => f.write_str("')' without '('"),
            Self::UnclosedVariation => f.write_str("'(' without ')'"),
            Self::VariationWithoutMove => f.write_str("variation without a move to replace"),
            Self::UnclosedComment => f.write_str("'{' without '}'"),
            Self::UnexpectedCharacter(c) => write!(f, "unexpected '{}'", c.escape_default()),
            Self::TooDeep => write!(f, "variations nested deeper than {MAX_DEPTH}"),
            Self::TooLarge => write!(f, "game larger than {MAX_GAME_BYTES} bytes"),
        }
    }
}

impl std::error::Error for PgnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            PgnErrorKind::Fen(error) => Some(error),
            PgnErrorKind::Move(error) => Some(error),
            _ => None,
        }
    }
}
