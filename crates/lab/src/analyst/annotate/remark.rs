//! Sentences about moves. Each states something that was computed: a score, a line, a count of
//! pieces, an exchange, the answer to a search.

use super::game::{Context, mate_in};
use super::judgement::Mark;
use crate::analyst::insight::{
    Exchange, SettledLine, Thinker, Thought, chances, settle, win_percent,
};
use tabiya_chess::{Board, Color, Move, Piece, PieceType};
use tabiya_engine::see_ge;

/// Plies of a line shown in a sentence.
const SHOWN: usize = 6;
/// A threat is something that would raise the opponent's chances by this much: a mistake's worth.
const THREAT: f64 = 0.2;
/// Part of the budget for finding the threat.
const THREAT_LOOK: u32 = 2;

/// What went wrong with a move that was not the best.
pub(super) fn about_mistake(context: &Context, thinker: &mut Thinker) -> Vec<String> {
    let mut remarks = Vec::new();
    let (board, after) = (context.board, context.after);
    let (thought, reply) = (context.thought, context.reply);
    let missed = mate_in(thought.score);
    if let Some(moves) = missed {
        let line = board.line_text(shown(&thought.line));
        remarks.push(format!("Misses mate in {moves}: {line}."));
    }
    if let Some(moves) = mate_in(reply.score) {
        let line = after.line_text(shown(&reply.line));
        remarks.push(format!("Allows mate in {moves}: {line}."));
    } else {
        remarks.extend(material(context));
    }
    remarks.extend(threat(context, thinker));
    remarks.extend(turn(context));
    if let Some(best) = thought.best().filter(|_| missed.is_none()) {
        let score = thought.score.white_view(board.side_to_move()).in_pawns();
        remarks.push(format!("Best was {} ({score}).", board.san(best)));
    }
    remarks
}

/// What makes a good move special.
pub(super) fn about_mark(context: &Context, mark: Mark, second: &Thought) -> Vec<String> {
    let board = context.board;
    let next = second.best().map(|mv| {
        let score = second.score.white_view(board.side_to_move()).in_pawns();
        format!("next best is {} ({score})", board.san(mv))
    });
    let cost = (-chances(context.reply.score) - chances(second.score)) * 50.0;
    let next = next.unwrap_or_else(|| "there is no other".to_owned());
    let only = format!("every other move costs {cost:.0} points of winning chances; {next}.");
    match mark {
        Mark::Only => vec![format!("The only move: {only}")],
        Mark::Brilliant => vec![format!("Offers material and is the only move: {only}")],
    }
}

fn shown(line: &[Move]) -> &[Move] {
    &line[..line.len().min(SHOWN)]
}

/// What is lost in pieces, or would have been won.
fn material(context: &Context) -> Option<String> {
    let us = context.board.side_to_move();
    let played: Vec<Move> =
        std::iter::once(context.mv).chain(context.reply.line.iter().copied()).collect();
    let change = |line: &[Move]| {
        let settled = settle(context.board, line)?;
        Some((Exchange::between(context.board, &settled.board, us), settled))
    };
    let (ours, ours_end) = change(&played)?;
    let best = change(&context.thought.line);
    let best_loss = best.map_or(0, |(best, _)| best.loss());
    if ours.loss() > best_loss.max(0)
        && let Some(loss) = ours.loss_text()
    {
        return Some(lost(context, &loss, &ours_end));
    }
    let (best, best_end) = best?;
    let won = best.reversed().loss_text().filter(|_| best.loss() < ours.loss().min(0))?;
    let line = context.board.line_text(&context.thought.line[..best_end.plies]);
    Some(format!("Misses a chance to win {won}: {line}."))
}

fn lost(context: &Context, loss: &str, end: &SettledLine) -> String {
    let line = &context.reply.line[..end.plies.saturating_sub(1).min(context.reply.line.len())];
    let hanging = line.first().and_then(|mv| left_to_take(context.after, *mv));
    match (hanging, line.is_empty()) {
        (Some(piece), false) => {
            format!("Loses {loss}: {piece} can be taken, {}.", context.after.line_text(line))
        }
        (None, false) => format!("Loses {loss}: {}.", context.after.line_text(line)),
        (_, true) => format!("Gives up {loss}."),
    }
}

/// The piece that a capture wins outright, by counting the exchange on its square.
fn left_to_take(board: &Board, mv: Move) -> Option<String> {
    let taken = board.captured(mv)?;
    let wins = mv.is_capture() && !mv.is_en_passant() && see_ge(board, mv, 100);
    wins.then(|| format!("the {} on {}", name(taken), mv.to()))
}

/// Whether the refutation was already threatened: the opponent, given a move for free, plays it too.
fn threat(context: &Context, thinker: &mut Thinker) -> Option<String> {
    let refutation = context.reply.best()?;
    let mut passed = *context.board;
    if passed.in_check() {
        return None;
    }
    passed.play_null();
    if !passed.is_legal(refutation) {
        return None;
    }
    let threat = thinker.glance(&passed, &[], THREAT_LOOK);
    let gain = chances(threat.score) + chances(context.thought.score);
    let same = threat.best() == Some(refutation) && gain >= THREAT;
    same.then(|| format!("Does not meet the threat of {}.", passed.san(refutation)))
}

/// A change of the expected result.
fn turn(context: &Context) -> Option<String> {
    let before = win_percent(context.thought.score);
    let after = 100.0 - win_percent(context.reply.score);
    let text = match (before, after) {
        (80.0.., ..20.0) => "Turns a won position into a lost one.",
        (80.0.., ..60.0) => "Gives away a won position.",
        (40.0.., ..20.0) => "The position is lost now.",
        _ => return None,
    };
    Some(text.to_owned())
}

/// The name of a type of piece.
pub(crate) const fn name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "pawn",
        PieceType::Knight => "knight",
        PieceType::Bishop => "bishop",
        PieceType::Rook => "rook",
        PieceType::Queen => "queen",
        PieceType::King => "king",
    }
}

/// `White` or `Black`.
pub(crate) const fn side_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// `the white knight on f3`.
pub(crate) fn piece_text(piece: Piece, square: impl std::fmt::Display) -> String {
    let color = if piece.color() == Color::White { "white" } else { "black" };
    format!("the {color} {} on {square}", name(piece.kind()))
}
