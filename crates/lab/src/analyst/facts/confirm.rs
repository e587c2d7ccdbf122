//! Confirming of a fact what needs a search, by an engine that knows nothing of the first one.
//!
//! The lines of the facts are walked from their ends to their starts, so that the second engine, too, knows
//! where they lead. Then the better move and the move played are searched, and so is the end of a line
//! that shows a loss or a gain. What a claim needs is the same when it is made ([`CLAIM`]) and when it is
//! proven again with more time ([`PROOF`]); only the margins differ.

use super::{CP_PER_PAWN, Claim, Fact, LOST, WON, gap_cp};
use crate::analyst::insight::{Thinker, end_of, win_percent};
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// How exact the second search must agree with a claim.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Margins {
    /// Centipawns by which the evaluation must change for each pawn that a claim is about.
    cp_per_pawn: i32,
    /// Centipawns by which the better move must be better, whatever is claimed.
    least_gap: i32,
    /// Points of the win percentage that the end of a line may differ from its start.
    drift: f64,
    /// Points of the win percentage by which a change of the expected result may be missed.
    tolerance: f64,
    /// Centipawns that still count as a draw.
    draw_cp: i32,
    /// Centipawns that a threat must gain.
    threat_cp: i32,
    /// What the next best move must cost beside an only move, in chances; to be claimed, a blunder's worth.
    pub(crate) only_gap: f64,
    /// Part of the budget for each position of a line on the way back to its start.
    walk: u32,
}

/// What is asked of a claim before it is made.
pub(crate) const CLAIM: Margins = Margins {
    cp_per_pawn: CP_PER_PAWN * 3 / 2,
    least_gap: 30,
    drift: 10.0,
    tolerance: 0.0,
    draw_cp: 10,
    threat_cp: 3 * CP_PER_PAWN,
    only_gap: 0.3,
    walk: 32,
};

/// What is asked of it when it is proven again.
#[cfg(feature = "native")]
pub(crate) const PROOF: Margins = Margins {
    cp_per_pawn: CP_PER_PAWN / 2,
    least_gap: 1,
    drift: 20.0,
    tolerance: 12.0,
    draw_cp: 30,
    threat_cp: CP_PER_PAWN,
    only_gap: 0.1,
    walk: 16,
};

/// What a second search thinks of both moves, for whoever moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondLook {
    /// The score of the better move.
    pub best: Score,
    /// The score of the move played.
    pub played: Score,
}

impl SecondLook {
    /// Searches both moves of a position, after walking back the lines that show something about them.
    pub(crate) fn new<'a>(
        thinker: &mut Thinker,
        board: &Board,
        keys: &[u64],
        moves: [Option<Move>; 2],
        lines: impl Iterator<Item = &'a [Move]>,
        margins: &Margins,
    ) -> Self {
        for line in lines {
            for plies in (1..=line.len()).rev() {
                thinker.glance(&end_of(board, &line[..plies]), &[], margins.walk);
            }
        }
        let [best, played] = moves
            .map(|mv| mv.map_or(Score::Cp(0), |mv| thinker.think_about(board, keys, mv).score));
        Self { best, played }
    }

    /// Points of the win percentage that the move costs.
    pub fn cost(&self) -> f64 {
        win_percent(self.best) - win_percent(self.played)
    }

    /// Whether a fact holds for the second search too; the reason why not, otherwise.
    pub(crate) fn confirm(
        &self,
        thinker: &mut Thinker,
        fact: &Fact,
        margins: &Margins,
    ) -> Result<(), String> {
        let us = fact.board.side_to_move();
        let (before, after) = (win_percent(self.best), win_percent(self.played));
        let gap = gap_cp(self.best, self.played);
        let ensure = |holds: bool| {
            let scores = || format!("best {:?}, played {:?}", self.best, self.played);
            if holds { Ok(()) } else { Err(scores()) }
        };
        let is_draw = |score| matches!(score, Score::Cp(cp) if cp.abs() <= margins.draw_cp);
        // Among lost moves, one that is mated later is better.
        let is_mated_later = matches!(
            (self.best, self.played),
            (Score::Mate(best), Score::Mate(played)) if best < played && played <= 0
        );
        let is_better = gap >= margins.least_gap || is_mated_later;
        let tolerance = margins.tolerance;
        let mut same_at_end = |is_played, start| {
            let drift = drift(thinker, fact, is_played, start);
            // The line may be no worse for the loser than best play, nor for the winner.
            if drift.abs() <= margins.drift {
                Ok(())
            } else {
                Err(format!("the line ends {drift:+.0} points from where it began ({start:?})"))
            }
        };
        match fact.claim {
            Claim::AllowsMate(moves) => {
                ensure(matches!(self.played, Score::Mate(found) if found <= 0 && -found <= moves))
            }
            Claim::MissesMate(moves) => {
                ensure(matches!(self.best, Score::Mate(found) if found > 0 && found <= moves))
            }
            Claim::Loses(_) | Claim::AllowsPromotion => {
                ensure(has_gap(fact, gap, margins))?;
                same_at_end(true, self.played)
            }
            Claim::Misses(_) | Claim::MissesPromotion => {
                ensure(has_gap(fact, gap, margins))?;
                same_at_end(false, self.best)
            }
            Claim::IgnoresThreat => self.confirm_threat(thinker, fact, margins),
            Claim::AllowsDraw(_) => ensure(is_draw(self.played) && is_better),
            Claim::MissesDraw(_) => ensure(is_draw(self.best) && is_better),
            Claim::EntersPawnEnding => {
                ensure(after <= LOST + tolerance && before > LOST)?;
                same_at_end(true, self.played)
            }
            Claim::MissesPawnEnding => {
                ensure(before >= WON - tolerance && after < WON)?;
                same_at_end(false, self.best)
            }
            Claim::AllowsPassedPawn(_) => {
                ensure(is_better)?;
                same_at_end(true, self.played)
            }
            Claim::LosesCastling | Claim::Theme(_) | Claim::Better(_) => ensure(is_better),
            Claim::Turn(turn) => {
                let (least, most) = turn.bounds();
                ensure(is_better && before >= least - tolerance && after <= most + tolerance)?;
                if fact.is_reason() { same_at_end(true, self.played) } else { Ok(()) }
            }
        }
        .map_err(|doubt| format!("{doubt}, {us:?} to move"))
    }

    /// Whether the answer is good for the opponent also if the mover passes.
    fn confirm_threat(
        &self,
        thinker: &mut Thinker,
        fact: &Fact,
        margins: &Margins,
    ) -> Result<(), String> {
        let mut passed: Board = fact.board;
        passed.play_null();
        let Some(answer) = fact.played.get(1) else { return Err("no answer".to_owned()) };
        let threat = thinker.think_about(&passed, &[], *answer).score;
        let gain = gap_cp(threat, self.best.reversed());
        if gain >= margins.threat_cp { Ok(()) } else { Err(format!("the threat gains {gain}")) }
    }
}

/// Whether the evaluation says that so much is lost.
fn has_gap(fact: &Fact, gap: i32, margins: &Margins) -> bool {
    let pawns = fact.difference();
    pawns >= 1 && gap >= margins.cp_per_pawn * pawns
}

/// How many points of the win percentage the end of a line is from where the line began.
fn drift(thinker: &mut Thinker, fact: &Fact, is_played: bool, start: Score) -> f64 {
    let line = if is_played { &fact.played } else { &fact.best };
    win_percent(thinker.score_at_end(&fact.board, line, 2)) - win_percent(start)
}
