//! What can be said of a move and proven: every sentence of the analyst is made from a [`Fact`].
//!
//! A fact is a [`Claim`] with the lines that show it. [`about_mistake`] gathers the facts about a move
//! that was not the best; [`Fact::check`] replays the lines and proves whatever needs no search: that a
//! line ends in mate, that pieces are gone where nothing is left to take, that a position repeats.
//! What needs a search, namely that the lines are good play, is proven a second time by
//! [`crate::analyst::annotate::prove()`].

mod check;
mod confirm;
mod draw;
mod gather;
mod position;
mod threat;
mod words;

pub(crate) use confirm::CLAIM;
#[cfg(feature = "native")]
pub(crate) use confirm::PROOF;
pub use confirm::SecondLook;
pub use draw::Draw;
pub(crate) use gather::{CONFIRM_NODES, LEAST_COST};
pub use gather::{Findings, Moment, about_mistake};
pub use position::{ThemeChange, themes};
pub use threat::{Threat, threat_of};
#[cfg(feature = "native")]
pub(crate) use words::side_name;

use crate::analyst::insight::Exchange;
use crate::analyst::motifs::Motif;
use tabiya_chess::{Board, Move, Square};
use tabiya_engine::Score;

/// Material counts as lost (or missed) if the evaluation says so too: by this many centipawns a pawn.
pub const CP_PER_PAWN: i32 = 40;
/// A theme of the evaluation is a reason if it makes this many centipawns.
pub const THEME_CP: i32 = 15;
/// A position with this win percentage is called won, and one with that lost.
pub(crate) const WON: f64 = 80.0;
pub(crate) const LOST: f64 = 20.0;
/// Scores are cut here before they are compared.
const CEILING: i32 = 3000;

/// What is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The opponent mates in so many moves.
    AllowsMate(i32),
    /// There was a mate in so many moves.
    MissesMate(i32),
    /// What the move loses in pieces.
    Loses(Exchange),
    /// What could have been won.
    Misses(Exchange),
    /// A pawn of the opponent promotes.
    AllowsPromotion,
    /// A pawn could have promoted.
    MissesPromotion,
    /// What the opponent threatened before the move and carries out now.
    IgnoresThreat,
    /// The opponent gets a draw.
    AllowsDraw(Draw),
    /// There was a draw.
    MissesDraw(Draw),
    /// The pieces go, and the pawn ending is lost.
    EntersPawnEnding,
    /// The pieces could have gone, and the pawn ending was won.
    MissesPawnEnding,
    /// The king may castle no more.
    LosesCastling,
    /// The opponent gets a passed pawn.
    AllowsPassedPawn(Square),
    /// The best line is better in one theme of the hand-crafted evaluation.
    Theme(ThemeChange),
    /// The expected result changes.
    Turn(Turn),
    /// Another move is better; its score for whoever moves.
    Better(Score),
}

/// A change of the expected result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// From won to lost.
    WonToLost,
    /// From won to about equal.
    WonToEqual,
    /// From about equal to lost.
    EqualToLost,
    /// From better to worse.
    BetterToWorse,
    /// From won to better.
    WonToBetter,
    /// From better to about equal.
    BetterToEqual,
    /// From worse to lost.
    WorseToLost,
    /// From about equal to worse.
    EqualToWorse,
}

impl Turn {
    /// All, the greatest first.
    const ALL: [Self; 8] = [
        Self::WonToLost,
        Self::WonToEqual,
        Self::EqualToLost,
        Self::BetterToWorse,
        Self::WonToBetter,
        Self::BetterToEqual,
        Self::WorseToLost,
        Self::EqualToWorse,
    ];

    /// The least win percentage before the move and the largest one after it.
    const fn bounds(self) -> (f64, f64) {
        match self {
            Self::WonToLost => (WON, LOST),
            Self::WonToEqual => (WON, 60.0),
            Self::EqualToLost => (40.0, LOST),
            Self::BetterToWorse => (60.0, 40.0),
            Self::WonToBetter => (WON, 75.0),
            Self::BetterToEqual => (60.0, 55.0),
            Self::WorseToLost => (25.0, LOST),
            Self::EqualToWorse => (45.0, 40.0),
        }
    }

    /// Whether it is worth telling without the line that shows it.
    const fn is_great(self) -> bool {
        matches!(self, Self::WonToLost | Self::WonToEqual | Self::EqualToLost)
    }
}

/// A claim about a move with the lines that show it. Both begin in the position before the move.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// What is claimed.
    pub claim: Claim,
    /// The position before the move.
    pub board: Board,
    /// The move and what follows.
    pub played: Vec<Move>,
    /// The best line.
    pub best: Vec<Move>,
    /// The pattern by which something is lost or could have been won.
    pub motif: Option<Motif>,
}

impl Claim {
    /// A short name, as in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::AllowsMate(_) => "allows-mate",
            Self::MissesMate(_) => "misses-mate",
            Self::Loses(_) => "loses",
            Self::Misses(_) => "misses",
            Self::AllowsPromotion => "allows-promotion",
            Self::MissesPromotion => "misses-promotion",
            Self::IgnoresThreat => "ignores-threat",
            Self::AllowsDraw(Draw::Perpetual) => "allows-perpetual",
            Self::AllowsDraw(Draw::Repetition) => "allows-repetition",
            Self::AllowsDraw(Draw::Stalemate) => "allows-stalemate",
            Self::MissesDraw(Draw::Perpetual) => "misses-perpetual",
            Self::MissesDraw(Draw::Repetition) => "misses-repetition",
            Self::MissesDraw(Draw::Stalemate) => "misses-stalemate",
            Self::EntersPawnEnding => "enters-pawn-ending",
            Self::MissesPawnEnding => "misses-pawn-ending",
            Self::LosesCastling => "loses-castling",
            Self::AllowsPassedPawn(_) => "allows-passed-pawn",
            Self::Theme(_) => "theme",
            Self::Turn(_) => "turn",
            Self::Better(_) => "better",
        }
    }
}

impl Fact {
    /// Whether it says why the move was bad, not only that it was: a change of the expected result does
    /// if the answer that brings it about is told.
    pub const fn is_reason(&self) -> bool {
        match self.claim {
            Claim::Turn(_) => self.played.len() > 1,
            Claim::Better(_) => false,
            _ => true,
        }
    }
}

/// How much more one score is than another, in centipawns, with mates as thirty pawns.
pub(crate) fn gap_cp(better: Score, worse: Score) -> i32 {
    let cut = |score: Score| score.comparable().clamp(-CEILING, CEILING);
    cut(better) - cut(worse)
}
