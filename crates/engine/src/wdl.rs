//! From the engine's own units to chances and centipawns.
//!
//! The chance to win is a logistic curve of the value; +100 centipawns mean a chance of 50 %.

use crate::info::Wdl;
use crate::score::{Value, is_loss, is_win};
use tabiya_chess::Board;

/// The value at which the chance to win is one half.
const HALF_WIN: f64 = 130.0;
/// How quickly the chance changes around it.
const SPREAD: f64 = 70.0;

/// Centipawns as users see them.
pub(crate) fn to_centipawns(value: Value, _board: &Board) -> i32 {
    (f64::from(value) * 100.0 / HALF_WIN).round() as i32
}

/// The chances that go with a value.
pub(crate) fn of_value(value: Value, _board: &Board) -> Wdl {
    let chance = |value: f64| 1000.0 / (1.0 + ((HALF_WIN - value) / SPREAD).exp());
    let (win, loss) = if is_win(value) {
        (1000, 0)
    } else if is_loss(value) {
        (0, 1000)
    } else {
        (chance(f64::from(value)).round() as u32, chance(f64::from(-value)).round() as u32)
    };
    Wdl { win, draw: 1000 - win - loss, loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_mirror() {
        let board = Board::default();
        for value in (-3000..=3000).step_by(7) {
            let (ours, theirs) = (of_value(value, &board), of_value(-value, &board));
            assert_eq!(ours.win + ours.draw + ours.loss, 1000);
            assert_eq!((ours.win, ours.loss), (theirs.loss, theirs.win));
        }
    }
}
