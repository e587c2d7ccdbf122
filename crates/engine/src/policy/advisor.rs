//! The policy net of an engine and the questions put to it.

use super::human::Human;
use super::{Advice, GameHistory, Policy};
use crate::config::Config;
use crate::level::Dice;
use crate::limits::Limits;
use std::time::Duration;
use tabiya_chess::{Board, Color};
use tabiya_nn::policy::input::Skill;

/// With less time than this for a move, or this much on the clock, nobody asks.
const HURRY_MOVE: Duration = Duration::from_millis(20);
const HURRY_CLOCK: Duration = Duration::from_millis(500);

/// The policy net of an engine, once it is needed.
#[derive(Default)]
pub(crate) struct Advisor {
    /// The net of `PolicyFile`, or the embedded one once it is needed.
    policy: Option<Policy>,
}

impl Advisor {
    /// Asks this net from now on; `None` means the embedded one.
    pub(crate) fn set_policy(&mut self, policy: Option<Policy>) {
        self.policy = policy;
    }

    /// Whether there is a net to ask.
    pub(crate) fn has_net(&self) -> bool {
        self.policy.is_some() || !Policy::embedded_bytes().is_empty()
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
    pub(crate) fn advice(
        &mut self,
        config: &Config,
        line: &GameHistory,
        board: &Board,
        limits: &Limits,
    ) -> Option<Advice> {
        let is_hurried = is_hurried(limits, board.side_to_move());
        if !(config.use_policy || config.show_policy) || is_hurried || board.legal_moves().len() < 2
        {
            return None;
        }
        Advice::new(self.policy()?, line, config.policy_uses)
    }

    /// A person of this rating at the board.
    pub(crate) fn human(&mut self, line: &GameHistory, elo: i64, dice: &mut Dice) -> Option<Human> {
        let skill = Skill::of_rating(elo.max(0) as u32);
        let proposal = self.policy()?.ask(line, skill)?;
        Some(Human { elo, proposal, chances: [(); 6].map(|()| dice.roll()) })
    }
}

fn is_hurried(limits: &Limits, side: Color) -> bool {
    limits.move_time.is_some_and(|time| time < HURRY_MOVE)
        || limits.clock(side).is_some_and(|clock| clock.time < HURRY_CLOCK)
}
