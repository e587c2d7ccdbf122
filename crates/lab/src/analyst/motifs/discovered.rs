//! Discovered attack: a piece leaves a line and another takes along it. Discovered check: the piece
//! that stayed gives check. Double check: two pieces give check.

use super::{Kind, Motif, PlayedLine};
use tabiya_chess::{Bitboard, attacks};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let mut found = Vec::new();
    for ply in line.solver_plies() {
        let checkers = line.boards[ply + 1].checkers();
        if checkers.several() {
            found.push(Motif { kind: Kind::DoubleCheck, ply });
        }
        let arrived = Bitboard::of(line.to(ply));
        if (checkers - arrived).is_empty() || line.moves[ply].is_castling() {
            continue;
        }
        found.push(Motif { kind: Kind::DiscoveredCheck, ply });
        // In a double check it is the piece that moved which hurts.
        if !checkers.intersects(arrived) {
            found.push(Motif { kind: Kind::DiscoveredAttack, ply });
        }
    }
    found.extend(attack(line).map(|ply| Motif { kind: Kind::DiscoveredAttack, ply }));
    found
}

/// The move that opened the line for a later capture, whose target had not moved in between.
fn attack(line: &PlayedLine) -> Option<usize> {
    for ply in line.later_plies().filter(|ply| line.taken(*ply).is_some()) {
        let (from, to) = (line.from(ply), line.to(ply));
        if line.to(ply - 1) == to {
            // A mere taking back; what follows it is another story.
            return None;
        }
        let opener = ply - 2;
        let opened: Bitboard = attacks::between(from, to);
        if opened.contains(line.from(opener))
            && line.to(opener) != to
            && line.to(opener) != from
            && !line.moves[opener].is_castling()
        {
            return Some(opener);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn the_piece_behind_takes() {
        // The bishop gives check and opens the file for the queen.
        let fen = "r1b1kb1r/ppp2ppp/2n5/3q4/3B4/3B4/PPP2PPP/R2QK2R w KQkq - 0 1";
        let found = kinds(fen, &["Bb5", "Qxb5", "h3"]);
        assert!(!found.contains(&Kind::DiscoveredAttack));
        let open = "rnb1kbnr/ppp2ppp/8/3q4/8/3B4/PPP2PPP/RNBQK1NR w KQkq - 0 1";
        let found = kinds(open, &["Bb5+", "c6", "Qxd5"]);
        assert!(found.contains(&Kind::DiscoveredAttack), "{found:?}");
        assert!(!found.contains(&Kind::DiscoveredCheck) && !found.contains(&Kind::DoubleCheck));
        // Reti and Tartakower, Vienna 1910.
        let double = "rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9";
        let found = kinds(double, &["Qd8+", "Kxd8", "Bg5+", "Kc7", "Bd8#"]);
        assert!(found.contains(&Kind::DoubleCheck), "{found:?}");
        assert!(found.contains(&Kind::Sacrifice) && found.contains(&Kind::Attraction));
    }
}
