//! Games as positions.

use tabiya_chess::{Board, Game, Move};

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

/// The moves of a line written in standard notation.
///
/// # Panics
///
/// If a move cannot be read: for tests.
#[cfg(test)]
pub(crate) fn parse_line(board: &Board, texts: &[&str]) -> Vec<Move> {
    let mut board = *board;
    let play = |text: &&str| {
        let mv = board.parse_san(text).unwrap();
        board.play(mv);
        mv
    };
    texts.iter().map(play).collect()
}

/// The position after a line.
pub fn end_of(board: &Board, line: &[Move]) -> Board {
    let mut board = *board;
    for mv in line {
        board.play(*mv);
    }
    board
}
