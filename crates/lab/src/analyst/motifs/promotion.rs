//! Promotion, to a queen or to something less, and taking en passant.

use super::{Kind, Motif, PlayedLine};
use tabiya_chess::PieceType;

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let mut found = Vec::new();
    for ply in line.solver_plies() {
        let mv = line.moves[ply];
        if let Some(kind) = mv.promotion() {
            found.push(Motif { kind: Kind::Promotion, ply });
            if kind != PieceType::Queen {
                found.push(Motif { kind: Kind::UnderPromotion, ply });
            }
        }
        if mv.is_en_passant() {
            found.push(Motif { kind: Kind::EnPassant, ply });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn pawns_become_pieces() {
        let fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        assert_eq!(kinds(fen, &["a8=Q"]), [Kind::Promotion]);
        assert!(kinds(fen, &["a8=N"]).contains(&Kind::UnderPromotion));
        assert_eq!(kinds("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &["exd6"]), [Kind::EnPassant]);
    }
}
