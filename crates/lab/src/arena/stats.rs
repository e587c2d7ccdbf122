//! Statistics of matches: pure functions of game counts, no I/O.
//!
//! Games are counted one by one ([`Wdl`]) or, better, as pairs of games that share an opening with
//! colours reversed ([`Pentanomial`]): the pair cancels the bias of the opening, so its variance is
//! the honest one. [`elo`] estimates, [`sprt`] decides, [`ratings`] ranks more than two players.

pub mod elo;
pub mod ratings;
pub mod sprt;

use serde::{Deserialize, Serialize};

/// What a game or a match brought one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// Counts in the usual order.
    pub const fn new(wins: u64, draws: u64, losses: u64) -> Self {
        Self { wins, draws, losses }
    }

    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points in halves, so that they stay whole numbers: two for a win, one for a draw.
    pub const fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Adds one game given as half points of this player (0, 1 or 2).
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// The same games seen by the opponent.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The distribution of one game's score.
    pub fn sample(&self) -> Sample<3> {
        Sample { scores: [0.0, 0.5, 1.0], counts: [self.losses, self.draws, self.wins] }
    }
}

/// Counts of game pairs by the points of the first player: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial {
    /// `[LL, LD, DD or WL, WD, WW]`.
    pub counts: [u64; 5],
}

impl Pentanomial {
    /// Counts in the order `[LL, LD, DD or WL, WD, WW]`.
    pub const fn new(counts: [u64; 5]) -> Self {
        Self { counts }
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds a pair given as the half points of the first player in both games (0 to 4).
    pub fn add(&mut self, half_points: u8) {
        self.counts[usize::from(half_points.min(4))] += 1;
    }

    /// The distribution of one pair's score, as a share of its two points.
    pub fn sample(&self) -> Sample<5> {
        Sample { scores: [0.0, 0.25, 0.5, 0.75, 1.0], counts: self.counts }
    }

    /// Pairs won over pairs lost; infinite without a lost pair, `None` without either.
    pub fn pairs_ratio(&self) -> Option<f64> {
        let [ll, ld, _, wd, ww] = self.counts;
        (ll + ld + wd + ww > 0).then(|| (wd + ww) as f64 / (ll + ld) as f64)
    }

    /// Share of pairs that ended level, counting both two draws and an exchange of wins.
    pub fn draw_ratio(&self) -> f64 {
        self.counts[2] as f64 / self.pairs() as f64
    }
}

/// An empirical distribution of scores between 0 and 1: of games or of pairs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample<const N: usize> {
    /// The possible scores, ascending.
    pub scores: [f64; N],
    /// How often each was seen.
    pub counts: [u64; N],
}

impl<const N: usize> Sample<N> {
    /// Number of observations.
    pub fn size(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Mean score; not a number when nothing was seen.
    pub fn mean(&self) -> f64 {
        self.average(|score| score)
    }

    /// Variance of one observation.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.average(|score| (score - mean).powi(2))
    }

    fn average(&self, value: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 =
            self.scores.iter().zip(self.counts).map(|(&s, count)| value(s) * count as f64).sum();
        sum / self.size() as f64
    }

    /// Games in one observation: each adds two steps of half a point.
    const GAMES: f64 = (N as f64 - 1.0) / 2.0;
}
