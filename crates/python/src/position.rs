//! Positions as Python gives them: FEN strings, our boards, and boards of python-chess.

use crate::board::Board as PyBoard;
use crate::errors::{FenError, UciMoveError};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use tabiya_chess::{Board, Game};

/// A position with its history and the way its moves are written.
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) game: Game,
    pub(crate) chess960: bool,
}

impl Position {
    /// Reads whatever can be a position. `chess960` is how FEN strings are meant.
    pub(crate) fn extract(object: &Bound<'_, PyAny>, chess960: bool) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            let board = parse_fen(&text.to_cow()?, chess960)?;
            return Ok(Self { game: Game::from_board(board), chess960 });
        }
        if let Ok(board) = object.cast::<PyBoard>() {
            return Ok(board.borrow().0.clone());
        }
        Self::from_python_chess(object)
    }

    /// A board of python-chess: its start position and the moves since, so that repetitions count.
    fn from_python_chess(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if !object.hasattr(intern!(py, "fen"))? || !object.hasattr(intern!(py, "move_stack"))? {
            let name = object.get_type().qualname()?;
            let expected = "a FEN string, a tabiya.Board or a chess.Board";
            return Err(PyTypeError::new_err(format!("position: {name} is not {expected}")));
        }
        let chess960 = object.getattr(intern!(py, "chess960"))?.extract()?;
        let fen_of = |board: &Bound<'_, PyAny>| -> PyResult<Board> {
            parse_fen(&board.call_method0(intern!(py, "fen"))?.extract::<String>()?, chess960)
        };
        let root = object.call_method0(intern!(py, "root"))?;
        let mut position = Self { game: Game::from_board(fen_of(&root)?), chess960 };
        let moves: Vec<String> = object
            .getattr(intern!(py, "move_stack"))?
            .try_iter()?
            .map(|mv| mv?.call_method0(intern!(py, "uci"))?.extract())
            .collect::<PyResult<_>>()?;
        if moves.iter().any(|mv| mv == "0000") {
            // Null moves are no moves of a game: the history ends at the last of them.
            position.game = Game::from_board(fen_of(object)?);
        } else {
            for mv in &moves {
                position.push_uci(mv)?;
            }
        }
        Ok(position)
    }

    pub(crate) fn board(&self) -> &Board {
        self.game.board()
    }

    /// Plays a move written in coordinates.
    pub(crate) fn push_uci(&mut self, text: &str) -> PyResult<()> {
        let mv = parse_uci(self.board(), text)?;
        self.game.play(mv).map_err(|error| UciMoveError::new_err(error.to_string()))
    }
}

/// Reads a FEN; `startpos` means the starting position, as in UCI.
pub(crate) fn parse_fen(text: &str, chess960: bool) -> PyResult<Board> {
    if text == "startpos" {
        return Ok(Board::default());
    }
    Board::from_fen(text, chess960).map_err(|error| FenError::new_err(error.to_string()))
}

/// Reads a move in coordinates.
pub(crate) fn parse_uci(board: &Board, text: &str) -> PyResult<tabiya_chess::Move> {
    board.parse_uci(text).map_err(|error| UciMoveError::new_err(error.to_string()))
}
