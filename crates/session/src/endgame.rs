//! What endgame tables say about the moves of a position.

use crate::protocol::{Outcome, Reply, TableRow};
use tabiya_chess::Game;
use tabiya_engine::{TableWdl, Tablebase};

/// The moves of the last position of a game, best first; none if the tables do not know it.
pub(crate) fn reply(id: u32, game: &Game, tables: Option<&Tablebase>) -> Reply {
    let board = game.board();
    let known = tables.and_then(|tables| tables.moves(board, game.keys())).unwrap_or_default();
    let moves = known.iter().map(|known| TableRow {
        mv: board.uci(known.mv, true),
        outcome: Outcome::from(known.outcome),
        plies: known.plies,
    });
    Reply::Endgame { id, moves: moves.collect() }
}

impl From<TableWdl> for Outcome {
    fn from(wdl: TableWdl) -> Self {
        match wdl {
            TableWdl::Loss => Self::Loss,
            TableWdl::BlessedLoss => Self::BlessedLoss,
            TableWdl::Draw => Self::Draw,
            TableWdl::CursedWin => Self::CursedWin,
            TableWdl::Win => Self::Win,
        }
    }
}
