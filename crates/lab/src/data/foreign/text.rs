//! Records as lines of text, in the forms that the import reads.

use super::RecordFault;
use crate::data::record::{Game, LabelledPosition, RecordError, Verdict};
use std::io::Write;
use tabiya_chess::{Board, Color, GameResult};

/// `FEN|RESULT|MOVE SCORE ...`, scores from the side to move.
pub(super) fn game(game: &Game, bytes: &mut Vec<u8>) -> Result<(), RecordFault> {
    let mut board = game.start()?;
    let result = match game.result() {
        GameResult::Win(Color::White) => "1",
        GameResult::Draw => "=",
        GameResult::Win(Color::Black) => "0",
        GameResult::Unknown => "*",
    };
    let start = board.to_shredder_fen();
    let mut moves = Vec::with_capacity(game.plies().len());
    for (ply, step) in game.plies().iter().enumerate() {
        let score = step.score.ok_or(RecordFault::NoScore { ply })?;
        moves.push(format!("{} {score}", board.uci(step.mv, true)));
        let illegal = RecordError::Move { ply, bits: step.mv.to_bits() };
        board.try_play(step.mv).map_err(|_| illegal)?;
    }
    write_line(bytes, &format!("{start}|{result}|{}", moves.join(" ")));
    Ok(())
}

/// `FEN | SCORE | RESULT`, score and result from White's side.
pub(super) fn position(
    position: &LabelledPosition,
    bytes: &mut Vec<u8>,
) -> Result<(), RecordFault> {
    fields(position, " | ", bytes)
}

/// The same between commas.
pub(super) fn row(position: &LabelledPosition, bytes: &mut Vec<u8>) -> Result<(), RecordFault> {
    fields(position, ",", bytes)
}

fn fields(
    position: &LabelledPosition,
    between: &str,
    bytes: &mut Vec<u8>,
) -> Result<(), RecordFault> {
    let board = position.to_board()?;
    let (score, result) = for_white(position, &board);
    let points = match result {
        GameResult::Win(Color::White) => "1.0",
        GameResult::Win(Color::Black) => "0.0",
        _ => "0.5",
    };
    write_line(bytes, &format!("{}{between}{score}{between}{points}", board.to_shredder_fen()));
    Ok(())
}

/// EPD with the score from the side to move as `ce` and the result as `c9`.
pub(super) fn epd(position: &LabelledPosition, bytes: &mut Vec<u8>) -> Result<(), RecordFault> {
    let board = position.to_board()?;
    let (_, result) = for_white(position, &board);
    let [clock, number] = [board.halfmove_clock(), board.fullmove_number()];
    let fen = board.to_shredder_fen();
    let placement: Vec<_> = fen.split(' ').take(4).collect();
    let score = position.score;
    let line = format!(
        "{} hmvc {clock}; fmvn {number}; ce {score}; c9 \"{result}\";",
        placement.join(" ")
    );
    write_line(bytes, &line);
    Ok(())
}

/// Score and result as White sees them.
fn for_white(position: &LabelledPosition, board: &Board) -> (i16, GameResult) {
    let side = board.side_to_move();
    let result = match position.verdict {
        Verdict::Win => GameResult::Win(side),
        Verdict::Draw => GameResult::Draw,
        Verdict::Loss => GameResult::Win(!side),
    };
    let score = position.score;
    (if side == Color::White { score } else { score.saturating_neg() }, result)
}

fn write_line(bytes: &mut Vec<u8>, line: &str) {
    // Writing to memory cannot fail.
    let _ = writeln!(bytes, "{line}");
}
