//! Perpetual check: a position comes again, and every move of the solver in between gave check.

use super::{Kind, Motif, PlayedLine};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let last = line.moves.len();
    let again = line.boards[..last].iter().rposition(|board| board.key() == line.end().key());
    let perpetual = again.filter(|start| {
        let solver_plies = (*start..last).filter(|ply| ply % 2 == 0);
        solver_plies.into_iter().all(|ply| line.boards[ply + 1].in_check())
    });
    perpetual.map(|ply| Motif { kind: Kind::PerpetualCheck, ply }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn the_queen_checks_for_ever() {
        let fen = "5k2/5p1p/8/6Q1/8/8/5q1P/7K w - - 0 1";
        let checks = ["Qd8+", "Kg7", "Qg5+", "Kf8"];
        assert!(kinds(fen, &checks).contains(&Kind::PerpetualCheck));
        assert!(!kinds(fen, &checks[..3]).contains(&Kind::PerpetualCheck));
    }
}
