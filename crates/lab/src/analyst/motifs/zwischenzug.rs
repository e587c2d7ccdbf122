//! Zwischenzug (intermezzo): the solver could have taken back at once, made another move first, and
//! takes back then.

use super::sight::attackers;
use super::{Kind, Motif, PlayedLine};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let ply = line.later_plies().find(|ply| is_late(line, *ply));
    ply.map(|ply| Motif { kind: Kind::Intermezzo, ply: ply - 2 }).into_iter().collect()
}

fn is_late(line: &PlayedLine, ply: usize) -> bool {
    let (between, answer) = (ply - 2, ply - 1);
    let square = line.to(ply);
    if line.taken(ply).is_none() || line.to(between) == square {
        return false;
    }
    // The answer had nothing to do with the square.
    let guards = attackers(&line.boards[answer], !line.solver(), square);
    if guards.contains(line.from(answer)) {
        return false;
    }
    let arrival = match between.checked_sub(1) {
        Some(earlier) => Some((line.boards[earlier], line.moves[earlier])),
        None => line.before,
    };
    arrival.is_some_and(|(_, mv)| {
        mv.is_capture() && mv.to() == square && line.boards[between].is_legal(line.moves[ply])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::parse_line;
    use tabiya_chess::Board;

    #[test]
    fn a_check_before_taking_back() {
        let before: Board = "3r2k1/5ppp/8/8/3N4/4B3/5PPP/2R3K1 b - - 0 1".parse().unwrap();
        let moves = parse_line(&before, &["Rxd4", "Rc8+", "Rd8", "Rxd8#"]);
        assert!(
            find(&PlayedLine::after(&before, moves[0], &moves[1..])).is_empty(),
            "the rook ran"
        );
        let before: Board = "3r3k/5ppp/8/8/3N4/4B3/5PPP/2R3K1 b - - 0 1".parse().unwrap();
        let moves = parse_line(&before, &["Rxd4", "h3", "h6", "Bxd4"]);
        assert_eq!(
            find(&PlayedLine::after(&before, moves[0], &moves[1..]))[0].kind,
            Kind::Intermezzo
        );
    }
}
