//! Games as text: a streaming reader and what it finds.

use crate::board::Board;
use crate::errors::{PgnError, detached, guard, os_error};
use crate::position::Position;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tabiya_chess::pgn;

type Input = Box<dyn BufRead + Send>;

/// Reads games one by one, from a file or a string.
#[pyclass(frozen, module = "tabiya")]
pub(crate) struct PgnReader(Mutex<pgn::PgnReader<Input>>);

#[pymethods]
impl PgnReader {
    /// Opens a file.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        let file = File::open(&path).map_err(|error| os_error(&path, error))?;
        Ok(Self::new(Box::new(BufReader::new(file))))
    }

    /// Reads text.
    #[staticmethod]
    fn from_text(text: String) -> Self {
        Self::new(Box::new(Cursor::new(text)))
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PgnGame>> {
        let mut reader = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let reader = &mut *reader;
        let game = detached(py, || Ok(reader.next().transpose()?))?;
        Ok(game.map(PgnGame))
    }
}

impl PgnReader {
    fn new(input: Input) -> Self {
        Self(Mutex::new(pgn::PgnReader::new(input)))
    }
}

/// A game with everything its text says.
#[pyclass(frozen, module = "tabiya")]
pub(crate) struct PgnGame(pgn::PgnGame);

impl PgnGame {
    fn position(&self) -> Position {
        let chess960 = self.0.tag("Variant").is_some_and(|variant| {
            let variant = variant.to_ascii_lowercase();
            variant.contains("960") || variant.contains("fischer")
        });
        Position { game: self.0.to_game(), chess960 }
    }

    /// The main line's moves with the boards before them.
    fn walk<T>(
        &self,
        mut visit: impl FnMut(&tabiya_chess::Board, tabiya_chess::Move) -> T,
    ) -> Vec<T> {
        let game = self.0.to_game();
        let mut board = *game.start();
        let mut seen = Vec::new();
        for mv in game.moves() {
            seen.push(visit(&board, *mv));
            board.play(*mv);
        }
        seen
    }
}

#[pymethods]
impl PgnGame {
    /// The tags in their order.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tags = PyDict::new(py);
        for (name, value) in &self.0.tags {
            tags.set_item(name, value)?;
        }
        Ok(tags)
    }

    /// The FEN before the first move.
    #[getter]
    fn start(&self) -> String {
        self.0.start.to_string()
    }

    /// The moves of the main line.
    #[getter]
    fn moves(&self) -> Vec<String> {
        let chess960 = self.position().chess960;
        self.walk(|board, mv| board.uci(mv, chess960))
    }

    /// The same in algebraic notation.
    #[getter]
    fn san(&self) -> Vec<String> {
        self.walk(tabiya_chess::Board::san)
    }

    /// What is said after each move; empty where nothing is.
    #[getter]
    fn comments(&self) -> Vec<&str> {
        self.0.mainline.moves.iter().map(|step| step.comment.as_str()).collect()
    }

    /// The FEN before each move and after the last.
    fn fens(&self) -> PyResult<Vec<String>> {
        guard(|| {
            let mut fens = self.walk(|board, _| board.to_string());
            fens.push(self.0.to_game().board().to_string());
            Ok(fens)
        })
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> String {
        self.0.result.to_string()
    }

    /// What was wrong with the text, if anything; the game ends before it.
    #[getter]
    fn error(&self) -> Option<String> {
        self.0.error.as_ref().map(ToString::to_string)
    }

    /// Raises what was wrong with the text.
    fn check(&self) -> PyResult<()> {
        self.error().map_or(Ok(()), |error| Err(PgnError::new_err(error)))
    }

    /// The position after the last move, with the game as its history.
    fn board(&self) -> Board {
        Board(self.position())
    }

    /// The game as text, variations and comments included.
    fn __str__(&self) -> PyResult<String> {
        guard(|| Ok(self.0.to_string()))
    }

    fn __repr__(&self) -> String {
        let tag = |name| self.0.tag(name).unwrap_or("?");
        let plies = self.0.mainline.moves.len();
        let (white, black) = (tag("White"), tag("Black"));
        format!("<PgnGame {white} - {black}, {plies} plies, {}>", self.0.result)
    }
}
