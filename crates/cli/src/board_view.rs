//! A board drawn with letters.

use std::fmt::Write;
use tabiya_chess::{Board, File, Rank, Square};

/// The board with coordinates, White at the bottom.
pub(crate) fn draw(board: &Board) -> String {
    let mut text = String::new();
    let line = "  +---+---+---+---+---+---+---+---+\n";
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, "{line}{} |", rank.letter());
        for file in File::ALL {
            let piece = board.piece_on(Square::new(file, rank));
            let _ = write!(text, " {} |", piece.map_or(' ', tabiya_chess::Piece::letter));
        }
        text.push('\n');
    }
    text + line + "    a   b   c   d   e   f   g   h\n"
}
