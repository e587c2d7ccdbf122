//! What a position is worth, in centipawns, to the side that is to move.

use tabiya_chess::{Board, Color, PieceType, Square};

/// Centipawns of each type of piece. A king is never traded, so it needs no price.
pub(crate) const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];

pub(crate) fn evaluate(board: &Board) -> i32 {
    let us = board.side_to_move();
    side(board, us) - side(board, !us)
}

fn side(board: &Board, us: Color) -> i32 {
    let pieces = board.occupied() - board.kind(PieceType::Pawn) - board.kind(PieceType::King);
    let endgame = pieces.count() <= 4;
    let mut total = 0;
    for kind in PieceType::ALL {
        let own = board.pieces(us, kind);
        total += VALUES[kind] * own.count() as i32;
        for square in own {
            total += place(kind, square.relative_to(us), endgame);
        }
    }
    // With the game nearly won, drive the other king to the edge and bring our own closer.
    if endgame && board.pieces(us, PieceType::Pawn).is_empty() && !board.has_non_pawns(!us) {
        let (own, other) = (board.king(us), board.king(!us));
        total += 20 * (6 - centre(other)) - 5 * distance(own, other);
    }
    total
}

/// A small bonus for standing well; `square` is seen from the piece's own side.
fn place(kind: PieceType, square: Square, endgame: bool) -> i32 {
    let rank = square.rank() as i32;
    match kind {
        PieceType::Pawn => rank * rank + centre(square),
        PieceType::Knight => 8 * centre(square),
        PieceType::Bishop => 4 * centre(square),
        PieceType::Rook => 5 * i32::from(rank == 6) + centre(square),
        PieceType::Queen => centre(square),
        PieceType::King if endgame => 8 * centre(square),
        PieceType::King => -20 * rank - 5 * centre(square),
    }
}

/// 0 in a corner, 6 on the four squares in the middle.
fn centre(square: Square) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    file.min(7 - file) + rank.min(7 - rank)
}

fn distance(a: Square, b: Square) -> i32 {
    let files = (a.file() as i32 - b.file() as i32).abs();
    let ranks = (a.rank() as i32 - b.rank() as i32).abs();
    files + ranks
}
