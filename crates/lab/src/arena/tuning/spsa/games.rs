//! Comparing values by games of the own engine, inside the process.

use super::run::{Plan, Status, run};
use super::select::select;
use super::state::State;
use super::{SourceError, replace_defaults};
use crate::arena::tuning::{GameSetup, TuningError, is_available};
use crate::work::{StopSignal, files};
use std::path::{Path, PathBuf};

/// A run as the user wants it.
#[derive(Clone, Debug)]
pub struct Config {
    /// Names or patterns of the tunables; all without any.
    pub params: Vec<String>,
    /// The games that compare values.
    pub games: GameSetup,
    /// Number of iterations, each a pair of games.
    pub iterations: u64,
    /// How far a game won more than lost moves the values at the end, in units of the steps.
    pub rate: f64,
    /// Decides about everything random.
    pub seed: u64,
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
    ) -> Result<(Plan, State), TuningError> {
        if !is_available() {
            return Err(TuningError::Fixed);
        }
        let params = select(&self.params, self.games.engine.limits.clock.is_some())?;
        let openings = self.games.openings(self.iterations)?;
        let settings = self.games.settings(&openings);
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
        let tables = self.games.tables(&plan.params, &openings, stop);
        let state = run(&plan, tables, &self.state, self.resume, stop, report)?;
        if let Some(path) = self.source.as_ref().filter(|_| state.iteration == plan.iterations) {
            let text = edited(path, &state, &plan)?;
            files::replace(path, text.as_bytes())
                .map_err(|error| TuningError::Io(path.clone(), error))?;
        }
        Ok((plan, state))
    }
}

/// The source file with the values of a state.
fn edited(path: &Path, state: &State, plan: &Plan) -> Result<String, TuningError> {
    let text =
        files::read_text(path).map_err(|error| TuningError::Io(path.to_path_buf(), error))?;
    replace_defaults(&text, &state.changes(plan))
        .map_err(|error: SourceError| TuningError::Source(path.to_path_buf(), error))
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::*;

    /// Two runs with the same seed agree move for move, so a stopped one can be continued.
    #[test]
    fn tiny_games_are_played_and_reproducible() {
        let folder = std::env::temp_dir().join(format!("tabiya-spsa-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let tune = |name: &str| {
            let config = Config {
                params: vec!["lmr_*".to_string()],
                games: GameSetup::tiny(),
                iterations: 6,
                rate: 0.1,
                seed: 3,
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
