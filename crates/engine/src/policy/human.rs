//! Playing like people of a rating: moves as likely as the net says that they play them.
//!
//! After Maia (`McIlroy-Young` et al. 2020): people are predicted best by a net that learnt from their
//! games and does not search. From the middle levels on, a short search looks at the chosen move
//! and vetoes what loses too much, as a net that only guesses blunders more often than its teachers.

use super::Proposal;
use crate::score::Value;
use std::time::Duration;
use tabiya_chess::Move;

/// Unlikely moves at the end of the list, together less likely than this, are left out.
const TAIL: f32 = 0.05;
/// From this rating on moves are looked at before they are played.
const GUARD_FROM: i64 = 1400;
/// The rating at which the guard is strictest.
const GUARD_FULL: i64 = 2600;

/// A player: a rating and what people of it would play here.
#[derive(Clone, Debug)]
pub(crate) struct Human {
    pub(crate) elo: i64,
    pub(crate) proposal: Proposal,
    /// Numbers from 0 to 1 that decide: on the move, and again after each veto.
    pub(crate) chances: [f64; 6],
}

impl Human {
    /// The depth of the look at a move, and what it may cost in internal units.
    pub(crate) fn guard(&self) -> Option<(i32, Value)> {
        if self.elo < GUARD_FROM {
            return None;
        }
        let part = (self.elo.min(GUARD_FULL) - GUARD_FROM) as Value;
        let whole = (GUARD_FULL - GUARD_FROM) as Value;
        Some((1 + 3 * part / whole, 600 - 540 * part / whole))
    }

    /// The moves to try, in order; those that `is_bad` says are bad are passed over.
    pub(crate) fn choose(&self, mut is_bad: impl FnMut(Move) -> bool) -> Option<Move> {
        let mut likely = Vec::new();
        let mut sum = 0.0;
        for known in &self.proposal.moves {
            likely.push(*known);
            sum += known.chance;
            if sum >= 1.0 - TAIL {
                break;
            }
        }
        for chance in self.chances {
            let total: f32 = likely.iter().map(|known| known.chance).sum();
            let mut rest = chance as f32 * total;
            let place = likely.iter().position(|known| {
                rest -= known.chance;
                rest < 0.0
            });
            let chosen = *likely.get(place.unwrap_or(0))?;
            if !is_bad(chosen.mv) {
                return Some(chosen.mv);
            }
            likely.retain(|known| known.mv != chosen.mv);
        }
        None
    }

    /// How long a person would think, given what the clock allows: open choices take longer.
    pub(crate) fn thinking_time(&self, soft: Duration) -> Duration {
        let openness = self.proposal.entropy() / (self.proposal.moves.len().max(2) as f32).ln();
        soft.mul_f32((0.1 + 0.9 * openness.clamp(0.0, 1.0)) * 0.8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyMove;
    use tabiya_chess::Board;

    fn human(elo: i64, first: f64) -> Human {
        let legal = Board::default().legal_moves();
        let chances = [0.6, 0.3, 0.06, 0.04].into_iter().chain(std::iter::repeat(0.0));
        let moves = legal.iter().zip(chances).map(|(mv, chance)| PolicyMove { mv, chance });
        let proposal = Proposal { moves: moves.collect(), wdl: None };
        Human { elo, proposal, chances: [first, 0.0, 0.0, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn moves_are_as_likely_as_the_net_says() {
        let mut count = [0; 4];
        for i in 0..1000 {
            let human = human(1200, f64::from(i) / 1000.0);
            let chosen = human.choose(|_| false).unwrap();
            let place = human.proposal.moves.iter().position(|known| known.mv == chosen).unwrap();
            count[place] += 1;
        }
        // The fourth move is in the tail that nobody plays.
        assert_eq!(count[3], 0);
        assert!((600..680).contains(&count[0]) && (290..340).contains(&count[1]), "{count:?}");
    }

    #[test]
    fn vetoes_lead_to_the_next_move_and_guards_grow_with_the_rating() {
        let human = human(1800, 0.0);
        let best = human.proposal.moves[0].mv;
        assert_eq!(human.choose(|_| false), Some(best));
        assert_eq!(human.choose(|mv| mv == best), Some(human.proposal.moves[1].mv));
        assert_eq!(human.choose(|_| true), None);
        let guards: Vec<_> = [1400, 1800, 2200, 2600]
            .map(|elo| Human { elo, ..human.clone() }.guard().unwrap())
            .to_vec();
        assert!(guards.is_sorted_by(|a, b| a.0 <= b.0 && a.1 > b.1), "{guards:?}");
        assert_eq!(Human { elo: 1000, ..human }.guard(), None);
    }

    #[test]
    fn open_positions_take_longer() {
        let forced = human(1500, 0.0);
        let mut open = forced.clone();
        open.proposal.moves.iter_mut().for_each(|known| known.chance = 0.05);
        let soft = Duration::from_secs(10);
        assert!(forced.thinking_time(soft) < open.thinking_time(soft));
        assert!(open.thinking_time(soft) <= soft);
    }
}
