//! Trapped piece: a piece that is attacked, wherever it goes, and is taken in the end.

use super::sight::{is_in_danger, pin_line};
use super::{Kind, Motif, PlayedLine};
use crate::analyst::insight::worth;
use tabiya_chess::{Board, PieceType, Square};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let is_prey = |ply: &usize| {
        if line.taken(*ply).is_none_or(|kind| kind == PieceType::Pawn) {
            return false;
        }
        let answer = ply - 1;
        // It may have run once more before it was taken.
        let ran = line.to(answer) == line.to(*ply);
        let square = if ran { line.from(answer) } else { line.to(*ply) };
        is_trapped(&line.boards[answer], square)
    };
    let ply = line.later_plies().find(is_prey);
    ply.map(|ply| Motif { kind: Kind::TrappedPiece, ply: ply - 2 }).into_iter().collect()
}

/// Whether a piece of the side to move is attacked and has no good square.
fn is_trapped(board: &Board, square: Square) -> bool {
    let Some(piece) = board.piece_on(square) else { return false };
    let may_run = !matches!(piece.kind(), PieceType::Pawn | PieceType::King);
    let bound = board.in_check() || pin_line(board, square).is_some();
    if !may_run || bound || piece.color() != board.side_to_move() || !is_in_danger(board, square) {
        return false;
    }
    board.legal_moves().iter().filter(|mv| mv.from() == square).all(|mv| {
        let pays = board.captured(mv).is_some_and(|taken| worth(taken) >= worth(piece.kind()));
        let mut after = *board;
        after.play(mv);
        !pays && is_in_danger(&after, mv.to())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn a_bishop_behind_a_pawn_is_trapped() {
        // The bishop has taken on a7 and b6 shuts it in.
        let fen = "2k5/Bpp5/8/8/8/8/5PPP/6K1 b - - 0 1";
        let found = kinds(fen, &["b6", "h3", "Kb7", "h4", "Kxa7"]);
        assert!(found.contains(&Kind::TrappedPiece), "{found:?}");
        let free = "2k5/1pp5/8/4B3/8/8/5PPP/6K1 b - - 0 1";
        assert!(!kinds(free, &["b6", "h3", "Kb7"]).contains(&Kind::TrappedPiece));
    }
}
