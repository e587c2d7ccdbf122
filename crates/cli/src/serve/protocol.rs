//! What page and server say to each other: one JSON object per WebSocket message.
//!
//! `web/src/protocol.ts` mirrors these types, docs/WEB.md explains them. Scores and chances are
//! from White's view throughout. Moves are coordinates with castling as king takes own rook.

use serde::{Deserialize, Serialize};
use tabiya_chess::{Board, Game};
use tabiya_engine::options::{OptionKind, OptionSpec};
use tabiya_engine::{Score, Wdl};
use tabiya_lab::analyst::annotate::GameAnalysis;

/// Most moves a game may have.
const MAX_MOVES: usize = 1000;

/// What the page asks for. `id` comes back with every answer, so that late ones can be told apart.
#[derive(Deserialize, Debug)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Analyse until told otherwise; with `threat` as if the side to move passed.
    Analyse { id: u32, position: Position, lines: usize, threat: bool },
    /// Choose a move.
    Think { id: u32, position: Position, limit: Limit, elo: Option<i64> },
    /// Say what each piece is worth.
    Inspect { id: u32, position: Position },
    /// Name the opening.
    Opening { id: u32, position: Position },
    /// Judge every move of a game with so many nodes for each position.
    Report { id: u32, position: Position, nodes: u64 },
    /// End the report that is being made; nothing more is said about it.
    CancelReport {},
    /// End the search. (Braces, because serde would let unknown fields pass without.)
    Stop {},
    /// Forget what was learned: a new game begins.
    NewGame {},
    /// Set an option.
    Option { name: String, value: String },
}

impl Request {
    /// The number by which answers are recognised.
    pub(crate) fn id(&self) -> Option<u32> {
        match self {
            Self::Analyse { id, .. }
            | Self::Think { id, .. }
            | Self::Inspect { id, .. }
            | Self::Opening { id, .. }
            | Self::Report { id, .. } => Some(*id),
            Self::CancelReport {} | Self::Stop {} | Self::NewGame {} | Self::Option { .. } => None,
        }
    }
}

/// A position as start and moves, so that repetitions are seen.
#[derive(Clone, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    pub(crate) fen: String,
    pub(crate) moves: Vec<String>,
    pub(crate) chess960: bool,
}

impl Position {
    /// The game that led here, or what is wrong with it.
    pub(crate) fn to_game(&self) -> Result<Game, String> {
        if self.moves.len() > MAX_MOVES {
            return Err(format!("moves: more than {MAX_MOVES}"));
        }
        let start = Board::from_fen(&self.fen, self.chess960).map_err(|error| error.to_string())?;
        let mut game = Game::from_board(start);
        for text in &self.moves {
            let mv = game.board().parse_uci(text).map_err(|error| error.to_string())?;
            game.play(mv).map_err(|error| error.to_string())?;
        }
        Ok(game)
    }
}

/// How long to think about a move.
#[derive(Deserialize, Debug)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Limit {
    /// A fixed time.
    Time { ms: u64 },
    /// The clocks of White and Black with one increment for both.
    Clock { white_ms: u64, black_ms: u64, increment_ms: u64 },
}

/// What the server answers.
#[derive(Clone, Serialize, Debug)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The first message: who is there and what can be set.
    /// `elo` is the range of the levels, if there are any.
    Hello {
        version: &'static str,
        evaluation: String,
        elo: Option<[i64; 2]>,
        options: Vec<OptionRow>,
    },
    /// The present state of an analysis; later ones replace earlier ones.
    Lines(Lines),
    /// The move chosen; none if there is no legal move.
    Best {
        id: u32,
        #[serde(rename = "move")]
        mv: Option<String>,
        score: PublicScore,
    },
    /// What the static evaluation sees, in centipawns.
    Inspection { id: u32, value: i32, pieces: Vec<PieceWorth>, terms: Vec<TermRow> },
    /// The last name that the moves of the game have, if any.
    Opening { id: u32, eco: Option<&'static str>, name: Option<&'static str> },
    /// How many positions of a report are done.
    Progress { id: u32, done: usize, total: usize },
    /// The report on a game, in the schema of docs/ANALYST.md.
    Report { id: u32, game: Box<GameAnalysis> },
    /// Something was refused; `id` if it was a request with one.
    Refused { id: Option<u32>, reason: String },
}

/// The lines of an analysis.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Lines {
    pub(crate) id: u32,
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    pub(crate) nps: u64,
    pub(crate) threads: usize,
    #[serde(rename = "lines")]
    pub(crate) best: Vec<Line>,
}

/// One line of an analysis.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Line {
    pub(crate) depth: u32,
    pub(crate) score: PublicScore,
    /// Chances of White to win, draw and lose in thousandths.
    pub(crate) wdl: [u32; 3],
    pub(crate) moves: Vec<String>,
}

/// A score from White's view.
#[derive(Clone, Copy, Serialize, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PublicScore {
    /// Centipawns.
    Cp(i32),
    /// Mate in so many moves, negative if Black mates; 0 is a mate on the board.
    Mate(i32),
}

impl PublicScore {
    /// Turns a score of the side to move around if that is Black.
    pub(crate) fn new(score: Score, board: &Board) -> Self {
        let sign = sign(board);
        match score {
            Score::Mate(moves) => Self::Mate(sign * moves),
            other => Self::Cp(sign * other.comparable()),
        }
    }
}

/// The chances of White.
pub(crate) fn white_chances(wdl: Wdl, board: &Board) -> [u32; 3] {
    if sign(board) > 0 { [wdl.win, wdl.draw, wdl.loss] } else { [wdl.loss, wdl.draw, wdl.win] }
}

fn sign(board: &Board) -> i32 {
    if board.side_to_move() == tabiya_chess::Color::White { 1 } else { -1 }
}

/// What a piece is worth to its owner.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct PieceWorth {
    pub(crate) square: String,
    pub(crate) worth: i32,
}

/// What a theme of the classical evaluation says for White.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct TermRow {
    pub(crate) name: String,
    pub(crate) value: i32,
}

/// An option the page may set.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct OptionRow {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    #[serde(flatten)]
    pub(crate) kind: OptionValueKind,
}

/// The type of an option with its range.
#[derive(Clone, Serialize, Debug)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum OptionValueKind {
    Check { default: bool },
    Spin { default: i64, min: i64, max: i64 },
    Button,
}

impl OptionRow {
    /// The row of an option, with another default and a lower maximum where the server has them.
    /// Free text is never offered: such options name files, and nothing a page says may touch the
    /// file system.
    pub(crate) fn new(spec: &OptionSpec, start: Option<i64>, cap: Option<i64>) -> Option<Self> {
        let kind = match spec.kind {
            OptionKind::Check(default) => OptionValueKind::Check { default },
            OptionKind::Spin { default, min, max } => {
                let max = cap.map_or(max, |cap| cap.min(max)).max(min);
                let default = start.unwrap_or(default).min(max);
                OptionValueKind::Spin { default, min, max }
            }
            OptionKind::Button => OptionValueKind::Button,
            OptionKind::Text(_) | OptionKind::Combo(..) => return None,
        };
        Some(Self { name: spec.name, help: spec.help, kind })
    }

    /// Whether a value is within what was offered; the engine's own range may be larger.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            OptionValueKind::Spin { min, max, .. }
                if !value.parse().is_ok_and(|number| (min..=max).contains(&number)) =>
            {
                Err(format!("{}: a whole number from {min} to {max} expected", self.name))
            }
            _ => Ok(()),
        }
    }
}
