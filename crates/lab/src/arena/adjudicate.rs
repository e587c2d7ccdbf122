//! Ending games early when both players agree about the result, or when a table knows it.

use super::player::Score;
use std::fmt;
use tabiya_chess::{Board, Color};

/// A player resigns: its own score was at or below `-score` for `moves` of its moves in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// Centipawns.
    pub score: i32,
    /// Consecutive moves.
    pub moves: u32,
    /// Whether the opponent's score must say the same.
    pub both: bool,
}

/// A draw is agreed: both scores stayed within `score` for `moves` full moves, from move
/// `from_move` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// Centipawns.
    pub score: i32,
    /// Consecutive full moves.
    pub moves: u32,
    /// First full move of the game at which the rule may end it.
    pub from_move: u32,
}

/// The rules in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Adjudication {
    /// When a player resigns.
    pub resign: Option<ResignRule>,
    /// When a draw is agreed.
    pub draw: Option<DrawRule>,
    /// Full moves after which a game is drawn.
    pub max_moves: Option<u32>,
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { score, moves, both } = self;
        let who = if *both { "both agree" } else { "the loser sees it" };
        write!(f, "resigned at -{score} for {moves} moves if {who}")
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { score, moves, from_move } = self;
        write!(f, "drawn within {score} for {moves} moves from move {from_move}")
    }
}

impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { resign, draw, max_moves } = self;
        let rules: Vec<String> = [
            resign.map(|rule| rule.to_string()),
            draw.map(|rule| rule.to_string()),
            max_moves.map(|moves| format!("drawn after {moves} moves")),
        ]
        .into_iter()
        .flatten()
        .collect();
        f.write_str(if rules.is_empty() { "played to the end" } else { "" })?;
        f.write_str(&rules.join(", "))
    }
}

/// Somebody who knows the result of some positions for certain, like endgame tables.
pub trait Oracle: Sync {
    /// The winner under the 50-move rule: `Some(None)` for a draw, `None` if not known.
    fn verdict(&self, board: &Board) -> Option<Option<Color>>;
}

/// What adjudication says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// This side resigns.
    Resigned(Color),
    /// Both see a draw.
    DrawAgreed,
    /// The game is too long.
    TooLong,
}

/// Watches the scores of one game.
#[derive(Clone, Debug)]
pub(super) struct Referee {
    rules: Adjudication,
    /// How many of its last moves in a row each side saw itself lost, and saw itself won.
    lost: [u32; 2],
    won: [u32; 2],
    /// Plies in a row that were seen as level.
    level_plies: u32,
    plies: u32,
}

impl Referee {
    /// A referee at the start of a game.
    pub(super) fn new(rules: Adjudication) -> Self {
        Self { rules, lost: [0; 2], won: [0; 2], level_plies: 0, plies: 0 }
    }

    /// Takes note of a move by `mover`; `is_progress` is a capture or pawn move, after which a level
    /// stretch starts anew. A move without a score interrupts every streak.
    pub(super) fn observe(
        &mut self,
        mover: Color,
        score: Option<Score>,
        is_progress: bool,
    ) -> Option<Verdict> {
        self.plies += 1;
        let score = score.map(centipawns);
        let count = |streak: &mut u32, holds: bool| *streak = if holds { *streak + 1 } else { 0 };
        if let Some(rule) = self.rules.resign {
            count(&mut self.lost[mover], score.is_some_and(|s| s <= -rule.score));
            count(&mut self.won[mover], score.is_some_and(|s| s >= rule.score));
            for side in [mover, !mover] {
                let agreed = !rule.both || self.won[!side] >= rule.moves;
                if self.lost[side] >= rule.moves && agreed {
                    return Some(Verdict::Resigned(side));
                }
            }
        }
        if let Some(rule) = self.rules.draw {
            let is_level = score.is_some_and(|s| s.abs() <= rule.score) && !is_progress;
            count(&mut self.level_plies, is_level);
            let long_enough = self.level_plies >= 2 * rule.moves;
            if long_enough && self.plies.div_ceil(2) >= rule.from_move {
                return Some(Verdict::DrawAgreed);
            }
        }
        let limit = self.rules.max_moves?;
        (self.plies >= limit.saturating_mul(2)).then_some(Verdict::TooLong)
    }
}

/// A score as one number: a mate lies beyond any evaluation.
fn centipawns(score: Score) -> i32 {
    const MATE: i32 = 100_000;
    match score {
        Score::Centipawns(value) => value.clamp(-MATE, MATE),
        Score::Mate(moves) if moves > 0 => MATE,
        Score::Mate(_) => -MATE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn resign(both: bool) -> Referee {
        let rule = ResignRule { score: 500, moves: 2, both };
        Referee::new(Adjudication { resign: Some(rule), ..Adjudication::default() })
    }

    const fn cp(value: i32) -> Score {
        Score::Centipawns(value)
    }

    #[test]
    fn a_lost_player_resigns_after_its_moves_in_a_row() {
        let mut referee = resign(false);
        assert_eq!(referee.observe(White, Some(cp(-500)), false), None);
        assert_eq!(referee.observe(Black, Some(cp(30)), false), None);
        assert_eq!(referee.observe(White, Some(cp(-499)), false), None);
        assert_eq!(referee.observe(Black, Some(cp(30)), false), None);
        assert_eq!(referee.observe(White, Some(Score::Mate(-9)), false), None);
        assert_eq!(referee.observe(Black, Some(cp(30)), false), None);
        assert_eq!(referee.observe(White, Some(cp(-800)), true), Some(Verdict::Resigned(White)));
    }

    #[test]
    fn with_both_the_opponent_must_agree() {
        let mut referee = resign(true);
        for _ in 0..5 {
            assert_eq!(referee.observe(White, Some(cp(-900)), false), None);
            assert_eq!(referee.observe(Black, Some(cp(499)), false), None);
        }
        assert_eq!(referee.observe(White, Some(cp(-900)), false), None);
        assert_eq!(referee.observe(Black, Some(cp(600)), false), None);
        assert_eq!(referee.observe(White, Some(cp(-900)), false), None);
        assert_eq!(
            referee.observe(Black, Some(Score::Mate(3)), false),
            Some(Verdict::Resigned(White))
        );
    }

    #[test]
    fn a_level_stretch_is_a_draw_late_enough() {
        let rule = DrawRule { score: 10, moves: 2, from_move: 5 };
        let mut referee =
            Referee::new(Adjudication { draw: Some(rule), ..Adjudication::default() });
        for ply in 0..8 {
            assert_eq!(
                referee.observe(if ply % 2 == 0 { White } else { Black }, Some(cp(3)), false),
                None
            );
        }
        assert_eq!(referee.observe(White, Some(cp(3)), false), Some(Verdict::DrawAgreed));
        assert_eq!(referee.observe(Black, Some(cp(3)), true), None);
        assert_eq!(referee.observe(White, None, false), None);
        for _ in 0..3 {
            assert_eq!(referee.observe(Black, Some(cp(-10)), false), None);
        }
        assert_eq!(referee.observe(White, Some(cp(10)), false), Some(Verdict::DrawAgreed));
    }

    #[test]
    fn games_end_at_the_longest_length() {
        let mut referee =
            Referee::new(Adjudication { max_moves: Some(1), ..Adjudication::default() });
        assert_eq!(referee.observe(White, None, false), None);
        assert_eq!(referee.observe(Black, None, false), Some(Verdict::TooLong));
    }
}
