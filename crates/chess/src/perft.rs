//! Counting the leaves of the move tree: the classic test of move generation.

use crate::board::{Board, Generate};
use crate::moves::{Move, MoveList};
use crate::types::Color;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The number of positions `depth` plies from here. The last ply is counted, not played.
///
/// ```
/// use tabiya_chess::{perft, Board};
/// assert_eq!(perft::count(&Board::default(), 4), 197_281);
/// ```
pub fn count(board: &Board, depth: u32) -> u64 {
    match (depth, board.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => count_as::<false, true>(board, depth),
        (_, Color::Black) => count_as::<true, false>(board, depth),
    }
}

/// The two parameters are always opposites: the side to move and the side after it.
fn count_as<const BLACK: bool, const NEXT: bool>(board: &Board, depth: u32) -> u64 {
    if depth <= 1 {
        return u64::from(board.count_as::<BLACK>());
    }
    let mut moves = MoveList::new();
    board.generate_as::<BLACK>(Generate::All, &mut moves);
    let mut total = 0;
    for mv in &moves {
        let mut child = *board;
        child.play_as::<BLACK>(mv);
        total += count_as::<NEXT, BLACK>(&child, depth - 1);
    }
    total
}

/// Subtrees of this depth are counted in a moment.
const UNINTERRUPTED: u32 = 3;

/// The same number; `None` if `stop` is set before the end.
pub fn count_until(board: &Board, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth <= UNINTERRUPTED {
        return (!stop.load(Relaxed)).then(|| count(board, depth));
    }
    let mut total = 0;
    for mv in &board.legal_moves() {
        let mut child = *board;
        child.play(mv);
        total += count_until(&child, depth - 1, stop)?;
    }
    Some(total)
}

/// The same number split by the first move.
///
/// ```
/// use tabiya_chess::{perft, Board};
/// let parts = perft::divide(&Board::default(), 3);
/// assert_eq!(parts.len(), 20);
/// assert_eq!(parts.iter().map(|(_, count)| count).sum::<u64>(), 8_902);
/// ```
pub fn divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    board
        .legal_moves()
        .iter()
        .map(|mv| {
            let mut child = *board;
            child.play(mv);
            (mv, count(&child, depth.saturating_sub(1)))
        })
        .collect()
}
