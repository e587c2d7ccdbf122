//! What many choices are worth, all measured by the same games.
//!
//! A factor is a tunable with a low and a high value. In every pair of games (both colours of one
//! opening) one side draws low or high for each factor, and the other side gets the opposite. A linear
//! regression of the results on these draws gives the worth of every factor, each with the precision
//! of all games together: a factorial design (Fisher 1926), folded over. Testing one choice at a time
//! would take as many times the games as there are choices.
//!
//! What it measures are main effects: two choices that only pay together are not found.

mod regression;

pub use regression::{Effect, effects};

use super::saved::SavedRun;
use super::{GameSetup, Judge, Score, Trial, TuningError, is_available};
use crate::arena::Openings;
use crate::work::{LostItem, RunSettings, SplitMix, StopSignal, ordered_map_with};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tabiya_engine::{ParamSpec, Params};

/// Method and version of the state.
const KIND: &str = "factorial 1";
/// A kill costs at most this much of a run, and the games under way.
const SAVE_EVERY: Duration = Duration::from_secs(20);

/// A tunable and the two values to compare.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// The tunable.
    pub param: ParamSpec,
    /// One value.
    pub low: i32,
    /// The other.
    pub high: i32,
}

impl Factor {
    /// Reads `NAME=HIGH`, which is compared with the default, or `NAME=LOW:HIGH`.
    pub fn parse(text: &str) -> Result<Self, TuningError> {
        let wrong = || TuningError::Factor(text.to_string());
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let param = Params::ALL.iter().find(|param| param.name == name).copied();
        let param = param.ok_or_else(|| TuningError::NoSuchParam(name.to_string()))?;
        let number = |text: &str| {
            let value = text.parse().ok();
            value.filter(|value| (param.min..=param.max).contains(value)).ok_or_else(wrong)
        };
        let (low, high) = match values.split_once(':') {
            Some((low, high)) => (number(low)?, number(high)?),
            None => (param.default, number(values)?),
        };
        if low == high { Err(wrong()) } else { Ok(Self { param, low, high }) }
    }
}

/// A run as the user wants it.
#[derive(Clone, Debug)]
pub struct Config {
    /// What is compared.
    pub factors: Vec<Factor>,
    /// The games.
    pub games: GameSetup,
    /// Pairs of games to play.
    pub pairs: u64,
    /// Decides about everything random.
    pub seed: u64,
    /// Where the results are kept.
    pub state: PathBuf,
    /// Whether to continue from there.
    pub resume: bool,
}

impl Config {
    /// Plays until all pairs are played or `stop` is raised. `report` hears of every result and of the
    /// time since the start.
    pub fn run(
        &self,
        stop: &StopSignal,
        report: &mut dyn FnMut(&[Score], Duration),
    ) -> Result<Vec<Score>, TuningError> {
        if !is_available() {
            return Err(TuningError::Fixed);
        }
        let openings = self.games.openings(self.pairs)?;
        let file = SavedRun::new(&self.state, KIND, self.settings(&openings))?;
        let mut results: Vec<Score> = file.open(self.resume, Vec::new(), |_| true)?;
        let params: Vec<ParamSpec> = self.factors.iter().map(|factor| factor.param).collect();
        let mut tables = self.games.tables(&params, &openings, stop);
        let (started, mut saved) = (Instant::now(), Instant::now());
        let trials = (results.len() as u64..self.pairs).take_while(|_| !stop.is_raised());
        let outcome = ordered_map_with(
            trials.map(|pair| self.trial(pair)),
            &mut tables,
            |trial| format!("pair {}", trial.iteration),
            |table, trial| table.compare(&trial),
            |score| {
                let score = score.map_err(|fault| End::Failed(TuningError::Player(fault)))?;
                results.push(score.ok_or(End::Stopped)?);
                if saved.elapsed() >= SAVE_EVERY {
                    file.save(&results).map_err(End::Failed)?;
                    saved = Instant::now();
                }
                report(&results, started.elapsed());
                Ok(())
            },
        );
        if let Err(End::Failed(error)) = outcome {
            stop.abandon();
            return Err(error);
        }
        file.save(&results)?;
        Ok(results)
    }

    /// Which side of a pair has the high values: 1 the plus side, -1 the minus side.
    pub fn signs(&self, pair: u64) -> Vec<f64> {
        let mut random = SplitMix::new(SplitMix::new(self.seed).next() ^ pair);
        self.factors.iter().map(|_| if random.below(2) == 0 { -1.0 } else { 1.0 }).collect()
    }

    fn trial(&self, pair: u64) -> Trial {
        let mut trial = Trial { iteration: pair, plus: Vec::new(), minus: Vec::new() };
        for (factor, sign) in self.factors.iter().zip(self.signs(pair)) {
            let (plus, minus) =
                if sign > 0.0 { (factor.high, factor.low) } else { (factor.low, factor.high) };
            trial.plus.push(plus);
            trial.minus.push(minus);
        }
        trial
    }

    fn settings(&self, openings: &Openings) -> RunSettings {
        let mut settings = self.games.settings(openings);
        settings.insert("seed".to_string(), self.seed.to_string());
        for (index, Factor { param, low, high }) in self.factors.iter().enumerate() {
            settings.insert(format!("factor {index:03}"), format!("{}={low}:{high}", param.name));
        }
        settings
    }

    /// What the games say about every factor, drawn towards zero by a prior of this many Elo.
    pub fn effects(&self, results: &[Score], prior: f64) -> Vec<Effect> {
        let draws: Vec<Vec<f64>> = (0..results.len() as u64).map(|pair| self.signs(pair)).collect();
        let elo: Vec<f64> = results.iter().map(elo_of_lead).collect();
        effects(&draws, &elo, prior)
    }
}

/// The Elo difference of a pair as the regression wants it: linear in the result. Near equality a
/// difference of d is a score of 1/2 + d ln 10 / 1600.
fn elo_of_lead(score: &Score) -> f64 {
    score.lead() / (2.0 * score.games().max(1) as f64) * 1600.0 / std::f64::consts::LN_10
}

/// Why no more pairs are taken.
enum End {
    /// As was asked for.
    Stopped,
    Failed(TuningError),
}

impl From<LostItem> for End {
    fn from(lost: LostItem) -> Self {
        Self::Failed(TuningError::Lost(lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_and_refused_with_reasons() {
        let factor = Factor::parse("lmr_base=700:1000").unwrap();
        assert_eq!((factor.param.name, factor.low, factor.high), ("lmr_base", 700, 1000));
        let factor = Factor::parse("rfp_limit=12").unwrap();
        assert_eq!((factor.low, factor.high), (factor.param.default, 12));
        for wrong in ["lmr_base", "lmr_base=", "lmr_base=1:x", "lmr_base=5:5", "lmr_base=99999"] {
            let error = Factor::parse(wrong).unwrap_err().to_string();
            assert!(error.contains(wrong), "{error}");
        }
        assert!(Factor::parse("nothing=1").unwrap_err().to_string().contains("nothing"));
    }

    #[test]
    fn a_pair_is_worth_what_the_logistic_curve_says() {
        let score = Score { wins: 1, draws: 1, losses: 0, failures: 0 };
        // 0.75 on the tangent at 0.5: 0.25 * 1600 / ln 10.
        assert!((elo_of_lead(&score) - 173.7).abs() < 0.1);
        assert_eq!(elo_of_lead(&Score::default()), 0.0);
    }

    /// A run that is stopped and continued ends with the results of one that never was.
    #[cfg(feature = "tune")]
    #[test]
    fn a_continued_run_ends_like_one_in_one_go() {
        let folder = std::env::temp_dir().join(format!("tabiya-factorial-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let config = |name: &str, pairs: u64, resume: bool| Config {
            factors: ["lmr_base=700:1100", "rfp_limit=12"]
                .map(|f| Factor::parse(f).unwrap())
                .into(),
            games: GameSetup::tiny(),
            pairs,
            seed: 3,
            state: folder.join(name),
            resume,
        };
        let play = |config: &Config| config.run(&StopSignal::new(), &mut |_, _| {}).unwrap();
        let whole = play(&config("whole.json", 6, false));
        assert_eq!(play(&config("parts.json", 2, false)), whole[..2]);
        assert_eq!(play(&config("parts.json", 6, true)), whole);
        assert_eq!(config("whole.json", 6, true).effects(&whole, 7.0).len(), 2);
        let again = config("whole.json", 6, false).run(&StopSignal::new(), &mut |_, _| {});
        assert!(matches!(again, Err(TuningError::Exists(_))));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
