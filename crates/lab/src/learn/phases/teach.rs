//! A new net from the positions of the last generations.

use super::super::error::LearnError;
use super::super::folder::{read_json, write, write_json};
use super::super::plan::Plan;
use super::super::result::PieceValue;
use super::super::status::Phase;
use super::{Desk, blind};
use crate::data::positions::{self, PositionSet};
use crate::train::{self, Control, Point, Settings, Training, sanity};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The scale is fitted to about this many positions.
const SCALE_SAMPLE: usize = 500_000;
/// A scale outside would be that of results that have nothing to do with scores.
const SCALES: (f32, f32) = (30.0, 800.0);

/// A net that was trained.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in super::super) struct Taught {
    pub(in super::super) window_positions: u64,
    pub(in super::super) scale: f32,
    pub(in super::super) epochs: u64,
    pub(in super::super) validation_loss: f64,
    pub(in super::super) curve: Vec<Point>,
    pub(in super::super) piece_values: Vec<PieceValue>,
    pub(in super::super) net: String,
}

/// Trains the net of a generation, or what is missing of it; `None` if somebody stopped it.
pub(in super::super) fn teach(desk: &mut Desk, plan: &Plan) -> Result<Option<Taught>, LearnError> {
    let folder = desk.folder.generation(plan.generation);
    let done = folder.join("training.json");
    if let Some(taught) = read_json(&done)? {
        return Ok(Some(taught));
    }
    desk.teller.begin(Phase::Train, "steps")?;
    let no_positions = |error| LearnError::Positions(plan.generation, error);
    let fail = |error| LearnError::Train(plan.generation, error);
    let of_window = |name: &str| -> Vec<PathBuf> {
        plan.window.iter().map(|number| desk.folder.generation(*number).join(name)).collect()
    };
    let set = PositionSet::open(&of_window("training.pos")).map_err(no_positions)?;
    let (validation, _) = positions::read(&of_window("validation.pos")).map_err(no_positions)?;
    let settings = lesson(desk, plan, &set)?;
    let window_positions = set.len() as u64;
    let checkpoint = folder.join("checkpoint");
    let weights = plan.weights.map(|number| match number {
        0 => desk.folder.net(0),
        number => desk.folder.generation(number).join("checkpoint"),
    });
    let stopped = AtomicBool::new(false);
    let control = Control {
        checkpoint: Some(&checkpoint),
        resume: checkpoint.exists(),
        force: false,
        from: weights.as_deref(),
        threads: desk.threads,
        stop: &stopped,
    };
    let provenance = format!(
        "tabiya learn from {}, generation {}, own games only",
        desk.settings.from, plan.generation
    );
    let Desk { stop, teller, .. } = desk;
    teller.status.losses.clear();
    let training = Training::Files(Arc::new(set));
    let outcome = train::run(&settings, &training, &validation, &provenance, &control, |now| {
        if stop.is_raised() {
            stopped.store(true, Relaxed);
        }
        teller.tell(|status| {
            (status.done, status.total) = (now.step, now.total_steps);
            (status.rate, status.left) = (now.samples_per_second, Some(now.left.as_secs_f64()));
            if let Some(loss) = now.training {
                status.losses.push((now.step, loss, now.validation));
            }
        });
    })
    .map_err(fail)?;
    if !outcome.finished {
        return Ok(None);
    }
    teller.speed.samples = Some(outcome.samples_per_second).filter(|rate| *rate > 0.0);
    let values = sanity::piece_values(&outcome.net);
    let taught = Taught {
        window_positions,
        scale: settings.scale,
        epochs: settings.epochs,
        validation_loss: outcome.best_loss,
        piece_values: values
            .into_iter()
            .map(|(kind, units)| PieceValue { piece: kind.to_string(), units })
            .collect(),
        net: format!("{:016x}", outcome.net.checksum()),
        curve: outcome.curve,
    };
    write(&folder.join("net.nnue"), &outcome.net.save())?;
    write_json(&done, &taught)?;
    Ok(Some(taught))
}

/// How to train on this set.
fn lesson(desk: &Desk, plan: &Plan, set: &PositionSet) -> Result<Settings, LearnError> {
    // Where the player knew nothing, scores are results already.
    let (scale, results) = if plan.is_blind {
        (blind::SCALE, 0.0)
    } else {
        let sample = set.sample(SCALE_SAMPLE);
        let sample = sample.map_err(|error| LearnError::Positions(plan.generation, error))?;
        (positions::fit_scale(&sample).round().clamp(SCALES.0, SCALES.1), plan.results)
    };
    let most = desk.settings.epochs;
    let affordable = plan.samples.map_or(most, |samples| samples / set.len().max(1) as u64);
    let epochs = affordable.clamp(1, most);
    let batch = sanity::batch_for(set.len(), epochs);
    Ok(Settings {
        shape: plan.shape,
        epochs,
        batch,
        peak_rate: sanity::rate_for(batch),
        scale,
        wdl_start: results,
        wdl_end: results,
        seed: plan.seed,
        ..Settings::default()
    })
}
