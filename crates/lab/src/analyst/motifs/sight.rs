//! Who attacks and defends what.

use crate::analyst::insight::worth;
use tabiya_chess::{Bitboard, Board, Color, PieceType, Square, attacks};

/// What a piece is worth, with the king above all.
pub(super) fn rank(kind: PieceType) -> i32 {
    if kind == PieceType::King { 99 } else { worth(kind) }
}

/// Pieces of a side that attack a square.
pub(super) fn attackers(board: &Board, color: Color, square: Square) -> Bitboard {
    board.attackers_to(square, board.occupied()) & board.color(color)
}

/// What the piece on a square attacks.
pub(super) fn attacked_from(board: &Board, square: Square) -> Bitboard {
    board.piece_on(square).map_or(Bitboard::EMPTY, |piece| {
        attacks::of(piece.kind(), piece.color(), square, board.occupied())
    })
}

/// Rooks, bishops and queens.
pub(super) const fn is_slider(kind: PieceType) -> bool {
    matches!(kind, PieceType::Bishop | PieceType::Rook | PieceType::Queen)
}

/// Whether the piece on a square can be taken back if it is taken, also from behind the taker.
pub(super) fn is_defended(board: &Board, square: Square) -> bool {
    let Some(piece) = board.piece_on(square) else { return false };
    if attackers(board, piece.color(), square).any() {
        return true;
    }
    attackers(board, !piece.color(), square).into_iter().any(|taker| {
        let slides = board.piece_on(taker).is_some_and(|piece| is_slider(piece.kind()));
        let without = board.occupied() - Bitboard::of(taker);
        slides && (board.attackers_to(square, without) & board.color(piece.color())).any()
    })
}

/// Whether the piece on a square is attacked and undefended, or attacked by something cheaper.
pub(super) fn is_in_danger(board: &Board, square: Square) -> bool {
    let Some(piece) = board.piece_on(square) else { return false };
    let takers = attackers(board, !piece.color(), square);
    let is_cheaper = |taker: Square| {
        board.piece_on(taker).is_some_and(|taker| {
            taker.kind() != PieceType::King && worth(taker.kind()) < worth(piece.kind())
        })
    };
    takers.any() && (!is_defended(board, square) || takers.into_iter().any(is_cheaper))
}

/// The whole line on which a piece is pinned to its king; `None` if it is not.
pub(super) fn pin_line(board: &Board, square: Square) -> Option<Bitboard> {
    let piece = board.piece_on(square).filter(|piece| piece.kind() != PieceType::King)?;
    let king = board.king(piece.color());
    let line = attacks::line(king, square);
    if line.is_empty() || !(attacks::between(king, square) & board.occupied()).is_empty() {
        return None;
    }
    let without = board.occupied() - Bitboard::of(square);
    let pinner = (board.attackers_to(king, without) & line & board.color(!piece.color()))
        .into_iter()
        .find(|pinner| {
            attacks::between(king, *pinner).contains(square)
                && board.piece_on(*pinner).is_some_and(|piece| is_slider(piece.kind()))
        });
    pinner.map(|_| line)
}
