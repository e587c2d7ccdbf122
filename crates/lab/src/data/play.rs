//! Games of an engine against itself as training data.
//!
//! Game number `n` follows from the seed and `n` alone, and games are written in the order of their
//! numbers: a file of `n` games is continued with game `n`, whatever ended the run before. Players,
//! rules and adjudication are those of the arena.

pub(crate) mod opening;

use crate::arena::players::{Failure, Halt, Players};
use crate::arena::{
    self, Adjudication, Answer, Batch, Conditions, EngineSpec, Fault, Observer, Player,
    PlayerFactory, Question, Seat,
};
use crate::data::record::{self, Game, Header};
use crate::work::SplitMix;
use crate::work::growing::{GrowError, GrowingFile};
use crate::work::{LostItem, Part, StopSignal, ordered_map};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tabiya_chess::{Board, GameResult};

/// What is played.
#[derive(Clone, Debug)]
pub struct PlayConfig {
    /// Who plays both sides.
    pub player: EngineSpec,
    /// Games in the finished file.
    pub games: u64,
    /// Only these of the games.
    pub part: Option<Part>,
    /// Decides all openings.
    pub seed: u64,
    /// Share of games that start from double Chess960 positions.
    pub dfrc_share: f64,
    /// Openings that the player judges further from zero are replaced, in centipawns.
    pub max_opening_score: i32,
    /// When games end early.
    pub adjudication: Adjudication,
    /// The unit of the player's scores, in words.
    pub score_unit: String,
    /// Games played at the same time.
    pub concurrency: usize,
}

impl PlayConfig {
    /// What the file says about itself: all that decides its games but their number.
    fn header(&self) -> Header {
        let Self {
            player,
            seed,
            dfrc_share,
            max_opening_score,
            adjudication,
            score_unit,
            part,
            games: _,
            concurrency: _,
        } = self;
        let job = format!(
            "self-play of {}; 8 or 9 random plies within {max_opening_score}, DFRC share \
             {dfrc_share}, seed {seed}, {adjudication}",
            player.canonical()
        );
        Header { score_unit: score_unit.clone(), description: Part::describe(*part, &job) }
    }

    /// The numbers of the games of the file.
    fn numbers(&self) -> Range<u64> {
        let part = self.part.map_or(0..self.games, Part::range);
        part.start.min(self.games)..part.end.min(self.games)
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct PlayProgress {
    /// Games in the file.
    pub games: u64,
    /// Games it shall have.
    pub target: u64,
    /// Games played in this run.
    pub played: u64,
    /// Positions with a score in them.
    pub positions: u64,
    /// Time since the start of this run.
    pub elapsed: Duration,
}

impl PlayProgress {
    /// Positions per second in this run.
    pub fn rate(&self) -> f64 {
        self.positions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Time left at the speed so far; `None` if it is beyond counting.
    pub fn left(&self) -> Option<Duration> {
        let each = self.elapsed.as_secs_f64() / self.played.max(1) as f64;
        let missing = self.target.saturating_sub(self.games);
        Duration::try_from_secs_f64(each * missing as f64).ok()
    }
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The file.
    #[error(transparent)]
    File(#[from] GrowError),
    /// The player fails again and again.
    #[error("player: {0}")]
    Player(String),
    /// A game that was not played because of a bug.
    #[error(transparent)]
    Lost(#[from] LostItem),
}

impl From<LostItem> for Halt<PlayError> {
    fn from(lost: LostItem) -> Self {
        Self::Failed(lost.into())
    }
}

/// Plays the games that are missing in a file, until done or told to stop; `observe` sees each.
pub fn run(
    config: &PlayConfig,
    output: &Path,
    resume: bool,
    factory: &dyn PlayerFactory,
    stop: &StopSignal,
    mut observe: impl FnMut(&PlayProgress, &Game),
) -> Result<PlayProgress, PlayError> {
    let chess960 = config.dfrc_share > 0.0;
    let players =
        Players::new(factory, &config.player, chess960, stop).map_err(PlayError::Player)?;
    let hall = Hall { config, stop };
    let mut file = GrowingFile::open(output, &config.header(), resume)?;
    let started = Instant::now();
    let numbers = config.numbers();
    let mut progress = PlayProgress {
        games: file.total(),
        target: numbers.end - numbers.start,
        played: 0,
        positions: 0,
        elapsed: Duration::ZERO,
    };
    let played = ordered_map(
        numbers.start + file.total()..numbers.end,
        config.concurrency,
        |number| format!("game {number}"),
        |number| players.work(|player| hall.play(number, player)),
        |game| {
            let game = game.map_err(PlayError::Player)?;
            let Some(game) = game else { return Err(Halt::Stopped) };
            file.push(&game).map_err(PlayError::File)?;
            progress.games += 1;
            progress.played += 1;
            progress.positions += game.plies().len() as u64;
            progress.elapsed = started.elapsed();
            observe(&progress, &game);
            Ok(())
        },
    );
    // Whatever happened, what is there can be read.
    file.finish()?;
    match played {
        Err(Halt::Failed(error)) => Err(error),
        Ok(()) | Err(Halt::Stopped) => Ok(progress),
    }
}

/// What all games share.
struct Hall<'a> {
    config: &'a PlayConfig,
    stop: &'a StopSignal,
}

impl Hall<'_> {
    fn play(&self, number: u64, player: &mut dyn Player) -> Result<Game, Failure> {
        let start = self.opening(number, player)?;
        let shared = Mutex::new(player);
        let (mut white, mut black) = (Side(&shared), Side(&shared));
        let spec = &self.config.player;
        let seats = [Seat { player: &mut white, spec }, Seat { player: &mut black, spec }];
        let adjudication = self.config.adjudication;
        let conditions = Conditions { adjudication, oracle: None, stop: self.stop };
        let game = tabiya_chess::Game::from_board(start);
        let played = arena::play(game, seats, &conditions).ok_or(Failure::Abandoned)?;
        if played.end.reason.is_failure() {
            return Err(Failure::Because(played.end.detail.unwrap_or_default()));
        }
        let result = played.end.winner.map_or(GameResult::Draw, GameResult::Win);
        let mut game =
            Game::new(&start, result).map_err(|error| Failure::Because(error.to_string()))?;
        for (mv, note) in played.game.moves().iter().zip(&played.notes) {
            game.push(*mv, note.score.map(record::stored_score));
        }
        Ok(game)
    }

    /// Random openings until the player finds one level enough.
    fn opening(&self, number: u64, player: &mut dyn Player) -> Result<Board, Fault> {
        let seed = SplitMix::new(self.config.seed).next() ^ SplitMix::new(number).next();
        let mut random = SplitMix::new(seed);
        loop {
            if self.stop.is_abandoned() {
                return Err(Fault::Abandoned);
            }
            let Some(board) = opening::random(&mut random, self.config.dfrc_share) else {
                continue;
            };
            player.new_game()?;
            let limits = self.config.player.limits;
            let batch = Batch { boards: &[board], limits, in_flight: 1, stop: self.stop };
            let scores = player.scores(&batch)?;
            let score = scores.first().copied().flatten().map(record::stored_score);
            if score.is_some_and(|score| i32::from(score).abs() <= self.config.max_opening_score) {
                return Ok(board);
            }
        }
    }
}

/// One side of a player that plays both.
struct Side<'a, 'p>(&'a Mutex<&'p mut dyn Player>);

impl Side<'_, '_> {
    fn with<T>(&self, act: impl FnOnce(&mut dyn Player) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut player = self.0.lock().map_err(|_| Fault::Exited("a panic".to_string()))?;
        act(&mut **player)
    }
}

impl Player for Side<'_, '_> {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.with(|player| player.new_game())
    }

    fn think(&mut self, question: &Question, observe: &mut Observer) -> Result<Answer, Fault> {
        self.with(|player| player.think(question, observe))
    }
}
