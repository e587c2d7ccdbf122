//! The engine of this program as a player, in the thread of its game: no pipes, no waiting.

use super::clock::Clock;
use super::player::{Answer, Fault, Player, PlayerFactory, Question, Score, SearchInfo};
use super::spec::{EngineSpec, Program};
use super::uci_player::UciPlayer;
use std::time::{Duration, Instant};
use tabiya_engine::{Info, Limits, Searcher};

/// Hash table of an own player unless its description says otherwise.
const DEFAULT_HASH_MB: usize = 16;

/// Makes players of all kinds: UCI programs and the own engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllPlayers;

impl PlayerFactory for AllPlayers {
    fn create(&self, spec: &EngineSpec, chess960: bool) -> Result<Box<dyn Player>, Fault> {
        Ok(match spec.program {
            Program::Own => Box::new(OwnPlayer::new(spec)?),
            Program::Command(_) => Box::new(UciPlayer::start(spec, chess960)?),
        })
    }
}

/// A player that searches where it stands.
struct OwnPlayer {
    searcher: Searcher,
}

impl OwnPlayer {
    fn new(spec: &EngineSpec) -> Result<Self, Fault> {
        let start = |error: &dyn std::fmt::Display| Fault::Start(error.to_string());
        let mut searcher = Searcher::new(DEFAULT_HASH_MB).map_err(|error| start(&error))?;
        for (name, value) in &spec.options {
            searcher.set_option(name, value).map_err(|error| start(&error))?;
        }
        Ok(Self { searcher })
    }
}

impl Player for OwnPlayer {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.searcher.new_game();
        Ok(())
    }

    fn think(
        &mut self,
        question: &Question,
        observe: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Answer, Fault> {
        if question.stop.is_abandoned() {
            return Err(Fault::Abandoned);
        }
        let started = Instant::now();
        let game = question.game;
        let limits = limits(question);
        let result = self.searcher.search(game.board(), game.keys(), &limits, |info| {
            observe(&search_info(info));
        });
        let mv = result.best.ok_or_else(|| Fault::IllegalMove("(none)".to_owned()))?;
        Ok(Answer { mv, elapsed: started.elapsed() })
    }
}

fn limits(question: &Question) -> Limits {
    let own = question.limits;
    let clock = |clock: Clock| tabiya_engine::Clock {
        time: clock.remaining(),
        increment: clock.increment(),
    };
    Limits {
        clocks: question.clocks.map(|side| side.map(clock)),
        moves_to_go: question.clocks[game_side(question)].and_then(|clock| clock.moves_to_go()),
        move_time: own.move_time.map(|time| time.max(Duration::from_millis(1))),
        depth: own.depth,
        nodes: own.nodes,
        soft_nodes: own.soft_nodes,
        ..Limits::default()
    }
}

fn game_side(question: &Question) -> usize {
    question.game.board().side_to_move().index()
}

fn search_info(info: &Info) -> SearchInfo {
    let score = match info.score {
        tabiya_engine::Score::Cp(cp) => Score::Centipawns(cp),
        tabiya_engine::Score::Mate(moves) => Score::Mate(moves),
        tabiya_engine::Score::Tablebase(plies) => {
            Score::Centipawns(plies.signum() * 20_000 - plies)
        }
    };
    SearchInfo {
        depth: Some(info.depth),
        score: info.bound.is_none().then_some(score),
        nodes: Some(info.nodes),
        time: Some(info.time),
        best: info.line.first().copied(),
    }
}
