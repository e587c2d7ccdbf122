//! Sacrifice: somewhere in the line, after a move of his own, the solver is down by two pawns or more,
//! and no promotion of the opponent's is the reason.

use super::{Kind, Motif, PlayedLine};
use crate::analyst::insight::balance;

/// What must be missing, in pawns.
const OFFERED: i32 = 2;

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let solver = line.solver();
    let start = balance(&line.boards[0], solver);
    let opponent_promotes = line.moves.iter().skip(1).step_by(2).any(|mv| mv.is_promotion());
    let down = |ply: &usize| balance(&line.boards[ply + 1], solver) - start <= -OFFERED;
    let ply = line.later_plies().find(down).filter(|_| !opponent_promotes);
    ply.map(|ply| Motif { kind: Kind::Sacrifice, ply: ply - 2 }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn a_piece_for_the_attack_is_a_sacrifice_and_an_exchange_is_none() {
        // Greek gift.
        let fen = "rnbq1rk1/pppn1ppp/4p3/3pP3/1b1P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 1";
        let found = kinds(fen, &["Bxh7+", "Kxh7", "Ng5+", "Kg8", "Qh5"]);
        assert!(found.contains(&Kind::Sacrifice) && found.contains(&Kind::Attraction), "{found:?}");
        let trade = kinds(fen, &["O-O", "Bxc3", "bxc3"]);
        assert!(!trade.contains(&Kind::Sacrifice));
    }
}
