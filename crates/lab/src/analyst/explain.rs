//! Why one move is better than another, in short sentences.
//!
//! Both moves are searched. What is said about the worse one is made from [`crate::analyst::facts`]; beside
//! that the ends of the two lines are compared in the terms of the hand-crafted evaluation, and the
//! pieces in what they are worth to the evaluation in use. Nothing is said that was not computed.

use crate::analyst::annotate::Judgement;
use crate::analyst::facts::{
    Claim, Fact, Moment, ThemeChange, about_mistake, side_name, themes, threat_of,
};
use crate::analyst::insight::{
    Exchange, Thinker, Thought, end_of, is_drawn, is_quiet, settle, win_percent,
};
use serde::Serialize;
use std::fmt;
use tabiya_chess::{Board, Color, Move, Piece, PieceType, Square};
use tabiya_engine::Score;
use tabiya_engine::eval::{Evaluation, StaticEvaluator, Worth};
use tabiya_engine::wdl::to_centipawns;

/// Plies of a line shown in a sentence.
const SHOWN: usize = 8;
/// Changes below this many centipawns are not worth a sentence.
const WORTH_SAYING: i32 = 15;
/// Pieces that are mentioned.
const MOST_PIECES: usize = 3;

/// A move and what it leads to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Candidate {
    /// In standard notation.
    pub san: String,
    /// The score as White sees it, in words: `+0.35`, `#5`, `-#3`.
    pub score: String,
    /// Centipawns as White sees it; mates are beyond all others.
    pub cp: i32,
    /// Win percentage of the side to move.
    pub win_percent: f64,
    /// The line expected, in standard notation.
    pub line: Vec<String>,
    /// What the move threatens, if anything.
    pub threat: Option<String>,
    /// What the side to move wins (if positive) in pieces by the end of the line, in pawns; `None` if
    /// the line ends in the midst of an exchange.
    pub material: Option<i32>,
}

/// The difference in what a piece is worth to its owner right after the two moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PieceChange {
    /// The piece and its square, in words.
    pub piece: String,
    /// Centipawns by which it is worth more after the best move.
    pub cp: i32,
}

/// A comparison of two moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The position.
    pub fen: String,
    /// The best move.
    pub best: Candidate,
    /// The move asked about or, if none was or it is the best, the next best; `None` if there is only one.
    pub other: Option<Candidate>,
    /// Whether the move asked about is the best.
    pub asked_is_best: bool,
    /// How bad the move asked about is, if it is.
    pub judgement: Option<Judgement>,
    /// Differences by theme, largest first.
    pub themes: Vec<ThemeChange>,
    /// Differences by piece, largest first.
    pub pieces: Vec<PieceChange>,
    /// Which evaluation was asked about the pieces.
    pub evaluation: String,
    /// All of it in sentences.
    pub sentences: Vec<String>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.sentences.iter().try_for_each(|sentence| writeln!(f, "{sentence}"))
    }
}

/// Why a position has nothing to explain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("position: the game is over, there is no move to explain")]
pub struct GameOver;

/// Compares the best move with another, or with the next best if none is given or it is the best.
pub fn explain(
    thinker: &mut Thinker,
    evaluation: &Evaluation,
    board: &Board,
    given: Option<Move>,
) -> Result<Explanation, GameOver> {
    let mut best = thinker.think(board, &[]);
    let mut best_move = best.best().ok_or(GameOver)?;
    let mut other = match given.filter(|given| *given != best_move) {
        Some(given) => Some(thinker.think_about(board, &[], given)),
        None => thinker.think_without(board, &[], best_move, 1),
    };
    if let Some(better) =
        other.as_mut().filter(|other| other.score.comparable() > best.score.comparable())
    {
        // Looked at alone, the other move turned out to be the best.
        std::mem::swap(&mut best, better);
        best_move = best.best().ok_or(GameOver)?;
    }
    for thought in std::iter::once(&mut best).chain(&mut other) {
        thinker.lengthen(board, thought);
        thinker.continue_line(board, &mut thought.line, is_quiet);
    }
    let asked_is_best = given == Some(best_move);
    let mut explanation = Explanation {
        fen: board.to_string(),
        best: candidate(thinker, board, &best),
        other: other.as_ref().map(|other| candidate(thinker, board, other)),
        asked_is_best,
        judgement: None,
        themes: Vec::new(),
        pieces: Vec::new(),
        evaluation: evaluation.to_string(),
        sentences: Vec::new(),
    };
    let mut facts = Vec::new();
    if let Some((thought, mv)) = other.as_ref().and_then(|other| Some((other, other.best()?))) {
        let reply = reply_of(thought);
        let drawn = is_drawn(best.score, board) && is_drawn(thought.score, board);
        if given == Some(mv) && !drawn {
            explanation.judgement = Judgement::new(best.score, reply.score);
        }
        if explanation.judgement.is_some() {
            let moment = Moment { board, keys: &[], mv, thought: &best, reply: &reply };
            facts = about_mistake(thinker, &moment).facts;
        }
        // Where a king falls, nothing else matters.
        if ![best.score, thought.score].iter().any(|score| matches!(score, Score::Mate(_))) {
            explanation.themes = theme_changes(board, &best, thought);
            explanation.pieces = pieces(board, evaluation, best_move, mv);
        }
    }
    explanation.sentences = sentences(board, &explanation, &best, other.as_ref(), &facts);
    Ok(explanation)
}

/// What the opponent thinks after the first move of a thought.
fn reply_of(thought: &Thought) -> Thought {
    let score = match thought.score {
        Score::Mate(moves) if moves > 0 => Score::Mate(1 - moves),
        other => other.reversed(),
    };
    Thought { score, line: thought.line[1..].to_vec(), depth: thought.depth.saturating_sub(1) }
}

fn candidate(thinker: &mut Thinker, board: &Board, thought: &Thought) -> Candidate {
    let us = board.side_to_move();
    let score = thought.score.white_view(us);
    let line = board.line_san(&thought.line);
    let after = end_of(board, &thought.line[..1]);
    Candidate {
        san: line.first().cloned().unwrap_or_default(),
        score: score.in_pawns(),
        cp: score.comparable(),
        win_percent: win_percent(thought.score),
        threat: threat_of(thinker, &after, thought.score).map(|threat| threat.text()),
        material: settle(board, &thought.line)
            .map(|end| -Exchange::along(board, &thought.line[..end.plies], us).loss()),
        line,
    }
}

/// Differences between the ends of the two lines.
fn theme_changes(board: &Board, best: &Thought, other: &Thought) -> Vec<ThemeChange> {
    let ends = settle(board, &best.line).zip(settle(board, &other.line));
    let Some((best, other)) = ends else { return Vec::new() };
    let mut changes = themes(board.side_to_move(), &best.board, &other.board);
    changes.retain(|change| change.cp.abs() >= WORTH_SAYING);
    changes
}

/// Differences in what pieces are worth, for pieces that stand on the same square after both moves or
/// have just moved.
fn pieces(board: &Board, evaluation: &Evaluation, best: Move, other: Move) -> Vec<PieceChange> {
    let mut evaluator = StaticEvaluator::new(evaluation);
    let mut worth = |mv: Move| {
        let mut after = *board;
        after.play(mv);
        (Worth::new(&after, |board| evaluator.white_value(board)), after)
    };
    let ((best, best_board), (other, _)) = (worth(best), worth(other));
    let mut changes: Vec<PieceChange> = Square::ALL
        .into_iter()
        .filter_map(|square| {
            let ((piece, here), (same, there)) = (best.0[square]?, other.0[square]?);
            let cp = to_centipawns(here - there, &best_board);
            let told = piece == same && cp.abs() >= WORTH_SAYING;
            told.then(|| PieceChange { piece: piece_text(piece, square), cp })
        })
        .collect();
    changes.sort_by_key(|change| -change.cp.abs());
    changes.truncate(MOST_PIECES);
    changes
}

fn sentences(
    board: &Board,
    found: &Explanation,
    best: &Thought,
    other: Option<&Thought>,
    facts: &[Fact],
) -> Vec<String> {
    let us = board.side_to_move();
    let shown = |line: &[Move]| board.line_text(&line[..line.len().min(SHOWN)]);
    let line = shown(&best.line);
    let mut text = vec![if found.asked_is_best {
        format!("{} is the best move ({}): {line}.", found.best.san, found.best.score)
    } else {
        format!("Best is {} ({}): {line}.", found.best.san, found.best.score)
    }];
    let Some((candidate, thought)) = found.other.as_ref().zip(other) else {
        text.push("It is the only legal move.".to_owned());
        return text;
    };
    let cost = found.best.win_percent - candidate.win_percent;
    let points = match found.judgement {
        Some(judgement) => format!(
            "It costs {cost:.0} points of {}'s winning chances: {} {}.",
            side_name(us),
            article(judgement),
            judgement.name()
        ),
        None => format!("The difference is {cost:.0} points of winning chances."),
    };
    let line = shown(&thought.line);
    if found.asked_is_best {
        text.push(format!("Next best is {} ({}): {line}.", candidate.san, candidate.score));
    } else {
        text.push(format!("{} scores {}: {line}.", candidate.san, candidate.score));
    }
    text.push(points);
    if let (Some(_), Some(reply)) = (found.judgement, thought.line.get(1)) {
        let after = end_of(board, &thought.line[..1]);
        text.push(format!("The answer to {} is {}.", candidate.san, after.san(*reply)));
    }
    let told = facts.iter().filter(|fact| !matches!(fact.claim, Claim::Better(_)));
    text.extend(told.map(Fact::text));
    for move_ in [&found.best, candidate] {
        text.extend(
            move_.threat.as_ref().map(|threat| format!("{} threatens {threat}.", move_.san)),
        );
    }
    for change in &found.themes {
        let (better, worse) = order(change.cp, &found.best.san, &candidate.san);
        text.push(format!(
            "In {} the line of {better} is {:.2} better for {} than that of {worse}.",
            change.theme,
            f64::from(change.cp.abs()) / 100.0,
            side_name(us)
        ));
    }
    for change in &found.pieces {
        let (better, worse) = order(change.cp, &found.best.san, &candidate.san);
        text.push(format!(
            "To the {}, {} is worth {:.2} more to its owner after {better} than after {worse}.",
            if found.evaluation.starts_with("network") {
                "network"
            } else {
                "classical evaluation"
            },
            change.piece,
            f64::from(change.cp.abs()) / 100.0
        ));
    }
    text
}

/// The two moves with the better one first.
fn order<'a>(cp: i32, best: &'a str, other: &'a str) -> (&'a str, &'a str) {
    if cp > 0 { (best, other) } else { (other, best) }
}

const fn article(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Inaccuracy => "an",
        Judgement::Mistake | Judgement::Blunder => "a",
    }
}

/// `the white knight on f3`.
fn piece_text(piece: Piece, square: impl std::fmt::Display) -> String {
    let color = if piece.color() == Color::White { "white" } else { "black" };
    format!("the {color} {} on {square}", name(piece.kind()))
}

/// The name of a type of piece.
const fn name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "pawn",
        PieceType::Knight => "knight",
        PieceType::Bishop => "bishop",
        PieceType::Rook => "rook",
        PieceType::Queen => "queen",
        PieceType::King => "king",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::Budget;

    fn explanation(fen: &str, given: Option<&str>) -> Explanation {
        let board: Board = fen.parse().unwrap();
        let given = given.map(|text| board.parse_san(text).unwrap());
        let mut thinker = Thinker::new(4, Budget::Nodes(5000)).unwrap();
        explain(&mut thinker, &Evaluation::embedded(), &board, given).unwrap()
    }

    #[test]
    fn a_hanging_queen_is_named() {
        // The black rook takes on d1 unless the queen leaves or takes first.
        let found = explanation("3r2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1", Some("h3"));
        assert_eq!(found.best.san, "Qxd8#");
        assert_eq!(found.judgement, Some(Judgement::Blunder));
        let text = found.to_string();
        assert!(
            text.contains("Best is Qxd8#") && text.contains("The answer to h3 is Rxd1+"),
            "{text}"
        );
        assert!(text.contains("a blunder") && !text.contains("network"), "{text}");
    }

    #[test]
    fn the_best_move_is_called_the_best_and_the_next_is_no_blunder() {
        let found = explanation("3r2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1", Some("Qxd8#"));
        let text = found.to_string();
        assert!(found.asked_is_best && found.judgement.is_none(), "{text}");
        assert!(text.starts_with("Qxd8# is the best move") && !text.contains("blunder"), "{text}");
    }

    #[test]
    fn kings_that_walk_threaten_nothing_and_drawn_endings_stay_drawn() {
        let found = explanation("8/8/4k3/8/4P3/8/4K3/8 w - - 0 1", Some("Kf2"));
        assert_eq!(found.judgement, None, "{found}");
        assert!(!found.to_string().contains("threatens K"), "{found}");
    }

    #[test]
    fn without_a_move_the_next_best_is_compared() {
        let found = explanation("3r2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1", None);
        assert!(found.other.is_some_and(|other| other.san != found.best.san));
        let only = explanation("7k/8/8/8/8/8/6q1/7K w - - 0 1", None);
        assert_eq!(only.other, None);
        assert!(only.to_string().contains("the only legal move"));
    }

    #[test]
    fn finished_games_are_refused() {
        let mated: Board = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1".parse().unwrap();
        let mut thinker = Thinker::new(1, Budget::Nodes(10)).unwrap();
        let refused = explain(&mut thinker, &Evaluation::Classical, &mated, None);
        assert_eq!(refused, Err(GameOver));
    }
}
