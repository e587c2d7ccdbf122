//! Nets of another engine that judge positions without a search, so that ours can learn from them.
//!
//! [`Teacher`] is a net of Stockfish 15.1 ([`halfka`]) or 18 ([`threats`]), read by our own code from
//! the files these programs bring along ([`wasm`] finds the one inside Stockfish 18's WebAssembly).
//! A [`Labeller`] is one thread's way of asking it. Weights of a teacher are never part of our nets.

mod bytes;
pub mod halfka;
pub mod seat;
pub mod threats;
pub mod wasm;

pub use halfka::HalfKa;
pub use threats::ThreatNet;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tabiya_chess::{Board, PieceType};
use threats::Sums;

/// Why a file is no such net.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// It begins like something else.
    #[error("not a net of Stockfish (version {0:#x})")]
    Version(u32),
    /// It is too short for the shape, or too long by so many bytes.
    #[error("{}", wrong_size(*.0))]
    Size(Option<usize>),
    /// A packed block has no mark, or its numbers do not fill it.
    #[error("damaged: a block of packed numbers makes no sense")]
    Packed,
}

fn wrong_size(rest: Option<usize>) -> String {
    let nets = "for a net of Stockfish 15.1 or 18";
    match rest {
        None => format!("too short {nets}"),
        Some(rest) => format!("{rest} bytes too long {nets}"),
    }
}

/// A net whose values are taught.
#[derive(Clone)]
pub enum Teacher {
    /// Of Stockfish 15.1.
    HalfKa(Arc<HalfKa>),
    /// Of Stockfish 18.
    Threats(Arc<ThreatNet>),
}

impl Teacher {
    /// Reads a net of either kind.
    pub fn open(path: &Path) -> Result<Self, NetError> {
        let bytes = std::fs::read(path).map_err(NetError::Io)?;
        if ThreatNet::is_meant(&bytes) {
            Ok(Self::Threats(Arc::new(ThreatNet::parse(&bytes)?)))
        } else {
            Ok(Self::HalfKa(Arc::new(HalfKa::parse(&bytes)?)))
        }
    }

    /// The net of a file that several players may sit with: read once, freed after the last.
    pub fn shared(path: &Path) -> Result<Arc<Self>, NetError> {
        static OPEN: Mutex<Vec<(PathBuf, Weak<Teacher>)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, teacher)| teacher.strong_count() > 0);
        let known = open.iter().find(|(known, _)| known == path);
        if let Some(teacher) = known.and_then(|(_, teacher)| teacher.upgrade()) {
            return Ok(teacher);
        }
        let teacher = Arc::new(Self::open(path)?);
        open.push((path.to_owned(), Arc::downgrade(&teacher)));
        Ok(teacher)
    }

    /// Whose values these are.
    pub fn name(&self) -> &'static str {
        match self {
            Self::HalfKa(_) => "Stockfish 15.1",
            Self::Threats(_) => "Stockfish 18",
        }
    }
}

/// Judges one position after the other; quickest where they are alike.
pub struct Labeller(Asked);

/// What a labeller asks, and what it keeps between questions.
enum Asked {
    HalfKa(Arc<HalfKa>),
    Threats(Arc<ThreatNet>, Box<Sums>),
}

impl Labeller {
    /// Asks this teacher.
    pub fn new(teacher: &Teacher) -> Self {
        Self(match teacher {
            Teacher::HalfKa(net) => Asked::HalfKa(Arc::clone(net)),
            Teacher::Threats(net) => Asked::Threats(Arc::clone(net), Box::new(Sums::new(net))),
        })
    }

    /// The static value of a position for the side to move, in the centipawns of the teacher games:
    /// `sigmoid(score / 215)` is the expected result (docs/NETS.md).
    pub fn score(&mut self, board: &Board) -> i32 {
        match &mut self.0 {
            Asked::HalfKa(net) => stockfish15(net.evaluate(board), board),
            Asked::Threats(net, sums) => {
                let value = net.evaluate(board, sums);
                stockfish18(value.psqt + value.positional, board)
            }
        }
    }
}

/// What the pieces but pawns and kings are worth to Stockfish; it trusts its nets more with more of it.
fn material(board: &Board) -> i32 {
    [
        (PieceType::Knight, 781),
        (PieceType::Bishop, 825),
        (PieceType::Rook, 1276),
        (PieceType::Queen, 2538),
    ]
    .iter()
    .map(|(kind, value)| board.kind(*kind).count() as i32 * value)
    .sum()
}

/// Centipawns of a value of Stockfish 15.1. It says 361 units are 100 itself; with 391 the scores fit
/// those of the teacher games best.
fn stockfish15(value: i32, board: &Board) -> i32 {
    value * (1064 + 106 * material(board) / 5120) / 1024 * 100 / 391
}

/// Centipawns of a value of Stockfish 18: 385 units are 100 in its middlegames, and fit best here.
fn stockfish18(value: i32, board: &Board) -> i32 {
    let pawns = 534 * board.kind(PieceType::Pawn).count() as i64;
    let weight = 77_871 + pawns + i64::from(material(board));
    (i64::from(value) * weight * 100 / (77_871 * 385)) as i32
}
