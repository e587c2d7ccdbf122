//! Who plays whom, with which colour and from which opening.
//!
//! A schedule is a pure function from game number to fixture, so that a resumed match continues with
//! exactly the games that are missing. Games come in pairs: numbers `2p` and `2p + 1` share an
//! opening and exchange colours. In each round every pairing plays one pair from the same opening.

use serde::Serialize;
use std::fmt;

/// Which players meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Everybody meets everybody. With two players this is a plain match.
    #[default]
    RoundRobin,
    /// The first player meets each of the others.
    Gauntlet,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::RoundRobin => "round robin",
            Self::Gauntlet => "gauntlet",
        })
    }
}

/// One game to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Number of the game.
    pub game: u64,
    /// Number of the pair it belongs to.
    pub pair: u64,
    /// Round, and with it the opening.
    pub round: u64,
    /// Index of the player with the white pieces.
    pub white: usize,
    /// Index of the player with the black pieces.
    pub black: usize,
}

/// The games of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

impl Schedule {
    /// A schedule of `rounds` pairs for each pairing.
    pub fn new(form: Form, players: usize, rounds: u64) -> Self {
        let hosts = if form == Form::Gauntlet { players.min(1) } else { players };
        let pairings = (0..hosts).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect();
        Self { pairings, rounds }
    }

    /// Number of games in all.
    pub fn games(&self) -> u64 {
        self.rounds.saturating_mul(2 * self.pairings.len() as u64)
    }

    /// The pairings, the lower index first.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// A game by its number; `None` beyond the last.
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        if game >= self.games() {
            return None;
        }
        let pair = game / 2;
        let pairings = self.pairings.len() as u64;
        let (first, second) = self.pairings[(pair % pairings) as usize];
        let (white, black) = if game.is_multiple_of(2) { (first, second) } else { (second, first) };
        Some(Fixture { game, pair, round: pair / pairings, white, black })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_players_exchange_colours_from_each_opening() {
        let schedule = Schedule::new(Form::RoundRobin, 2, 3);
        assert_eq!(schedule.games(), 6);
        for game in 0..6 {
            let fixture = schedule.fixture(game).unwrap();
            assert_eq!(fixture.pair, game / 2);
            assert_eq!(fixture.round, game / 2);
            assert_eq!((fixture.white, fixture.black), if game % 2 == 0 { (0, 1) } else { (1, 0) });
        }
        assert_eq!(schedule.fixture(6), None);
    }

    #[test]
    fn everybody_meets_everybody_from_the_same_opening() {
        let schedule = Schedule::new(Form::RoundRobin, 4, 2);
        assert_eq!(schedule.games(), 24);
        let mut met = [[0; 4]; 4];
        for game in 0..24 {
            let fixture = schedule.fixture(game).unwrap();
            met[fixture.white][fixture.black] += 1;
            assert_eq!(fixture.round, game / 12);
        }
        for (white, row) in met.iter().enumerate() {
            for (black, &games) in row.iter().enumerate() {
                assert_eq!(games, if white == black { 0 } else { 2 });
            }
        }
    }

    #[test]
    fn the_first_player_runs_the_gauntlet() {
        let schedule = Schedule::new(Form::Gauntlet, 4, 1);
        assert_eq!(schedule.pairings(), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(Schedule::new(Form::Gauntlet, 0, 1).games(), 0);
    }
}
