//! The loss curve as numbers and as a picture.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A point of the loss curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Steps done.
    pub step: u64,
    /// Passes over the data done, with fraction.
    pub epoch: f64,
    /// The learning rate.
    pub rate: f32,
    /// The mean training loss since the point before.
    pub training: f64,
    /// The validation loss, where it was measured.
    pub validation: Option<f64>,
}

/// The curve as a table.
pub fn csv(curve: &[Point]) -> String {
    let mut text = String::from("step,epoch,rate,training_loss,validation_loss\n");
    for point in curve {
        let Point { step, epoch, rate, training, validation } = point;
        let validation = validation.map_or_else(String::new, |loss| format!("{loss:.7}"));
        let _ = writeln!(text, "{step},{epoch:.3},{rate:.3e},{training:.7},{validation}");
    }
    text
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;

/// The curve as a picture: training loss thin, validation loss thick.
pub fn svg(curve: &[Point]) -> String {
    let training: Vec<_> = curve.iter().map(|point| (point.epoch, point.training)).collect();
    let validation: Vec<_> =
        curve.iter().filter_map(|point| Some((point.epoch, point.validation?))).collect();
    // The first losses of a run would squeeze everything else into one line.
    let settled = training.iter().skip(training.len() / 50 + 1).chain(&validation);
    let low = settled.clone().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = settled.map(|point| point.1).fold(low, f64::max).max(low + 1e-6);
    let last = training.last().map_or(1.0, |point| point.0).max(1e-6);
    let place = |(epoch, loss): &(f64, f64)| {
        let x = MARGIN + epoch / last * (WIDTH - 2.0 * MARGIN);
        let y = MARGIN + (high - loss.min(high)) / (high - low) * (HEIGHT - 2.0 * MARGIN);
        format!("{x:.1},{y:.1}")
    };
    let line = |points: &[(f64, f64)], style: &str| {
        let places: Vec<_> = points.iter().map(place).collect();
        format!("<polyline fill=\"none\" {style} points=\"{}\"/>\n", places.join(" "))
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n"
    );
    text += &line(&training, "stroke=\"#88a\" stroke-width=\"1\"");
    text += &line(&validation, "stroke=\"#c33\" stroke-width=\"2\"");
    let bottom = HEIGHT - MARGIN;
    for (x, y, label) in [
        (5.0, MARGIN, format!("{high:.5}")),
        (5.0, bottom, format!("{low:.5}")),
        (MARGIN, bottom + 30.0, "epoch 0".into()),
        (WIDTH - MARGIN - 40.0, bottom + 30.0, format!("{last:.1}")),
        (MARGIN, 30.0, "loss: training thin, validation thick".into()),
    ] {
        let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\">{label}</text>");
    }
    text + "</svg>\n"
}
