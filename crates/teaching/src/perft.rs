//! Counting the positions a few plies away: the test of a move generator.

use tabiya_chess::Board;

pub(crate) fn perft(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut total = 0;
    for mv in &board.legal_moves() {
        let mut child = *board;
        child.play(mv);
        total += perft(&child, depth - 1);
    }
    total
}
