//! What a generation has shown.

use super::plan::Plan;
use super::shown::ShownGame;
use crate::arena::stats::elo::Difference;
use crate::arena::stats::{Pentanomial, Wdl};
use crate::data::record::LabelledPosition;
use crate::train::Point;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A generation that is done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Generation {
    /// What it was to do.
    pub plan: Plan,
    /// What was made of the games, in words.
    pub counts: String,
    /// Training positions of its own games.
    pub positions: u64,
    /// Training positions in the whole window.
    pub window_positions: u64,
    /// Score at which the expected result is `sigmoid(1)`, fitted to the results.
    pub scale: f32,
    /// Passes over the window.
    pub epochs: u64,
    /// The lowest validation loss.
    pub validation_loss: f64,
    /// The loss curve.
    pub curve: Vec<Point>,
    /// Against the best net before it.
    pub gate: MatchResult,
    /// Whether it is the best net now.
    pub is_promoted: bool,
    /// Against other players.
    pub yardsticks: Vec<MatchResult>,
    /// What the net believes pieces are worth.
    pub piece_values: Vec<PieceValue>,
    /// What it learnt from.
    pub histogram: Histogram,
    /// Some of its games.
    pub games: Vec<ShownGame>,
    /// The net's checksum.
    pub net: String,
    /// Seconds of work on the run so far.
    pub seconds: f64,
    /// How fast its parts were.
    pub speed: Speed,
}

/// How fast the parts of a generation were in the last sitting that worked on them.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Speed {
    /// Games played per second.
    pub games: Option<f64>,
    /// Positions learnt per second.
    pub samples: Option<f64>,
    /// Games of the gate per second.
    pub gate_games: Option<f64>,
}

/// A match of the generation's net.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// Whom it met.
    pub opponent: String,
    /// How it did.
    pub games: Wdl,
    /// The same in pairs of games.
    pub pairs: Pentanomial,
}

impl MatchResult {
    /// The difference in Elo with its error; infinite after a perfect score.
    pub fn difference(&self) -> Difference {
        if self.pairs.pairs() > 0 {
            Difference::of(&self.pairs.sample())
        } else {
            Difference::of(&self.games.sample())
        }
    }
}

impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Wdl { wins, draws, losses } = self.games;
        write!(f, "+{wins} ={draws} -{losses} against {}", self.opponent)?;
        let elo = self.difference().elo;
        if elo.value.is_finite() && elo.error.is_finite() {
            write!(f, " ({:+.0} +/- {:.0} Elo)", elo.value, elo.error)?;
        }
        Ok(())
    }
}

/// What a net believes a piece is worth.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PieceValue {
    /// Its name.
    pub piece: String,
    /// What losing it costs, in the net's units: 400 of them take even chances to 73 %.
    pub units: i32,
}

/// What positions look like: how many pieces, which scores, how their games ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Histogram {
    /// By number of pieces: 2 to 5, 6 to 9, ...
    pub pieces: [u64; 8],
    /// By score for the side to move: see [`Histogram::EDGES`].
    pub scores: [u64; 9],
    /// Losses, draws and wins of the side to move.
    pub results: [u64; 3],
}

impl Histogram {
    /// The scores between which positions are counted.
    pub const EDGES: [i16; 8] = [-800, -300, -100, -25, 25, 100, 300, 800];

    pub(super) fn of(positions: &[LabelledPosition]) -> Self {
        let mut histogram = Self::default();
        for position in positions {
            histogram.pieces[piece_group(position)] += 1;
            let bin = Self::EDGES.iter().filter(|edge| position.score > **edge).count();
            histogram.scores[bin] += 1;
            histogram.results[position.verdict as usize] += 1;
        }
        histogram
    }
}

/// In which part of the histogram a position is.
pub(super) fn piece_group(position: &LabelledPosition) -> usize {
    (position.piece_count() as usize).saturating_sub(2).min(30) / 4
}
