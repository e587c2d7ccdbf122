//! Openings of the measuring games: random moves, so that no knowledge comes in by them.

use crate::data::play::opening;
use crate::work::SplitMix;
use std::fmt::Write;
use tabiya_chess::{Board, Color, PieceType};

/// How many there are.
const OPENINGS: usize = 1000;

/// A file of openings with equal material, a line each.
pub(super) fn text(seed: u64) -> String {
    let mut random = SplitMix::new(seed);
    let mut text = String::new();
    let mut count = 0;
    while count < OPENINGS {
        if let Some(board) = opening::random(&mut random, 0.0).filter(is_level) {
            let _ = writeln!(text, "{board}");
            count += 1;
        }
    }
    text
}

/// Both sides have the same pieces.
fn is_level(board: &Board) -> bool {
    PieceType::ALL.into_iter().all(|kind| {
        let [white, black] = Color::ALL.map(|color| board.pieces(color, kind).count());
        white == black
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn openings_follow_from_the_seed_and_differ() {
        let one = text(1);
        assert_eq!(one, text(1));
        assert_ne!(one, text(2));
        let boards: HashSet<&str> = one.lines().collect();
        assert_eq!(boards.len(), OPENINGS);
        assert!(one.lines().all(|line| is_level(&line.parse().unwrap())));
    }
}
