//! Draws that a move allows: repetition, perpetual check, stalemate.

use super::{Claim, Moment};
use crate::analyst::insight::win_percent;
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// A draw is a reason if the mover could have had this much.
const BETTER: f64 = 60.0;

/// How the line after a move ends in a draw, if it does and the mover could have had more.
pub(super) fn claim(moment: &Moment, line: &[Move]) -> Option<Claim> {
    let drawn = matches!(moment.reply.score, Score::Cp(-2..=2));
    if !drawn || win_percent(moment.thought.score) < BETTER {
        return None;
    }
    of_line(moment.board, line)
}

/// How a line ends in a draw by itself.
pub(super) fn of_line(board: &Board, line: &[Move]) -> Option<Claim> {
    let opponent = board.opponent();
    let mut boards = vec![*board];
    for mv in line {
        let mut next = boards[boards.len() - 1];
        next.play(*mv);
        boards.push(next);
    }
    let last = boards[boards.len() - 1];
    if last.is_stalemate() {
        return Some(Claim::AllowsStalemate);
    }
    // The move itself belongs to the mistake, not to the cycle.
    let start = boards[1..boards.len() - 1].iter().position(|board| board.key() == last.key())? + 1;
    let always_checks = boards[start + 1..]
        .iter()
        .filter(|board| board.side_to_move() != opponent)
        .all(Board::in_check);
    Some(if always_checks { Claim::AllowsPerpetual } else { Claim::AllowsRepetition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::parse_line;

    #[test]
    fn checks_for_ever_are_told_from_shuffling() {
        let board: Board = "6k1/5p1p/8/6Q1/8/8/5q1P/7K b - - 0 1".parse().unwrap();
        let line = parse_line(&board, &["Kf8", "Qd8+", "Kg7", "Qg5+", "Kf8", "Qd8+"]);
        assert_eq!(of_line(&board, &line), Some(Claim::AllowsPerpetual));
        assert_eq!(of_line(&board, &line[..3]), None);
        let kings: Board = "8/8/1k6/8/8/1K5P/8/8 b - - 0 1".parse().unwrap();
        let line = parse_line(&kings, &["Kb5", "Ka3", "Kc5", "Kb3", "Kb5"]);
        assert_eq!(of_line(&kings, &line), Some(Claim::AllowsRepetition));
        let stale: Board = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1".parse().unwrap();
        let line = parse_line(&stale, &["Qg6"]);
        assert_eq!(of_line(&stale, &line), Some(Claim::AllowsStalemate));
    }
}
