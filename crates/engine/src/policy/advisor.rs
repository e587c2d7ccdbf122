//! The policy net of an engine: whether it is used, for what, and the questions put to it.

use super::human::Human;
use super::{Advice, Line, Policy, PolicyFileError, Uses};
use crate::level::Dice;
use crate::limits::Limits;
use std::path::Path;
use std::time::Duration;
use tabiya_chess::{Board, Color};
use tabiya_nn::policy::input::Skill;

/// With less time than this for a move, or this much on the clock, nobody asks.
const HURRY_MOVE: Duration = Duration::from_millis(20);
const HURRY_CLOCK: Duration = Duration::from_millis(500);

/// The settings around the policy net, and the net itself.
#[derive(Default)]
pub(crate) struct Advisor {
    /// `UsePolicy`.
    pub(crate) is_on: bool,
    /// `PolicyInfo`.
    pub(crate) is_shown: bool,
    /// `PolicyUses`.
    pub(crate) uses: Uses,
    /// `Style` is `human`.
    pub(crate) is_human: bool,
    /// The net of `PolicyFile`, or the embedded one once it is needed.
    policy: Option<Policy>,
}

impl Advisor {
    /// Asks the net of this file from now on; an empty path means the embedded one. On failure the
    /// old one stays.
    pub(crate) fn set_file(&mut self, path: &Path) -> Result<(), PolicyFileError> {
        let is_embedded = path.as_os_str().is_empty();
        self.policy = if is_embedded { None } else { Some(Policy::new(Policy::from_file(path)?)) };
        Ok(())
    }

    /// Takes `engine` or `human`.
    pub(crate) fn set_style(&mut self, style: &str) -> Result<(), String> {
        self.is_human = match style.to_ascii_lowercase().as_str() {
            "engine" => false,
            "human" => true,
            _ => return Err("engine or human expected".to_owned()),
        };
        Ok(())
    }

    /// Whether there is a net to ask.
    pub(crate) fn has_net(&mut self) -> bool {
        self.policy().is_some()
    }

    fn policy(&mut self) -> Option<&mut Policy> {
        if self.policy.is_none() {
            self.policy = Policy::embedded().map(Policy::new);
        }
        self.policy.as_mut()
    }

    /// Forgets the game.
    pub(crate) fn new_game(&mut self) {
        if let Some(policy) = &mut self.policy {
            policy.clear();
        }
    }

    /// What the threads of a search are told; nothing if the net is off, missing, or not worth its time.
    pub(crate) fn advice(&mut self, line: &Line, board: &Board, limits: &Limits) -> Option<Advice> {
        let is_wanted = (self.is_on || self.is_shown) && !is_hurried(limits, board.side_to_move());
        if !is_wanted || board.legal_moves().len() < 2 {
            return None;
        }
        let uses = self.uses;
        Advice::new(self.policy()?, line, uses)
    }

    /// A person of this rating at the board.
    pub(crate) fn human(&mut self, line: &Line, elo: i64, dice: &mut Dice) -> Option<Human> {
        if !self.is_human {
            return None;
        }
        let skill = Skill::of_rating(elo.max(0) as u32);
        let proposal = self.policy()?.ask(line, skill)?;
        Some(Human { elo, proposal, chances: [(); 6].map(|()| dice.roll()) })
    }
}

fn is_hurried(limits: &Limits, side: Color) -> bool {
    limits.move_time.is_some_and(|time| time < HURRY_MOVE)
        || limits.clock(side).is_some_and(|clock| clock.time < HURRY_CLOCK)
}
