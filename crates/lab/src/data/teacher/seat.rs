//! A teacher in the seat of our net: how strong our search would be with a perfect student.

use super::{Labeller, Teacher};
use std::sync::Arc;
use tabiya_chess::Board;
use tabiya_engine::eval::{Evaluation, Judge, scale_by_material};

/// What a net's output is per centipawn of its training data: an output of 1.0, which is 400 points, is
/// a logit, and so are 215 centipawns (docs/NETS.md).
const POINTS: i32 = 400;
const CENTIPAWNS: i32 = 215;

/// Lets our search judge positions by the static values of a teacher, in the units of our nets.
pub fn evaluation(teacher: &Teacher) -> Evaluation {
    let teacher = teacher.clone();
    Evaluation::Other(Arc::new(move || Box::new(Seat(Labeller::new(&teacher)))))
}

struct Seat(Labeller);

impl Judge for Seat {
    fn evaluate(&mut self, board: &Board) -> i32 {
        scale_by_material(self.0.score(board) * POINTS / CENTIPAWNS, board)
    }
}
