//! Which crops make up which micro-batch.
//!
//! Every game is dealt in crops of 16 plies, the games of an epoch in random order; a few crops go on
//! for longer, so that the net also meets plies whose band reaches beyond its crop's start. What a
//! micro-batch holds follows from its number and the seed alone: no state is needed to resume a run,
//! and threads cannot change anything. Starts are random, so every history length from 0 to 15
//! occurs equally often.

use super::batch::{Crop, MicroBatch};
use super::games::Games;
use crate::work::random::SplitMix;

/// Crops of usual and of greater length in a micro-batch, and their lengths.
const SHORT: (usize, usize) = (24, 16);
const LONG: (usize, usize) = (2, 64);
const CROPS: usize = SHORT.0 + LONG.0;
/// The most tokens of a micro-batch.
pub(crate) const TOKENS: usize = SHORT.0 * SHORT.1 + LONG.0 * LONG.1;

/// The games of one kind, cut into crops.
struct Suit<'a> {
    games: &'a Games,
    /// A game and the number of the crop in it.
    slots: Vec<(u32, u16)>,
    seed: u64,
}

impl<'a> Suit<'a> {
    fn new(games: &'a Games, seed: u64) -> Self {
        let crops = |index: usize| (games.game(index).moves.len() / SHORT.1).max(1) as u16;
        let slots =
            (0..games.len()).flat_map(|game| (0..crops(game)).map(move |crop| (game as u32, crop)));
        Self { games, slots: slots.collect(), seed }
    }

    /// Adds the crop with this number, counted over all epochs.
    fn deal(&self, number: u64, length: usize, batch: &mut MicroBatch) {
        let count = self.slots.len() as u64;
        let epoch = mixed(self.seed, number / count);
        let (game, crop) = self.slots[shuffled(number % count, count, epoch) as usize];
        let shift = mixed(epoch, u64::from(game)) as usize % SHORT.1;
        let game = self.games.game(game as usize);
        let last_start = game.moves.len().saturating_sub(length);
        let start = (crop as usize * SHORT.1 + shift).min(last_start);
        let mirror = mixed(epoch, number).is_multiple_of(2);
        batch.push_crop(&game, Crop { start, length, mirror, skill: None });
    }
}

/// All games.
pub(crate) struct Deck<'a> {
    teacher: Option<Suit<'a>>,
    people: Option<Suit<'a>>,
    /// How many crops of a micro-batch are people's.
    peoples_crops: usize,
}

impl<'a> Deck<'a> {
    /// `share` of the crops are of people's games, if there are games of both kinds.
    pub(crate) fn new(
        teacher: Option<&'a Games>,
        people: Option<&'a Games>,
        share: f64,
        seed: u64,
    ) -> Self {
        let peoples_crops = match (teacher, people) {
            (_, None) => 0,
            (None, _) => CROPS,
            _ => (share * CROPS as f64).round() as usize,
        };
        Self {
            teacher: teacher.map(|games| Suit::new(games, mixed(seed, 1))),
            people: people.map(|games| Suit::new(games, mixed(seed, 2))),
            peoples_crops,
        }
    }

    /// Fills the micro-batch with this number.
    pub(crate) fn deal(&self, number: u64, batch: &mut MicroBatch) {
        batch.clear();
        let (mut teachers, mut peoples) = (0, 0);
        for crop in 0..CROPS {
            // People's crops are spread evenly.
            let is_peoples =
                (crop + 1) * self.peoples_crops / CROPS > crop * self.peoples_crops / CROPS;
            // The long ones change their places, so that both kinds have some.
            let is_long = (crop as u64 + number).is_multiple_of((CROPS / LONG.0) as u64);
            let length = if is_long { LONG.1 } else { SHORT.1 };
            let (suit, count, index) = if is_peoples {
                (&self.people, self.peoples_crops, &mut peoples)
            } else {
                (&self.teacher, CROPS - self.peoples_crops, &mut teachers)
            };
            if let Some(suit) = suit {
                suit.deal(number * count as u64 + *index, length, batch);
            }
            *index += 1;
        }
    }
}

/// Two numbers stirred into one.
fn mixed(a: u64, b: u64) -> u64 {
    SplitMix::new(a.rotate_left(32) ^ SplitMix::new(b).next()).next()
}

/// A random permutation of the numbers below `count`, without a table: a Feistel network on the next
/// even number of bits, walked until it falls below.
fn shuffled(number: u64, count: u64, key: u64) -> u64 {
    let half = (64 - count.max(2).leading_zeros()).div_ceil(2);
    let mask = (1 << half) - 1;
    let mut number = number;
    loop {
        let (mut left, mut right) = (number >> half, number & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (mixed(key ^ round, right) & mask));
        }
        number = left << half | right;
        if number < count {
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_is_a_permutation() {
        for count in [1, 2, 7, 64, 1000] {
            let mut seen: Vec<_> = (0..count).map(|n| shuffled(n, count, 5)).collect();
            assert!(count < 10 || !seen.is_sorted());
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..count));
        }
    }

    #[test]
    fn batches_follow_from_their_number_and_mix_the_kinds() {
        let teacher = format!("{}|1|g1f3 5 g8f6 5 f3g1 5 f6g8 5\n", tabiya_chess::START_FEN);
        let teacher = Games::from_text(&teacher.repeat(30)).unwrap();
        let people =
            Games::from_text(&"1500 1600 60+0 1-0|e2e4 e7e5 g1f3 b8c6\n".repeat(30)).unwrap();
        let deck = Deck::new(Some(&teacher), Some(&people), 0.5, 7);
        let (mut a, mut b) = (MicroBatch::default(), MicroBatch::default());
        deck.deal(3, &mut a);
        deck.deal(4, &mut b);
        deck.deal(3, &mut b);
        assert_eq!(a.tokens, b.tokens);
        assert_eq!(a.crops, [4; CROPS]);
        let peoples = a.tokens.iter().filter(|token| !token.states().contains(&24)).count();
        assert_eq!(peoples, 4 * CROPS / 2);
        let alone = Deck::new(Some(&teacher), None, 0.5, 7);
        alone.deal(0, &mut a);
        assert_eq!(a.tokens.len(), 4 * CROPS);
    }
}
