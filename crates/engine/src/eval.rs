//! Static evaluation: one enum, matched once per call.

pub mod hce;

use crate::score::{Value, clamp_heuristic};
use hce::PawnTable;
use tabiya_chess::{Board, Move};

/// How positions are judged. One per thread: evaluations cache and update incrementally.
pub(crate) enum Evaluator {
    /// The hand-crafted terms.
    Classical(Box<PawnTable>),
}

impl Evaluator {
    pub(crate) fn classical() -> Self {
        Self::Classical(Box::new(PawnTable::default()))
    }

    /// The value for the side to move, which must not be in check.
    #[inline]
    pub(crate) fn evaluate(&mut self, board: &Board) -> Value {
        match self {
            Self::Classical(pawns) => clamp_heuristic(hce::evaluate(board, pawns)),
        }
    }

    /// Starts from a new position.
    pub(crate) fn reset(&mut self, _board: &Board) {}

    /// Follows a move about to be played on `_board`.
    #[inline]
    pub(crate) fn push(&mut self, _board: &Board, _mv: Move) {}

    /// Follows a null move.
    #[inline]
    pub(crate) fn push_null(&mut self) {}

    /// Takes the last move back.
    #[inline]
    pub(crate) fn pop(&mut self) {}

    /// Forgets what was cached.
    pub(crate) fn clear(&mut self) {}
}
