//! The rules: `Board` with the vocabulary of python-chess, moves as UCI strings.

use crate::errors::{SanError, check_signals, detached, guard, natural};
use crate::position::{Position, parse_fen, parse_uci};
use crate::results::class;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use tabiya_chess::{Color, File, Game, Move, Rank, Square};

/// Subtrees up to this depth take milliseconds; between them Ctrl-C is heard.
const UNINTERRUPTED_DEPTH: u32 = 5;
/// Nobody counts further, and the stack is finite.
const MAX_PERFT_DEPTH: u32 = 60;

/// What pickle keeps: start position, notation, moves.
type BoardState = (String, bool, Vec<String>);

/// A position with its history.
#[pyclass(module = "tabiya")]
pub(crate) struct Board(pub(crate) Position);

impl Board {
    fn text(&self, mv: Move) -> String {
        self.0.board().uci(mv, self.0.chess960)
    }

    fn texts(&self, moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        moves.into_iter().map(|mv| self.text(mv)).collect()
    }

    fn san_move(&self, san: &str) -> PyResult<Move> {
        let parsed = guard(|| Ok(self.0.board().parse_san(san)))?;
        parsed.map_err(|error| SanError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (fen = None, *, chess960 = false))]
    fn new(fen: Option<&str>, chess960: bool) -> PyResult<Self> {
        let board = guard(|| parse_fen(fen.unwrap_or("startpos"), chess960))?;
        Ok(Self(Position { game: Game::from_board(board), chess960 }))
    }

    /// A board with the position and the moves of a `chess.Board`.
    #[staticmethod]
    fn from_chess(board: &Bound<'_, PyAny>) -> PyResult<Self> {
        guard(|| Position::extract(board, false)).map(Self)
    }

    #[getter]
    fn chess960(&self) -> bool {
        self.0.chess960
    }

    /// The FEN.
    fn fen(&self) -> String {
        self.0.board().to_string()
    }

    /// The FEN with file letters for castling.
    fn shredder_fen(&self) -> String {
        self.0.board().to_shredder_fen()
    }

    /// The FEN without its two counters.
    fn epd(&self) -> String {
        self.0.board().to_epd()
    }

    /// Who moves: `True` is White.
    #[getter]
    fn turn(&self) -> bool {
        self.0.board().side_to_move() == Color::White
    }

    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.0.board().halfmove_clock()
    }

    #[getter]
    fn fullmove_number(&self) -> u16 {
        self.0.board().fullmove_number()
    }

    /// The key of the position: equal positions have equal keys.
    #[getter]
    fn key(&self) -> u64 {
        self.0.board().key()
    }

    /// All legal moves.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        self.texts(self.0.board().legal_moves().iter())
    }

    /// The moves played so far.
    #[getter]
    fn move_stack(&self) -> Vec<String> {
        let mut board = *self.0.game.start();
        let mut texts = Vec::new();
        for mv in self.0.game.moves() {
            texts.push(board.uci(*mv, self.0.chess960));
            board.play(*mv);
        }
        texts
    }

    /// The piece on a square like `"e4"` as its FEN letter.
    fn piece_at(&self, square: &str) -> PyResult<Option<char>> {
        let sq = Square::from_text(square)
            .ok_or_else(|| PyValueError::new_err(format!("square: '{square}' is none")))?;
        Ok(self.0.board().piece_on(sq).map(tabiya_chess::Piece::letter))
    }

    /// Whether a move is legal.
    fn is_legal(&self, uci: &str) -> bool {
        self.0.board().parse_uci(uci).is_ok()
    }

    /// Plays a move.
    fn push(&mut self, uci: &str) -> PyResult<()> {
        guard(|| self.0.push_uci(uci))
    }

    /// Plays a move in algebraic notation and returns it.
    fn push_san(&mut self, san: &str) -> PyResult<String> {
        let mv = self.san_move(san)?;
        let text = self.text(mv);
        self.push(&text)?;
        Ok(text)
    }

    /// Takes the last move back and returns it.
    fn pop(&mut self) -> PyResult<String> {
        let mv = self.0.game.undo().ok_or_else(|| PyIndexError::new_err("no move to take back"))?;
        Ok(self.text(mv))
    }

    /// A move in algebraic notation.
    fn san(&self, uci: &str) -> PyResult<String> {
        guard(|| Ok(self.0.board().san(parse_uci(self.0.board(), uci)?)))
    }

    /// The move that algebraic notation means.
    fn parse_san(&self, san: &str) -> PyResult<String> {
        self.san_move(san).map(|mv| self.text(mv))
    }

    fn is_check(&self) -> bool {
        self.0.board().in_check()
    }

    fn is_checkmate(&self) -> bool {
        self.0.board().is_checkmate()
    }

    fn is_stalemate(&self) -> bool {
        self.0.board().is_stalemate()
    }

    fn is_insufficient_material(&self) -> bool {
        self.0.board().has_insufficient_material()
    }

    /// Whether the game is over without anybody claiming a draw.
    fn is_game_over(&self) -> bool {
        self.0.game.is_over()
    }

    /// How the game ended, draws that could be claimed included.
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(outcome) = self.0.game.outcome() else { return Ok(None) };
        let winner = outcome.winner.map(|winner| winner == Color::White);
        let (reason, result) = (outcome.reason.to_string(), outcome.result().to_string());
        class(py, "Outcome")?.call1((winner, reason, result, outcome.reason.is_claim())).map(Some)
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    fn result(&self) -> String {
        self.0.game.result().to_string()
    }

    /// The number of leaves of the move tree.
    fn perft(&self, py: Python<'_>, #[pyo3(from_py_with = natural)] depth: u32) -> PyResult<u64> {
        check_depth(depth)?;
        let board = *self.0.board();
        detached(py, || count(&board, depth))
    }

    /// The same for each move.
    fn divide(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = natural)] depth: u32,
    ) -> PyResult<Vec<(String, u64)>> {
        check_depth(depth)?;
        let board = *self.0.board();
        let below = depth.saturating_sub(1);
        let counts = detached(py, || {
            board
                .legal_moves()
                .iter()
                .map(|mv| Ok((mv, count(&after(&board, mv), below)?)))
                .collect()
        });
        let counts: Vec<(Move, u64)> = counts?;
        Ok(counts.into_iter().map(|(mv, leaves)| (self.text(mv), leaves)).collect())
    }

    /// A copy with the same history.
    fn copy(&self) -> Self {
        Self(self.0.clone())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0.board() == other.0.board()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.board().key().hash(&mut hasher);
        hasher.finish()
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, BoardState)> {
        let restore = py.import("tabiya")?.getattr("_restore_board")?;
        let start = self.0.game.start().to_shredder_fen();
        Ok((restore, (start, self.0.chess960, self.move_stack())))
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.fen())
    }

    /// The board as a picture of letters.
    fn __str__(&self) -> String {
        let rank_text = |rank: Rank| {
            let letter = |file| {
                let piece = self.0.board().piece_on(Square::new(file, rank));
                piece.map_or('.', tabiya_chess::Piece::letter).to_string()
            };
            File::ALL.map(letter).join(" ")
        };
        let mut ranks = Rank::ALL.map(rank_text);
        ranks.reverse();
        ranks.join("\n")
    }
}

/// The number of leaves of the move tree of a position.
#[pyfunction]
pub(crate) fn perft(
    py: Python<'_>,
    position: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = natural)] depth: u32,
) -> PyResult<u64> {
    Board(Position::extract(position, false)?).perft(py, depth)
}

fn check_depth(depth: u32) -> PyResult<()> {
    if depth <= MAX_PERFT_DEPTH {
        return Ok(());
    }
    let text = format!("depth: {depth} is more than {MAX_PERFT_DEPTH}");
    Err(PyValueError::new_err(text))
}

fn after(board: &tabiya_chess::Board, mv: Move) -> tabiya_chess::Board {
    let mut child = *board;
    child.play(mv);
    child
}

fn count(board: &tabiya_chess::Board, depth: u32) -> PyResult<u64> {
    if depth <= UNINTERRUPTED_DEPTH {
        check_signals()?;
        return Ok(tabiya_chess::perft::count(board, depth));
    }
    board.legal_moves().iter().map(|mv| count(&after(board, mv), depth - 1)).sum()
}
