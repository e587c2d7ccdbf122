//! The chess positions of the bullet trainer (crate `bulletformat`): 32 bytes, always White to move.

use super::{DecodeError, RecordFault, take};
use crate::data::record::{LabelledPosition, PackError, RecordError, Verdict};
use bulletformat::ChessBoard;
use std::io::BufRead;
use tabiya_chess::{Board, Color, Piece, PieceType, Setup, Square};

/// Most pieces that fit.
const MAX_PIECES: u32 = 32;

/// Appends a position.
pub(super) fn encode(position: &LabelledPosition, bytes: &mut Vec<u8>) -> Result<(), RecordFault> {
    let board = position.to_board()?;
    // The side to move becomes White.
    let board = if board.side_to_move() == Color::White { board } else { board.mirrored() };
    let packed = pack(&board, position).map_err(RecordFault::Bullet)?;
    bytes.extend(packed.occ.to_le_bytes());
    bytes.extend(packed.pcs);
    bytes.extend(packed.score.to_le_bytes());
    bytes.extend([packed.result, packed.ksq, packed.opp_ksq]);
    bytes.extend(packed.extra);
    Ok(())
}

fn pack(board: &Board, position: &LabelledPosition) -> Result<ChessBoard, String> {
    let sides = Color::ALL.map(|color| board.color(color).0);
    let kinds = PieceType::ALL.map(|kind| board.kind(kind).0);
    let mut bitboards = [0; 8];
    bitboards[..2].copy_from_slice(&sides);
    bitboards[2..].copy_from_slice(&kinds);
    ChessBoard::from_raw(bitboards, 0, position.score, position.verdict.points())
}

/// Reads a position.
pub(super) fn decode(reader: &mut impl BufRead) -> Result<LabelledPosition, DecodeError> {
    let occ = u64::from_le_bytes(take(reader)?);
    let pcs = take(reader)?;
    let score = i16::from_le_bytes(take(reader)?);
    let [result, ksq, opp_ksq] = take(reader)?;
    let extra = take(reader)?;
    if occ.count_ones() > MAX_PIECES {
        return Err(PackError::Pieces(occ.count_ones()).into());
    }
    let mut setup = Setup::empty();
    for (code, square) in (ChessBoard { occ, pcs, score, result, ksq, opp_ksq, extra }) {
        let color = if code < 8 { Color::White } else { Color::Black };
        let kind = PieceType::from_index(code as usize & 7);
        if let Some(square) = Square::from_index(square as usize) {
            let kind = kind.ok_or(PackError::Nibble(code, square))?;
            setup.pieces[square] = Some(Piece::new(color, kind));
        }
    }
    // Without castling rights and en passant there is little to repair: impossible checks, pawns.
    let (board, _) = setup.to_board_lenient(true).map_err(PackError::Setup)?;
    let verdict = match result {
        0 => Verdict::Loss,
        1 => Verdict::Draw,
        2 => Verdict::Win,
        code => return Err(RecordError::Result(code).into()),
    };
    Ok(LabelledPosition::new(&board, score, verdict)?)
}
