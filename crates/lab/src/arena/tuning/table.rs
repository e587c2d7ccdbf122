//! Games that tell two sets of values apart, inside the process.

use super::TuningError;
use crate::arena::{
    Adjudication, Conditions, EngineSpec, Fault, OpeningSource, Openings, OwnPlayer, PlayedGame,
    Seat, play,
};
use crate::work::{RunSettings, StopSignal};
use serde::{Deserialize, Serialize};
use tabiya_chess::Color;
use tabiya_engine::{ParamSpec, Params};

/// Whether this build can set its tunables.
pub fn is_available() -> bool {
    let mut params = Params::default();
    Params::ALL.iter().all(|param| params.set(param.name, param.default))
}

/// Two sets of values to be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// Number of the iteration, and with it the opening.
    pub iteration: u64,
    /// The values moved one way.
    pub plus: Vec<i32>,
    /// The values moved the other way.
    pub minus: Vec<i32>,
}

/// Results of games, as the plus side sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Score {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Those of them that ended with a failure of a player instead of chess.
    pub failures: u64,
}

impl Score {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Games won more than lost.
    pub(in crate::arena::tuning) fn lead(&self) -> f64 {
        self.wins as f64 - self.losses as f64
    }

    /// Adds other games.
    pub(in crate::arena::tuning) fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.failures += other.failures;
    }
}

/// Somebody who can tell two sets of values apart, in a thread of its own.
pub trait Judge: Send {
    /// Plays the games of a trial. `None` if it was told to stop.
    fn compare(&mut self, trial: &Trial) -> Result<Option<Score>, Fault>;
}

/// What the games of a run have in common.
#[derive(Clone, Debug)]
pub struct GameSetup {
    /// Both sides of each game, apart from the tunables.
    pub engine: EngineSpec,
    /// Where games start.
    pub openings: OpeningSource,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Games at the same time, at least one.
    pub concurrency: usize,
}

impl GameSetup {
    /// Games of a few nodes a move, for tests.
    #[cfg(all(test, feature = "tune"))]
    pub(super) fn tiny() -> Self {
        Self {
            engine: EngineSpec::parse("self nodes=50 option.Hash=1", "").unwrap(),
            openings: OpeningSource {
                file: None,
                order: crate::arena::OpeningOrder::Sequential,
                skip: 0,
                plies: None,
            },
            adjudication: Adjudication { max_moves: Some(30), ..Adjudication::default() },
            concurrency: 2,
        }
    }

    /// The openings, enough of them for this many pairs of games.
    pub(super) fn openings(&self, pairs: u64) -> Result<Openings, TuningError> {
        Openings::load(&self.openings, false, pairs as usize).map_err(TuningError::Openings)
    }

    /// What must not change when a run is resumed.
    pub(super) fn settings(&self, openings: &Openings) -> RunSettings {
        RunSettings::from([
            ("engine".to_string(), self.engine.canonical()),
            ("openings".to_string(), format!("{:016x}", openings.digest())),
            ("opening order".to_string(), format!("{:?}", self.openings.order)),
            ("adjudication".to_string(), format!("{:?}", self.adjudication)),
        ])
    }

    /// A table for each game that is played at the same time.
    pub(super) fn tables<'a>(
        &'a self,
        params: &'a [ParamSpec],
        openings: &'a Openings,
        stop: &'a StopSignal,
    ) -> Vec<Table<'a>> {
        let table = |_| Table {
            engine: &self.engine,
            params,
            openings,
            conditions: Conditions { adjudication: self.adjudication, oracle: None, stop },
            players: [None, None],
        };
        (0..self.concurrency.max(1)).map(table).collect()
    }
}

/// A thread's two players.
pub(super) struct Table<'a> {
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
