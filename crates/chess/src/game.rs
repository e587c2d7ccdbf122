//! A game: the moves played so far, and when and why it is over.

use crate::board::{Board, IllegalMove};
use crate::moves::Move;
use crate::repetition;
use crate::types::Color;
use std::fmt;

/// A game of chess with its history.
///
/// ```
/// use tabiya_chess::{EndReason, Game};
/// let mut game = Game::default();
/// for text in ["f3", "e5", "g4", "Qh4"] {
///     game.play(game.board().parse_san(text)?)?;
/// }
/// let outcome = game.outcome().expect("mate");
/// assert_eq!(outcome.reason, EndReason::Checkmate);
/// assert_eq!(outcome.result().to_string(), "0-1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    board: Board,
    /// The positions before the current one, each with the key that repetition compares.
    earlier: Vec<Board>,
    keys: Vec<u64>,
    moves: Vec<Move>,
}

impl Game {
    /// A game that starts from this position.
    ///
    /// ```
    /// use tabiya_chess::Game;
    /// let game = Game::from_board("4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap());
    /// assert!(game.moves().is_empty());
    /// ```
    pub fn from_board(start: Board) -> Self {
        Self { board: start, ..Self::default() }
    }

    /// The position the game started from.
    ///
    /// ```
    /// use tabiya_chess::{Board, Game};
    /// let mut game = Game::default();
    /// game.play(game.board().parse_san("e4").unwrap()).unwrap();
    /// assert_eq!(*game.start(), Board::default());
    /// ```
    pub fn start(&self) -> &Board {
        self.earlier.first().unwrap_or(&self.board)
    }

    /// The current position.
    ///
    /// ```
    /// use tabiya_chess::Game;
    /// assert_eq!(Game::default().board().legal_moves().len(), 20);
    /// ```
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The moves played so far.
    ///
    /// ```
    /// use tabiya_chess::Game;
    /// let mut game = Game::default();
    /// game.play(game.board().parse_san("e4").unwrap()).unwrap();
    /// assert_eq!(format!("{:?}", game.moves()), "[e2e4]");
    /// ```
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The keys of all positions before the current one, as the functions of [`repetition`] want them.
    ///
    /// ```
    /// use tabiya_chess::{Board, Game};
    /// let mut game = Game::default();
    /// game.play(game.board().parse_san("e4").unwrap()).unwrap();
    /// assert_eq!(game.keys(), [Board::default().key()]);
    /// ```
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a move. That the game is already drawn, for example by the 75-move rule, does not
    /// forbid further moves.
    ///
    /// ```
    /// use tabiya_chess::{Game, Move, MoveKind, Square};
    /// let mut game = Game::default();
    /// assert!(game.play(Move::new(Square::E2, Square::E5, MoveKind::Quiet)).is_err());
    /// assert!(game.play(Move::new(Square::E2, Square::E4, MoveKind::DoublePush)).is_ok());
    /// ```
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let before = self.board;
        self.board.try_play(mv)?;
        self.earlier.push(before);
        self.keys.push(before.key());
        self.moves.push(mv);
        Ok(())
    }

    /// Takes the last move back and returns it.
    ///
    /// ```
    /// use tabiya_chess::Game;
    /// let mut game = Game::default();
    /// let mv = game.board().parse_san("e4").unwrap();
    /// game.play(mv).unwrap();
    /// assert_eq!((game.undo(), game), (Some(mv), Game::default()));
    /// ```
    pub fn undo(&mut self) -> Option<Move> {
        self.board = self.earlier.pop()?;
        self.keys.pop();
        self.moves.pop()
    }

    /// How the game ended, if it did. Draws that a player would have to claim count as ends too;
    /// [`EndReason::is_claim`] tells them apart, and they are reported only if nothing else holds.
    ///
    /// Checkmate comes first: a mate delivered by the move that completes 50 or 75 moves wins.
    ///
    /// ```
    /// use tabiya_chess::{EndReason, Game};
    /// let game = Game::from_board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap());
    /// assert_eq!(game.outcome().map(|outcome| outcome.reason), Some(EndReason::Stalemate));
    /// ```
    pub fn outcome(&self) -> Option<Outcome> {
        let board = &self.board;
        let repetitions = repetition::count_repetitions(board, &self.keys);
        let quiet_plies = board.halfmove_clock();
        let reason = if board.is_checkmate() {
            return Some(Outcome { winner: Some(board.opponent()), reason: EndReason::Checkmate });
        } else if board.is_stalemate() {
            EndReason::Stalemate
        } else if board.has_insufficient_material() {
            EndReason::InsufficientMaterial
        } else if repetitions >= 4 {
            EndReason::FivefoldRepetition
        } else if quiet_plies >= 150 {
            EndReason::SeventyFiveMoves
        } else if repetitions >= 2 {
            EndReason::ThreefoldRepetition
        } else if quiet_plies >= 100 {
            EndReason::FiftyMoves
        } else {
            return None;
        };
        Some(Outcome { winner: None, reason })
    }

    /// Whether the game is over without anybody claiming anything.
    ///
    /// ```
    /// use tabiya_chess::Game;
    /// let game = Game::from_board("4k3/8/8/8/8/8/8/4K2R w - - 100 90".parse().unwrap());
    /// assert!(game.outcome().is_some() && !game.is_over());
    /// ```
    pub fn is_over(&self) -> bool {
        self.outcome().is_some_and(|outcome| !outcome.reason.is_claim())
    }

    /// The result so far; unknown while the game goes on.
    ///
    /// ```
    /// use tabiya_chess::{Game, GameResult};
    /// assert_eq!(Game::default().result(), GameResult::Unknown);
    /// ```
    pub fn result(&self) -> GameResult {
        self.outcome().map_or(GameResult::Unknown, Outcome::result)
    }
}

/// The end of a game.
///
/// ```
/// use tabiya_chess::{Color, EndReason, Game, Outcome};
/// let game = Game::from_board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap());
/// let mate = Outcome { winner: Some(Color::White), reason: EndReason::Checkmate };
/// assert_eq!(game.outcome(), Some(mate));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub reason: EndReason,
}

impl Outcome {
    /// The result without its reason.
    ///
    /// ```
    /// use tabiya_chess::{EndReason, GameResult, Outcome};
    /// let outcome = Outcome { winner: None, reason: EndReason::Stalemate };
    /// assert_eq!(outcome.result(), GameResult::Draw);
    /// ```
    pub fn result(self) -> GameResult {
        self.winner.map_or(GameResult::Draw, GameResult::Win)
    }
}

/// Why a game ended on the board.
///
/// ```
/// use tabiya_chess::EndReason;
/// assert_eq!(EndReason::SeventyFiveMoves.to_string(), "75-move rule");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// The side to move is in check and has no move.
    Checkmate,
    /// The side to move is not in check and has no move.
    Stalemate,
    /// Nobody can give mate any more.
    InsufficientMaterial,
    /// The position is there for the fifth time.
    FivefoldRepetition,
    /// 75 moves of each side without capture or pawn move.
    SeventyFiveMoves,
    /// The position is there for the third time; a draw if claimed.
    ThreefoldRepetition,
    /// 50 moves of each side without capture or pawn move; a draw if claimed.
    FiftyMoves,
}

impl EndReason {
    /// Whether a player has to claim this draw.
    ///
    /// ```
    /// use tabiya_chess::EndReason;
    /// assert!(EndReason::FiftyMoves.is_claim() && !EndReason::SeventyFiveMoves.is_claim());
    /// ```
    pub const fn is_claim(self) -> bool {
        matches!(self, Self::ThreefoldRepetition | Self::FiftyMoves)
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::FivefoldRepetition => "fivefold repetition",
            Self::SeventyFiveMoves => "75-move rule",
            Self::ThreefoldRepetition => "threefold repetition",
            Self::FiftyMoves => "50-move rule",
        })
    }
}

/// The result of a game as it is written in tables and PGN files.
///
/// ```
/// use tabiya_chess::{Color, GameResult};
/// assert_eq!(GameResult::Win(Color::Black).to_string(), "0-1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GameResult {
    /// `1-0` or `0-1`.
    Win(Color),
    /// `1/2-1/2`.
    Draw,
    /// `*`: still going on, or not known.
    #[default]
    Unknown,
}

impl GameResult {
    /// Reads `1-0`, `0-1`, `1/2-1/2` or `*`.
    ///
    /// ```
    /// use tabiya_chess::GameResult;
    /// assert_eq!(GameResult::from_text("1/2-1/2"), Some(GameResult::Draw));
    /// ```
    pub fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "1-0" => Self::Win(Color::White),
            "0-1" => Self::Win(Color::Black),
            "1/2-1/2" => Self::Draw,
            "*" => Self::Unknown,
            _ => return None,
        })
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        })
    }
}
