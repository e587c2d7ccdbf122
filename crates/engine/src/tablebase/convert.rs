//! Our board as a position of the crate that reads the tables. This is the only place where the two
//! meet.

use shakmaty::{Bitboard, ByColor, ByRole, CastlingMode, Chess, FromSetup, Setup};
use std::num::NonZeroU32;
use tabiya_chess::{Board, Color, PieceType};

/// The same position; `None` where the other crate sees none, or where somebody may still castle,
/// which no table knows.
pub(super) fn to_position(board: &Board) -> Option<Chess> {
    if board.castling_rooks().any() {
        return None;
    }
    let of_kind = |kind| Bitboard(board.kind(kind).0);
    let roles = ByRole {
        pawn: of_kind(PieceType::Pawn),
        knight: of_kind(PieceType::Knight),
        bishop: of_kind(PieceType::Bishop),
        rook: of_kind(PieceType::Rook),
        queen: of_kind(PieceType::Queen),
        king: of_kind(PieceType::King),
    };
    let of_color = |color| Bitboard(board.color(color).0);
    let colors = ByColor { white: of_color(Color::White), black: of_color(Color::Black) };
    let setup = Setup {
        board: shakmaty::Board::try_from_bitboards(roles, colors).ok()?,
        promoted: Bitboard::EMPTY,
        pockets: None,
        turn: shakmaty::Color::from_white(board.side_to_move() == Color::White),
        castling_rights: Bitboard::EMPTY,
        // Both crates count squares from a1 along the ranks.
        ep_square: board.en_passant().map(|sq| shakmaty::Square::new(sq.index() as u32)),
        remaining_checks: None,
        halfmoves: u32::from(board.halfmove_clock()),
        fullmoves: NonZeroU32::MIN,
    };
    // A set-up position may be one that no game reaches; tables know it all the same.
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .ok()
}
