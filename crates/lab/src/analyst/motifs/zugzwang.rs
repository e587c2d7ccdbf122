//! Zugzwang: whoever is to move would rather not. Only a search can tell.

use super::PlayedLine;
use crate::analyst::insight::{Thinker, chances};
use tabiya_chess::PieceType;

/// How much passing must be better, in chances from -1 to 1.
const WORSE: f64 = 0.3;
/// Part of the budget for each look.
const LOOK: u32 = 4;

/// Whether some move of the line leaves the opponent in zugzwang: not in check, with kings, pawns and at
/// most one other piece a side, and better off if he could pass.
pub fn is_zugzwang(thinker: &mut Thinker, line: &PlayedLine) -> bool {
    line.solver_plies().any(|ply| {
        let board = &line.boards[ply + 1];
        let plain = board.kind(PieceType::King) | board.kind(PieceType::Pawn);
        let few = [!line.solver(), line.solver()]
            .iter()
            .all(|color| (board.color(*color) - plain).count() <= 1);
        if !few || board.in_check() || !board.has_legal_move() || line.taken(ply).is_some() {
            return false;
        }
        let mut passed = *board;
        passed.play_null();
        if passed.in_check() {
            return false;
        }
        let moving = chances(thinker.glance(board, &[], LOOK).score);
        let passing = -chances(thinker.glance(&passed, &[], LOOK).score);
        passing - moving >= WORSE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::{Budget, parse_line};
    use tabiya_chess::Board;

    #[test]
    fn the_trebuchet_is_zugzwang_for_whoever_moves() {
        let mut thinker = Thinker::new(4, Budget::Nodes(40_000)).unwrap();
        let board: Board = "8/8/8/2p1K3/1kP5/8/8/8 w - - 0 1".parse().unwrap();
        let line = PlayedLine::new(&board, &parse_line(&board, &["Kd5"]));
        assert!(is_zugzwang(&mut thinker, &line));
        let middle = PlayedLine::new(&Board::default(), &parse_line(&Board::default(), &["e4"]));
        assert!(!is_zugzwang(&mut thinker, &middle));
    }
}
