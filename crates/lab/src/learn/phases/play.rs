//! Games of the best net against itself.

use super::super::error::LearnError;
use super::super::plan::Plan;
use super::super::shown::ShownGame;
use super::super::status::Phase;
use super::{Desk, Factory, soft};
use crate::arena::{Adjudication, DrawRule, ResignRule};
use crate::data::play::{self, PlayConfig};
use crate::data::record::CENTIPAWNS;

/// Openings further from level are replaced.
const MAX_OPENING_SCORE: i32 = 250;
/// A player that knows nothing cannot say what is level.
const ANY_SCORE: i32 = 30_000;
/// Games are drawn after so many moves; those of a player that knows nothing soon lead nowhere.
const MAX_MOVES: u32 = 200;
const BLIND_MAX_MOVES: u32 = 120;
/// Every so many games one is shown.
const SHOW_EVERY: u64 = 25;
/// Games shown at a time.
const SHOWN: usize = 4;

/// What is played by this plan.
pub(in super::super) fn conditions(desk: &Desk, plan: &Plan) -> PlayConfig {
    let trusted = !plan.is_blind;
    PlayConfig {
        player: desk.player(plan.best, soft(plan.nodes)),
        games: plan.games,
        part: None,
        seed: plan.seed,
        dfrc_share: desk.settings.dfrc,
        max_opening_score: if trusted { MAX_OPENING_SCORE } else { ANY_SCORE },
        adjudication: Adjudication {
            resign: trusted.then_some(ResignRule { score: 1000, moves: 2, both: true }),
            draw: trusted.then_some(DrawRule { score: 5, moves: 5, from_move: 30 }),
            max_moves: Some(if trusted { MAX_MOVES } else { BLIND_MAX_MOVES }),
        },
        score_unit: CENTIPAWNS.to_owned(),
        concurrency: desk.threads,
    }
}

/// Plays what is missing; `None` if somebody stopped it.
pub(in super::super) fn play(desk: &mut Desk, plan: &Plan) -> Result<Option<()>, LearnError> {
    let folder = desk.folder.generation(plan.generation);
    if folder.join("positions.json").exists() {
        return Ok(Some(()));
    }
    desk.teller.begin(Phase::Play, "games")?;
    let config = conditions(desk, plan);
    let Desk { folder: run, stop, teller, .. } = desk;
    let factory = Factory(run.root());
    let fail = |error| LearnError::Play(plan.generation, error);
    let mut moments = 0;
    let done =
        play::run(&config, &folder.join("self.games"), true, &factory, stop, |done, game| {
            if moments == 0 || done.games / SHOW_EVERY > moments {
                moments = (done.games / SHOW_EVERY).max(1);
                let title = format!("generation {}, game {}", plan.generation, done.games);
                if let Ok(shown) = ShownGame::new(title, game) {
                    teller.show(shown, SHOWN);
                }
            }
            let left = done.left().map(|left| left.as_secs_f64());
            teller.tell(|status| {
                (status.done, status.total) = (done.games, done.target);
                (status.rate, status.left) = (done.rate(), left);
            });
        })
        .map_err(fail)?;
    if done.played > 0 {
        teller.speed.games = Some(done.played as f64 / done.elapsed.as_secs_f64().max(1e-3));
    }
    Ok((done.games >= done.target).then_some(()))
}
