//! Comparing values by games of the own engine, inside the process.

use super::run::{Judge, Plan, Status, run};
use super::select::{is_available, select};
use super::state::State;
use super::trial::{Score, Trial};
use super::{SourceError, SpsaError, replace_defaults};
use crate::arena::{
    Adjudication, Conditions, EngineSpec, Fault, OpeningSource, Openings, OwnPlayer, PlayedGame,
    Seat, play,
};
use crate::work::{RunSettings, StopSignal, files};
use std::path::{Path, PathBuf};
use tabiya_chess::Color;
use tabiya_engine::{ParamSpec, Params};

/// A run as the user wants it.
#[derive(Clone, Debug)]
pub struct Config {
    /// Names or patterns of the tunables; all without any.
    pub params: Vec<String>,
    /// Both sides of each game, apart from the tunables.
    pub engine: EngineSpec,
    /// Where games start.
    pub openings: OpeningSource,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Number of iterations, each a pair of games.
    pub iterations: u64,
    /// How far a game won more than lost moves the values at the end, in units of the steps.
    pub rate: f64,
    /// Decides about everything random.
    pub seed: u64,
    /// Games at the same time, at least one.
    pub concurrency: usize,
    /// Where the state is kept.
    pub state: PathBuf,
    /// Whether to continue from it.
    pub resume: bool,
    /// The source file whose tunables get the new values when the run is complete.
    pub source: Option<PathBuf>,
}

impl Config {
    /// Tunes until all iterations are played or `stop` is raised, and returns how far it came.
    pub fn run(
        &self,
        stop: &StopSignal,
        report: &mut dyn FnMut(&Status),
    ) -> Result<(Plan, State), SpsaError> {
        if !is_available() {
            return Err(SpsaError::Fixed);
        }
        let params = select(&self.params, self.engine.limits.clock.is_some())?;
        let openings = Openings::load(&self.openings, false, self.iterations as usize)
            .map_err(SpsaError::Openings)?;
        let settings = RunSettings::from([
            ("engine".to_string(), self.engine.canonical()),
            ("openings".to_string(), format!("{:016x}", openings.digest())),
            ("opening order".to_string(), format!("{:?}", self.openings.order)),
            ("adjudication".to_string(), format!("{:?}", self.adjudication)),
        ]);
        let plan = Plan {
            params,
            iterations: self.iterations,
            rate: self.rate,
            seed: self.seed,
            settings,
        };
        if let Some(path) = &self.source {
            // Better to hear of a wrong file now than after days of games.
            edited(path, &State::new(&plan), &plan)?;
        }
        let table = |_| Table {
            engine: &self.engine,
            params: &plan.params,
            openings: &openings,
            conditions: Conditions { adjudication: self.adjudication, oracle: None, stop },
            players: [None, None],
        };
        let tables = (0..self.concurrency.max(1)).map(table).collect();
        let state = run(&plan, tables, &self.state, self.resume, stop, report)?;
        if let Some(path) = self.source.as_ref().filter(|_| state.iteration == plan.iterations) {
            let text = edited(path, &state, &plan)?;
            files::replace(path, text.as_bytes())
                .map_err(|error| SpsaError::Io(path.clone(), error))?;
        }
        Ok((plan, state))
    }
}

/// The source file with the values of a state.
fn edited(path: &Path, state: &State, plan: &Plan) -> Result<String, SpsaError> {
    let text = files::read_text(path).map_err(|error| SpsaError::Io(path.to_path_buf(), error))?;
    replace_defaults(&text, &state.changes(plan))
        .map_err(|error: SourceError| SpsaError::Source(path.to_path_buf(), error))
}

/// A thread's two players.
struct Table<'a> {
    engine: &'a EngineSpec,
    params: &'a [ParamSpec],
    openings: &'a Openings,
    conditions: Conditions<'a>,
    /// Those with the plus and the minus values.
    players: [Option<OwnPlayer>; 2],
}

impl Judge for Table<'_> {
    fn compare(&mut self, trial: &Trial) -> Result<Option<Score>, Fault> {
        let mut score = Score::default();
        for plus_color in [Color::White, Color::Black] {
            let Some(played) = self.play(trial, plus_color)? else { return Ok(None) };
            let end = &played.end;
            match end.winner {
                Some(winner) if winner == plus_color => score.wins += 1,
                Some(_) => score.losses += 1,
                None => score.draws += 1,
            }
            score.failures += u64::from(end.reason.is_failure());
            if let Some(color) = end.broken {
                self.players[usize::from(color != plus_color)] = None;
            }
        }
        Ok(Some(score))
    }
}

impl Table<'_> {
    /// Plays one game of a trial; `None` if it was abandoned.
    fn play(&mut self, trial: &Trial, plus_color: Color) -> Result<Option<PlayedGame>, Fault> {
        let [plus, minus] = &mut self.players;
        let plus = seat(plus, self.engine, self.params, &trial.plus)?;
        let minus = seat(minus, self.engine, self.params, &trial.minus)?;
        let seats = if plus_color == Color::White { [plus, minus] } else { [minus, plus] };
        Ok(play(self.openings.game(trial.iteration), seats, &self.conditions))
    }
}

/// Seats a player with these values; it is made if there is none yet.
fn seat<'a>(
    place: &'a mut Option<OwnPlayer>,
    spec: &'a EngineSpec,
    specs: &[ParamSpec],
    values: &[i32],
) -> Result<Seat<'a>, Fault> {
    let mut params = Params::default();
    for (spec, &value) in specs.iter().zip(values) {
        if !params.set(spec.name, value) {
            return Err(Fault::Start(format!("{} cannot be set to {value}", spec.name)));
        }
    }
    let player = match place {
        Some(player) => player,
        None => place.insert(OwnPlayer::new(spec)?),
    };
    player.set_params(&params);
    Ok(Seat { player, spec })
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::*;
    use crate::arena::OpeningOrder;

    /// Two runs with the same seed agree move for move, so a stopped one can be continued.
    #[test]
    fn tiny_games_are_played_and_reproducible() {
        let folder = std::env::temp_dir().join(format!("tabiya-spsa-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let tune = |name: &str| {
            let config = Config {
                params: vec!["lmr_*".to_string()],
                engine: EngineSpec::parse("self nodes=50 option.Hash=1", "").unwrap(),
                openings: OpeningSource {
                    file: None,
                    order: OpeningOrder::Sequential,
                    skip: 0,
                    plies: None,
                },
                adjudication: Adjudication { max_moves: Some(30), ..Adjudication::default() },
                iterations: 6,
                rate: 0.1,
                seed: 3,
                concurrency: 2,
                state: folder.join(name),
                resume: false,
                source: None,
            };
            config.run(&StopSignal::new(), &mut |_| {}).unwrap().1
        };
        let (first, second) = (tune("a.json"), tune("b.json"));
        assert_eq!((first.iteration, first.score.games(), first.score.failures), (6, 12, 0));
        assert_eq!((first.values, first.score), (second.values, second.score));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
