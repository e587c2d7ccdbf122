//! Positions for tests.

use tabiya_chess::Board;

/// Positions of random games from the initial position, always the same ones.
pub(crate) fn random_boards(count: usize) -> impl Iterator<Item = Board> {
    let mut seed = 0x7AB1_7A00_u64;
    let mut random = move |limit: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % limit
    };
    let mut board = Board::default();
    let mut ply = 0;
    std::iter::from_fn(move || {
        let moves = board.legal_moves();
        if moves.is_empty() || ply == 150 {
            (board, ply) = (Board::default(), 0);
        } else {
            board.play(moves.get(random(moves.len()))?);
            ply += 1;
        }
        Some(board)
    })
    .take(count)
}
