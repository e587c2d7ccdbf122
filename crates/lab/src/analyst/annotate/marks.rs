//! What is special about a good move, by rule.

use super::game::Context;
use super::judgement::Mark;
use crate::analyst::facts::{CLAIM, CONFIRM_NODES, Moment};
use crate::analyst::insight::{Thinker, Thought, capture_gain, chances, worth};
use tabiya_chess::Board;
use tabiya_engine::see_ge;

/// A sacrifice gives up this much, in pawns.
const SACRIFICE: i32 = 2;
/// Where the next best move wins as well, none is the only one.
const STILL_WON: f64 = 0.6;
/// Parts of the budget for a first look at the other moves, and for more and more thorough ones.
const LOOKS: [u32; 3] = [20, 4, 1];
/// Budgets of the searches that must confirm an only move.
const CONFIRM_TIMES: [u32; 2] = [1, 4];

/// The mark of a move that is the engine's choice, with its sentence.
pub(super) fn mark(context: &Context, thinker: &mut Thinker) -> Option<(Mark, String)> {
    let moment = &context.moment;
    if moment.thought.best() != Some(moment.mv) || is_matter_of_course(context) {
        return None;
    }
    // The score after the move is the better informed one.
    let mut kept = -chances(moment.reply.score);
    let is_only = |kept: f64, other: &Thought| {
        kept - chances(other.score) >= CLAIM.only_gap && chances(other.score) < STILL_WON
    };
    let mut second = None;
    for part in LOOKS {
        let other = thinker.think_without(moment.board, moment.keys, moment.mv, part)?;
        if !is_only(kept, &other) {
            return None;
        }
        second = Some(other);
    }
    let second = second?;
    // Now the move itself, as thoroughly as the others.
    kept = chances(thinker.think_about(moment.board, moment.keys, moment.mv).score);
    if !is_only(kept, &second) {
        return None;
    }
    let gap = confirmed_gap(context, thinker, is_only)?.min(kept - chances(second.score));
    let risky = kept >= 0.0;
    let mark = if risky && is_sacrifice(context) {
        Some("Gives up material, and is the only move")
    } else if risky && is_quiet_move(context) && is_hidden(context, thinker) {
        Some("A quiet move that is hard to see, and the only one")
    } else {
        None
    };
    let tail = cost(context, gap, &second);
    Some(match mark {
        Some(words) => (Mark::Brilliant, format!("{words}: {tail}")),
        None => (Mark::Only, format!("The only move: {tail}")),
    })
}

/// The smallest difference to the next best move that searches find which know nothing of the first, if all
/// of them find the move to be the only one.
fn confirmed_gap(
    context: &Context,
    thinker: &mut Thinker,
    is_only: impl Fn(f64, &Thought) -> bool,
) -> Option<f64> {
    let Moment { board, keys, mv, .. } = context.moment;
    let mut least = f64::INFINITY;
    for times in CONFIRM_TIMES {
        let budget = thinker.budget.at_least(CONFIRM_NODES).times(times);
        let gap = thinker.with_fresh_eyes(budget, |second| {
            let kept = chances(second.think_about(board, keys, mv).score);
            let other = second.think_without(board, keys, mv, 1)?;
            is_only(kept, &other).then(|| kept - chances(other.score))
        })?;
        least = least.min(gap);
    }
    Some(least)
}

/// Answers to a check, taking back, and taking what hangs find themselves.
fn is_matter_of_course(context: &Context) -> bool {
    let moment = &context.moment;
    let takes_back = context.previous.is_some_and(|previous| {
        previous.is_capture() && moment.mv.is_capture() && previous.to() == moment.mv.to()
    });
    let takes_loose = moment.mv.is_capture() && see_ge(moment.board, moment.mv, 100);
    let forced = moment.board.in_check() || moment.board.count_legal_moves() == 1;
    takes_back || takes_loose || forced
}

/// Whether the opponent may now take what he could not before: at least two pawns' worth more than the
/// move itself took.
fn is_sacrifice(context: &Context) -> bool {
    let moment = &context.moment;
    let taken = moment.board.captured(moment.mv).map_or(0, worth);
    let mut passed = *moment.board;
    passed.play_null();
    let hung_already = if passed.in_check() { 0 } else { capture_gain(&passed).max(0) };
    offered(context.after) - taken - hung_already >= SACRIFICE
}

/// What the side to move wins by taking something, by counting the exchange on its square.
fn offered(board: &Board) -> i32 {
    let takes: Vec<_> = board.legal_moves().iter().filter(|mv| mv.is_capture()).collect();
    let wins = |pawns: &i32| takes.iter().any(|mv| see_ge(board, *mv, 100 * pawns));
    (SACRIFICE..=9).rev().find(wins).unwrap_or(0)
}

fn is_quiet_move(context: &Context) -> bool {
    !context.moment.mv.is_noisy() && !context.after.in_check() && !context.moment.mv.is_castling()
}

/// Whether a short search by somebody who knows nothing of the game plays something else.
fn is_hidden(context: &Context, thinker: &mut Thinker) -> bool {
    thinker.first_sight(context.moment.board) != Some(context.moment.mv)
}

fn cost(context: &Context, gap: f64, second: &Thought) -> String {
    let board = context.moment.board;
    let points = gap * 50.0;
    let next = second.best().map_or_else(String::new, |mv| {
        let score = second.score.white_view(board.side_to_move()).in_pawns();
        format!("; next best is {} ({score})", board.san(mv))
    });
    format!("every other move costs at least {points:.0} points of winning chances{next}.")
}
