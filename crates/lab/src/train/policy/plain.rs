//! A plain ordering of moves without any search, to compare a policy with: captures and promotions
//! that do not lose material, by what they win, then quiet moves by how much better the piece stands,
//! then moves that lose material.

use tabiya_chess::{Board, Color, Move, PieceType, Square};
use tabiya_engine::see_ge;

const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];
const WINNING: i32 = 10_000;

/// How many legal moves come before this one.
pub(crate) fn rank(board: &Board, played: Move) -> usize {
    let score = order(board, played);
    board.legal_moves().iter().filter(|mv| order(board, *mv) > score).count()
}

fn order(board: &Board, mv: Move) -> i32 {
    let kind = board.piece_on(mv.from()).map_or(PieceType::Pawn, tabiya_chess::Piece::kind);
    let gain = board.captured(mv).map_or(0, |kind| VALUES[kind])
        + mv.promotion().map_or(0, |kind| VALUES[kind] - VALUES[PieceType::Pawn]);
    let side = board.side_to_move();
    let place =
        square_worth(kind, Board::landing_square(mv), side) - square_worth(kind, mv.from(), side);
    let class = if !see_ge(board, mv, 0) {
        -WINNING
    } else if gain > 0 {
        WINNING
    } else {
        0
    };
    class + 10 * gain - if gain > 0 { VALUES[kind] } else { 0 } + place
}

/// How well a piece stands: pawns far ahead, pieces in the centre, the king in a corner of its own.
fn square_worth(kind: PieceType, sq: Square, side: Color) -> i32 {
    let from_edge = |coordinate: usize| coordinate.min(7 - coordinate) as i32;
    let rank = sq.rank().relative_to(side).index();
    let centre = from_edge(sq.file().index()) + from_edge(rank);
    match kind {
        PieceType::Pawn => 6 * rank as i32 + 4 * from_edge(sq.file().index()),
        PieceType::Knight => 12 * centre,
        PieceType::Bishop => 6 * centre,
        PieceType::Rook => 2 * from_edge(sq.file().index()) + if rank == 6 { 15 } else { 0 },
        PieceType::Queen => 2 * centre,
        PieceType::King => -8 * centre,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hanging_queen_comes_first_and_a_loss_last() {
        let board: Board = "4k3/8/3p4/q3p3/3P4/1N6/8/4K3 w - - 0 1".parse().unwrap();
        assert_eq!(rank(&board, board.parse_uci("b3a5").unwrap()), 0);
        let board: Board = "4k3/8/3p4/2p5/8/1N6/8/4K3 w - - 0 1".parse().unwrap();
        let rank_of = |text: &str| rank(&board, board.parse_uci(text).unwrap());
        for quiet in ["b3a1", "b3c1", "b3d2", "e1e2"] {
            assert!(rank_of(quiet) < rank_of("b3c5"), "{quiet}");
        }
    }
}
