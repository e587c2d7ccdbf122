//! What the net should say about a position, and how wrong it is.

use crate::data::record::LabelledPosition;

/// The expected result: a blend of the score and of how the game really ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Target {
    /// Score at which the expected result is `sigmoid(1)`.
    pub(crate) scale: f32,
    /// The weight of the game's result, from 0 to 1.
    pub(crate) wdl: f32,
}

impl Target {
    #[inline]
    pub(crate) fn of(self, position: &LabelledPosition) -> f32 {
        let expected = sigmoid(position.score as f32 / self.scale);
        self.wdl * position.verdict.points() + (1.0 - self.wdl) * expected
    }
}

#[inline]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The squared error of the expected result, and its gradient by the net's output.
#[inline]
pub(crate) fn squared_error(output: f32, target: f32) -> (f32, f32) {
    let expected = sigmoid(output);
    let error = expected - target;
    (error * error, 2.0 * error * expected * (1.0 - expected))
}
