//! The loss curve as numbers and as a picture.

use crate::train::report as picture;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A point of the loss curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Steps done.
    pub step: u64,
    /// Positions trained on.
    pub positions: u64,
    /// The learning rate.
    pub rate: f32,
    /// How far weights and activations are rounded.
    pub lambda: f32,
    /// Mean policy loss since the point before.
    pub policy: f64,
    /// Mean value loss since the point before.
    pub value: f64,
    /// Loss and share of moves predicted on held-out games of the teacher,
    pub teacher: Option<(f64, f64)>,
    /// and of people.
    pub people: Option<(f64, f64)>,
}

/// The curve as a table.
pub fn csv(curve: &[Point]) -> String {
    let mut text = String::from(
        "step,positions,rate,lambda,policy_loss,value_loss,teacher_loss,teacher_top1,people_loss,people_top1\n",
    );
    for point in curve {
        let Point { step, positions, rate, lambda, policy, value, teacher, people } = point;
        let _ = write!(text, "{step},{positions},{rate:.3e},{lambda:.3},{policy:.5},{value:.5}");
        for measured in [teacher, people] {
            let _ = match measured {
                Some((loss, top1)) => write!(text, ",{loss:.5},{top1:.4}"),
                None => write!(text, ",,"),
            };
        }
        text.push('\n');
    }
    text
}

/// The curve as a picture: policy loss in training thin, on the teacher's held-out games thick.
pub fn svg(curve: &[Point]) -> String {
    let points: Vec<_> = curve
        .iter()
        .map(|point| picture::Point {
            step: point.step,
            epoch: point.positions as f64 / 1e6,
            rate: point.rate,
            training: point.policy,
            validation: point.teacher.or(point.people).map(|measured| measured.0),
        })
        .collect();
    picture::svg(&points)
}
