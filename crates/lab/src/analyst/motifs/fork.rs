//! Fork: a piece attacks two pieces at once, each worth more than itself or undefended, and is not
//! simply taken.

use super::sight::{attacked_from, attackers, is_defended, is_in_danger, rank};
use super::{Kind, Motif, PlayedLine};
use tabiya_chess::{Bitboard, Board, PieceType, Square};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    // What the last move attacks is never taken, so nobody knows whether it could be.
    let last = line.moves.len().saturating_sub(1);
    let mut plies = line.solver_plies().filter(|ply| *ply < last);
    let ply = plies.find(|ply| targets(line, *ply).several());
    ply.map(|ply| Motif { kind: Kind::Fork, ply }).into_iter().collect()
}

/// A fork whose piece takes one of its targets with its next move.
pub(super) fn that_wins(line: &PlayedLine) -> Option<Motif> {
    line.solver_plies().find_map(|ply| {
        let targets = targets(line, ply);
        let next = *line.moves.get(ply + 2)?;
        let wins = targets.several() && next.from() == line.to(ply) && targets.contains(next.to());
        wins.then_some(Motif { kind: Kind::Fork, ply })
    })
}

/// What the piece that has just moved forks.
fn targets(line: &PlayedLine, ply: usize) -> Bitboard {
    let (board, square) = (&line.boards[ply + 1], line.to(ply));
    if line.mover(ply) == PieceType::King || is_in_danger(board, square) {
        return Bitboard::EMPTY;
    }
    let enemies = board.color(!line.solver()) - board.kind(PieceType::Pawn);
    let is_target = |target: &Square| is_target(board, square, *target);
    (attacked_from(board, square) & enemies)
        .into_iter()
        .filter(is_target)
        .fold(Bitboard::EMPTY, |all, target| all | Bitboard::of(target))
}

fn is_target(board: &Board, from: Square, target: Square) -> bool {
    let (Some(taker), Some(piece)) = (board.piece_on(from), board.piece_on(target)) else {
        return false;
    };
    let hits_back = attackers(board, piece.color(), from).contains(target);
    rank(piece.kind()) > rank(taker.kind()) || !is_defended(board, target) && !hits_back
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn a_royal_fork_is_a_fork_and_a_pair_of_defended_pieces_is_none() {
        let fork = "7k/3q4/8/3N4/8/8/5PPP/6K1 w - - 0 1";
        assert!(!kinds(fork, &["Nf6"]).contains(&Kind::Fork), "the last move is no proof");
        let royal = "6k1/3q4/8/3N4/8/8/5PPP/6K1 w - - 0 1";
        assert!(kinds(royal, &["Nf6+", "Kg7", "Nxd7"]).contains(&Kind::Fork));
        let taken = "6k1/3q2p1/8/3N4/8/8/5PPP/6K1 w - - 0 1";
        assert!(!kinds(taken, &["Nf6+", "gxf6", "h3"]).contains(&Kind::Fork));
    }
}
