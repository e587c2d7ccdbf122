//! Proving remarks a second time, by a search that knows nothing of the first and may look longer.
//!
//! The lines of a fact are replayed ([`Fact::check`]) and walked from their ends to their starts, so that the
//! second engine, too, knows where they lead. Then the better move and the move played are searched, and so
//! is the end of the line that shows a loss or a gain: the claim holds if the difference is still there, by
//! at least half of what was needed to claim it, and the line leads to what the search expects anyway.

use super::analysis::{GameAnalysis, MoveAnalysis};
use crate::analyst::facts::{CP_PER_PAWN, Claim, Fact, LOST, Turn, WON, gap_cp};
use crate::analyst::insight::{Thinker, chances, end_of, win_percent};
use serde::Serialize;
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// Points of the win percentage that the end of a line may differ from its start.
const DRIFT: f64 = 20.0;
/// Points of the win percentage by which a change of the expected result may be missed.
const TOLERANCE: f64 = 12.0;
/// Centipawns that still count as a draw.
const DRAW_CP: i32 = 30;
/// Part of the budget for each position of a line on the way back to its start.
const WALK: u32 = 16;
/// What the next best move must cost at least beside an only move, in chances.
const ONLY_GAP: f64 = 0.1;

/// A remark and whether it holds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Proof {
    /// Number of the game.
    pub game: u64,
    /// Half-move, from 1.
    pub ply: usize,
    /// What is claimed.
    pub claim: &'static str,
    /// The sentence.
    pub text: String,
    /// The position before the move.
    pub fen: String,
    /// Why it does not hold; `None` if it does.
    pub doubt: Option<String>,
}

/// Proves all remarks of a game.
pub fn prove(thinker: &mut Thinker, analysis: &GameAnalysis) -> Vec<Proof> {
    let mut keys: Vec<u64> = Vec::new();
    let mut proofs = Vec::new();
    for step in &analysis.moves {
        let mut add = |claim, text: &str, verdict: Result<(), String>| {
            proofs.push(Proof {
                game: analysis.game,
                ply: step.ply,
                claim,
                text: text.to_owned(),
                fen: step.board.to_string(),
                doubt: verdict.err(),
            });
        };
        if !step.facts.is_empty() {
            let deeper = Deeper::new(thinker, step, &keys);
            for (fact, text) in step.facts.iter().zip(&step.remarks) {
                let verdict = fact.check().and_then(|()| deeper.confirm(thinker, fact));
                add(fact.claim.name(), text, verdict);
            }
        } else if let Some(mark) = step.mark {
            add(mark.name(), &step.remarks.join(" "), confirm_only(thinker, step, &keys));
        }
        keys.push(step.board.key());
    }
    proofs
}

/// What the second search thinks of both moves, for whoever moves.
struct Deeper {
    best: Score,
    played: Score,
}

impl Deeper {
    fn new(thinker: &mut Thinker, step: &MoveAnalysis, keys: &[u64]) -> Self {
        let longest = |line: fn(&Fact) -> &Vec<Move>| {
            step.facts.iter().map(line).max_by_key(|line| line.len())
        };
        for line in [longest(|fact| &fact.played), longest(|fact| &fact.best)].into_iter().flatten()
        {
            walk_back(thinker, &step.board, line);
        }
        let mut score = |mv| thinker.think_about(&step.board, keys, mv).score;
        let best = step.best_moves.first().map_or(Score::Cp(0), |mv| score(*mv));
        Self { best, played: score(step.mv) }
    }

    fn confirm(&self, thinker: &mut Thinker, fact: &Fact) -> Result<(), String> {
        let us = fact.board.side_to_move();
        let (before, after) = (win_percent(self.best), win_percent(self.played));
        let scores = || format!("best {:?}, played {:?}", self.best, self.played);
        let ensure = |holds: bool| if holds { Ok(()) } else { Err(scores()) };
        match fact.claim {
            Claim::AllowsMate(moves) => {
                ensure(matches!(self.played, Score::Mate(found) if found <= 0 && -found <= moves))
            }
            Claim::MissesMate(moves) => {
                ensure(matches!(self.best, Score::Mate(found) if found > 0 && found <= moves))
            }
            Claim::Loses(_) | Claim::AllowsPromotion => {
                ensure(self.has_gap(fact))?;
                same_at_end(thinker, fact, true, self.played)
            }
            Claim::Misses(_) | Claim::MissesPromotion => {
                ensure(self.has_gap(fact))?;
                same_at_end(thinker, fact, false, self.best)
            }
            Claim::IgnoresThreat => self.confirm_threat(thinker, fact),
            Claim::AllowsDraw(_) => {
                ensure(is_draw(self.played) && gap_cp(self.best, self.played) > 0)
            }
            Claim::MissesDraw(_) => {
                ensure(is_draw(self.best) && gap_cp(self.best, self.played) > 0)
            }
            Claim::EntersPawnEnding => {
                ensure(after <= LOST + TOLERANCE && before > LOST)?;
                same_at_end(thinker, fact, true, self.played)
            }
            Claim::MissesPawnEnding => {
                ensure(before >= WON - TOLERANCE && after < WON)?;
                same_at_end(thinker, fact, false, self.best)
            }
            Claim::AllowsPassedPawn(_) => {
                ensure(gap_cp(self.best, self.played) > 0)?;
                same_at_end(thinker, fact, true, self.played)
            }
            Claim::LosesCastling | Claim::Theme(_) | Claim::Better(_) => {
                ensure(gap_cp(self.best, self.played) > 0)
            }
            Claim::Turn(turn) => {
                let (won, lost) = (WON - TOLERANCE, LOST + TOLERANCE);
                ensure(match turn {
                    Turn::WonToLost => before >= won && after <= lost,
                    Turn::WonToEqual => before >= won && after <= 60.0 + TOLERANCE,
                    Turn::EqualToLost => before >= 40.0 - TOLERANCE && after <= lost,
                })
            }
        }
        .map_err(|doubt| format!("{doubt}, {us:?} to move"))
    }

    /// Whether the evaluation still says that so much is lost.
    fn has_gap(&self, fact: &Fact) -> bool {
        let pawns = fact.difference();
        pawns >= 1 && gap_cp(self.best, self.played) >= CP_PER_PAWN * pawns / 2
    }

    /// Whether the answer is good for the opponent also if the mover passes.
    fn confirm_threat(&self, thinker: &mut Thinker, fact: &Fact) -> Result<(), String> {
        let mut passed: Board = fact.board;
        passed.play_null();
        let Some(answer) = fact.played.get(1) else { return Err("no answer".to_owned()) };
        let threat = thinker.think_about(&passed, &[], *answer).score;
        let gain = gap_cp(threat, self.best.reversed());
        if gain >= CP_PER_PAWN { Ok(()) } else { Err(format!("the threat gains {gain}")) }
    }
}

fn is_draw(score: Score) -> bool {
    matches!(score, Score::Cp(cp) if cp.abs() <= DRAW_CP)
}

/// Looks at the positions of a line from the last to the first.
fn walk_back(thinker: &mut Thinker, board: &Board, line: &[Move]) {
    for plies in (1..=line.len()).rev() {
        thinker.glance(&end_of(board, &line[..plies]), &[], WALK);
    }
}

/// Whether the end of a line is worth what its beginning is.
fn same_at_end(
    thinker: &mut Thinker,
    fact: &Fact,
    is_played: bool,
    start: Score,
) -> Result<(), String> {
    let line = if is_played { &fact.played } else { &fact.best };
    let score = thinker.score_at_end(&fact.board, line, 2);
    let drift = win_percent(score) - win_percent(start);
    // The line may be no worse for the loser than best play, nor for the winner.
    if drift.abs() <= DRIFT {
        Ok(())
    } else {
        Err(format!("the line ends {drift:+.0} points from where it began ({start:?})"))
    }
}

fn confirm_only(thinker: &mut Thinker, step: &MoveAnalysis, keys: &[u64]) -> Result<(), String> {
    let kept = thinker.think_about(&step.board, keys, step.mv).score;
    let Some(second) = thinker.think_without(&step.board, keys, step.mv, 1) else {
        return Err("there is no other move".to_owned());
    };
    let gap = chances(kept) - chances(second.score);
    if gap >= ONLY_GAP {
        Ok(())
    } else {
        Err(format!("kept {kept:?}, next best {:?}", second.score))
    }
}
