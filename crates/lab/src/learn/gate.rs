//! Matches of a new net: against the best one, which decides whether it becomes the best, and against
//! yardsticks.
//!
//! Games end in any order, so a sequential test that looked after every game would depend on the
//! machine. This one looks after whole portions of pairs: the same games decide in every run.

use super::error::LearnError;
use super::phases::{Desk, Factory, soft};
use super::plan::Plan;
use super::result::MatchResult;
use super::status::Phase;
use crate::arena::stats::sprt::{Decision, Model, Sprt};
use crate::arena::stats::{Pentanomial, Wdl};
use crate::arena::{
    self, Adjudication, Conclusion, DrawRule, EngineSpec, MatchConfig, MatchProgress, OpeningOrder,
    OpeningSource, Outputs, Reporter, ResignRule, SpecError, Summary,
};
use std::path::Path;

/// Pairs between two looks at the test.
const PORTION: u64 = 8;
/// Better by this much is worth a promotion; equal is not.
const TEST: Sprt = Sprt { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };

/// The net of a generation against the best one before it, and whether it is better; `None` if
/// somebody stopped it.
pub(super) fn meet_best(
    desk: &mut Desk,
    plan: &Plan,
) -> Result<Option<(MatchResult, bool)>, LearnError> {
    desk.teller.begin_with(Phase::Gate, "games", 2 * plan.gate_pairs.max(1))?;
    let limits = soft(desk.settings.gate_nodes);
    let players = [desk.player(plan.generation, limits), desk.player(plan.best, limits)];
    let journal = desk.folder.generation(plan.generation).join("gate.journal");
    let mut meeting = Meeting { desk, plan, journal: &journal, players };
    let mut rounds = PORTION.min(plan.gate_pairs.max(1));
    loop {
        let Some(summary) = meeting.play(rounds)? else { return Ok(None) };
        // A run that was killed later has left more games.
        let known = summary.games.div_ceil(2 * PORTION) * PORTION;
        if summary.games > 2 * rounds && rounds < known.min(plan.gate_pairs) {
            rounds = known.min(plan.gate_pairs);
            continue;
        }
        let result = meeting.result(&summary);
        let decision = TEST.decide(TEST.llr_of_pairs(&result.pairs));
        if decision == Decision::Undecided && rounds < plan.gate_pairs {
            rounds = (rounds + PORTION).min(plan.gate_pairs);
            continue;
        }
        let is_better = match decision {
            Decision::H1 => true,
            Decision::H0 => false,
            Decision::Undecided => result.games.half_points() > result.games.games(),
        };
        return Ok(Some((result, is_better)));
    }
}

/// The net of a generation against all yardsticks; `None` if somebody stopped it.
pub(super) fn meet_yardsticks(
    desk: &mut Desk,
    plan: &Plan,
) -> Result<Option<Vec<MatchResult>>, LearnError> {
    if plan.yardstick_pairs == 0 {
        return Ok(Some(Vec::new()));
    }
    let mut yardsticks = vec![desk.classical(soft(desk.settings.gate_nodes))];
    for text in &desk.settings.yardsticks {
        yardsticks.push(yardstick(text, desk.settings.gate_nodes)?);
    }
    let mut results = Vec::new();
    for (index, yardstick) in yardsticks.into_iter().enumerate() {
        desk.teller.begin_with(Phase::Measure, "games", 2 * plan.yardstick_pairs)?;
        let name = format!("yardstick-{index}.journal");
        let journal = desk.folder.generation(plan.generation).join(name);
        let players = [desk.player(plan.generation, yardstick.limits), yardstick];
        let mut meeting = Meeting { desk, plan, journal: &journal, players };
        let Some(summary) = meeting.play(plan.yardstick_pairs)? else { return Ok(None) };
        results.push(meeting.result(&summary));
    }
    Ok(Some(results))
}

/// A player as a user describes it; without a limit it gets as many nodes as our nets.
pub(super) fn yardstick(text: &str, nodes: u64) -> Result<EngineSpec, SpecError> {
    match EngineSpec::parse(text, "") {
        Err(SpecError::NoLimit(_)) => EngineSpec::parse(text, &format!("nodes={nodes}")),
        other => other,
    }
}

/// A match of two.
struct Meeting<'a, 'd> {
    desk: &'a mut Desk<'d>,
    plan: &'a Plan,
    journal: &'a Path,
    players: [EngineSpec; 2],
}

impl Meeting<'_, '_> {
    /// Plays what is missing of so many pairs.
    fn play(&mut self, rounds: u64) -> Result<Option<Summary>, LearnError> {
        let Desk { folder, threads, stop, teller, .. } = &mut *self.desk;
        let config = MatchConfig {
            rounds,
            openings: OpeningSource {
                file: Some(folder.openings()),
                order: OpeningOrder::Random(self.plan.seed),
                skip: 0,
                plies: None,
            },
            adjudication: Adjudication {
                resign: Some(ResignRule { score: 1500, moves: 3, both: true }),
                draw: Some(DrawRule { score: 5, moves: 8, from_move: 60 }),
                max_moves: Some(200),
            },
            concurrency: *threads,
            outputs: Outputs {
                journal: Some(self.journal.to_owned()),
                pgn: None,
                json: None,
                resume: true,
            },
            ..MatchConfig::new(self.players.to_vec())
        };
        let factory = Factory(folder.root());
        let mut watch = Watch { teller };
        let played = arena::run(&config, &factory, None, stop, &mut watch);
        let (summary, conclusion) =
            played.map_err(|error| LearnError::Match(self.plan.generation, error))?;
        Ok((conclusion != Conclusion::Stopped).then_some(summary))
    }

    fn result(&self, summary: &Summary) -> MatchResult {
        let pairing = summary.pairings.first();
        MatchResult {
            opponent: self.players[1].name.clone(),
            games: pairing.map_or_else(Wdl::default, |pairing| pairing.games),
            pairs: pairing.map_or_else(Pentanomial::default, |pairing| pairing.pairs),
        }
    }
}

/// Tells of a match.
struct Watch<'a, 'd> {
    teller: &'a mut super::run::Teller<'d>,
}

impl Reporter for Watch<'_, '_> {
    fn progress(&mut self, summary: &Summary, progress: &MatchProgress) {
        let rate = progress.finished as f64 / progress.elapsed.as_secs_f64().max(1e-3);
        if progress.finished > 0 {
            self.teller.speed.gate_games = Some(rate);
        }
        self.teller.tell(|status| {
            (status.done, status.rate) = (summary.games, rate);
            let left = status.total.saturating_sub(summary.games);
            status.left = (rate > 0.0).then(|| left as f64 / rate);
        });
    }
}
