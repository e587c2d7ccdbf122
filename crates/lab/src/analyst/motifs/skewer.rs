//! Skewer: a valuable piece must leave a line and the one behind it falls. X-ray: a piece takes through
//! another one that has just taken.

use super::sight::{is_in_danger, is_slider, rank};
use super::{Kind, Motif, PlayedLine};
use tabiya_chess::{PieceType, attacks};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let mut found = Vec::new();
    for ply in line.later_plies() {
        let Some(taken) = line.taken(ply) else { continue };
        let passed = attacks::between(line.from(ply), line.to(ply));
        let answer = ply - 1;
        let stepped_aside = passed.contains(line.from(answer)) && line.to(answer) != line.to(ply);
        if stepped_aside
            && is_slider(line.mover(ply))
            && rank(line.mover(answer)) > rank(taken)
            && is_in_danger(&line.boards[ply], line.to(ply))
            && !line.boards[ply + 1].is_checkmate()
        {
            found.push(Motif { kind: Kind::Skewer, ply: ply - 2 });
        }
        let same_square = line.to(answer) == line.to(ply) && line.to(ply - 2) == line.to(ply);
        if same_square
            && line.mover(answer) != PieceType::King
            && passed.contains(line.from(answer))
        {
            found.push(Motif { kind: Kind::XRayAttack, ply: ply - 2 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn the_king_leaves_and_the_queen_behind_it_falls() {
        let skewer = "q6k/8/8/8/8/8/5PPP/1R4K1 w - - 0 1";
        assert!(!kinds(skewer, &["Rb8+", "Qxb8", "h3"]).contains(&Kind::Skewer));
        let open = "8/q2k4/8/8/8/8/5PPP/6RK w - - 0 1";
        assert!(kinds(open, &["Rd1+", "Ke6", "Rd6+"]).iter().all(|kind| *kind != Kind::Skewer));
        let diagonal = "6q1/8/8/3k4/8/8/2B3PP/6K1 w - - 0 1";
        assert!(kinds(diagonal, &["Bb3+", "Kd4", "Bxg8"]).contains(&Kind::Skewer));
    }
}
