//! How a search uses the tables: which it may ask, when, and what their answers are worth.

use super::{Ranking, TableWdl, Tablebase, TieBreak};
use crate::score::{DRAW, TB_WIN, Value};
use crate::tt::Bound;
use std::sync::Arc;
use tabiya_chess::Board;

/// Tables and the rules of their use.
#[derive(Clone, Debug)]
pub(crate) struct Probing {
    pub(crate) tables: Option<Arc<Tablebase>>,
    /// Positions with as many pieces as the limit are asked for from this depth on only.
    pub(crate) min_depth: i32,
    /// Positions with more pieces are not asked for.
    pub(crate) limit: u32,
    /// Whether a win that comes too late is a draw.
    pub(crate) fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Self {
        Self { tables: None, min_depth: 1, limit: 7, fifty_moves: true }
    }
}

impl Probing {
    /// The most pieces a position may have to be asked for; none without tables.
    pub(crate) fn pieces(&self) -> u32 {
        self.tables.as_ref().map_or(0, |tables| tables.max_pieces().min(self.limit))
    }

    /// The moves of the root in the order of the tables, if they know it.
    pub(crate) fn rank(&self, board: &Board, keys: &[u64]) -> Option<Ranking> {
        let tables = self.tables.as_ref()?;
        if board.occupied().count() > self.pieces() || board.castling_rooks().any() {
            return None;
        }
        Ranking::new(tables, board, keys, self.fifty_moves, TieBreak::Natural)
    }

    /// The value of a position right after a capture or pawn move, and what it is a bound of. Mate
    /// may come sooner than the tables say, so that only a draw is exact.
    pub(crate) fn value(&self, board: &Board, ply: usize) -> Option<(Value, Bound)> {
        let wdl = self.tables.as_ref()?.wdl(board)?;
        let win = (TB_WIN - ply as Value, Bound::Lower);
        let loss = (-TB_WIN + ply as Value, Bound::Upper);
        Some(match wdl {
            TableWdl::Win => win,
            TableWdl::CursedWin if !self.fifty_moves => win,
            TableWdl::Loss => loss,
            TableWdl::BlessedLoss if !self.fifty_moves => loss,
            TableWdl::Draw | TableWdl::CursedWin | TableWdl::BlessedLoss => (DRAW, Bound::Exact),
        })
    }
}
