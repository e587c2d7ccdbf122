//! The viriformat of Viridithas, after the layout its crate documents: a board of 32 bytes with the
//! result, then move and score of every ply, then four zeros. The board is ours with other last four
//! bytes; scores and results are White's.

use super::{DecodeError, RecordFault, take};
use crate::data::record::{Game, PackedBoard, RecordError};
use std::io::BufRead;
use tabiya_chess::{Board, Color, GameResult, Move};

/// Flags in the two highest bits of a move.
const EN_PASSANT: u16 = 0x4000;
const CASTLING: u16 = 0x8000;
const PROMOTION: u16 = 0xc000;
/// Ends a game.
const END: [u8; 4] = [0; 4];

/// Appends a game.
pub(super) fn encode(game: &Game, bytes: &mut Vec<u8>) -> Result<(), RecordFault> {
    let result = match game.result() {
        GameResult::Win(Color::Black) => 0,
        GameResult::Draw => 1,
        GameResult::Win(Color::White) => 2,
        GameResult::Unknown => return Err(RecordFault::NoResult),
    };
    let mut board = game.start()?;
    PackedBoard::new(&board)?.encode(bytes);
    bytes.extend([0, 0, result, 0]);
    for (ply, step) in game.plies().iter().enumerate() {
        let score = step.score.ok_or(RecordFault::NoScore { ply })?;
        let white_score = for_white(score, &board);
        bytes.extend(move_bits(step.mv).to_le_bytes());
        bytes.extend(white_score.to_le_bytes());
        let illegal = RecordError::Move { ply, bits: step.mv.to_bits() };
        board.try_play(step.mv).map_err(|_| illegal)?;
    }
    bytes.extend(END);
    Ok(())
}

/// Reads a game and checks its moves.
pub(super) fn decode(reader: &mut impl BufRead) -> Result<Game, DecodeError> {
    let packed: [u8; 28] = take(reader)?;
    let start = PackedBoard::decode(&mut &packed[..])?.to_board()?;
    let [_, _, result, _] = take(reader)?;
    let result = match result {
        0 => GameResult::Win(Color::Black),
        1 => GameResult::Draw,
        2 => GameResult::Win(Color::White),
        code => return Err(RecordError::Result(code).into()),
    };
    let mut game = Game::new(&start, result)?;
    let mut board = start;
    loop {
        let bytes = take(reader)?;
        if bytes == END {
            return Ok(game);
        }
        let ply = game.plies().len();
        if ply == Game::MAX_PLIES {
            return Err(RecordFault::TooLong.into());
        }
        let [bits, score] = [[bytes[0], bytes[1]], [bytes[2], bytes[3]]];
        let bits = u16::from_le_bytes(bits);
        let mv = board.legal_moves().iter().find(|mv| move_bits(*mv) == bits);
        let mv = mv.ok_or(RecordError::Move { ply, bits })?;
        game.push(mv, Some(for_white(i16::from_le_bytes(score), &board)));
        board.play(mv);
    }
}

/// A score from the view of the side to move as White's, and back.
fn for_white(score: i16, board: &Board) -> i16 {
    if board.side_to_move() == Color::White { score } else { score.saturating_neg() }
}

fn move_bits(mv: Move) -> u16 {
    let flags = match mv.promotion() {
        // Knight, bishop, rook, queen.
        Some(kind) => PROMOTION | (kind as u16 - 1) << 12,
        None if mv.is_castling() => CASTLING,
        None if mv.is_en_passant() => EN_PASSANT,
        None => 0,
    };
    flags | (mv.to() as u16) << 6 | mv.from() as u16
}
