//! What is done to defenders. Deflection: one is drawn away from what it guards. Attraction: a piece is
//! drawn onto a square where it is hit. Overload: one guards two things and loses one of them. Capture
//! of a defender: it is taken first, what it guarded after it. Interference: a piece is put between a
//! defender and what it guards.

use super::sight::{attacked_from, attackers, is_defended, is_slider, rank};
use super::{Kind, Motif, PlayedLine};
use crate::analyst::insight::worth;
use tabiya_chess::{PieceType, attacks};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let mut found = Vec::new();
    for ply in line.later_plies() {
        let here = ply - 2;
        let tests = [
            (Kind::Deflection, is_deflection(line, ply)),
            (Kind::Overloading, is_overload(line, ply)),
            (Kind::CapturingDefender, takes_defender(line, ply)),
            (Kind::Interference, is_interference(line, ply)),
        ];
        let hits = tests.into_iter().filter(|(_, holds)| *holds);
        found.extend(hits.map(|(kind, _)| Motif { kind, ply: here }));
        if is_attraction(line, here) {
            found.push(Motif { kind: Kind::Attraction, ply: here });
        }
    }
    found
}

/// The opponent's answer was forced (it took, or was in check) and gave up the guard of the square that
/// is now taken or promoted on.
fn is_deflection(line: &PlayedLine, ply: usize) -> bool {
    let (answer, lure) = (ply - 1, ply - 2);
    let taken = line.taken(ply);
    if taken.is_none() && !line.moves[ply].is_promotion() {
        return false;
    }
    if taken.is_some_and(|taken| worth(taken) > worth(line.mover(ply))) {
        return false;
    }
    if line.taken(lure).is_some_and(|gain| worth(gain) >= rank(line.mover(lure))) {
        return false;
    }
    let square = line.to(ply);
    if square == line.to(answer) || square == line.to(lure) {
        return false;
    }
    let forced = line.to(answer) == line.to(lure) || line.boards[answer].in_check();
    let guard = attacked_from(&line.boards[answer], line.from(answer));
    let guarded = guard.contains(square)
        || line.moves[ply].is_promotion()
            && square.file() == line.from(answer).file()
            && guard.contains(line.from(ply));
    let guards_still = attacked_from(&line.boards[ply], line.to(answer)).contains(square);
    forced && guarded && !guards_still
}

/// The defender took back on one square and was the only guard of the other.
fn is_overload(line: &PlayedLine, ply: usize) -> bool {
    let (answer, lure) = (ply - 1, ply - 2);
    let square = line.to(ply);
    if line.taken(ply).is_none() || line.taken(lure).is_none() || line.to(answer) != line.to(lure) {
        return false;
    }
    let guards = attackers(&line.boards[lure], !line.solver(), square);
    let only = guards.count() == 1 && guards.contains(line.from(answer));
    only && square != line.to(lure) && line.mover(answer) != PieceType::King
}

/// The piece taken first was a guard of the piece, or of the mate, that follows.
fn takes_defender(line: &PlayedLine, ply: usize) -> bool {
    let (answer, first) = (ply - 1, ply - 2);
    let mates = line.boards[ply + 1].is_checkmate();
    let wins = line.taken(ply).is_some_and(|taken| {
        line.mover(ply) != PieceType::King
            && worth(taken) <= worth(line.mover(ply))
            && !is_defended(&line.boards[ply], line.to(ply))
            && line.to(answer) != line.to(ply)
    });
    if !mates && !wins || line.taken(first).is_none() {
        return false;
    }
    let start = &line.boards[first];
    let guards = attackers(start, !line.solver(), line.to(ply));
    guards.contains(line.to(first))
        && !line.boards[answer].in_check()
        && !start.in_check()
        && line.to(first) != line.from(ply)
}

/// A piece stepped between a sliding defender and the piece that falls.
fn is_interference(line: &PlayedLine, ply: usize) -> bool {
    let (answer, wedge) = (ply - 1, ply - 2);
    let square = line.to(ply);
    if line.taken(ply).is_none() || line.to(answer) == square {
        return false;
    }
    if is_defended(&line.boards[ply], square) {
        return false;
    }
    let start = &line.boards[wedge];
    attackers(start, !line.solver(), square).into_iter().any(|guard| {
        let slides = start.piece_on(guard).is_some_and(|piece| is_slider(piece.kind()));
        let between = attacks::between(guard, square);
        slides && (between.contains(line.to(wedge)) || between.contains(line.to(answer)))
    })
}

/// A piece was drawn onto a square by taking there, and the next move hits it: a king is checked, a
/// queen or rook taken.
fn is_attraction(line: &PlayedLine, lure: usize) -> bool {
    let (answer, blow) = (lure + 1, lure + 2);
    if blow >= line.moves.len() || line.to(answer) != line.to(lure) {
        return false;
    }
    let square = line.to(answer);
    let drawn = line.mover(answer);
    if !matches!(drawn, PieceType::King | PieceType::Queen | PieceType::Rook) {
        return false;
    }
    let hits = attackers(&line.boards[blow + 1], line.solver(), square).contains(line.to(blow));
    let taken_then = line.moves.get(blow + 2).is_some_and(|_| line.to(blow + 2) == square);
    hits && (drawn == PieceType::King || taken_then)
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn the_guard_of_the_back_rank_is_drawn_away() {
        // The rook on d8 must leave the back rank's other guard alone: it takes, and e8 is free.
        let fen = "3rr1k1/5ppp/8/8/8/8/3Q1PPP/4R1K1 w - - 0 1";
        let found = kinds(fen, &["Qxd8", "Rxd8", "h3"]);
        assert!(!found.contains(&Kind::Deflection));
        let found = kinds(fen, &["Rxe8+", "Rxe8", "h3"]);
        assert!(!found.contains(&Kind::Overloading));
        // The queen guards the rook on a5 and the bishop on g5; it takes back on g5 and a5 falls.
        let both = "6k1/5ppp/8/r2q2b1/8/4B3/Q4PPP/6K1 w - - 0 1";
        let found = kinds(both, &["Bxg5", "Qxg5", "Qxa5"]);
        assert!(found.contains(&Kind::Overloading), "{found:?}");
    }

    #[test]
    fn the_king_is_drawn_into_a_fork() {
        let fen = "r4rk1/5ppp/8/3N4/8/8/5PPP/3QR1K1 w - - 0 1";
        let found = kinds(fen, &["Ne7+", "Kh8", "Nc6"]);
        assert!(!found.contains(&Kind::Attraction));
    }
}
