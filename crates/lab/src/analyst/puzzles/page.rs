//! Puzzles as a page on which they are solved. It needs nothing from elsewhere.

use super::{Goal, Puzzle};
use crate::analyst::annotate::{BOARD_SCRIPT, page_head};
use crate::analyst::facts::side_name;
use serde::Serialize;

/// What the script of the page knows about a puzzle.
#[derive(Serialize)]
struct Task {
    /// What is to be done.
    asks: String,
    /// The positions before each move of the solution, and the one at its end.
    fens: Vec<String>,
    /// The opponent's move before, and the solution, in coordinates: from square to square.
    before: String,
    moves: Vec<String>,
    /// The solution as people write it.
    san: Vec<String>,
    line: String,
    themes: String,
    rating: i32,
}

/// How the page begins.
pub(super) fn head() -> String {
    page_head("Puzzles")
        + "<section class=\"game solve\"><h2></h2><div class=\"player\"><svg class=\"board\" viewBox=\"0 0 320 320\" \
           role=\"img\"></svg><div><p class=\"note\" aria-live=\"polite\"></p><p class=\"soft more\"></p><p>\
           <button type=\"button\" data-do=\"back\">Previous</button> \
           <button type=\"button\" data-do=\"again\">Again</button> \
           <button type=\"button\" data-do=\"answer\">Show the solution</button> \
           <button type=\"button\" data-do=\"on\">Next</button></p></div></div></section>\n"
}

/// One puzzle.
pub(super) fn task(puzzle: &Puzzle) -> String {
    let mut board = puzzle.board;
    let mut fens = vec![board.to_string()];
    let mut moves = Vec::new();
    for mv in &puzzle.solution {
        // Castling is the king's step to where it lands, as people click it.
        moves.push(format!("{}{}", mv.from(), tabiya_chess::Board::landing_square(*mv)));
        board.play(*mv);
        fens.push(board.to_string());
    }
    let solver = side_name(puzzle.board.side_to_move());
    let asks = match puzzle.goal {
        Goal::Mate => format!("{solver} mates in {}", puzzle.moves()),
        Goal::Win => format!("{solver} wins"),
        Goal::Hold => format!("{solver} holds"),
    };
    let blunder = puzzle.blunder;
    let task = Task {
        asks,
        fens,
        before: format!("{}{}", blunder.from(), tabiya_chess::Board::landing_square(blunder)),
        moves,
        san: puzzle.board.line_san(&puzzle.solution),
        line: puzzle.board.line_text(&puzzle.solution),
        themes: puzzle.themes().join(" "),
        rating: puzzle.rating.0,
    };
    // Only maps with keys that are no text could fail.
    let json = serde_json::to_string(&task).unwrap_or_default().replace('<', "\\u003c");
    format!("<script type=\"application/json\" class=\"puzzle\">{json}</script>\n")
}

/// How the page ends.
pub(super) fn tail() -> String {
    format!(
        "</main>\n<script>\n{BOARD_SCRIPT}{}</script>\n</body>\n</html>\n",
        include_str!("solve.js")
    )
}
