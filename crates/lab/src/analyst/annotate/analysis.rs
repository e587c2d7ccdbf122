//! What is known about a game after its analysis. The field names are the JSON schema of
//! `docs/ANALYST.md`.

use super::judgement::{Judgement, Mark};
use crate::analyst::facts::Fact;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use tabiya_chess::{Board, Color, Move, PieceType};
use tabiya_engine::Score;

/// A name for the first moves of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Opening {
    /// Code of the Encyclopaedia of Chess Openings; empty if unknown.
    pub eco: String,
    /// The name.
    pub name: String,
}

/// A part of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The first twelve moves while more than ten knights, bishops, rooks and queens are left.
    Opening,
    /// Neither of the others.
    Middlegame,
    /// Not more than six knights, bishops, rooks and queens are left.
    Endgame,
}

impl Phase {
    /// All of them in their order.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middlegame, Self::Endgame];

    /// The phase a position belongs to.
    pub fn of(board: &Board) -> Self {
        let kings_and_pawns = board.kind(PieceType::King) | board.kind(PieceType::Pawn);
        let pieces = (board.occupied() - kings_and_pawns).count();
        match pieces {
            0..=6 => Self::Endgame,
            11.. if board.fullmove_number() <= 12 => Self::Opening,
            _ => Self::Middlegame,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        }
    }
}

/// One move of a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MoveAnalysis {
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// Number of the move.
    pub number: u16,
    /// Who moved.
    #[serde(serialize_with = "color_name")]
    #[cfg_attr(feature = "typescript", ts(type = r#"'white' | 'black'"#))]
    pub color: Color,
    /// The move in standard notation.
    pub san: String,
    /// The move as coordinates.
    pub uci: String,
    /// The position before the move.
    #[serde(rename = "fen", serialize_with = "text")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub board: Board,
    /// Part of the game.
    pub phase: Phase,
    /// The score of the best move as White sees it.
    #[serde(serialize_with = "score")]
    #[cfg_attr(feature = "typescript", ts(type = "PublicScore"))]
    pub best_eval: Score,
    /// The score after the move as White sees it; `mate` 0 means that the mover gave mate.
    #[serde(serialize_with = "score")]
    #[cfg_attr(feature = "typescript", ts(type = "PublicScore"))]
    pub eval: Score,
    /// Iterations of the search after the move.
    pub depth: u32,
    /// The best move in standard notation.
    pub best: Option<String>,
    /// The line that begins with the best move.
    pub best_line: Vec<String>,
    /// What the engine expects after the move played.
    pub reply_line: Vec<String>,
    /// The mover's win percentage before the move.
    pub win_before: f64,
    /// The mover's win percentage after it.
    pub win_after: f64,
    /// Accuracy of the move in per cent.
    pub accuracy: f64,
    /// Centipawns lost, with scores cut at ten pawns.
    pub loss_cp: i32,
    /// How bad the move was, if it was.
    pub judgement: Option<Judgement>,
    /// What is special about a good move.
    pub mark: Option<Mark>,
    /// Seconds left on the mover's clock, if the game tells.
    pub clock: Option<f64>,
    /// What there is to say, in sentences.
    pub remarks: Vec<String>,
    /// What the sentences about a mistake are made of.
    #[serde(serialize_with = "fact_list")]
    #[cfg_attr(
        feature = "typescript",
        ts(
            type = "{ claim: string, motif: string | null, text: string, played: string[], best: string[] }[]"
        )
    )]
    pub facts: Vec<Fact>,
    /// The move.
    #[serde(skip)]
    pub mv: Move,
    /// The best line as moves.
    #[serde(skip)]
    pub best_moves: Vec<Move>,
    /// The expected answer as moves.
    #[serde(skip)]
    pub reply_moves: Vec<Move>,
}

impl MoveAnalysis {
    /// White's win percentage after the move.
    pub fn white_win(&self) -> f64 {
        if self.color == Color::White { self.win_after } else { 100.0 - self.win_after }
    }

    /// `12. Nf3` or `12... Nf6`.
    pub fn numbered(&self) -> String {
        let dots = if self.color == Color::White { "." } else { "..." };
        format!("{}{dots} {}", self.number, self.san)
    }
}

/// How a side played, in a part of the game or in all of it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PhaseSummary {
    /// The part.
    pub phase: Phase,
    /// Moves.
    pub moves: usize,
    /// Mean accuracy of these moves.
    pub accuracy: f64,
    /// Mean loss in centipawns.
    pub average_loss_cp: f64,
}

/// How a side played.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SideSummary {
    /// The player.
    pub name: String,
    /// Moves analysed.
    pub moves: usize,
    /// Accuracy of the game in per cent; `null` without moves.
    pub accuracy: Option<f64>,
    /// Mean loss in centipawns.
    pub average_loss_cp: Option<f64>,
    /// Moves that cost a little.
    pub inaccuracies: usize,
    /// Moves that cost much.
    pub mistakes: usize,
    /// Moves that cost most.
    pub blunders: usize,
    /// Only moves found.
    pub only_moves: usize,
    /// Sound sacrifices, and quiet only moves that are hard to see.
    pub brilliancies: usize,
    /// The parts of the game in which the side moved.
    pub phases: Vec<PhaseSummary>,
}

/// A game and all its moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameAnalysis {
    /// Number of the game in its file, from 1.
    pub game: u64,
    /// The tags of the game.
    pub tags: BTreeMap<String, String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The opening, if it has a name.
    pub opening: Option<Opening>,
    /// What was searched for each position, in words.
    pub budget: String,
    /// How White played.
    pub white: SideSummary,
    /// How Black played.
    pub black: SideSummary,
    /// The moves.
    pub moves: Vec<MoveAnalysis>,
    /// What is wrong with the game as a text, if something is.
    pub error: Option<String>,
}

impl GameAnalysis {
    /// A side.
    pub fn side(&self, color: Color) -> &SideSummary {
        if color == Color::White { &self.white } else { &self.black }
    }

    /// The moves that decided the game: the worst ones and the finest, in their order.
    pub fn critical_moments(&self, most: usize) -> Vec<&MoveAnalysis> {
        let weight = |step: &MoveAnalysis| match (step.judgement, step.mark) {
            (Some(Judgement::Blunder | Judgement::Mistake), _) => step.win_before - step.win_after,
            (_, Some(Mark::Brilliant)) => 100.0,
            _ => 0.0,
        };
        let mut moments: Vec<_> = self.moves.iter().filter(|step| weight(step) > 0.0).collect();
        moments.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        moments.truncate(most);
        moments.sort_by_key(|step| step.ply);
        moments
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn color_name<S: Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *color == Color::White { "white" } else { "black" })
}

fn text<S: Serializer>(value: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}

/// The facts by name, with the lines that show them.
#[expect(clippy::ptr_arg, reason = "serde passes fields by reference")]
fn fact_list<S: Serializer>(facts: &Vec<Fact>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row {
        claim: &'static str,
        motif: Option<&'static str>,
        text: String,
        played: Vec<String>,
        best: Vec<String>,
    }
    serializer.collect_seq(facts.iter().map(|fact| Row {
        claim: fact.claim.name(),
        motif: fact.motif.map(|motif| motif.kind.theme()),
        text: fact.text(),
        played: fact.board.line_san(&fact.played),
        best: fact.board.line_san(&fact.best),
    }))
}

/// `{"cp": 35}` or `{"mate": -3}`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn score<S: Serializer>(score: &Score, serializer: S) -> Result<S::Ok, S::Error> {
    let (name, value) = match *score {
        Score::Mate(moves) => ("mate", moves),
        other => ("cp", other.comparable()),
    };
    serializer.collect_map([(name, value)])
}
