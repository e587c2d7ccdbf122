//! Lines of text: a game or a labelled position each.

use crate::data::record::{Game, LabelledPosition, PackError, Verdict};
use tabiya_chess::{Board, Color, Epd, EpdError, FenError, GameResult, UciMoveError};

/// Why a line is no game or position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// A field that is not there.
    #[error("{0}: missing")]
    Missing(&'static str),
    /// The position cannot be read.
    #[error("position: {0}")]
    Fen(#[source] FenError),
    /// Not an EPD.
    #[error(transparent)]
    Epd(EpdError),
    /// The position has too many pieces to be stored.
    #[error("position: {0}")]
    Pack(#[source] PackError),
    /// A result that is not one of those the format knows.
    #[error("result: cannot be '{0}'")]
    Result(String),
    /// A score that is no number of 16 bits.
    #[error("score: cannot be '{0}'")]
    Score(String),
    /// A move that cannot be read or is not legal.
    #[error("ply {ply}: {error}")]
    Move {
        /// Within the game, from 1.
        ply: usize,
        /// What is wrong.
        #[source]
        error: UciMoveError,
    },
}

/// Reads `FEN|RESULT|MOVE SCORE ...`. Empty lines and comments give `None`.
pub(super) fn game(line: &str) -> Result<Option<Game>, LineError> {
    if is_comment(line) {
        return Ok(None);
    }
    let mut fields = line.split('|');
    let mut field = |name| fields.next().map(str::trim).ok_or(LineError::Missing(name));
    let mut board = read_board(field("position")?)?;
    let result = match field("result")? {
        "1" => GameResult::Win(Color::White),
        "=" => GameResult::Draw,
        "0" => GameResult::Win(Color::Black),
        "*" => GameResult::Unknown,
        other => return Err(LineError::Result(shorten(other))),
    };
    let mut game = Game::new(&board, result).map_err(LineError::Pack)?;
    let mut words = field("moves")?.split_ascii_whitespace();
    let mut ply = 0;
    while let Some(word) = words.next() {
        ply += 1;
        let mv = board.parse_uci(word).map_err(|error| LineError::Move { ply, error })?;
        let score = words.next().ok_or(LineError::Missing("score of the last move"))?;
        game.push(mv, Some(read_score(score)?));
        board.play(mv);
    }
    Ok(Some(game))
}

/// Reads `FEN | SCORE | RESULT`, also with commas or semicolons between.
pub(crate) fn position(line: &str) -> Result<Option<LabelledPosition>, LineError> {
    if is_comment(line) {
        return Ok(None);
    }
    let separator = ['|', ';', ','].into_iter().find(|c| line.contains(*c)).unwrap_or('|');
    let mut fields = line.split(separator).map(|field| field.trim().trim_matches('"'));
    let mut field = |name| fields.next().ok_or(LineError::Missing(name));
    let board = read_board(field("position")?)?;
    let white_score = read_score(field("score")?)?;
    let result = match field("result")? {
        "1.0" | "1" | "1-0" => GameResult::Win(Color::White),
        "0.5" | "1/2-1/2" => GameResult::Draw,
        "0.0" | "0" | "0-1" => GameResult::Win(Color::Black),
        other => return Err(LineError::Result(shorten(other))),
    };
    let side = board.side_to_move();
    let score = if side == Color::White { white_score } else { -white_score.max(-i16::MAX) };
    let verdict = Verdict::of(result, side).ok_or(LineError::Missing("result"))?;
    LabelledPosition::new(&board, score, verdict).map(Some).map_err(LineError::Pack)
}

/// Reads EPD with `ce` and `c9`.
pub(super) fn epd(line: &str) -> Result<Option<LabelledPosition>, LineError> {
    if is_comment(line) {
        return Ok(None);
    }
    let epd = Epd::parse(line, true).map_err(LineError::Epd)?;
    let score = epd.number("ce").ok_or(LineError::Missing("ce"))?;
    let score = i16::try_from(score).map_err(|_| LineError::Score(score.to_string()))?;
    let result = epd.text("c9").ok_or(LineError::Missing("c9"))?;
    let result = GameResult::from_text(result)
        .and_then(|result| Verdict::of(result, epd.board.side_to_move()))
        .ok_or_else(|| LineError::Result(shorten(result)))?;
    LabelledPosition::new(&epd.board, score, result).map(Some).map_err(LineError::Pack)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().is_empty() || line.starts_with('#')
}

fn read_board(fen: &str) -> Result<Board, LineError> {
    Board::from_fen(fen, true).map_err(LineError::Fen)
}

fn read_score(text: &str) -> Result<i16, LineError> {
    text.parse().map_err(|_| LineError::Score(shorten(text)))
}

/// Foreign text as a message may show it.
fn shorten(text: &str) -> String {
    text.chars().take(20).flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2|1|d1h5 12 \
                        b8c6 -10 f1c4 3000 g8f6 -3000 h5f7 3000";

    #[test]
    fn a_game_is_read_with_scores_and_checked() {
        let game = game(LINE).unwrap().unwrap();
        assert_eq!(game.result(), GameResult::Win(Color::White));
        let scores: Vec<_> = game.plies().iter().filter_map(|ply| ply.score).collect();
        assert_eq!(scores, [12, -10, 3000, -3000, 3000]);
        assert_eq!(game.replay(|_, _| ()), Ok(()));
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        for (line, message) in [
            (LINE.replace("b8c6", "b8d6"), "ply 2: illegal move b8d6"),
            (LINE.replace("|1|", "|2|"), "result: cannot be '2'"),
            (LINE.replace(" 12 ", " x "), "score: cannot be 'x'"),
            (LINE.replace(" h5f7 3000", " h5f7"), "score of the last move: missing"),
            (LINE.replace("/8/4p3", ""), "position: pieces: 6 ranks, not 8"),
            ("8/8/8/8 w".into(), "position: pieces: 4 ranks, not 8"),
        ] {
            assert_eq!(game(&line).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn positions_turn_to_the_side_to_move() {
        let text = "4k3/8/8/8/8/8/4q3/K7 b - - 0 40 | -900 | 0.0";
        for text in [text.to_owned(), text.replace(" | ", ",")] {
            let position = position(&text).unwrap().unwrap();
            assert_eq!((position.score, position.verdict), (900, Verdict::Win));
        }
    }
}
