//! The arena: matches between engines.
//!
//! [`run`] plays the games of a [`MatchConfig`] on several threads and keeps what they showed. Each
//! thread owns its players; the calling thread alone writes the journal, so that a game is either
//! recorded completely or will be played again. Players come from a [`PlayerFactory`], so that UCI
//! programs and an engine inside the process are the same to the arena.

mod adjudicate;
mod clock;
mod game;
mod journal;
mod ladder;
mod openings;
mod output;
mod own_player;
mod pgn;
mod player;
pub(crate) mod players;
mod process;
mod report;
mod schedule;
pub mod solve;
mod spawn;
mod spec;
mod starvation;
pub mod stats;
mod tablebase;
pub mod tuning;
mod uci_player;
mod xboard_player;

pub use adjudicate::{Adjudication, DrawRule, Oracle, ResignRule};
pub use clock::{Clock, TimeControl, TimeControlError};
pub use game::{Conditions, GameEnd, MoveNote, PlayedGame, Reason, Seat, TimeUse, play};
pub use journal::{GameRecord, Journal, JournalError};
pub use ladder::ladder;
pub use openings::{OpeningError, OpeningOrder, OpeningSource, Openings};
pub use output::{OutputError, Outputs};
pub use own_player::OwnPlayer;
pub use player::{
    Answer, Batch, Engines, Fault, Observer, Player, PlayerFactory, Question, Score, SearchInfo,
};
pub use report::{
    MatchProgress, PairingSummary, PlayerSummary, SprtSummary, Standings, Summary, Tally,
};
pub use schedule::{Fixture, Form, Schedule};
pub use spec::{EngineSpec, Limits, Program, SpecError, split_words};
pub use uci_player::UciPlayer;
pub use xboard_player::XboardPlayer;

use crate::arena::stats::sprt::{Decision, Sprt};
use crate::work::{Part, RunSettings, StopSignal};
use output::Recorder;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tabiya_chess::Color;

/// A machine that is late more often in one game is not fit for its time control.
const MAX_REPLAYS: u64 = 10;
/// How often the reporter hears of a match in which no game ends.
const TICK: Duration = Duration::from_millis(500);

/// Everything that defines a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The players, at least two with different names.
    pub players: Vec<EngineSpec>,
    /// Who meets whom.
    pub form: Form,
    /// Pairs of games for each pairing.
    pub rounds: u64,
    /// Only these rounds. A part decides nothing: a sequential test has to see all games in order.
    pub part: Option<Part>,
    /// Where games start.
    pub openings: OpeningSource,
    /// Whether castling follows Chess960.
    pub chess960: bool,
    /// When games end early.
    pub adjudication: Adjudication,
    /// A sequential test that may end the match early; for two players only.
    pub sprt: Option<Sprt>,
    /// Games played at the same time.
    pub concurrency: usize,
    /// Whether each thread and its programs stay on one core.
    pub pin: bool,
    /// Whether a loss on time is played again if the machine, not the player, was late.
    pub replay_starved: bool,
    /// Files to write.
    pub outputs: Outputs,
}

impl MatchConfig {
    /// A pair of games between any two players, from the usual position to its end, one at a time.
    pub fn new(players: Vec<EngineSpec>) -> Self {
        Self {
            players,
            form: Form::RoundRobin,
            rounds: 1,
            part: None,
            openings: OpeningSource::default(),
            chess960: false,
            adjudication: Adjudication::default(),
            sprt: None,
            concurrency: 1,
            pin: false,
            replay_starved: false,
            outputs: Outputs::default(),
        }
    }
}

/// Why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// Fewer than two players.
    #[error("a match needs two players, found {0}")]
    TooFewPlayers(usize),
    /// Two players of the same name.
    #[error("two players are called {0} (give them names with name=)")]
    SameName(String),
    /// A sequential test with more than two players.
    #[error("sprt: only for a match of two players")]
    SprtNeedsTwo,
    /// The openings cannot be used.
    #[error(transparent)]
    Openings(OpeningError),
    /// A player fails before the first game.
    #[error("player {name}: {fault}")]
    Player {
        /// Its name.
        name: String,
        /// What happened.
        #[source]
        fault: Fault,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// All games were played, without a sequential test.
    Complete,
    /// The sequential test accepted H1.
    H1,
    /// The sequential test accepted H0.
    H0,
    /// All games were played but the sequential test is undecided.
    Undecided,
    /// Somebody stopped it.
    Stopped,
}

/// Hears of everything that happens in a match, on the thread that runs it.
pub trait Reporter {
    /// The match starts; `resumed` games are known from an earlier run.
    fn started(&mut self, total: u64, resumed: u64) {
        let _ = (total, resumed);
    }
    /// A game was finished and recorded.
    fn game(&mut self, record: &GameRecord) {
        let _ = record;
    }
    /// Time has passed or games have ended.
    fn progress(&mut self, summary: &Summary, progress: &MatchProgress) {
        let _ = (summary, progress);
    }
}

/// A reporter that says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {}

/// Plays a match, or what is missing of it, and returns what it showed.
pub fn run(
    config: &MatchConfig,
    factory: &dyn PlayerFactory,
    oracle: Option<&dyn Oracle>,
    stop: &StopSignal,
    reporter: &mut dyn Reporter,
) -> Result<(Summary, Conclusion), ArenaError> {
    let (mut arena, openings) = Arena::open(config)?;
    try_players(config, factory)?;
    let done: HashSet<u64> = arena.earlier.iter().map(|record| record.game).collect();
    let resumed = arena.standings.games();
    reporter.started(arena.total(), resumed);

    let schedule = arena.schedule.clone();
    let todo = (0..schedule.games()).filter(|game| !done.contains(game));
    let fixtures = todo.filter_map(|game| schedule.fixture(game));
    let is_ours = |fixture: &Fixture| config.part.is_none_or(|part| part.has(fixture.round));
    let fixtures = Mutex::new(fixtures.filter(is_ours));
    let next = || fixtures.lock().ok()?.next();
    // A decided test stops the workers but not whoever gave us the signal.
    let halt = StopSignal::new();
    let hall = Hall { config, factory, oracle, openings: &openings, stop: &halt };
    let started = Instant::now();
    let (sender, receiver) = channel();
    let outcome = thread::scope(|scope| {
        for worker in 0..config.concurrency.max(1) {
            let (hall, sender, next) = (&hall, sender.clone(), &next);
            scope.spawn(move || hall.work(worker, next, &sender));
        }
        drop(sender);
        let mut collect = || -> Result<(), ArenaError> {
            loop {
                if arena.decision() != Decision::Undecided {
                    halt.abandon();
                }
                let Some(records) = receive(&receiver, stop, &halt) else { return Ok(()) };
                let records = &records[..arena.count(&records)];
                arena.recorder.write(records)?;
                for record in records {
                    reporter.game(record);
                }
                let progress = MatchProgress {
                    total: arena.total(),
                    finished: arena.standings.games() - resumed,
                    elapsed: started.elapsed(),
                };
                let summary = arena.summary();
                arena.recorder.write_summary(&summary, records.is_empty())?;
                reporter.progress(&summary, &progress);
            }
        };
        let collected = collect();
        // Nobody listens any more after an error; the workers must not play on.
        halt.abandon();
        collected
    });
    outcome?;
    arena.conclude()
}

/// What the journal of a match shows, without playing on. The other files are written from it.
pub fn report(config: &MatchConfig) -> Result<(Summary, Conclusion), ArenaError> {
    Arena::open(config)?.0.conclude()
}

/// A match with its files and what is known of it.
struct Arena<'a> {
    config: &'a MatchConfig,
    schedule: Schedule,
    recorder: Recorder,
    /// Games of earlier runs.
    earlier: Vec<GameRecord>,
    standings: Standings,
}

impl<'a> Arena<'a> {
    /// Opens the files of a match and counts what they hold.
    fn open(config: &'a MatchConfig) -> Result<(Self, Openings), ArenaError> {
        check(config)?;
        let openings = Openings::load(&config.openings, config.chess960, config.rounds as usize)
            .map_err(ArenaError::Openings)?;
        let schedule = Schedule::new(config.form, config.players.len(), config.rounds);
        let (recorder, earlier) = Recorder::open(&config.outputs, &settings(config, &openings))?;
        let standings = Standings::new(config.players.len());
        let mut arena = Self { config, schedule, recorder, earlier: Vec::new(), standings };
        arena.count(&earlier);
        arena.earlier = earlier;
        Ok((arena, openings))
    }

    /// The games to be played.
    fn total(&self) -> u64 {
        let all = self.config.rounds;
        let rounds = self.config.part.map_or(all, |part| part.to.min(all) - part.from.min(all));
        rounds.saturating_mul(2 * self.schedule.pairings().len() as u64)
    }

    fn sprt(&self) -> Option<&Sprt> {
        self.config.sprt.as_ref().filter(|_| self.config.part.is_none())
    }

    fn decision(&self) -> Decision {
        self.sprt().map_or(Decision::Undecided, |sprt| sprt.decide(self.standings.llr(sprt)))
    }

    /// Adds games until the test is decided, and returns how many: those that end after it do not count.
    fn count(&mut self, records: &[GameRecord]) -> usize {
        for (index, record) in records.iter().enumerate() {
            if self.decision() != Decision::Undecided {
                return index;
            }
            self.standings.add(record);
        }
        records.len()
    }

    fn summary(&self) -> Summary {
        let names: Vec<String> =
            self.config.players.iter().map(|player| player.name.clone()).collect();
        self.standings.summary(&names, self.sprt())
    }

    /// Writes the result down and says how the match ended.
    fn conclude(mut self) -> Result<(Summary, Conclusion), ArenaError> {
        let summary = self.summary();
        self.recorder.finish(&summary)?;
        let conclusion = match self.decision() {
            Decision::H1 => Conclusion::H1,
            Decision::H0 => Conclusion::H0,
            Decision::Undecided if self.standings.games() < self.total() => Conclusion::Stopped,
            Decision::Undecided if self.sprt().is_some() => Conclusion::Undecided,
            Decision::Undecided => Conclusion::Complete,
        };
        Ok((summary, conclusion))
    }
}

/// Waits for games; `None` when all workers have ended. An outer wish to stop is handed on.
fn receive(
    receiver: &Receiver<GameRecord>,
    stop: &StopSignal,
    halt: &StopSignal,
) -> Option<Vec<GameRecord>> {
    if stop.is_abandoned() {
        halt.abandon();
    } else if stop.is_raised() && !halt.is_raised() {
        halt.raise();
    }
    match receiver.recv_timeout(TICK) {
        // Taking all that is there saves syncing the journal for each of many short games.
        Ok(record) => Some(std::iter::once(record).chain(receiver.try_iter()).collect()),
        Err(RecvTimeoutError::Timeout) => Some(Vec::new()),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

fn check(config: &MatchConfig) -> Result<(), ArenaError> {
    if config.players.len() < 2 {
        return Err(ArenaError::TooFewPlayers(config.players.len()));
    }
    let mut names = HashSet::new();
    if let Some(twin) = config.players.iter().find(|player| !names.insert(&player.name)) {
        return Err(ArenaError::SameName(twin.name.clone()));
    }
    if config.sprt.is_some() && config.players.len() > 2 {
        return Err(ArenaError::SprtNeedsTwo);
    }
    Ok(())
}

/// Starts each player once, so that a wrong name or option is told before thousands of lost games.
fn try_players(config: &MatchConfig, factory: &dyn PlayerFactory) -> Result<(), ArenaError> {
    for spec in &config.players {
        factory
            .create(spec, config.chess960)
            .map_err(|fault| ArenaError::Player { name: spec.name.clone(), fault })?;
    }
    Ok(())
}

/// What must not change when a match is resumed. Every field is named, so that a new one is decided
/// about.
fn settings(config: &MatchConfig, openings: &Openings) -> RunSettings {
    let MatchConfig {
        players,
        form,
        openings: source,
        chess960,
        adjudication,
        sprt,
        replay_starved,
        outputs,
        // The match may grow, its parts are joined, and how it is played on this machine is of no
        // interest.
        rounds: _,
        part: _,
        concurrency: _,
        pin: _,
    } = config;
    // The file is known by its content.
    let OpeningSource { file: _, order, skip, plies } = source;
    let mut settings = RunSettings::from([
        ("form".to_owned(), form.to_string()),
        ("openings".to_owned(), format!("{:016x}", openings.digest())),
        ("opening order".to_owned(), format!("{:?}", (order, skip, plies))),
        ("chess960".to_owned(), chess960.to_string()),
        ("adjudication".to_owned(), adjudication.to_string()),
        ("sprt".to_owned(), format!("{sprt:?}")),
        ("keeps games".to_owned(), outputs.pgn.is_some().to_string()),
        ("replay starved".to_owned(), replay_starved.to_string()),
    ]);
    for (index, player) in players.iter().enumerate() {
        let name = format!("player {}", index + 1);
        settings.insert(name, format!("{} {}", player.name, player.canonical()));
    }
    settings
}

/// What the workers share.
struct Hall<'a> {
    config: &'a MatchConfig,
    factory: &'a dyn PlayerFactory,
    oracle: Option<&'a dyn Oracle>,
    openings: &'a Openings,
    stop: &'a StopSignal,
}

/// A player at a worker's table, with its index.
type Seated = Option<(usize, Box<dyn Player>)>;

impl Hall<'_> {
    /// Plays fixtures until there are no more.
    fn work(
        &self,
        worker: usize,
        next: &dyn Fn() -> Option<Fixture>,
        finished: &Sender<GameRecord>,
    ) {
        if self.config.pin {
            // Programs started by this thread inherit its core.
            let cores = core_affinity::get_core_ids().unwrap_or_default();
            if !cores.is_empty() {
                core_affinity::set_for_current(cores[worker % cores.len()]);
            }
        }
        let mut table: [Seated; 2] = [None, None];
        while !self.stop.is_raised() {
            let Some(fixture) = next() else { return };
            let Some(record) = self.play(&fixture, &mut table) else { return };
            if finished.send(record).is_err() {
                return;
            }
        }
    }

    /// Plays one game; `None` if it was abandoned. `table` holds the players of the last game and
    /// keeps those of this one, the lower index first.
    fn play(&self, fixture: &Fixture, table: &mut [Seated; 2]) -> Option<GameRecord> {
        let game = self.openings.game(fixture.round);
        let sides = [(Color::White, fixture.white), (Color::Black, fixture.black)];
        let mut seated: [Seated; 2] = [None, None];
        let mut failed = None;
        for (color, player) in sides {
            let kept = table.iter_mut().find(|seat| matches!(seat, Some((p, _)) if *p == player));
            seated[color] = match kept.and_then(Option::take) {
                Some(kept) => Some(kept),
                None => {
                    match self.factory.create(&self.config.players[player], self.config.chess960) {
                        Ok(fresh) => Some((player, fresh)),
                        Err(fault) => {
                            failed = failed.or(GameEnd::failed(color, &fault));
                            None
                        }
                    }
                }
            };
        }
        let mut replays = 0;
        let played = match (&mut seated, failed) {
            ([Some((_, white)), Some((_, black))], None) => {
                let spec = |player: usize| &self.config.players[player];
                let conditions = Conditions {
                    adjudication: self.config.adjudication,
                    oracle: self.oracle,
                    stop: self.stop,
                };
                loop {
                    let seats = [
                        Seat { player: white.as_mut(), spec: spec(fixture.white) },
                        Seat { player: black.as_mut(), spec: spec(fixture.black) },
                    ];
                    let played = play(game.clone(), seats, &conditions)?;
                    let is_wanted = self.config.replay_starved && replays < MAX_REPLAYS;
                    if !is_wanted || !played.end.is_excused {
                        break played;
                    }
                    replays += 1;
                }
            }
            (_, failed) => {
                PlayedGame { game, notes: Vec::new(), end: failed?, times: [TimeUse::default(); 2] }
            }
        };
        if let Some(color) = played.end.broken {
            seated[color] = None;
        }
        *table = seated;
        let pgn = self.config.outputs.pgn.is_some().then(|| {
            let [white, black] = [fixture.white, fixture.black].map(|p| &self.config.players[p]);
            pgn::to_pgn(fixture, &played, white, black, self.config.chess960)
        });
        Some(GameRecord { replays, ..GameRecord::new(fixture, &played, pgn) })
    }
}
