//! The static evaluation, piece by piece and theme by theme.

use crate::protocol::{PieceWorth, Reply, TermRow};
use tabiya_chess::{Board, Square};
use tabiya_engine::eval::{Evaluation, StaticEvaluator, Worth, hce};
use tabiya_engine::wdl::to_centipawns;

/// What the evaluation in use says about each piece, and the classical one about each theme.
pub(crate) fn reply(id: u32, board: &Board, evaluation: &Evaluation) -> Reply {
    let mut evaluator = StaticEvaluator::new(evaluation);
    let worth = Worth::new(board, |board| evaluator.white_value(board));
    let pieces = Square::ALL.into_iter().zip(worth.0).filter_map(|(square, worth)| {
        let (_, worth) = worth?;
        Some(PieceWorth { square: square.to_string(), worth: to_centipawns(worth, board) })
    });
    Reply::Inspection {
        id,
        value: to_centipawns(evaluator.white_value(board), board),
        pieces: pieces.collect(),
        terms: terms(board),
    }
}

/// The rows of the classical evaluation, added up by theme and weighed by the phase of the game.
fn terms(board: &Board) -> Vec<TermRow> {
    let explanation = hce::explain(board);
    let mut terms: Vec<TermRow> = Vec::new();
    for row in &explanation.rows {
        let score = row.white - row.black;
        let phase = explanation.phase.min(hce::FULL_PHASE);
        let value = (score.middlegame() * phase + score.endgame() * (hce::FULL_PHASE - phase))
            / hce::FULL_PHASE;
        let name = format!("{:?}", row.group);
        match terms.iter_mut().find(|term| term.name == name) {
            Some(term) => term.value += value,
            None => terms.push(TermRow { name, value }),
        }
    }
    for term in &mut terms {
        term.value = to_centipawns(term.value, board);
    }
    terms
}
