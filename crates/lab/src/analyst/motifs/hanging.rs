//! Hanging piece: the first move takes a piece that nobody defends, and this is not just the second
//! half of an exchange.

use super::sight::is_defended;
use super::{Kind, Motif, PlayedLine};
use crate::analyst::insight::{balance, worth};
use tabiya_chess::PieceType;

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let hangs = is_hanging(line);
    hangs.then_some(Motif { kind: Kind::HangingPiece, ply: 0 }).into_iter().collect()
}

fn is_hanging(line: &PlayedLine) -> bool {
    if line.moves.is_empty() || line.moves[0].is_en_passant() {
        return false;
    }
    let Some(taken) = line.taken(0).filter(|kind| *kind != PieceType::Pawn) else { return false };
    let square = line.to(0);
    if is_defended(&line.boards[0], square) {
        return false;
    }
    // Whoever has just taken something as good there was going to be taken back.
    let traded = line.before.and_then(|(board, mv)| {
        let arrived = mv.to() == square;
        board.captured(mv).filter(|before| arrived && worth(*before) >= worth(taken))
    });
    if traded.is_some() {
        return false;
    }
    let solver = line.solver();
    line.boards
        .get(3)
        .is_none_or(|later| balance(later, solver) >= balance(&line.boards[1], solver))
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn nobody_defends_it() {
        let hangs = "4k3/8/8/3n4/8/5B2/5PPP/6K1 w - - 0 1";
        assert!(kinds(hangs, &["Bxd5"]).contains(&Kind::HangingPiece));
        let defended = "4k3/8/4p3/3n4/8/5B2/5PPP/6K1 w - - 0 1";
        assert!(!kinds(defended, &["Bxd5"]).contains(&Kind::HangingPiece));
    }
}
