//! A whole game: start position, result, and move and score of every ply.

use super::packed::{PackError, PackedBoard};
use super::{Record, RecordError, take};
use tabiya_chess::{Board, Color, GameResult, Move};

/// The stored score that means "none".
const NO_SCORE: i16 = i16::MIN;

/// A move and the score of the position before it, from the view of the side that moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move played.
    pub mv: Move,
    /// The score in the unit the file names, if there is one.
    pub score: Option<i16>,
}

/// A game whose moves are all legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    start: PackedBoard,
    result: GameResult,
    plies: Vec<Ply>,
}

impl Game {
    /// Most plies that fit.
    pub const MAX_PLIES: usize = u16::MAX as usize;

    /// A game without moves.
    pub fn new(start: &Board, result: GameResult) -> Result<Self, PackError> {
        Ok(Self { start: PackedBoard::new(start)?, result, plies: Vec::new() })
    }

    /// Appends a ply. The caller vouches for its legality; beyond [`Game::MAX_PLIES`] it is dropped.
    pub fn push(&mut self, mv: Move, score: Option<i16>) {
        if self.plies.len() < Self::MAX_PLIES {
            // The lowest number is taken.
            self.plies.push(Ply { mv, score: score.map(|score| score.max(-i16::MAX)) });
        }
    }

    /// The position the game starts from.
    pub fn start(&self) -> Result<Board, PackError> {
        self.start.to_board()
    }

    /// How the game ended.
    pub fn result(&self) -> GameResult {
        self.result
    }

    /// All plies in order.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Calls `visit` with every position and the ply played in it, checking each move.
    pub fn replay(&self, mut visit: impl FnMut(&Board, Ply)) -> Result<(), RecordError> {
        let mut board = self.start()?;
        for (index, ply) in self.plies.iter().enumerate() {
            if !board.is_legal(ply.mv) {
                return Err(RecordError::Move { ply: index, bits: ply.mv.to_bits() });
            }
            visit(&board, *ply);
            board.play(ply.mv);
        }
        Ok(())
    }
}

impl Record for Game {
    const MAGIC: [u8; 8] = *b"TabiyaGm";

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.start.encode(bytes);
        bytes.extend((self.plies.len() as u16).to_le_bytes());
        bytes.extend([result_code(self.result), 0]);
        for ply in &self.plies {
            bytes.extend(ply.mv.to_bits().to_le_bytes());
            bytes.extend(ply.score.unwrap_or(NO_SCORE).to_le_bytes());
        }
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, RecordError> {
        let start = PackedBoard::decode(bytes)?;
        let count = u16::from_le_bytes(take(bytes)?);
        let [code, _spare] = take(bytes)?;
        let result = result_of(code).ok_or(RecordError::Result(code))?;
        let mut plies = Vec::with_capacity(count as usize);
        for ply in 0..count as usize {
            let bits = u16::from_le_bytes(take(bytes)?);
            let score = i16::from_le_bytes(take(bytes)?);
            let mv = Move::from_bits(bits).ok_or(RecordError::Move { ply, bits })?;
            plies.push(Ply { mv, score: (score != NO_SCORE).then_some(score) });
        }
        Ok(Self { start, result, plies })
    }
}

fn result_code(result: GameResult) -> u8 {
    match result {
        GameResult::Win(Color::Black) => 0,
        GameResult::Draw => 1,
        GameResult::Win(Color::White) => 2,
        GameResult::Unknown => 3,
    }
}

fn result_of(code: u8) -> Option<GameResult> {
    Some(match code {
        0 => GameResult::Win(Color::Black),
        1 => GameResult::Draw,
        2 => GameResult::Win(Color::White),
        3 => GameResult::Unknown,
        _ => return None,
    })
}
