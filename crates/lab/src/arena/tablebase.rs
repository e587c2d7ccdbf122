//! Endgame tables as a referee: games end as soon as Syzygy tables know the result.

use super::adjudicate::Oracle;
use tabiya_chess::{Board, Color};
use tabiya_engine::Tablebase;

impl Oracle for Tablebase {
    fn verdict(&self, board: &Board) -> Option<Option<Color>> {
        self.winner(board)
    }
}
