//! The own engine as a player in the thread of its game: no pipes, no text, no waking of threads.

use super::player::{Answer, Fault, Observer, Player, Question, Score, SearchInfo};
use super::spec::EngineSpec;
use super::starvation;
use crate::data::teacher::{Teacher, seat};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use tabiya_engine as engine;
use tabiya_engine::{Info, Params, Searcher};

/// Memory for the hash table unless the description says otherwise.
const HASH_MB: usize = 16;
/// Reserve for a busy machine: the clock goes on while another process has the core.
const MOVE_OVERHEAD: Duration = Duration::from_millis(10);

/// An engine of this program that plays.
pub struct OwnPlayer {
    searcher: Searcher,
}

impl OwnPlayer {
    /// Makes an engine with the options of the description.
    pub fn new(spec: &EngineSpec) -> Result<Self, Fault> {
        let failed = |error: &dyn std::fmt::Display| Fault::Start(error.to_string());
        let mut searcher = Searcher::new(HASH_MB).map_err(|error| failed(&error))?;
        let overhead = searcher.configure(|config| config.move_overhead = MOVE_OVERHEAD);
        overhead.map_err(|error| failed(&error))?;
        for (name, value) in &spec.options {
            searcher.set_option(name, value).map_err(|error| failed(&error))?;
        }
        if let Some(path) = &spec.teacher {
            let teacher = Teacher::shared(path)
                .map_err(|error| failed(&format!("{}: {error}", path.display())))?;
            searcher.set_evaluation(&seat::evaluation(&teacher));
        }
        Ok(Self { searcher })
    }

    /// Replaces the values of the search's tunables.
    pub fn set_params(&mut self, params: &Params) {
        self.searcher.set_params(params);
    }
}

impl Player for OwnPlayer {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.searcher.new_game();
        Ok(())
    }

    fn think(&mut self, question: &Question, observe: &mut Observer) -> Result<Answer, Fault> {
        if question.stop.is_abandoned() {
            return Err(Fault::Abandoned);
        }
        let watched = question.stop.watch(self.searcher.stop_handle());
        let is_timed = question.deadline.is_some();
        let waiting = || is_timed.then(starvation::of_this_thread).flatten();
        let waited = waiting();
        let started = Instant::now();
        let game = question.game;
        // A panic costs this game only: the player is replaced after it as after any other fault.
        let search = AssertUnwindSafe(|| {
            self.searcher.search(game.board(), game.keys(), &limits(question), |info| {
                observe(&search_info(info));
            })
        });
        let result = catch_unwind(search).map_err(|_| Fault::Exited("a panic".to_string()))?;
        let elapsed = started.elapsed();
        drop(watched);
        // The move of a search that was cut short is none to play.
        if question.stop.is_abandoned() {
            return Err(Fault::Abandoned);
        }
        let starved = starvation::between(waited, waiting());
        let (nodes, time) = (Some(result.nodes), Some(result.time));
        observe(&SearchInfo { nodes, time, ..SearchInfo::default() });
        let mv = result.best.ok_or_else(|| Fault::IllegalMove("(none)".to_string()))?;
        Ok(Answer { mv, elapsed, starved })
    }
}

fn limits(question: &Question) -> engine::Limits {
    let limits = &question.limits;
    let own = question.clocks[question.game.board().side_to_move()];
    let clock = |clock: super::Clock| engine::Clock {
        time: clock.remaining(),
        increment: clock.increment(),
    };
    engine::Limits {
        clocks: question.clocks.map(|side| side.filter(|_| limits.clock.is_some()).map(clock)),
        moves_to_go: own.and_then(|clock| clock.moves_to_go()),
        move_time: limits.move_time,
        depth: limits.depth,
        nodes: limits.nodes,
        soft_nodes: limits.soft_nodes,
        mate: limits.mate,
        ..engine::Limits::default()
    }
}

fn search_info(info: &Info) -> SearchInfo {
    let score = match info.score {
        engine::Score::Mate(moves) => Score::Mate(moves),
        other => Score::Centipawns(other.comparable()),
    };
    SearchInfo {
        depth: Some(info.depth),
        score: info.bound.is_none().then_some(score),
        nodes: Some(info.nodes),
        time: Some(info.time),
        best: info.line.first().copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::StopSignal;
    use tabiya_chess::{Board, Game};

    fn question<'a>(spec: &EngineSpec, game: &'a Game, stop: &'a StopSignal) -> Question<'a> {
        Question { game, clocks: [None, None], limits: spec.limits, deadline: None, stop }
    }

    /// What happens after the last completed iteration is the player's thinking too.
    #[test]
    fn the_last_report_covers_the_whole_search() {
        let spec = EngineSpec::parse("self nodes=20000 option.Hash=1", "").unwrap();
        let game = Game::from_board(Board::default());
        let stop = StopSignal::new();
        let question = question(&spec, &game, &stop);
        let mut last = SearchInfo::default();
        let mut player = OwnPlayer::new(&spec).unwrap();
        let answer = player.think(&question, &mut |info| last = *info).unwrap();
        assert_eq!(last.nodes, Some(20_000));
        assert!(last.time.is_some_and(|time| !time.is_zero() && time <= answer.elapsed));
    }

    #[test]
    fn who_abandons_a_game_does_not_wait_for_its_move() {
        let spec = EngineSpec::parse("self movetime=20 option.Hash=1", "").unwrap();
        let game = Game::from_board(Board::default());
        let stop = StopSignal::new();
        let question = question(&spec, &game, &stop);
        let mut player = OwnPlayer::new(&spec).unwrap();
        let started = Instant::now();
        let answer = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.raise();
                stop.raise();
            });
            player.think(&question, &mut |_| {})
        });
        assert_eq!(answer, Err(Fault::Abandoned));
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
