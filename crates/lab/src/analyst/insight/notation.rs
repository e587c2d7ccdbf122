//! Games as positions, and lines and scores as people write them.

use tabiya_chess::{Board, Color, Game, Move};
use tabiya_engine::Score;

/// Mate counts for more centipawns than anything else.
const MATE_CP: i32 = 100_000;

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

/// The line with move numbers: `12. Nf3 Nc6 13. Bb5`.
pub fn line_text(board: &Board, line: &[Move]) -> String {
    let mut board = *board;
    let mut words = Vec::new();
    for (index, mv) in line.iter().enumerate() {
        let number = board.fullmove_number();
        match board.side_to_move() {
            Color::White => words.push(format!("{number}.")),
            Color::Black if index == 0 => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(board.san(*mv));
        board.play(*mv);
    }
    words.join(" ")
}

/// The moves of a line one by one.
pub fn line_san(board: &Board, line: &[Move]) -> Vec<String> {
    let mut board = *board;
    let play = |mv: &Move| {
        let text = board.san(*mv);
        board.play(*mv);
        text
    };
    line.iter().map(play).collect()
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

/// `+0.35`, `#5`, `-#3`.
pub fn score_text(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("#{moves}"),
        Score::Mate(moves) => format!("-#{}", -moves),
        Score::Tablebase(plies) => if plies > 0 { "won" } else { "lost" }.to_owned(),
    }
}

/// Centipawns, with proven wins and losses far beyond all others.
pub fn cp_of(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) if moves > 0 => MATE_CP - moves,
        Score::Mate(moves) => -MATE_CP - moves,
        Score::Tablebase(plies) => plies.signum() * 20_000 - plies,
    }
}

/// The score as White sees it. A mate on the board stays zero: who gave it is not in the number.
pub fn white_view(score: Score, side_to_move: Color) -> Score {
    if side_to_move == Color::White { score } else { reversed(score) }
}

/// The score as the other side sees it; but for a mate on the board, which stays zero.
pub fn reversed(score: Score) -> Score {
    match score {
        Score::Cp(cp) => Score::Cp(-cp),
        Score::Mate(moves) => Score::Mate(-moves),
        Score::Tablebase(plies) => Score::Tablebase(-plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_where_they_need_them() {
        let mut board = Board::default();
        let line: Vec<Move> = ["e2e4", "e7e5", "g1f3"]
            .into_iter()
            .map(|text| {
                let mv = board.parse_uci(text).unwrap();
                board.play(mv);
                mv
            })
            .collect();
        assert_eq!(line_text(&Board::default(), &line), "1. e4 e5 2. Nf3");
        let mut after = Board::default();
        after.play(line[0]);
        assert_eq!(line_text(&after, &line[1..]), "1... e5 2. Nf3");
        assert_eq!(line_san(&after, &line[1..]), ["e5", "Nf3"]);
    }

    #[test]
    fn scores_are_ordered_from_mated_to_mate() {
        let scores = [
            Score::Mate(0),
            Score::Mate(-4),
            Score::Tablebase(-3),
            Score::Cp(-900),
            Score::Cp(20),
            Score::Tablebase(9),
            Score::Mate(7),
            Score::Mate(1),
        ];
        assert!(scores.windows(2).all(|pair| cp_of(pair[0]) < cp_of(pair[1])));
        assert_eq!(score_text(white_view(Score::Cp(35), Color::Black)), "-0.35");
    }
}
