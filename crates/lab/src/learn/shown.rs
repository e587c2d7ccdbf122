//! Games to look at on a board, without knowing the rules.

use crate::data::record::{Game, RecordError};
use serde::{Deserialize, Serialize};

/// A game as a page shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShownGame {
    /// What it is.
    pub title: String,
    /// How it ended.
    pub result: String,
    /// Its positions.
    pub plies: Vec<ShownPly>,
}

/// A position of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShownPly {
    /// Where the pieces are: the first field of a FEN.
    pub pieces: String,
    /// The move played, with its number; nothing at the end.
    pub mv: String,
    /// White's score before the move, in centipawns.
    pub score: Option<i32>,
}

impl ShownGame {
    /// Every position of a recorded game.
    pub fn new(title: String, game: &Game) -> Result<Self, RecordError> {
        let mut plies = Vec::with_capacity(game.plies().len() + 1);
        let mut last = game.start()?;
        game.replay(|board, ply| {
            let is_white = board.side_to_move() == tabiya_chess::Color::White;
            let dots = if is_white { "." } else { "…" };
            let mv = format!("{}{dots} {}", board.fullmove_number(), board.san(ply.mv));
            let score = ply.score.map(i32::from);
            let score = score.map(|score| if is_white { score } else { -score });
            plies.push(ShownPly { pieces: pieces(board), mv, score });
            last = *board;
            last.play(ply.mv);
        })?;
        plies.push(ShownPly { pieces: pieces(&last), mv: String::new(), score: None });
        Ok(Self { title, result: game.result().to_string(), plies })
    }
}

fn pieces(board: &tabiya_chess::Board) -> String {
    board.to_string().split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::{Board, Color, GameResult};

    #[test]
    fn scores_are_whites_and_the_last_position_is_there() {
        let mut board = Board::default();
        let mut game = Game::new(&board, GameResult::Win(Color::Black)).unwrap();
        for (text, score) in [("f2f3", 10), ("e7e5", 20), ("g2g4", -900), ("d8h4", 29_999)] {
            let mv = board.parse_uci(text).unwrap();
            game.push(mv, Some(score));
            board.play(mv);
        }
        let shown = ShownGame::new("a game".to_owned(), &game).unwrap();
        let moves: Vec<&str> = shown.plies.iter().map(|ply| ply.mv.as_str()).collect();
        assert_eq!(moves, ["1. f3", "1… e5", "2. g4", "2… Qh4#", ""]);
        let scores: Vec<_> = shown.plies.iter().map(|ply| ply.score).collect();
        assert_eq!(scores, [Some(10), Some(-20), Some(-900), Some(-29_999), None]);
        assert_eq!(shown.plies[4].pieces, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR");
        assert_eq!(shown.result, "0-1");
    }
}
