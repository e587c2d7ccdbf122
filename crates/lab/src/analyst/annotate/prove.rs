//! Proving remarks a second time, by a search that knows nothing of the first and may look longer.
//!
//! The lines of a fact are replayed ([`Fact::check`]) and walked from their ends to their starts, so that the
//! second engine, too, knows where they lead. Then the better move and the move played are searched, and so
//! is the end of the line that shows a loss or a gain: the claim holds if the difference is still there, by
//! at least half of what was needed to claim it, and the line leads to what the search expects anyway.

use super::analysis::{GameAnalysis, MoveAnalysis};
use crate::analyst::facts::{Fact, PROOF, SecondLook};
use crate::analyst::insight::{Thinker, chances};
use serde::Serialize;
use tabiya_chess::Move;

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
            let look = look_again(thinker, step, &keys);
            for (fact, text) in step.facts.iter().zip(&step.remarks) {
                let verdict = fact.check().and_then(|()| look.confirm(thinker, fact, &PROOF));
                add(fact.claim.name(), text, verdict);
            }
        } else if let Some(mark) = step.mark {
            add(mark.name(), &step.remarks.join(" "), confirm_only(thinker, step, &keys));
        }
        keys.push(step.board.key());
    }
    proofs
}

/// A second look at a move and the better one, after walking the longest lines of its facts.
fn look_again(thinker: &mut Thinker, step: &MoveAnalysis, keys: &[u64]) -> SecondLook {
    let longest = |line: fn(&Fact) -> &Vec<Move>| {
        step.facts.iter().map(line).max_by_key(|line| line.len()).map(Vec::as_slice)
    };
    let lines = [longest(|fact| &fact.played), longest(|fact| &fact.best)].into_iter().flatten();
    let moves = [step.best_moves.first().copied(), Some(step.mv)];
    SecondLook::new(thinker, &step.board, keys, moves, lines, &PROOF)
}

fn confirm_only(thinker: &mut Thinker, step: &MoveAnalysis, keys: &[u64]) -> Result<(), String> {
    let kept = thinker.think_about(&step.board, keys, step.mv).score;
    let Some(second) = thinker.think_without(&step.board, keys, step.mv, 1) else {
        return Err("there is no other move".to_owned());
    };
    let gap = chances(kept) - chances(second.score);
    if gap >= PROOF.only_gap {
        Ok(())
    } else {
        Err(format!("kept {kept:?}, next best {:?}", second.score))
    }
}
