//! A board drawn with letters.

use std::fmt::Write;
use tabiya_chess::{Board, Color, File, Rank, Square};

/// The board with coordinates, White at the bottom.
pub(crate) fn draw(board: &Board) -> String {
    draw_for(board, Color::White)
}

/// The board with coordinates, as this side sees it.
pub(crate) fn draw_for(board: &Board, side: Color) -> String {
    let (mut ranks, mut files) = (Rank::ALL, File::ALL);
    match side {
        Color::White => ranks.reverse(),
        Color::Black => files.reverse(),
    }
    let mut text = String::new();
    let line = "  +---+---+---+---+---+---+---+---+\n";
    for rank in ranks {
        let _ = write!(text, "{line}{} |", rank.letter());
        for file in files {
            let piece = board.piece_on(Square::new(file, rank));
            let _ = write!(text, " {} |", piece.map_or(' ', tabiya_chess::Piece::letter));
        }
        text.push('\n');
    }
    text += line;
    text += "   ";
    for file in files {
        let _ = write!(text, " {}  ", file.letter());
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_sees_its_own_pieces_below() {
        let board = Board::default();
        let white: Vec<String> = draw(&board).lines().map(str::to_owned).collect();
        assert_eq!(white[1], "8 | r | n | b | q | k | b | n | r |");
        assert_eq!(white.last().unwrap(), "    a   b   c   d   e   f   g   h");
        let black: Vec<String> =
            draw_for(&board, Color::Black).lines().map(str::to_owned).collect();
        assert_eq!(black[1], "1 | R | N | B | K | Q | B | N | R |");
        assert_eq!(black.last().unwrap(), "    h   g   f   e   d   c   b   a");
    }
}
