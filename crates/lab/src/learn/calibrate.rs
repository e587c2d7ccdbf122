//! How fast games are played here, before the first plan is made.

use super::error::LearnError;
use super::phases::{Desk, conditions};
use super::plan::Plan;
use super::result::Speed;
use crate::data::play;
use crate::work::StopSignal;
use std::fs;
use std::time::Duration;

/// How long to look.
const LOOK: Duration = Duration::from_secs(3);

/// Plays games like those of a plan for a moment, and forgets them; `None` if somebody stopped it.
pub(super) fn calibrate(desk: &Desk, plan: &Plan) -> Result<Option<Speed>, LearnError> {
    let mut config = conditions(desk, plan);
    config.games = u64::MAX;
    let path = desk.folder.root().join("calibration.new");
    let _ = fs::remove_file(&path);
    let enough = StopSignal::new();
    let played = play::run(&config, &path, false, &desk.factory(), &enough, |done, _| {
        if done.elapsed >= LOOK || desk.stop.is_raised() {
            enough.abandon();
        }
    });
    let _ = fs::remove_file(&path);
    let done = played.map_err(|error| LearnError::Play(plan.generation, error))?;
    let rate = done.played as f64 / done.elapsed.as_secs_f64().max(1e-3);
    Ok((!desk.stop.is_raised()).then_some(Speed { games: Some(rate), ..Speed::default() }))
}
