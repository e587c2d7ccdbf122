//! What the engine reports, as the data classes of `python/tabiya/results.py`.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tabiya_chess::{Board, Color, Move};
use tabiya_engine::eval::hce::Explanation;
use tabiya_engine::{Info, InfoBound, Score, SearchResult, Wdl};

/// A data class by name.
pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("tabiya.results")?.getattr(name)
}

/// How a position's lines are written.
#[derive(Clone, Copy)]
pub(crate) struct Notation {
    pub(crate) board: Board,
    pub(crate) chess960: bool,
}

impl Notation {
    pub(crate) fn uci(&self, mv: Option<Move>) -> Option<String> {
        mv.map(|mv| self.board.uci(mv, self.chess960))
    }

    /// A line of moves in coordinates and in algebraic notation.
    pub(crate) fn line(&self, moves: &[Move]) -> (Vec<String>, Vec<String>) {
        let mut board = self.board;
        let mut texts = (Vec::new(), Vec::new());
        for mv in moves {
            texts.0.push(board.uci(*mv, self.chess960));
            texts.1.push(board.san(*mv));
            board.play(*mv);
        }
        texts
    }

    pub(crate) fn score<'py>(
        &self,
        py: Python<'py>,
        score: Score,
        wdl: Wdl,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wdl = class(py, "Wdl")?.call1((wdl.win, wdl.draw, wdl.loss))?;
        let white = self.board.side_to_move() == Color::White;
        class(py, "Score")?.call1((score.centipawns(), score.mate(), wdl, white))
    }

    /// One reported line.
    pub(crate) fn info<'py>(&self, py: Python<'py>, info: &Info) -> PyResult<Bound<'py, PyAny>> {
        let bound = info.bound.map(|bound| match bound {
            InfoBound::Lower => "lower",
            InfoBound::Upper => "upper",
        });
        let (pv, san) = self.line(&info.line);
        class(py, "Line")?.call1((
            info.multi_pv,
            info.depth,
            info.seldepth,
            self.score(py, info.score, info.wdl)?,
            bound,
            info.nodes,
            info.time.as_secs_f64(),
            info.nps(),
            info.hashfull,
            info.tb_hits,
            PyTuple::new(py, pv)?,
            PyTuple::new(py, san)?,
        ))
    }

    /// A finished search with its lines, best first.
    pub(crate) fn analysis<'py>(
        &self,
        py: Python<'py>,
        lines: &[Info],
        result: &SearchResult,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wdl = lines.first().map_or_else(|| finished_wdl(result.score), |line| line.wdl);
        let lines: Vec<_> =
            lines.iter().map(|line| self.info(py, line)).collect::<PyResult<_>>()?;
        let (pv, san) = self.line(&result.line);
        class(py, "Analysis")?.call1((
            self.uci(result.best),
            pv.get(1),
            self.score(py, result.score, wdl)?,
            result.depth,
            result.nodes,
            result.time.as_secs_f64(),
            PyTuple::new(py, pv.clone())?,
            PyTuple::new(py, san)?,
            PyTuple::new(py, lines)?,
        ))
    }
}

/// The hand-crafted evaluation term by term, beside the score of what judges.
pub(crate) fn explanation<'py>(
    py: Python<'py>,
    score: Bound<'py, PyAny>,
    explanation: &Explanation,
) -> PyResult<Bound<'py, PyAny>> {
    let term = class(py, "Term")?;
    let terms: Vec<_> = explanation
        .rows
        .iter()
        .map(|row| {
            let side =
                |score: tabiya_engine::eval::hce::Score| (score.middlegame(), score.endgame());
            term.call1((&row.name, side(row.white), side(row.black)))
        })
        .collect::<PyResult<_>>()?;
    let pieces = pyo3::types::PyDict::new(py);
    for (sq, worth) in tabiya_chess::Square::ALL.iter().zip(&explanation.worth.0) {
        if let Some((_, worth)) = worth {
            pieces.set_item(sq.to_string(), worth)?;
        }
    }
    class(py, "Explanation")?.call1((
        score,
        PyTuple::new(py, terms)?,
        pieces,
        explanation.phase,
        explanation.scale,
        explanation.value,
        explanation.to_string(),
    ))
}

/// The chances when no line was reported: the game is over.
pub(crate) fn finished_wdl(score: Score) -> Wdl {
    match score {
        Score::Mate(_) => Wdl { win: 0, draw: 0, loss: 1000 },
        Score::Cp(_) | Score::Tablebase(_) => Wdl { win: 0, draw: 1000, loss: 0 },
    }
}

/// Numbers that can be laid out as the bytes of a column.
pub(crate) trait Number: Copy {
    /// The letter of the type in Python's `struct` module.
    const FORMAT: &str;
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! number {
    ($($kind:ty => $format:literal),+) => {$(
        impl Number for $kind {
            const FORMAT: &str = $format;
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_ne_bytes());
            }
        }
    )+};
}
number!(i8 => "b", u8 => "B", i16 => "h", u16 => "H", i32 => "i", u64 => "Q", f32 => "f");

/// Columns under construction: names with numbers or texts.
pub(crate) struct Columns<'py> {
    py: Python<'py>,
    columns: Vec<Bound<'py, PyTuple>>,
}

impl<'py> Columns<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { py, columns: Vec::new() }
    }

    /// A column of numbers; with `width` a table with rows of that many.
    pub(crate) fn numbers<N: Number>(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = N>,
        width: Option<usize>,
    ) -> PyResult<Self> {
        let mut bytes = Vec::new();
        values.into_iter().for_each(|value| value.append(&mut bytes));
        let bytes = PyBytes::new(self.py, &bytes);
        self.columns.push((name, N::FORMAT, bytes, width).into_pyobject(self.py)?);
        Ok(self)
    }

    /// A column of anything else, as a list.
    pub(crate) fn list<T>(mut self, name: &str, values: Vec<T>) -> PyResult<Self>
    where
        Vec<T>: IntoPyObject<'py>,
    {
        let values = values.into_bound_py_any(self.py)?;
        let column = (name, self.py.None(), values, self.py.None());
        self.columns.push(column.into_pyobject(self.py)?);
        Ok(self)
    }

    pub(crate) fn build(self) -> PyResult<Bound<'py, PyAny>> {
        self.py.import("tabiya.columns")?.getattr("Columns")?.call1((self.columns,))
    }
}
