//! The data contract of the lab: games and training positions as checksummed binary files.
//!
//! [`Game`] is a whole game at about four bytes per ply, [`LabelledPosition`] one labelled position in 32
//! bytes. Both travel in files of checksummed blocks ([`Reader`], [`Writer`]) that can be written as
//! a stream, continued after a crash and read with bounded memory. `docs/DATA.md` has the bytes.

mod block;
mod game;
mod packed;
mod position;

pub(crate) use block::BlockPlace;
pub(crate) use block::count;
pub use block::{BlockFault, Header, ReadError, Reader, Writer};
pub use game::{Game, Ply};
pub use packed::PackError;
pub(crate) use packed::PackedBoard;
pub use position::{Kind, LabelledPosition, Verdict};

use tabiya_chess::pgn::Score;

/// Something that can be stored in a file of records.
pub trait Record: Sized {
    /// The first eight bytes of a file of such records.
    const MAGIC: [u8; 8];

    /// Appends the bytes of this record.
    fn encode(&self, bytes: &mut Vec<u8>);

    /// Reads one record from the front of `bytes` and moves `bytes` past it.
    fn decode(bytes: &mut &[u8]) -> Result<Self, RecordError>;
}

/// Why the bytes of a record make no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The record goes on after the end of its block.
    #[error("record: longer than its block")]
    TooShort,
    /// The start position or the position cannot be unpacked.
    #[error("board: {0}")]
    Board(#[from] PackError),
    /// A result that is none of loss, draw and win.
    #[error("result: unknown code {0}")]
    Result(u8),
    /// A move whose bits mean nothing or that the position does not allow.
    #[error("ply {ply}: illegal move with bits {bits:#06x}")]
    Move {
        /// Counted from the start of the game, from 0.
        ply: usize,
        /// The stored bits.
        bits: u16,
    },
}

/// The usual unit of scores: of the own engine, of Stockfish, of the teacher games.
pub const CENTIPAWNS: &str = "centipawns, +100 = 50 % chance to win";

/// The stored form of a mate is this less its distance in moves.
const MATE: i32 = 30_000;

/// How the score of a search is stored: a mate lies beyond any evaluation.
pub(crate) fn stored_score(score: Score) -> i16 {
    let number = match score {
        Score::Centipawns(value) => value.clamp(-(MATE - 1000), MATE - 1000),
        Score::Mate(moves) if moves > 0 => MATE - moves.min(999),
        Score::Mate(moves) => -MATE - moves.max(-999),
    };
    number as i16
}

/// Takes a fixed number of bytes from the front of a slice.
fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], RecordError> {
    let (taken, rest) = bytes.split_first_chunk().ok_or(RecordError::TooShort)?;
    *bytes = rest;
    Ok(*taken)
}
