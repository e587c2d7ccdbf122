//! Work on every game of a PGN file: in parallel, with results in the order of the file, in bounded
//! memory, surviving a kill at any moment.
//!
//! A [`Task`] turns a game into pieces of text, one for each output. Outputs grow under the name
//! `FILE.part` and get their own name when everything is done. Every second the lengths up to which
//! they are complete are written down in `FILE.progress` (beside the first output), with a checksum of
//! the games they were made from. A resumed run reads these games again, cuts the parts to these
//! lengths and continues with the next game. As long as the work on a game depends on nothing but the
//! game, the result is the same byte for byte.

mod outputs;

pub use outputs::{BatchError, Output};

use crate::work::files::{self, CountingReader};
use crate::work::traced::{Trace, TracedReader};
use crate::work::{LostItem, Part, RunSettings, StopSignal, ordered_map_with};
use outputs::{Checkpoint, Parts};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tabiya_chess::pgn::{PgnError, PgnErrorKind, PgnGame, PgnReader};

/// A part of a file: every `count`-th game, beginning with number `index`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// From 1 to `count`.
    pub index: u64,
    /// Number of shards.
    pub count: u64,
}

/// A text that is no shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected K/N with 1 <= K <= N, like 2/8")]
pub struct ShardError;

impl Shard {
    /// Everything.
    pub const ALL: Self = Self { index: 1, count: 1 };

    /// Whether a game, numbered from 1, belongs to this part.
    pub fn has(self, game: u64) -> bool {
        game % self.count == self.index % self.count
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, count) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| ShardError);
        let shard = Self { index: number(index)?, count: number(count)? };
        (1..=shard.count).contains(&shard.index).then_some(shard).ok_or(ShardError)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// A game and its number in the file, from 1.
#[derive(Clone, Debug)]
pub struct NumberedGame {
    /// The number.
    pub number: u64,
    /// The game.
    pub game: PgnGame,
}

/// What a task makes of a game.
#[derive(Clone, Debug, Default)]
pub struct GameTexts<N> {
    /// What to append to each output, in their order.
    pub texts: Vec<String>,
    /// What to remember.
    pub note: N,
}

/// How far the work on a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WithinGame {
    /// The game's number.
    pub game: u64,
    /// Positions that are done.
    pub done: usize,
    /// All its positions.
    pub positions: usize,
}

impl fmt::Display for WithinGame {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "game {}: {} of {} positions", self.game, self.done, self.positions)
    }
}

/// Something to be done with every game.
pub trait Task: Sync {
    /// What one thread needs, say an engine.
    type Worker: Send;
    /// What is remembered of a game.
    type Note: Send;
    /// What all notes add up to; it survives a kill.
    type Summary: Default + Serialize + DeserializeOwned;

    /// Works on a game and tells now and then how many of its positions are done; `None` if it was
    /// abandoned because of `stop`.
    fn work(
        &self,
        worker: &mut Self::Worker,
        game: NumberedGame,
        stop: &StopSignal,
        tell: &mut dyn FnMut(WithinGame),
    ) -> Option<GameTexts<Self::Note>>;

    /// Adds a note to the summary, which an error leaves as it was.
    fn add(&self, summary: &mut Self::Summary, note: Self::Note) -> Result<(), BatchError>;

    /// What an output begins with.
    fn head(&self, _output: usize) -> String {
        String::new()
    }

    /// What an output ends with.
    fn tail(&self, _output: usize, _summary: &Self::Summary) -> String {
        String::new()
    }
}

/// Where games come from and where results go.
#[derive(Clone, Debug)]
pub struct BatchConfig {
    /// The PGN file, packed or not; `-` for standard input.
    pub input: PathBuf,
    /// The outputs.
    pub outputs: Vec<Output>,
    /// Which games.
    pub shard: Shard,
    /// Only these games of the file, counted from 0.
    pub part: Option<Part>,
    /// Continue where a run was interrupted.
    pub resume: bool,
    /// Replace outputs that are there already, finished or not.
    pub force: bool,
    /// Everything else that decides what comes out, by name. A resumed run must have the same.
    pub settings: RunSettings,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BatchProgress {
    /// Games of this shard that are done, in this run and before.
    pub games: u64,
    /// Games done in this run.
    pub fresh: u64,
    /// Time of this run.
    pub elapsed: Duration,
    /// Share of the file that has been read, if the length is known.
    pub share: Option<f64>,
    /// The same when this run began with its first game.
    start_share: f64,
}

impl BatchProgress {
    /// Games per second.
    pub fn rate(&self) -> f64 {
        self.fresh as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Time to the end, as far as the part of the file read so far tells.
    pub fn remaining(&self) -> Option<Duration> {
        let share = self.share?;
        let read = share - self.start_share;
        let ready = self.fresh > 0 && read > 0.0;
        ready.then(|| self.elapsed.mul_f64((1.0 - share).max(0.0) / read))
    }
}

impl fmt::Display for BatchProgress {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let elapsed = self.elapsed.as_secs();
        match self.games {
            1 => write!(f, "1 game, {elapsed} s")?,
            games => write!(f, "{games} games, {:.1} games/s, {elapsed} s", self.rate())?,
        }
        match self.remaining() {
            Some(left) => write!(f, ", about {} s left", left.as_secs()),
            None => Ok(()),
        }
    }
}

/// What is told while a run goes on.
pub trait Observer: Send {
    /// A game that is not as it should be; it was read as far as possible, or refused.
    fn problem(&mut self, text: &str);
    /// The run begins, or a game more is done.
    fn progress(&mut self, progress: &BatchProgress);
    /// Something is done within a game: a long one alone is a long run.
    fn within(&mut self, _: WithinGame) {}
    /// Outputs are about to be written, perhaps to the terminal that shows how far the run is.
    fn writing(&mut self) {}
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished<S> {
    /// Games done in all.
    pub games: u64,
    /// Games with something wrong in them.
    pub problems: u64,
    /// The sum of all notes.
    pub summary: S,
    /// Whether the end of the file was reached.
    pub complete: bool,
}

/// A game of the shard as it was read.
struct ReadGame {
    number: u64,
    game: io::Result<PgnGame>,
    /// Of the input up to here.
    trace: Trace,
}

impl ReadGame {
    /// Why this cannot be the beginning of a PGN file: neither tags nor moves.
    fn not_pgn(&self) -> Option<PgnError> {
        let game = self.game.as_ref().ok()?;
        let is_none = self.number == 1 && game.tags.is_empty() && game.mainline.moves.is_empty();
        game.error.clone().filter(|_| is_none)
    }
}

/// The games of a shard, and of a part of the file.
fn games_of(
    reader: Box<dyn io::Read + Send>,
    shard: Shard,
    part: Option<Part>,
) -> impl Iterator<Item = ReadGame> + Send {
    let mut games = PgnReader::new(TracedReader::new(reader));
    let mut number = 0;
    std::iter::from_fn(move || {
        loop {
            if part.is_some_and(|part| number >= part.to) {
                return None;
            }
            let game = games.next()?;
            number += 1;
            let is_wanted = shard.has(number) && part.is_none_or(|part| part.has(number - 1));
            if game.is_err() || is_wanted {
                return Some(ReadGame { number, game, trace: games.get_ref().trace() });
            }
        }
    })
}

/// One item on its way through the threads.
enum Step<N> {
    Done { problem: Option<String>, piece: GameTexts<N>, share: Option<f64> },
    Refused { problem: String },
    Abandoned,
    Unreadable(io::Error),
}

/// Runs a task over a file, with as many threads as there are workers.
pub fn run<T: Task>(
    config: &BatchConfig,
    task: &T,
    mut workers: Vec<T::Worker>,
    stop: &StopSignal,
    observer: &mut dyn Observer,
) -> Result<Finished<T::Summary>, BatchError> {
    let input = |error| BatchError::Read(config.input.clone(), error);
    let (reader, counter) = open(&config.input).map_err(input)?;
    let (mut parts, checkpoint) = Parts::open(config, |output| task.head(output))?;
    let summary = match &checkpoint {
        Some(found) => {
            T::Summary::deserialize(&found.summary).map_err(|error| parts.damaged(&error))?
        }
        None => T::Summary::default(),
    };
    let Checkpoint { games: before, problems, mut read, .. } = checkpoint.unwrap_or_default();
    let mut finished = Finished { games: before, problems, summary, complete: false };

    let mut items = games_of(reader, config.shard, config.part);
    if let Some(last) = before.checked_sub(1) {
        // Whatever comes after the games that are done may have changed, but not these.
        let known = items.nth(last as usize).is_some_and(|game| game.trace == read);
        if !known {
            return Err(BatchError::OtherGames(config.input.clone()));
        }
    }
    let mut items = items.peekable();
    if let Some(error) = items.peek().and_then(ReadGame::not_pgn) {
        return Err(BatchError::NotPgn(config.input.clone(), error));
    }
    let started = Instant::now();
    let mut start_share = None;
    let observer = Mutex::new(observer);
    let observer = || observer.lock().unwrap_or_else(PoisonError::into_inner);
    observer().progress(&BatchProgress {
        games: before,
        fresh: 0,
        elapsed: started.elapsed(),
        share: None,
        start_share: 0.0,
    });
    let name = |item: &ReadGame| format!("games {}: game {}", config.input.display(), item.number);
    let work = |worker: &mut T::Worker, ReadGame { number, game, trace }: ReadGame| {
        let share = counter.share();
        let game = match game {
            Ok(game) => game,
            Err(error) => return (trace, Step::Unreadable(error)),
        };
        let problem = game.error.as_ref().map(ToString::to_string);
        let step = match (&game.error, problem) {
            // Without its position nothing can be said about a game.
            (Some(error), Some(problem))
                if matches!(error.kind, PgnErrorKind::Fen(_) | PgnErrorKind::Variant(_)) =>
            {
                Step::Refused { problem }
            }
            (_, problem) => task
                .work(worker, NumberedGame { number, game }, stop, &mut |done| {
                    observer().within(done);
                })
                .map_or(Step::Abandoned, |piece| Step::Done { problem, piece, share }),
        };
        (trace, step)
    };
    let result = ordered_map_with(items, &mut workers, name, work, |(trace, step)| {
        let mut share = None;
        match step {
            Step::Unreadable(error) => return Err(Ended::Failed(input(error))),
            Step::Abandoned => return Err(Ended::Stopped),
            Step::Refused { problem } => {
                finished.problems += 1;
                observer().problem(&format!("{problem}; the game is left out"));
            }
            Step::Done { problem, piece, share: read } => {
                share = read;
                if let Some(problem) = problem {
                    finished.problems += 1;
                    observer().problem(&format!("{problem}; what stands before it is kept"));
                }
                let mut observer = observer();
                observer.writing();
                parts.append(&piece.texts).map_err(Ended::Failed)?;
                drop(observer);
                task.add(&mut finished.summary, piece.note).map_err(Ended::Failed)?;
                parts.settle();
            }
        }
        finished.games += 1;
        read = trace;
        let start_share = *start_share.get_or_insert(share.unwrap_or(0.0));
        let (games, fresh) = (finished.games, finished.games - before);
        let elapsed = started.elapsed();
        observer().progress(&BatchProgress { games, fresh, elapsed, share, start_share });
        if parts.is_due() {
            parts.checkpoint(&finished, read).map_err(Ended::Failed)?;
        }
        Ok(())
    });
    match result {
        Ok(()) => {
            parts.checkpoint(&finished, read)?;
            observer().writing();
            parts.finish(|output| task.tail(output, &finished.summary))?;
            finished.complete = true;
        }
        Err(Ended::Stopped) => parts.checkpoint(&finished, read)?,
        Err(Ended::Failed(error)) => {
            // What is done stays done; the first error is the one to tell.
            let _ = parts.checkpoint(&finished, read);
            return Err(error);
        }
    }
    Ok(finished)
}

/// Why the stream of games was left before its end.
enum Ended {
    Stopped,
    Failed(BatchError),
}

impl From<LostItem> for Ended {
    fn from(lost: LostItem) -> Self {
        Self::Failed(lost.into())
    }
}

/// Opens a file or standard input and something that knows how much of it was read.
fn open(path: &Path) -> io::Result<(Box<dyn io::Read + Send>, files::ReadShare)> {
    if path.as_os_str() == "-" {
        return Ok((Box::new(io::stdin()), files::ReadShare::unknown()));
    }
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
    }
    let (reader, share) = CountingReader::new(file)?;
    Ok((files::unpack(path, BufReader::new(reader)), share))
}

#[cfg(test)]
mod tests;
