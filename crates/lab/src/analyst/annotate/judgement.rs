//! Good and bad moves by rule.
//!
//! Bad moves follow lichess (lila `Advice.scala`): by the drop in chances, and by mates allowed or let
//! slip. The engine's own first choice is never called bad.

use crate::analyst::insight::chances;
use serde::Serialize;
use tabiya_engine::Score;

/// How bad a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// Chances dropped by 0.1 of 2, that is 5 points of the win percentage.
    Inaccuracy,
    /// Chances dropped by 0.2: 10 points.
    Mistake,
    /// Chances dropped by 0.3: 15 points.
    Blunder,
}

/// What is special about a good move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// The best move, and every other one would have been a mistake or worse; answers to a check, taking
    /// back and taking what hangs do not count.
    Only,
    /// An only move that nobody sees at once: it gives up at least two pawns' worth of material, or it
    /// is quiet and a short search misses it; in a position that was not won anyway and is not lost after.
    Brilliant,
}

impl Judgement {
    /// Judges a move by the score before it, for whoever moved, and after it, for whoever answers.
    pub fn new(before: Score, after: Score) -> Option<Self> {
        let wins = |score: Score| matches!(score, Score::Mate(moves) if moves > 0);
        let is_mated = |score: Score| matches!(score, Score::Mate(moves) if moves <= 0);
        let (before_cp, after_cp) = (before.comparable(), -after.comparable());
        match (wins(before), wins(after)) {
            // A slower mate is a mate.
            (true, false) if is_mated(after) => None,
            (true, _) => Some(match after_cp {
                1000.. => Self::Inaccuracy,
                701..1000 => Self::Mistake,
                _ => Self::Blunder,
            }),
            (false, true) if is_mated(before) => None,
            (false, true) => Some(match before_cp {
                ..=-1000 => Self::Inaccuracy,
                -999..=-701 => Self::Mistake,
                _ => Self::Blunder,
            }),
            (false, false) => match chances(before) + chances(after) {
                drop if drop >= 0.3 => Some(Self::Blunder),
                drop if drop >= 0.2 => Some(Self::Mistake),
                drop if drop >= 0.1 => Some(Self::Inaccuracy),
                _ => None,
            },
        }
    }

    /// Numeric annotation glyph: `?!`, `?` or `??`.
    pub const fn nag(self) -> u8 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }

    /// The glyph as people write it.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

impl Mark {
    /// Numeric annotation glyph: only move, or `!!`.
    pub const fn nag(self) -> u8 {
        match self {
            Self::Only => 7,
            Self::Brilliant => 3,
        }
    }

    /// The glyph as people write it.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Only => "□",
            Self::Brilliant => "!!",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Only => "only move",
            Self::Brilliant => "brilliancy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Judgement::{Blunder, Inaccuracy, Mistake};

    #[test]
    fn centipawns_are_judged_by_the_drop_in_chances() {
        let judge = |before, after: i32| Judgement::new(Score::Cp(before), Score::Cp(-after));
        assert_eq!(judge(30, 20), None);
        assert_eq!(judge(0, -60), Some(Inaccuracy));
        assert_eq!(judge(0, -120), Some(Mistake));
        assert_eq!(judge(0, -180), Some(Blunder));
        // The same loss means less where the game is decided.
        assert_eq!(judge(900, 720), None);
        assert_eq!(judge(-50, 100), None);
    }

    #[test]
    fn mates_have_rules_of_their_own() {
        let judge = Judgement::new;
        assert_eq!(judge(Score::Cp(0), Score::Mate(5)), Some(Blunder));
        assert_eq!(judge(Score::Cp(-800), Score::Mate(5)), Some(Mistake));
        assert_eq!(judge(Score::Cp(-1500), Score::Mate(5)), Some(Inaccuracy));
        assert_eq!(judge(Score::Mate(-8), Score::Mate(2)), None);
        assert_eq!(judge(Score::Mate(2), Score::Mate(-7)), None);
        assert_eq!(judge(Score::Mate(1), Score::Mate(0)), None);
        assert_eq!(judge(Score::Mate(2), Score::Cp(0)), Some(Blunder));
        assert_eq!(judge(Score::Mate(2), Score::Cp(-800)), Some(Mistake));
        assert_eq!(judge(Score::Mate(2), Score::Cp(-1200)), Some(Inaccuracy));
        assert_eq!(judge(Score::Mate(2), Score::Mate(3)), Some(Blunder));
    }
}
