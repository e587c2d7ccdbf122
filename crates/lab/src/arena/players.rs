//! Players for threads that need one now and then: kept between uses, replaced when they fail.

use crate::arena::{EngineSpec, Fault, Player, PlayerFactory};
use crate::work::StopSignal;
use std::sync::Mutex;

/// Work is tried this often before a player that fails ends the run.
const ATTEMPTS: usize = 3;

/// Why a player did not do its work.
pub(crate) enum Failure {
    /// Nobody wants the result any more.
    Abandoned,
    /// The player failed, for this reason.
    Because(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Abandoned => Self::Abandoned,
            fault => Self::Because(fault.to_string()),
        }
    }
}

/// Why a run writes nothing more.
pub(crate) enum Halt<E> {
    /// Somebody stopped it.
    Stopped,
    /// Something failed.
    Failed(E),
}

impl<E> From<E> for Halt<E> {
    fn from(error: E) -> Self {
        Self::Failed(error)
    }
}

/// Players of one description.
pub(crate) struct Players<'a> {
    factory: &'a dyn PlayerFactory,
    spec: &'a EngineSpec,
    chess960: bool,
    stop: &'a StopSignal,
    idle: Mutex<Vec<Box<dyn Player>>>,
}

impl<'a> Players<'a> {
    /// Starts the first player, so that a wrong description is told before anything is written.
    pub(crate) fn new(
        factory: &'a dyn PlayerFactory,
        spec: &'a EngineSpec,
        chess960: bool,
        stop: &'a StopSignal,
    ) -> Result<Self, String> {
        let first = factory.create(spec, chess960).map_err(|fault| fault.to_string())?;
        Ok(Self { factory, spec, chess960, stop, idle: Mutex::new(vec![first]) })
    }

    /// Has a player do some work; `None` when it is not wanted any more.
    pub(crate) fn work<T>(
        &self,
        act: impl Fn(&mut dyn Player) -> Result<T, Failure>,
    ) -> Result<Option<T>, String> {
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            if self.stop.is_raised() {
                return Ok(None);
            }
            match self.attempt(&act) {
                Ok(result) => return Ok(Some(result)),
                Err(Failure::Abandoned) => return Ok(None),
                Err(Failure::Because(why)) => reason = why,
            }
        }
        Err(reason)
    }

    fn attempt<T>(
        &self,
        act: impl Fn(&mut dyn Player) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut player = match idle {
            Some(player) => player,
            None => self.factory.create(self.spec, self.chess960)?,
        };
        let result = act(player.as_mut())?;
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(player);
        }
        Ok(result)
    }
}
