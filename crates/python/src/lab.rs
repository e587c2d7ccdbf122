//! The lab's files: games and training positions as columns, networks in and out.

use crate::errors::{NetError, RecordError, detached, in_file, os_error};
use crate::results::{Columns, class};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyTuple;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tabiya_chess::{Color, PieceType};
use tabiya_engine::eval::Evaluation;
use tabiya_lab::data::import::{self, ImportError, TextFormat};
use tabiya_lab::data::record::{Game, Header, LabelledPosition, ReadError, Reader};
use tabiya_nn::{HeadParts, Network, Parts, Shape, SingleParts, View};

/// Most pieces of a position: the width of the feature columns.
const MOST_PIECES: usize = 32;
/// The width of the hidden layer says nothing about features.
const ANY_HIDDEN: usize = Shape::HIDDEN[0];

fn read_error(path: &Path, error: ReadError) -> PyErr {
    match error {
        ReadError::Io(error) => os_error(path, error),
        error => RecordError::new_err(in_file(path, &error)),
    }
}

fn header<'py>(py: Python<'py>, header: &Header) -> PyResult<Bound<'py, PyAny>> {
    class(py, "RecordHeader")?.call1((&header.score_unit, &header.description))
}

/// Reads a file of recorded games one by one.
#[pyclass(frozen, module = "tabiya.lab")]
pub(crate) struct GameReader {
    path: PathBuf,
    header: Header,
    state: Mutex<GameState>,
}

struct GameState {
    reader: Reader<Game>,
    block: std::vec::IntoIter<Game>,
}

impl GameState {
    fn next(&mut self) -> Result<Option<Game>, ReadError> {
        loop {
            if let Some(game) = self.block.next() {
                return Ok(Some(game));
            }
            match self.reader.next_block()? {
                Some(block) => self.block = block.into_iter(),
                None => return Ok(None),
            }
        }
    }
}

#[pymethods]
impl GameReader {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let reader = Reader::open(&path).map_err(|error| read_error(&path, error))?;
        let header = reader.header().clone();
        let state = Mutex::new(GameState { reader, block: Vec::new().into_iter() });
        Ok(Self { path, header, state })
    }

    /// What the file says about itself.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        header(py, &self.header)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let next = detached(py, || state.next().map_err(|error| read_error(&self.path, error)))?;
        next.map(|game| self.recorded(py, &game)).transpose()
    }
}

impl GameReader {
    fn recorded<'py>(&self, py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
        let wrong =
            |error: &dyn std::fmt::Display| RecordError::new_err(in_file(&self.path, &error));
        let start = game.start().map_err(|error| wrong(&error))?;
        let (mut moves, mut scores) = (Vec::new(), Vec::new());
        game.replay(|board, ply| {
            moves.push(board.uci(ply.mv, false));
            scores.push(ply.score);
        })
        .map_err(|error| wrong(&error))?;
        class(py, "RecordedGame")?.call1((
            start.to_string(),
            game.result().to_string(),
            PyTuple::new(py, moves)?,
            PyTuple::new(py, scores)?,
        ))
    }
}

/// Reads a file of training positions block by block, as columns.
#[pyclass(frozen, module = "tabiya.lab")]
pub(crate) struct PositionReader {
    path: PathBuf,
    header: Header,
    shape: Shape,
    reader: Mutex<Reader<LabelledPosition>>,
}

#[pymethods]
impl PositionReader {
    #[new]
    #[pyo3(signature = (path, *, king_buckets = 1))]
    fn new(path: PathBuf, king_buckets: usize) -> PyResult<Self> {
        let shape = Shape::new(ANY_HIDDEN, king_buckets, 1)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let reader = Reader::open(&path).map_err(|error| read_error(&path, error))?;
        let header = reader.header().clone();
        Ok(Self { path, header, shape, reader: Mutex::new(reader) })
    }

    /// What the file says about itself.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        header(py, &self.header)
    }

    /// The number of features, and the number that fills empty slots.
    #[getter]
    fn features(&self) -> usize {
        self.shape.features()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut reader = self.reader.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let reader = &mut *reader;
        let next = detached(py, || {
            let block = reader.next_block().map_err(|error| read_error(&self.path, error))?;
            Ok(block.map(|block| {
                let own = self.features_of(&block, |side| side);
                let other = self.features_of(&block, |side| !side);
                (block, own, other)
            }))
        })?;
        let Some((block, own, other)) = next else { return Ok(None) };
        let white = |position: &LabelledPosition| u8::from(position.side_to_move() == Color::White);
        Columns::new(py)
            .numbers("own_features", own, Some(MOST_PIECES))?
            .numbers("other_features", other, Some(MOST_PIECES))?
            .numbers("score", block.iter().map(|position| position.score), None)?
            .numbers("result", block.iter().map(|position| position.verdict.points()), None)?
            .numbers("white_to_move", block.iter().map(white), None)?
            .numbers("pieces", block.iter().map(|position| position.piece_count() as u8), None)?
            .numbers("ply", block.iter().map(|position| position.ply() as u16), None)?
            .build()
            .map(Some)
    }
}

impl PositionReader {
    /// The features as one side sees them, a fixed number per position.
    fn features_of(&self, block: &[LabelledPosition], perspective: fn(Color) -> Color) -> Vec<i32> {
        let mut features = vec![self.shape.features() as i32; block.len() * MOST_PIECES];
        for (position, row) in block.iter().zip(features.chunks_mut(MOST_PIECES)) {
            let side = perspective(position.side_to_move());
            let is_king = |piece: tabiya_chess::Piece| {
                piece.kind() == PieceType::King && piece.color() == side
            };
            // Files may hold positions without kings; they have no features.
            let Some((_, king)) = position.pieces().find(|(piece, _)| is_king(*piece)) else {
                continue;
            };
            let view = View::new(self.shape, side, king);
            for (slot, (piece, sq)) in row.iter_mut().zip(position.pieces()) {
                *slot = view.feature(piece, sq) as i32;
            }
        }
        features
    }
}

/// Reads games or positions as text into a record file. Returns records and positions written.
#[pyfunction]
pub(crate) fn import_text(
    py: Python<'_>,
    format: &str,
    inputs: Vec<PathBuf>,
    output: PathBuf,
    score_unit: String,
    description: String,
) -> PyResult<(u64, u64)> {
    let format = match format {
        "games" => TextFormat::Games,
        "positions" => TextFormat::Positions,
        _ => {
            let text = format!("format: '{format}' is neither games nor positions");
            return Err(PyValueError::new_err(text));
        }
    };
    let header = Header { score_unit, description };
    let done = detached(py, || {
        import::run(format, &inputs, &output, &header, 1, |_| {}).map_err(|error| match error {
            ImportError::Read(path, error) | ImportError::Write(path, error) => {
                os_error(&path, error)
            }
            error => RecordError::new_err(error.to_string()),
        })
    })?;
    Ok((done.records, done.positions))
}

/// A network file, or the embedded network.
fn load(path: Option<&Path>) -> PyResult<Network> {
    match path {
        Some(path) => {
            let bytes = std::fs::read(path).map_err(|error| os_error(path, error))?;
            Network::load(&bytes).map_err(|error| NetError::new_err(in_file(path, &error)))
        }
        None => match Evaluation::embedded() {
            Evaluation::Network(network, _) => Ok((*network).clone()),
            Evaluation::Classical | Evaluation::Other(_) => {
                Err(NetError::new_err("no network is embedded"))
            }
        },
    }
}

/// Shape, checksum and provenance of a network.
#[pyfunction]
#[pyo3(signature = (path = None))]
pub(crate) fn network_info(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Bound<'_, PyAny>> {
    let info = detached(py, || load(path.as_deref()))?.info();
    class(py, "NetworkInfo")?.call1((
        info.shape.hidden(),
        info.shape.king_buckets(),
        info.shape.output_buckets(),
        info.parameters,
        format!("{:016x}", info.checksum),
        info.provenance,
    ))
}

/// The quantised weights of a network, a column per layer.
#[pyfunction]
#[pyo3(signature = (path = None))]
pub(crate) fn read_weights(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Bound<'_, PyAny>> {
    let network = detached(py, || load(path.as_deref()))?;
    let (shape, parts) = (network.shape(), network.to_parts());
    let columns = Columns::new(py)
        .numbers("ft_weights", parts.ft_weights, Some(shape.hidden()))?
        .numbers("ft_bias", parts.ft_bias, None)?;
    match (parts.head, shape.tail()) {
        (HeadParts::Deep(deep), Some(tail)) => columns
            .numbers("first_weights", deep.first_weights, Some(2 * shape.activations()))?
            .numbers("first_bias", deep.first_bias, Some(tail.first.outputs))?
            .numbers("second_weights", deep.second_weights, Some(tail.second.outputs))?
            .numbers("second_bias", deep.second_bias, Some(tail.second.outputs))?
            .numbers("output_weights", deep.output_weights, Some(tail.second.outputs))?
            .numbers("output_bias", deep.output_bias, None)?,
        (HeadParts::Single(single), _) => columns
            .numbers("output_weights", single.output_weights, Some(2 * shape.hidden()))?
            .numbers("output_bias", single.output_bias, None)?,
        (HeadParts::Deep(_), None) => columns,
    }
    .build()
}

/// Writes a network file from quantised weights.
#[pyfunction]
#[pyo3(signature = (path, *, hidden, king_buckets, output_buckets, ft_weights, ft_bias, output_weights, output_bias, provenance))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn write_network(
    py: Python<'_>,
    path: PathBuf,
    hidden: usize,
    king_buckets: usize,
    output_buckets: usize,
    ft_weights: &Bound<'_, PyAny>,
    ft_bias: &Bound<'_, PyAny>,
    output_weights: &Bound<'_, PyAny>,
    output_bias: &Bound<'_, PyAny>,
    provenance: String,
) -> PyResult<()> {
    let parts = Parts {
        ft_weights: numbers(py, ft_weights)?,
        ft_bias: numbers(py, ft_bias)?,
        threat_weights: Vec::new(),
        head: HeadParts::Single(SingleParts {
            output_weights: numbers(py, output_weights)?,
            output_bias: numbers(py, output_bias)?,
        }),
    };
    detached(py, || {
        let wrong = |error: tabiya_nn::NetError| NetError::new_err(error.to_string());
        let shape = Shape::new(hidden, king_buckets, output_buckets).map_err(wrong)?;
        let network = Network::from_parts(shape, &parts, &provenance).map_err(wrong)?;
        tabiya_lab::work::replace(&path, &network.save()).map_err(|error| os_error(&path, error))
    })
}

/// The numbers of an array of any shape.
fn numbers<N: Element>(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Vec<N>> {
    PyBuffer::get(array)?.to_vec(py)
}
