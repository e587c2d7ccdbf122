//! Recording which features were counted, for the display and the tuner.

use super::score::Score;
use super::terms::{Combination, TERMS, Term, WEIGHT_COUNT};
use super::{Assessment, PawnTable, assess, blend, complexity_change, endgame, king};
use tabiya_chess::{Board, Color};

/// Watches an evaluation; does nothing in search.
pub(super) trait Tracer {
    /// Whether anything is recorded; caches are bypassed then.
    const RECORDS: bool;
    /// Feature `index` was counted `count` times for `us`.
    fn record(&mut self, us: Color, index: usize, count: i32);
    /// The attack on `us` is too weak to count.
    fn forget_danger(&mut self, us: Color);
}

/// The tracer of the search.
pub(super) struct NoTrace;

impl Tracer for NoTrace {
    const RECORDS: bool = false;
    #[inline]
    fn record(&mut self, _: Color, _: usize, _: i32) {}
    #[inline]
    fn forget_danger(&mut self, _: Color) {}
}

/// All features of one position, with everything needed to compute its value from any weights.
#[derive(Clone, Debug)]
pub struct Trace {
    /// How often each weight counted for White and for Black.
    pub counts: [[i16; 2]; WEIGHT_COUNT],
    /// How much of the middlegame is left, see [`super::FULL_PHASE`].
    pub phase: i32,
    /// What is left of the endgame value, see [`super::FULL_SCALE`].
    pub scale: i32,
    /// The value with the current weights, from White's view.
    pub value: i32,
    pub(super) assessment: Option<Assessment>,
}

impl Trace {
    /// Evaluates a position and records its features; `None` when the position is a known endgame
    /// whose value is not made of features.
    pub fn new(board: &Board, pawns: &mut PawnTable) -> Option<Self> {
        if endgame::known_value(board).is_some() {
            return None;
        }
        let mut trace =
            Self { counts: [[0; 2]; WEIGHT_COUNT], phase: 0, scale: 0, value: 0, assessment: None };
        let assessment = assess(board, pawns, &mut trace);
        trace.phase = assessment.phase;
        trace.scale = assessment.scale;
        trace.value = assessment.value;
        trace.assessment = Some(assessment);
        Some(trace)
    }

    /// The value these features have with the given weights, from White's view.
    ///
    /// This is the reference for any other way to compute the value, the tuner's in particular.
    pub fn value_with(&self, weights: &[Score]) -> i32 {
        let mut sums = [Score::ZERO; 2];
        let mut danger = [Score::ZERO; 2];
        let mut complexity = 0;
        for term in &TERMS {
            for index in term.range() {
                for color in Color::ALL {
                    let share = weights[index] * i32::from(self.counts[index][color]);
                    match term.group.combination() {
                        Combination::Linear => sums[color] += share,
                        Combination::Danger => danger[color] += share,
                        Combination::Complexity => complexity += share.endgame(),
                    }
                }
            }
        }
        let [white, black] =
            [Color::White, Color::Black].map(|us| sums[us] + king::cost(danger[us]));
        let score = white - black;
        let endgame = score.endgame() + complexity_change(score.endgame(), complexity);
        blend(score.middlegame(), endgame, self.phase, self.scale)
    }
}

impl Tracer for Trace {
    const RECORDS: bool = true;

    fn record(&mut self, us: Color, index: usize, count: i32) {
        self.counts[index][us] += count as i16;
    }

    fn forget_danger(&mut self, us: Color) {
        let is_danger = |term: &&Term| term.group.combination() == Combination::Danger;
        for term in TERMS.iter().filter(is_danger) {
            for counts in &mut self.counts[term.range()] {
                counts[us] = 0;
            }
        }
    }
}
