//! Quiet positions as searches meet them, from positions of the games, judged by searches of our own.
//!
//! Games show few positions, and neighbours are alike; these are in variety, and none of the searches
//! that judge them is spent on a position that is not quiet.

use super::super::error::LearnError;
use super::super::plan::Plan;
use super::super::settings::Start;
use super::super::status::Phase;
use super::choose::filter;
use super::{Desk, Factory, soft};
use crate::data::label::{LabelConfig, LabelRun, Sampling};
use crate::data::nodes::{self, NodesConfig};
use crate::data::record::{CENTIPAWNS, Header, Kind};
use std::fs;
use std::sync::atomic::AtomicBool;
use tabiya_engine::eval::Evaluation;

/// The judged positions of a generation.
pub(super) const EXPLORED: &str = "explored.pos";
/// Positions kept of a search at most, of which this many are quiet, about.
const SAMPLES: usize = 6;
const QUIET_SAMPLES: f64 = 1.5;
/// Nodes of the searches that meet them.
const NODES: u64 = 200;

/// Meets and judges what is missing; `None` if somebody stopped it.
pub(in super::super) fn explore(desk: &mut Desk, plan: &Plan) -> Result<Option<()>, LearnError> {
    let folder = desk.folder.generation(plan.generation);
    if plan.explored == 0 || folder.join("positions.json").exists() {
        return Ok(Some(()));
    }
    desk.teller.begin(Phase::Explore, "positions")?;
    let met = folder.join("nodes.pos");
    if !met.exists() {
        let config = NodesConfig {
            inputs: vec![folder.join("self.games")],
            filter: filter(plan),
            seed: plan.seed,
            per_game: plan.explored as f64 / plan.games.max(1) as f64 / QUIET_SAMPLES,
            nodes: NODES,
            samples: SAMPLES,
            only: Some(Kind::Quiet),
            is_balanced: true,
            limit: Some(plan.explored),
            evaluation: evaluation(desk, plan)?,
            threads: desk.threads,
        };
        let header = Header {
            score_unit: CENTIPAWNS.to_owned(),
            description: format!("quiet nodes of generation {}", plan.generation),
        };
        nodes::run(&config, None, &header, &met, &AtomicBool::new(false), |_| {})
            .map_err(|error| LearnError::Nodes(plan.generation, error))?;
    }
    let config = LabelConfig {
        player: desk.player(plan.best, soft(plan.nodes)),
        score_unit: CENTIPAWNS.to_owned(),
        concurrency: desk.threads,
        in_flight: 1,
        chess960: desk.settings.dfrc > 0.0,
        groups: None,
    };
    let Desk { folder: run, stop, teller, .. } = desk;
    let label = LabelRun {
        config: &config,
        input: &met,
        output: &folder.join(EXPLORED),
        resume: true,
        factory: &Factory(run.root()),
        stop,
    };
    let all = Sampling { skip_plies: 0, quiet: false, share: 1.0, seed: plan.seed, split: None };
    let done = label.positions(&all, |done| {
        let left = done.left().map(|left| left.as_secs_f64());
        teller.tell(|status| {
            (status.done, status.total) = (done.records, done.expected.unwrap_or(plan.explored));
            (status.rate, status.left) = (done.rate(), left);
        });
    });
    let done = done.map_err(|error| LearnError::Label(plan.generation, error))?;
    Ok(done.complete.then(|| drop(fs::remove_file(&met))))
}

/// What judges the positions of the searches that meet them.
fn evaluation(desk: &Desk, plan: &Plan) -> Result<Evaluation, LearnError> {
    if plan.best == 0 && desk.settings.from == Start::Hce {
        return Ok(Evaluation::Classical);
    }
    let path = desk.folder.net(plan.best);
    Evaluation::from_file(&path).map_err(|error| LearnError::Net(path, error))
}
