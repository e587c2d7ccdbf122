//! How far static values are from deep ones: what a net still has to learn.
//!
//! A set of positions has the scores of long searches. Each contender, a net of ours or a teacher,
//! says its static value; both become expected results, the score by a fixed scale, the value by the
//! scale that fits this contender best, so that units do not matter. The error is the root mean square
//! of the differences, beside it the rank correlation, which knows nothing of scales.

mod measure;

pub use measure::{Error, GROUPS};

use crate::data::record::LabelledPosition;
use crate::data::teacher::{Labeller, Teacher};
use measure::Sample;
use tabiya_engine::eval::{Evaluation, StaticEvaluator};

/// What is measured.
#[derive(Clone)]
pub enum Contender {
    /// What our engine may judge by.
    Own(Evaluation),
    /// A net of another engine.
    Teacher(Teacher),
}

/// Measures a contender on positions with the scores of searches; those in check, or that are no
/// positions, are left out. `scale` turns scores into expected results.
pub fn measure(contender: &Contender, positions: &[LabelledPosition], scale: f64) -> Error {
    let mut value: Box<dyn FnMut(&tabiya_chess::Board) -> i32> = match contender {
        Contender::Own(evaluation) => {
            let mut evaluator = StaticEvaluator::new(evaluation);
            Box::new(move |board| evaluator.value(board))
        }
        Contender::Teacher(teacher) => {
            let mut labeller = Labeller::new(teacher);
            Box::new(move |board| labeller.score(board))
        }
    };
    let samples = positions.iter().filter_map(|position| {
        let board = position.to_board().ok().filter(|board| !board.in_check())?;
        Some(Sample {
            value: f64::from(value(&board)),
            score: f64::from(position.score),
            pieces: position.piece_count(),
            kind: position.kind,
        })
    });
    Error::new(&samples.collect::<Vec<_>>(), scale)
}
