//! What page and engine say to each other: one JSON object per message.
//!
//! `npm/src/messages.ts` is made from these types (see `typescript`), docs/WEB.md explains them.
//! Scores and chances are from White's view throughout. Moves are coordinates with castling as king
//! takes own rook.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tabiya_chess::{Board, Game};
use tabiya_engine::options::{OptionKind, OptionSpec};
use tabiya_engine::{Clock, Limits, Score, Wdl};
use tabiya_lab::analyst::annotate::GameAnalysis;

/// Most moves a game may have.
const MAX_MOVES: usize = 1000;
/// The longest a move may take.
const MAX_THINK: Duration = Duration::from_hours(24);

/// What the page asks for. `id` comes back with every answer, so that late ones can be told apart.
#[derive(Deserialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Analyse until told otherwise, or up to a limit; with `threat` as if the side to move passed.
    Analyse {
        /// The number of this request.
        id: u32,
        /// What to analyse.
        position: Position,
        /// How many lines.
        lines: usize,
        /// Whether the side to move passes.
        threat: bool,
        /// Where it ends, with a `best`.
        #[cfg_attr(test, ts(optional))]
        limit: Option<Limit>,
    },
    /// Choose a move.
    Think {
        /// The number of this request.
        id: u32,
        /// Where to move.
        position: Position,
        /// How long to think.
        limit: Limit,
        /// The level to play at; none for full strength.
        elo: Option<i64>,
        /// Whether to play like people of that level, where a hello offered it.
        human: bool,
    },
    /// Say what each piece is worth.
    Inspect {
        /// The number of this request.
        id: u32,
        /// Whose pieces.
        position: Position,
    },
    /// Name the opening.
    Opening {
        /// The number of this request.
        id: u32,
        /// The game so far.
        position: Position,
    },
    /// Say what the endgame tables know.
    Endgame {
        /// The number of this request.
        id: u32,
        /// The game so far.
        position: Position,
    },
    /// Judge every move of a game.
    Report {
        /// The number of this request.
        id: u32,
        /// The game.
        position: Position,
        /// Nodes for each position.
        nodes: u64,
    },
    /// End the report that is being made; nothing more is said about it.
    CancelReport {},
    /// End the search. (Braces, because serde would let unknown fields pass without.)
    Stop {},
    /// Forget what was learned: a new game begins.
    NewGame {},
    /// Set an option.
    Option {
        /// Its name.
        name: String,
        /// The value; buttons need none.
        value: String,
    },
}

impl Request {
    /// The number by which answers are recognised.
    pub fn id(&self) -> Option<u32> {
        match self {
            Self::Analyse { id, .. }
            | Self::Think { id, .. }
            | Self::Inspect { id, .. }
            | Self::Opening { id, .. }
            | Self::Endgame { id, .. }
            | Self::Report { id, .. } => Some(*id),
            Self::CancelReport {} | Self::Stop {} | Self::NewGame {} | Self::Option { .. } => None,
        }
    }
}

/// A position as start and moves, so that repetitions are seen.
#[derive(Clone, Deserialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The start.
    pub fen: String,
    /// The moves from there.
    pub moves: Vec<String>,
    /// Whether castling may be that of Chess960.
    pub chess960: bool,
}

impl Position {
    /// The game that led here, or what is wrong with it.
    pub fn to_game(&self) -> Result<Game, String> {
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
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Limit {
    /// A fixed time.
    Time {
        /// Milliseconds.
        ms: u64,
    },
    /// The clocks of White and Black with one increment for both.
    Clock {
        /// White's milliseconds.
        white_ms: u64,
        /// Black's.
        black_ms: u64,
        /// What a move adds.
        increment_ms: u64,
    },
    /// A number of iterations.
    Depth {
        /// How many.
        depth: u32,
    },
    /// A number of nodes.
    Nodes {
        /// How many.
        nodes: u64,
    },
}

impl Limit {
    /// The same for a search.
    pub fn to_limits(&self) -> Limits {
        let time = |ms: u64| Duration::from_millis(ms).min(MAX_THINK);
        match *self {
            Self::Time { ms } => Limits::move_time(time(ms)),
            Self::Clock { white_ms, black_ms, increment_ms } => {
                let clock = |ms| Some(Clock { time: time(ms), increment: time(increment_ms) });
                Limits { clocks: [clock(white_ms), clock(black_ms)], ..Limits::default() }
            }
            Self::Depth { depth } => Limits::depth(depth),
            Self::Nodes { nodes } => Limits::nodes(nodes),
        }
    }
}

/// What the engine answers.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// The first message: who is there and what can be set.
    /// `elo` is the range of the levels, if there are any.
    Hello {
        /// The version of the program.
        version: &'static str,
        /// What judges positions.
        evaluation: String,
        /// The range of the levels.
        elo: Option<[i64; 2]>,
        /// Whether it can play like people.
        human: bool,
        /// Most pieces, kings included, that endgame tables know; 0 without tables.
        tables: u32,
        /// What can be set.
        options: Vec<OptionRow>,
    },
    /// The present state of an analysis; later ones replace earlier ones.
    Lines(Lines),
    /// The move chosen; none if there is no legal move.
    Best {
        /// The request.
        id: u32,
        /// The move.
        #[serde(rename = "move")]
        mv: Option<String>,
        /// What it is worth.
        score: PublicScore,
    },
    /// What the static evaluation sees, in centipawns.
    Inspection {
        /// The request.
        id: u32,
        /// The whole.
        value: i32,
        /// Each piece.
        pieces: Vec<PieceWorth>,
        /// Each theme.
        terms: Vec<TermRow>,
    },
    /// The last name that the moves of the game have, if any.
    Opening {
        /// The request.
        id: u32,
        /// Code of the Encyclopaedia of Chess Openings.
        eco: Option<&'static str>,
        /// The name.
        name: Option<&'static str>,
    },
    /// What the endgame tables know.
    Endgame {
        /// The request.
        id: u32,
        /// All legal moves, best first; none if the tables do not know them all.
        moves: Vec<TableRow>,
    },
    /// How many positions of a report are done.
    Progress {
        /// The request.
        id: u32,
        /// So many.
        done: usize,
        /// Of so many.
        total: usize,
    },
    /// The report on a game, in the schema of docs/ANALYST.md.
    Report {
        /// The request.
        id: u32,
        /// The game.
        game: Box<GameAnalysis>,
    },
    /// Something was refused.
    Refused {
        /// The request, if it has a number.
        id: Option<u32>,
        /// Why.
        reason: String,
    },
}

/// The lines of an analysis.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Lines {
    /// The request.
    pub id: u32,
    /// Iterations.
    pub depth: u32,
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: u64,
    /// Threads that search.
    pub threads: usize,
    /// Best first.
    #[serde(rename = "lines")]
    pub best: Vec<Line>,
}

/// One line of an analysis.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Line {
    /// Iterations.
    pub depth: u32,
    /// What it is worth.
    pub score: PublicScore,
    /// Chances of White to win, draw and lose in thousandths.
    pub wdl: [u32; 3],
    /// The moves.
    pub moves: Vec<String>,
}

/// A score from White's view.
#[derive(Clone, Copy, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PublicScore {
    /// Centipawns.
    Cp(i32),
    /// Mate in so many moves, negative if Black mates; 0 is a mate on the board.
    Mate(i32),
}

impl PublicScore {
    /// Turns a score of the side to move around if that is Black.
    pub fn new(score: Score, board: &Board) -> Self {
        let sign = sign(board);
        match score {
            Score::Mate(moves) => Self::Mate(sign * moves),
            other => Self::Cp(sign * other.comparable()),
        }
    }
}

/// The chances of White.
pub fn white_chances(wdl: Wdl, board: &Board) -> [u32; 3] {
    if sign(board) > 0 { [wdl.win, wdl.draw, wdl.loss] } else { [wdl.loss, wdl.draw, wdl.win] }
}

fn sign(board: &Board) -> i32 {
    if board.side_to_move() == tabiya_chess::Color::White { 1 } else { -1 }
}

/// What a piece is worth to its owner.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PieceWorth {
    /// Where it stands.
    pub square: String,
    /// Centipawns.
    pub worth: i32,
}

/// What a theme of the classical evaluation says for White.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TermRow {
    /// The theme.
    pub name: String,
    /// Centipawns.
    pub value: i32,
}

/// A move that endgame tables know.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TableRow {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// What it leads to, for who makes it.
    pub outcome: Outcome,
    /// Plies to the next capture or pawn move, this one counted; none for draws, and where tables tell
    /// outcomes only.
    pub plies: Option<u32>,
}

/// The outcome of a game with best play.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Lost.
    Loss,
    /// Lost, but for the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but for the fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

/// An option the page may set.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OptionRow {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Its type.
    #[serde(flatten)]
    pub kind: OptionValueKind,
}

/// The type of an option with its range.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OptionValueKind {
    /// Yes or no.
    Check {
        /// At the start.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// At the start.
        default: i64,
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// Something to press.
    Button,
}

impl OptionRow {
    /// The row of an option, with another default and a lower maximum where the session has them.
    /// Free text is never offered: such options name files, and nothing a page says may touch the
    /// file system.
    pub fn new(spec: &OptionSpec, start: Option<i64>, cap: Option<i64>) -> Option<Self> {
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
    pub fn check(&self, value: &str) -> Result<(), String> {
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
