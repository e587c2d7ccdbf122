//! From internal units to chances and centipawns.
//!
//! The chance to win is a logistic curve of the value whose centre and width depend on the material
//! left; the chance to lose is that of the opponent, a draw is the rest. +100 centipawns are the
//! value at which a win has a chance of 50 %. `tabiya tune wdl` fits [`MODEL`] to games. Only what
//! users see goes through here; the search knows internal units alone.

use crate::info::Wdl;
use crate::score::{Value, clamp_heuristic, is_loss, is_win};
use tabiya_chess::{Board, PieceType};

/// The model in use: fitted to games of net 4, the network before the default one (docs/NETS.md).
pub const MODEL: Model = Model {
    half_win: [366.6730, -712.6433, 739.1382, -245.9016],
    spread: [84.5611, -163.4518, 240.6514, -86.4177],
};

/// The chance to win as a function of value and material.
///
/// Both numbers are cubic polynomials of the material (see [`material`]), constant term first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// The value at which the chance to win is one half.
    pub half_win: [f64; 4],
    /// How slowly the chance changes around it.
    pub spread: [f64; 4],
}

impl Model {
    /// The value at which the chance to win is one half.
    pub fn half_win_at(&self, material: f64) -> f64 {
        cubic(self.half_win, material)
    }

    /// How slowly the chance changes around it.
    pub fn spread_at(&self, material: f64) -> f64 {
        cubic(self.spread, material)
    }

    /// The chance to win, from 0 to 1.
    pub fn win(&self, value: f64, material: f64) -> f64 {
        let distance = self.half_win_at(material) - value;
        1.0 / (1.0 + (distance / self.spread_at(material)).exp())
    }
}

fn cubic(coefficients: [f64; 4], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The material on the board, both sides, counted 1/3/3/5/9 and kept between 17 and 78; divided by
/// 58 so that a middlegame has about 1. (The measure of Stockfish's WDL model.)
pub fn material(board: &Board) -> f64 {
    let count = |kind| board.kind(kind).count();
    let sum = count(PieceType::Pawn)
        + 3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen);
    f64::from(sum.clamp(17, 78)) / 58.0
}

/// Centipawns as users see them.
pub fn to_centipawns(value: Value, board: &Board) -> i32 {
    (f64::from(value) * 100.0 / MODEL.half_win_at(material(board))).round() as i32
}

/// The internal units that are shown as these centipawns on this board.
pub fn from_centipawns(centipawns: i32, board: &Board) -> i32 {
    let value = f64::from(centipawns) * MODEL.half_win_at(material(board)) / 100.0;
    clamp_heuristic(value.round() as Value)
}

/// The chances that go with a value.
pub(crate) fn of_value(value: Value, board: &Board) -> Wdl {
    let material = material(board);
    let chance = |value: Value| (1000.0 * MODEL.win(f64::from(value), material)).round() as u32;
    let (win, loss) = if is_win(value) {
        (1000, 0)
    } else if is_loss(value) {
        (0, 1000)
    } else {
        (chance(value), chance(-value))
    };
    // Rounding both up could leave less than nothing for draws.
    let loss = loss.min(1000 - win);
    Wdl { win, draw: 1000 - win - loss, loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARDS: [&str; 3] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4rrk1/pp3ppp/8/8/8/8/PP3PPP/4RRK1 w - - 0 1",
        "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
    ];

    #[test]
    fn chances_add_up_and_mirror() {
        for board in BOARDS.map(|fen| fen.parse::<Board>().unwrap()) {
            for value in (-3000..=3000).step_by(7) {
                let (ours, theirs) = (of_value(value, &board), of_value(-value, &board));
                assert_eq!(ours.win + ours.draw + ours.loss, 1000);
                assert_eq!((ours.win, ours.loss), (theirs.loss, theirs.win));
            }
        }
    }

    #[test]
    fn a_hundred_centipawns_win_half_of_the_games() {
        for board in BOARDS.map(|fen| fen.parse::<Board>().unwrap()) {
            let value = from_centipawns(100, &board);
            assert_eq!(to_centipawns(value, &board), 100);
            assert!(of_value(value, &board).win.abs_diff(500) <= 3);
        }
    }
}
