//! Games as positions.

use tabiya_chess::{Board, Game};

/// The position before each move of a game and the one at its end.
pub fn positions(game: &Game) -> Vec<Board> {
    let mut positions = vec![*game.start()];
    let mut board = *game.start();
    for mv in game.moves() {
        board.play(*mv);
        positions.push(board);
    }
    positions
}
