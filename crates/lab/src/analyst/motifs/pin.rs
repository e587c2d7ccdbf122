//! Pin: a piece that may not leave a line, because its king stands behind it, and suffers from it: it
//! cannot take what it attacks, or cannot run from an attacker on that line.

use super::sight::{attacked_from, attackers, is_defended, pin_line};
use super::{Kind, Motif, PlayedLine};
use crate::analyst::insight::worth;
use tabiya_chess::{Bitboard, Board, Square};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let them = !line.solver();
    let suffers = |ply: &usize| {
        let board = &line.boards[ply + 1];
        board.color(them).into_iter().any(|square| {
            pin_line(board, square).is_some_and(|pin| {
                cannot_take(board, square, pin) || cannot_run(board, square, pin)
            })
        })
    };
    let ply = line.solver_plies().find(suffers);
    ply.map(|ply| Motif { kind: Kind::Pin, ply }).into_iter().collect()
}

/// Whether the pinned piece would otherwise take something valuable or undefended.
fn cannot_take(board: &Board, square: Square, pin: Bitboard) -> bool {
    let Some(piece) = board.piece_on(square) else { return false };
    let victims = (attacked_from(board, square) & board.color(!piece.color())) - pin;
    victims.into_iter().any(|victim| {
        let value = board.piece_on(victim).map_or(0, |piece| worth(piece.kind()));
        value > worth(piece.kind()) || !is_defended(board, victim)
    })
}

/// Whether the pinned piece is attacked along the pin by something cheaper, or without defence.
fn cannot_run(board: &Board, square: Square, pin: Bitboard) -> bool {
    let Some(piece) = board.piece_on(square) else { return false };
    let takers = attackers(board, !piece.color(), square) & pin;
    takers.into_iter().any(|taker| {
        let value = board.piece_on(taker).map_or(0, |piece| worth(piece.kind()));
        let hits_back = attackers(board, piece.color(), taker).contains(square);
        worth(piece.kind()) > value
            || !is_defended(board, square) && !hits_back && could_move(board, square, pin)
    })
}

/// Whether the piece had somewhere to go if it were not pinned.
fn could_move(board: &Board, square: Square, pin: Bitboard) -> bool {
    let Some(piece) = board.piece_on(square) else { return false };
    let reach = attacked_from(board, square) - board.color(piece.color());
    if piece.kind() != tabiya_chess::PieceType::Pawn {
        return (reach - pin).any();
    }
    let takes = reach & board.color(!piece.color());
    let ahead = Bitboard::of(square).forward(piece.color()) - board.occupied();
    ((takes | ahead) - pin).any()
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn a_pinned_piece_must_suffer() {
        // The rook cannot leave the long diagonal.
        let falls = "7k/8/5r2/8/8/8/6PP/2B3K1 w - - 0 1";
        assert!(kinds(falls, &["Bb2", "Kg7", "Bxf6+"]).contains(&Kind::Pin));
        let safe = "4k3/4n3/3p4/8/8/2b5/8/R5K1 w - - 0 1";
        assert!(!kinds(safe, &["Ra8+"]).contains(&Kind::Pin));
    }
}
