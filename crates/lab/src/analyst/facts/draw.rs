//! Draws that a move allows or misses: repetition, perpetual check, stalemate.

use super::{Claim, Moment};
use crate::analyst::insight::win_percent;
use tabiya_chess::{Board, Color, Move};
use tabiya_engine::Score;

/// A draw is a reason if the mover could have had this much, or gets no more than the rest of it instead.
const BETTER: f64 = 60.0;

/// How a line ends in a draw by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draw {
    /// By checking for ever.
    Perpetual,
    /// By repeating.
    Repetition,
    /// By stalemate.
    Stalemate,
}

/// The draw that a move leads to although there was more, or that it misses although there is only less.
pub(super) fn claim(moment: &Moment, played: &[Move], best: &[Move]) -> Option<Claim> {
    let drawn = |score: Score| matches!(score, Score::Cp(-2..=2));
    let (before, after) = (moment.thought.score, moment.score());
    let us = moment.board.side_to_move();
    if drawn(after) && win_percent(before) >= BETTER {
        return of_line(moment.board, played, !us).map(Claim::AllowsDraw);
    }
    if drawn(before) && win_percent(after) <= 100.0 - BETTER {
        return of_line(moment.board, best, us).map(Claim::MissesDraw);
    }
    None
}

/// How a line ends in a draw by itself; it is perpetual check only if `checker` gives it.
pub(super) fn of_line(board: &Board, line: &[Move], checker: Color) -> Option<Draw> {
    let mut boards = vec![*board];
    for mv in line {
        let mut next = boards[boards.len() - 1];
        next.play(*mv);
        boards.push(next);
    }
    let last = boards[boards.len() - 1];
    if line.is_empty() {
        return None;
    }
    if last.is_stalemate() {
        return Some(Draw::Stalemate);
    }
    // The first move is what the claim is about, and no part of the cycle.
    let start = boards[1..boards.len() - 1].iter().position(|board| board.key() == last.key())? + 1;
    let always_checks = boards[start + 1..]
        .iter()
        .filter(|board| board.side_to_move() != checker)
        .all(Board::in_check);
    Some(if always_checks { Draw::Perpetual } else { Draw::Repetition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::parse_line;

    #[test]
    fn checks_for_ever_are_told_from_shuffling() {
        let board: Board = "6k1/5p1p/8/6Q1/8/8/5q1P/7K b - - 0 1".parse().unwrap();
        let line = parse_line(&board, &["Kf8", "Qd8+", "Kg7", "Qg5+", "Kf8", "Qd8+"]);
        assert_eq!(of_line(&board, &line, Color::White), Some(Draw::Perpetual));
        assert_eq!(of_line(&board, &line, Color::Black), Some(Draw::Repetition));
        assert_eq!(of_line(&board, &line[..3], Color::White), None);
        let kings: Board = "8/8/1k6/8/8/1K5P/8/8 b - - 0 1".parse().unwrap();
        let line = parse_line(&kings, &["Kb5", "Ka3", "Kc5", "Kb3", "Kb5"]);
        assert_eq!(of_line(&kings, &line, Color::White), Some(Draw::Repetition));
        let stale: Board = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1".parse().unwrap();
        let line = parse_line(&stale, &["Qg6"]);
        assert_eq!(of_line(&stale, &line, Color::Black), Some(Draw::Stalemate));
        assert_eq!(of_line(&stale, &[], Color::Black), None);
    }
}
