//! Static evaluation: a neural network, or the hand-crafted terms where there is none.
//!
//! [`Evaluation`] says what judges positions and is shared by all threads; each thread follows the
//! search with an `Evaluator` of its own: one enum, matched once per call. The lab may seat a
//! [`Judge`] of its own.

pub mod hce;
mod worth;

use crate::files::read_regular;
use crate::info::Wdl;
use crate::score::{Score, Value, clamp_heuristic};
use crate::wdl;
use hce::PawnTable;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tabiya_chess::{Board, Color, Move, PieceType};
use tabiya_nn::simd::Kernels;
use tabiya_nn::{Accumulators, Delta, NetError, Network};

pub use worth::Worth;

/// The network that was checked and embedded when the program was built; empty if there was none.
static EMBEDDED: &[u8] = include_bytes!(env!("TABIYA_NET"));

/// What judges positions.
#[derive(Clone)]
pub enum Evaluation {
    /// The hand-crafted terms.
    Classical,
    /// A network, run by the kernels of one instruction set.
    Network(Arc<Network>, &'static Kernels),
    /// Something outside the engine: makes one for every thread.
    Other(Arc<dyn Fn() -> Box<dyn Judge> + Send + Sync>),
}

/// Something outside the engine that judges the positions of a search, or looks on while the engine
/// judges them itself. It costs a search without one nothing.
pub trait Judge: Send {
    /// The value for the side to move, which is not in check, in internal units.
    fn evaluate(&mut self, board: &Board) -> i32;

    /// A search starts from a new position.
    fn reset(&mut self, _board: &Board) {}

    /// A move is about to be played on `board`.
    fn push(&mut self, _board: &Board, _mv: Move) {}

    /// The side to move passes.
    fn push_null(&mut self) {}

    /// The last move is taken back.
    fn pop(&mut self) {}
}

/// No network this program knows is as large, whatever its shape.
const LARGEST_NET: u64 = 1 << 30;

/// Why a network file could not be used.
#[derive(Debug)]
pub enum EvalFileError {
    /// The file cannot be read.
    Read(PathBuf, std::io::Error),
    /// The file is no network this program knows.
    Net(PathBuf, NetError),
}

impl fmt::Display for EvalFileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Net(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for EvalFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(_, error) => Some(error),
            Self::Net(_, error) => Some(error),
        }
    }
}

/// Reads and checks a network file.
pub fn read_network(path: &Path) -> Result<Network, EvalFileError> {
    let bytes = read_regular(path, LARGEST_NET)
        .map_err(|error| EvalFileError::Read(path.to_owned(), error))?;
    Network::load(&bytes).map_err(|error| EvalFileError::Net(path.to_owned(), error))
}

impl Evaluation {
    /// The embedded network with the fastest kernels, or the classical terms if there is none.
    pub fn embedded() -> Self {
        static NETWORK: LazyLock<Option<Arc<Network>>> = LazyLock::new(|| {
            let checked = "the embedded network was checked when the program was built";
            let load = || Arc::new(Network::load_checked(EMBEDDED).expect(checked));
            (!EMBEDDED.is_empty()).then(load)
        });
        NETWORK
            .as_ref()
            .map_or(Self::Classical, |network| Self::Network(Arc::clone(network), Kernels::best()))
    }

    /// The same with the kernels of another instruction set, if this machine has it.
    #[must_use]
    pub fn with_kernels(&self, name: &str) -> Option<Self> {
        let kernels = Kernels::named(name)?;
        Some(match self {
            Self::Classical => Self::Classical,
            Self::Network(network, _) => Self::Network(Arc::clone(network), kernels),
            Self::Other(make) => Self::Other(Arc::clone(make)),
        })
    }

    /// The network of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        Ok(Self::Network(Arc::new(Network::load(bytes)?), Kernels::best()))
    }

    /// The network of a file.
    pub fn from_file(path: &Path) -> Result<Self, EvalFileError> {
        Ok(Self::Network(Arc::new(read_network(path)?), Kernels::best()))
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Classical => f.write_str("classical evaluation"),
            Self::Network(network, kernels) => {
                write!(f, "network {:016x} with {} kernels", network.checksum(), kernels.name())
            }
            Self::Other(_) => f.write_str("evaluation from outside the engine"),
        }
    }
}

/// One thread's way of judging positions: it caches and updates as the search moves.
pub(crate) enum Evaluator {
    Classical(Box<PawnTable>),
    Network {
        accumulators: Box<Accumulators>,
        /// Whether endings that are solved can be near.
        near_solved: bool,
    },
    Other(Box<dyn Judge>),
}

/// Searches that start with more pieces judge by the network alone.
const NEAR_SOLVED_PIECES: u32 = 4;

impl Evaluator {
    pub(crate) fn new(evaluation: &Evaluation) -> Self {
        match evaluation {
            Evaluation::Classical => Self::Classical(Box::default()),
            Evaluation::Network(network, kernels) => Self::Network {
                accumulators: Box::new(Accumulators::with_kernels(network, kernels)),
                near_solved: false,
            },
            Evaluation::Other(make) => Self::Other(make()),
        }
    }

    /// The value for the side to move, which must not be in check.
    #[inline]
    pub(crate) fn evaluate(&mut self, board: &Board) -> Value {
        clamp_heuristic(match self {
            Self::Classical(pawns) => hce::evaluate(board, pawns),
            Self::Network { accumulators, near_solved } => {
                match near_solved.then(|| hce::solved(board)).flatten() {
                    Some(value) => value,
                    None => scale_by_material(accumulators.evaluate(board), board),
                }
            }
            Self::Other(judge) => judge.evaluate(board),
        })
    }

    /// Whether the value is knowledge instead of a guess: nothing is to be learned about its error.
    #[inline]
    pub(crate) fn is_certain(&self, board: &Board) -> bool {
        matches!(self, Self::Network { near_solved: true, .. }) && hce::solved(board).is_some()
    }

    /// Starts from a new position.
    pub(crate) fn reset(&mut self, board: &Board) {
        match self {
            Self::Classical(_) => {}
            Self::Network { accumulators, near_solved } => {
                accumulators.reset(board);
                *near_solved = board.occupied().count() <= NEAR_SOLVED_PIECES;
            }
            Self::Other(judge) => judge.reset(board),
        }
    }

    /// Asks the cache for what the value of a position depends on.
    #[inline]
    pub(crate) fn prefetch(&self, board: &Board) {
        if let Self::Classical(pawns) = self {
            pawns.prefetch(board);
        }
    }

    /// Follows a move about to be played on `board`.
    #[inline]
    pub(crate) fn push(&mut self, board: &Board, mv: Move) {
        match self {
            Self::Classical(_) => {}
            Self::Network { accumulators, .. } => accumulators.push(Delta::new(board, mv)),
            Self::Other(judge) => judge.push(board, mv),
        }
    }

    /// Follows a null move.
    #[inline]
    pub(crate) fn push_null(&mut self) {
        match self {
            Self::Classical(_) => {}
            Self::Network { accumulators, .. } => accumulators.push_null(),
            Self::Other(judge) => judge.push_null(),
        }
    }

    /// Takes the last move back.
    #[inline]
    pub(crate) fn pop(&mut self) {
        match self {
            Self::Classical(_) => {}
            Self::Network { accumulators, .. } => accumulators.pop(),
            Self::Other(judge) => judge.pop(),
        }
    }
}

/// The value of a network's output: advantages count for more while there is material to use them with.
#[inline]
pub fn scale_by_material(value: i32, board: &Board) -> i32 {
    let count = |kind| board.kind(kind).count() as Value;
    let material = 3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen);
    value * (192 + material) / 256
}

/// Evaluates positions one by one, without search.
pub struct StaticEvaluator(Evaluator);

impl StaticEvaluator {
    /// Judges by `evaluation`.
    pub fn new(evaluation: &Evaluation) -> Self {
        Self(Evaluator::new(evaluation))
    }

    /// The value of a position for White, in internal units.
    pub fn white_value(&mut self, board: &Board) -> i32 {
        let value = self.value(board);
        if board.side_to_move() == Color::White { value } else { -value }
    }

    /// Centipawns and chances for the side to move, on the scale of search results.
    pub fn score(&mut self, board: &Board) -> (Score, Wdl) {
        let value = self.value(board);
        (Score::Cp(wdl::to_centipawns(value, board)), wdl::of_value(value, board))
    }

    /// The value of a position for the side to move, in internal units.
    pub fn value(&mut self, board: &Board) -> i32 {
        self.0.reset(board);
        self.0.evaluate(board)
    }
}

/// Stands in for the engine's own evaluation, for judges that only look on.
impl Judge for StaticEvaluator {
    fn evaluate(&mut self, board: &Board) -> i32 {
        self.0.evaluate(board)
    }

    fn reset(&mut self, board: &Board) {
        self.0.reset(board);
    }

    fn push(&mut self, board: &Board, mv: Move) {
        self.0.push(board, mv);
    }

    fn push_null(&mut self) {
        self.0.push_null();
    }

    fn pop(&mut self) {
        self.0.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_loads_if_there_is_one() {
        if !EMBEDDED.is_empty() {
            let network = Network::load(EMBEDDED).unwrap();
            assert_eq!(Network::load(&network.save()).unwrap().checksum(), network.checksum());
        }
    }
}
