//! One labelled position in 32 bytes.

use super::packed::{PackError, PackedBoard};
use super::{Record, RecordError, take};
use tabiya_chess::{Board, Color, GameResult, Piece, Square};

/// How a game ended for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Verdict {
    /// The side to move lost.
    Loss = 0,
    /// A draw.
    Draw = 1,
    /// The side to move won.
    Win = 2,
}

impl Verdict {
    /// How a game ended for one side; `None` for an unknown result.
    pub fn of(result: GameResult, side: Color) -> Option<Self> {
        match result {
            GameResult::Win(winner) if winner == side => Some(Self::Win),
            GameResult::Win(_) => Some(Self::Loss),
            GameResult::Draw => Some(Self::Draw),
            GameResult::Unknown => None,
        }
    }

    /// 0, 0.5 or 1.
    #[inline]
    pub fn points(self) -> f32 {
        self as u8 as f32 * 0.5
    }

    fn from_code(code: u8) -> Result<Self, RecordError> {
        match code {
            0 => Ok(Self::Loss),
            1 => Ok(Self::Draw),
            2 => Ok(Self::Win),
            _ => Err(RecordError::Result(code)),
        }
    }
}

/// What is going on in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Kind {
    /// Nobody has said.
    #[default]
    Unknown = 0,
    /// Neither side could win material at once.
    Quiet = 1,
    /// One of them could.
    Noisy = 2,
}

impl Kind {
    fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Quiet,
            2 => Self::Noisy,
            _ => Self::Unknown,
        }
    }
}

/// A position with its score and the result of its game, both for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelledPosition {
    board: PackedBoard,
    /// The score in the unit its file names.
    pub score: i16,
    /// How the game ended.
    pub verdict: Verdict,
    /// Quiet or not, if its maker said so.
    pub kind: Kind,
}

const _: () = assert!(size_of::<LabelledPosition>() == 32);

impl LabelledPosition {
    /// Labels a position.
    pub fn new(board: &Board, score: i16, verdict: Verdict) -> Result<Self, PackError> {
        Ok(Self { board: PackedBoard::new(board)?, score, verdict, kind: Kind::Unknown })
    }

    /// The position itself. Files may hold positions that are not legal; training does not mind.
    pub fn to_board(&self) -> Result<Board, PackError> {
        self.board.to_board()
    }

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    /// Every piece and its square.
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> {
        self.board.pieces()
    }

    /// How many pieces there are, kings included: 2 to 32.
    #[inline]
    pub fn piece_count(&self) -> u32 {
        self.board.piece_count()
    }

    /// Plies since the start of the game, by the move number.
    pub fn ply(&self) -> u32 {
        self.board.ply()
    }
}

impl Record for LabelledPosition {
    const MAGIC: [u8; 8] = *b"TabiyaPs";

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.board.encode(bytes);
        bytes.extend(self.score.to_le_bytes());
        bytes.extend([self.verdict as u8, self.kind as u8]);
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, RecordError> {
        let board = PackedBoard::decode(bytes)?;
        let score = i16::from_le_bytes(take(bytes)?);
        let [verdict, kind] = take(bytes)?;
        let verdict = Verdict::from_code(verdict)?;
        Ok(Self { board, score, verdict, kind: Kind::from_code(kind) })
    }
}
