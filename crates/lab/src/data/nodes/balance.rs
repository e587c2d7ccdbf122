//! Which positions of games searches start from, so that all amounts of material are learnt alike.
//!
//! The shares wanted are those of nnue-pytorch's recipes: most middlegames, fewer openings and
//! endgames, and of positions decided already only some.

use crate::data::balance::share_by_pieces;
use tabiya_chess::Board;

/// Groups by number of pieces: up to 4, from 5 to 8 and so on, the buckets of Stockfish's nets. Those of our
/// own begin with 2 pieces.
const GROUPS: usize = 8;
/// Beyond this score in centipawns a position counts as decided, and so many of those are wanted.
const DECIDED: i16 = 600;
const DECIDED_SHARE: f64 = 0.3;

/// What there is to choose from.
#[derive(Default)]
pub(super) struct Histogram {
    pub(super) games: u64,
    positions: u64,
    /// Positions by group, each decided one as the share of it that is wanted.
    groups: [f64; GROUPS],
}

/// The chance of a position to be chosen.
pub struct Balance {
    /// By group.
    factors: [f64; GROUPS],
    is_decided_wanted: bool,
}

impl Histogram {
    pub(super) fn add(&mut self, board: &Board, score: Option<i16>) {
        self.positions += 1;
        self.groups[group(board)] += share_by_score(score);
    }
}

impl Balance {
    /// So that there are `per_game` positions of a game on average, in the wanted shares.
    pub(super) fn new(counted: &Histogram, per_game: f64) -> Self {
        let wanted: [f64; GROUPS] = std::array::from_fn(wanted);
        // Groups that do not occur at all cannot be asked for.
        let occurs = |(_, found): &(&f64, f64)| *found > 0.0;
        let total: f64 =
            wanted.iter().zip(counted.groups).filter(occurs).map(|(share, _)| share).sum();
        let chosen = per_game * counted.games as f64;
        let factors = std::array::from_fn(|group| {
            let found = counted.groups[group];
            if found > 0.0 { chosen * wanted[group] / total / found } else { 0.0 }
        });
        Self { factors, is_decided_wanted: false }
    }

    /// So that there are `per_game` positions of a game on average, all alike.
    pub(super) fn none(counted: &Histogram, per_game: f64) -> Self {
        let chance = per_game * counted.games as f64 / counted.positions.max(1) as f64;
        Self { factors: [chance; GROUPS], is_decided_wanted: true }
    }

    /// The chance of a position with this score.
    pub(super) fn chance(&self, board: &Board, score: Option<i16>) -> f64 {
        let share = if self.is_decided_wanted { 1.0 } else { share_by_score(score) };
        self.factors[group(board)] * share
    }
}

fn group(board: &Board) -> usize {
    (board.occupied().count() as usize - 1) / 4
}

fn share_by_score(score: Option<i16>) -> f64 {
    if score.is_some_and(|score| score.unsigned_abs() > DECIDED.unsigned_abs()) {
        DECIDED_SHARE
    } else {
        1.0
    }
}

/// The share wanted of a group: that of its pieces in the middle.
fn wanted(group: usize) -> f64 {
    share_by_pieces(group as f64 * 4.0 + 2.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_wanted_whatever_there_is() {
        assert!((wanted(3) - (0.45 + 0.55 * 6.5 / 8.0)).abs() < 1e-9);
        assert!((wanted(7) - (0.95 - 0.2 * 6.5 / 8.0)).abs() < 1e-9);
        let start = Board::default();
        let ending: Board = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse().unwrap();
        let mut counted = Histogram { games: 10, ..Histogram::default() };
        (0..100).for_each(|_| counted.add(&start, Some(-20)));
        (0..800).for_each(|_| counted.add(&ending, Some(400)));
        (0..800).for_each(|_| counted.add(&ending, Some(900)));
        let balance = Balance::new(&counted, 2.0);
        let expected = |board, score, count: f64| count * balance.chance(board, Some(score));
        let (openings, drawn, won) = (
            expected(&start, 20, 100.0),
            expected(&ending, 400, 800.0),
            expected(&ending, 900, 800.0),
        );
        assert!((openings + drawn + won - 20.0).abs() < 1e-9, "two of each game");
        assert!((openings / (drawn + won) - wanted(7) / wanted(0)).abs() < 1e-9);
        assert!((won / drawn - DECIDED_SHARE).abs() < 1e-9);
        let alike = Balance::none(&counted, 2.0);
        let chances =
            [(&start, 0), (&ending, 900)].map(|(board, score)| alike.chance(board, Some(score)));
        assert_eq!(chances, [20.0 / 1700.0; 2]);
    }
}
