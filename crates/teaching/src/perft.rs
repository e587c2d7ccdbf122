//! Counting the positions a few plies away: the test of a move generator.

use tabiya_chess::{Board, Move};

/// The position after a move. The old one is kept: nothing has to be taken back.
pub(crate) fn after(board: &Board, mv: Move) -> Board {
    let mut child = *board;
    child.play(mv);
    child
}

pub(crate) fn perft(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    board.legal_moves().iter().map(|mv| perft(&after(board, mv), depth - 1)).sum()
}
