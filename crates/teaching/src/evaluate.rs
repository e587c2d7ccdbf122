//! What a position is worth, in centipawns, to the side that is to move.

use tabiya_chess::{Board, Color, PieceType, Square};

/// Centipawns of each type of piece. A king is never traded, so it needs no price.
pub(crate) const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];

pub(crate) fn evaluate(board: &Board) -> i32 {
    let us = board.side_to_move();
    side(board, us) - side(board, !us)
}

fn side(board: &Board, us: Color) -> i32 {
    let endgame = (board.occupied() - board.kind(PieceType::Pawn)).count() <= 6;
    let mut total = 0;
    for kind in PieceType::ALL {
        let own = board.pieces(us, kind);
        total += VALUES[kind] * own.count() as i32;
        for square in own {
            total += place(kind, square.relative_to(us), endgame);
        }
    }
    // Mating a king that has nothing left takes our own king, too.
    if endgame && !board.has_non_pawns(!us) {
        total -= 5 * distance(board.king(us), board.king(!us));
    }
    total
}

/// A small bonus for standing well; `square` is seen from the piece's own side.
fn place(kind: PieceType, square: Square, endgame: bool) -> i32 {
    let rank = square.rank() as i32;
    match kind {
        PieceType::Pawn => rank * rank + centre(square),
        PieceType::King if endgame => 20 * centre(square),
        PieceType::King => -20 * rank - 5 * centre(square),
        _ => 4 * centre(square),
    }
}

/// 0 in a corner, 6 on the four squares in the middle.
fn centre(square: Square) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    file.min(7 - file) + rank.min(7 - rank)
}

fn distance(a: Square, b: Square) -> i32 {
    (a.file() as i32 - b.file() as i32).abs() + (a.rank() as i32 - b.rank() as i32).abs()
}
