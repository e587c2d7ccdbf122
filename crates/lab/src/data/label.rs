//! Labelling: new scores for games or positions, by the own engine or a UCI program.
//!
//! Every record of the output follows from the input in order, so a file of `n` records is continued
//! by leaving out the first `n`. Positions are judged in groups; the own engine forgets everything
//! between groups, so that its labels do not depend on threads or interruptions.

mod source;

pub(crate) use source::games as read_games;
pub use source::{Candidate, InputError, InputKind, Sampling, TextError};

use crate::arena::players::{Failure, Halt, Players};
use crate::arena::{Batch, EngineSpec, Player, PlayerFactory, Program, Score};
use crate::data::record::{
    self, Game, Header, LabelledPosition, PackError, Record, RecordError, Verdict,
};
use crate::work::growing::{GrowError, GrowingFile};
use crate::work::{LostItem, Part, StopSignal, ordered_map};
use std::path::Path;
use std::time::{Duration, Instant};
use tabiya_chess::Board;

/// From this score on a position without a result counts as won: in the usual unit, +100 is a 50 %
/// chance to win.
const LIKELY_WIN: i16 = 100;

/// Who labels, and how.
#[derive(Clone, Debug)]
pub struct LabelConfig {
    /// Who judges positions.
    pub player: EngineSpec,
    /// The unit of its scores, in words.
    pub score_unit: String,
    /// Groups of positions judged at the same time.
    pub concurrency: usize,
    /// Positions a UCI program is asked about before it has answered.
    pub in_flight: usize,
    /// Whether a UCI program shall castle as in Chess960.
    pub chess960: bool,
    /// Only these groups: games, or [`Sampling::GROUP`] positions each.
    pub groups: Option<Part>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct LabelProgress {
    /// Records in the file.
    pub records: u64,
    /// Records it will have, if known.
    pub expected: Option<u64>,
    /// Records labelled in this run.
    pub labelled: u64,
    /// Positions in them.
    pub positions: u64,
    /// Time since the start of this run.
    pub elapsed: Duration,
    /// Whether the whole input is labelled.
    pub complete: bool,
}

impl LabelProgress {
    /// Positions per second in this run.
    pub fn rate(&self) -> f64 {
        self.positions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Time left at the speed so far, if the end is known.
    pub fn left(&self) -> Option<Duration> {
        let each = self.elapsed.as_secs_f64() / self.labelled.max(1) as f64;
        let missing = self.expected?.saturating_sub(self.records);
        Duration::try_from_secs_f64(each * missing as f64).ok()
    }
}

/// Why labelling ended early.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The output.
    #[error(transparent)]
    File(#[from] GrowError),
    /// The player fails again and again.
    #[error("player: {0}")]
    Player(String),
    /// A record that makes no sense.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A group that was not labelled because of a bug.
    #[error(transparent)]
    Lost(#[from] LostItem),
}

impl From<LostItem> for Halt<LabelError> {
    fn from(lost: LostItem) -> Self {
        Self::Failed(lost.into())
    }
}

impl From<PackError> for LabelError {
    fn from(error: PackError) -> Self {
        Self::Record(error.into())
    }
}

/// Where a run reads and writes, and how it is controlled.
pub struct LabelRun<'a> {
    /// Who labels.
    pub config: &'a LabelConfig,
    /// The file to read.
    pub input: &'a Path,
    /// The file to write.
    pub output: &'a Path,
    /// Whether to continue it if it exists.
    pub resume: bool,
    /// Makes the players.
    pub factory: &'a dyn PlayerFactory,
    /// Ends the run early.
    pub stop: &'a StopSignal,
}

impl LabelRun<'_> {
    /// Labels every ply of games, from a file of games or PGN.
    pub fn games(&self, observe: impl FnMut(&LabelProgress)) -> Result<LabelProgress, LabelError> {
        let games = source::games(self.input)?;
        self.run::<Game>(games, source::count(self.input), "every position", observe)
    }

    /// Labels positions, from any input.
    pub fn positions(
        &self,
        sampling: &Sampling,
        observe: impl FnMut(&LabelProgress),
    ) -> Result<LabelProgress, LabelError> {
        let candidates = source::candidates(self.input, *sampling)?;
        let expected = match InputKind::of(self.input)? {
            InputKind::Positions => source::count(self.input)
                .map(|count| (count as f64 * sampling.share).round() as u64),
            _ => None,
        };
        self.run::<LabelledPosition>(
            source::groups(candidates),
            expected,
            &sampling.to_string(),
            observe,
        )
    }

    fn run<R: Labelled>(
        &self,
        sources: impl Iterator<Item = Result<R::Source, InputError>> + Send,
        expected: Option<u64>,
        choice: &str,
        mut observe: impl FnMut(&LabelProgress),
    ) -> Result<LabelProgress, LabelError> {
        let config = self.config;
        let players = Players::new(self.factory, &config.player, config.chess960, self.stop)
            .map_err(LabelError::Player)?;
        let groups = config.groups.map_or(0..u64::MAX, Part::range);
        let count = (groups.end - groups.start) as usize;
        let mut sources = sources.skip(groups.start as usize).take(count);
        let job = format!(
            "labels of {} for {choice} of {}",
            config.player.canonical(),
            source::describe(self.input)?
        );
        let header = Header {
            score_unit: config.score_unit.clone(),
            description: Part::describe(config.groups, &job),
        };
        let mut file = GrowingFile::<R>::open(self.output, &header, self.resume)?;
        let mut progress = LabelProgress {
            records: file.total(),
            expected: expected.filter(|_| config.groups.is_none()),
            labelled: 0,
            positions: 0,
            elapsed: Duration::ZERO,
            complete: false,
        };
        let started = Instant::now();
        let label_rest = || {
            let (first, mut surplus) = skip_known::<R>(&mut sources, file.total())?;
            ordered_map(
                first.map(Ok).into_iter().chain(sources).zip(1u64..),
                config.concurrency,
                |(_, number)| format!("group {number} of this run"),
                |(source, _)| self.label::<R>(&players, source?),
                |group| {
                    let Some((records, positions)) = group? else { return Err(Halt::Stopped) };
                    for record in records {
                        if surplus > 0 {
                            surplus -= 1;
                            continue;
                        }
                        file.push(&record).map_err(LabelError::File)?;
                        progress.records += 1;
                        progress.labelled += 1;
                    }
                    progress.positions += positions;
                    progress.elapsed = started.elapsed();
                    observe(&progress);
                    Ok(())
                },
            )
        };
        let labelled = label_rest();
        // Whatever happened, what is there can be read.
        file.finish()?;
        match labelled {
            Err(Halt::Failed(error)) => return Err(error),
            Err(Halt::Stopped) => {}
            Ok(()) => progress.complete = true,
        }
        Ok(progress)
    }

    /// The labelled records of a group and the positions judged for them; `None` when they are not
    /// wanted any more.
    fn label<R: Labelled>(
        &self,
        players: &Players,
        source: R::Source,
    ) -> Result<Option<(Vec<R>, u64)>, LabelError> {
        let boards = R::boards(&source)?;
        let judge = |player: &mut dyn Player| self.judge(player, &boards);
        let Some(scores) = players.work(judge).map_err(LabelError::Player)? else {
            return Ok(None);
        };
        Ok(Some((R::label(source, &scores)?, scores.len() as u64)))
    }

    fn judge(&self, player: &mut dyn Player, boards: &[Board]) -> Result<Vec<i16>, Failure> {
        let config = self.config;
        if config.player.program == Program::Own {
            player.new_game()?;
        }
        let (limits, in_flight) = (config.player.limits, config.in_flight);
        let scores = player.scores(&Batch { boards, limits, in_flight, stop: self.stop })?;
        let stored = |(score, board): (Option<Score>, &Board)| {
            let missing = || Failure::Because(format!("no score for {board}"));
            score.map(record::stored_score).ok_or_else(missing)
        };
        scores.into_iter().zip(boards).map(stored).collect()
    }
}

/// Leaves out what `known` records were made of. Returns the first group that is not wholly known
/// and how many of its records are.
fn skip_known<R: Labelled>(
    sources: &mut impl Iterator<Item = Result<R::Source, InputError>>,
    mut known: u64,
) -> Result<(Option<R::Source>, u64), LabelError> {
    while known > 0 {
        let Some(source) = sources.next().transpose()? else { return Ok((None, 0)) };
        let count = R::count(&source);
        if count > known {
            return Ok((Some(source), known));
        }
        known -= count;
    }
    Ok((None, 0))
}

/// A record that can be made from boards and their scores.
trait Labelled: Record + Send {
    /// What is labelled together.
    type Source: Send;

    /// How many records it gives.
    fn count(source: &Self::Source) -> u64;

    /// The positions to be judged.
    fn boards(source: &Self::Source) -> Result<Vec<Board>, RecordError>;

    /// The records, given a score for each of these positions.
    fn label(source: Self::Source, scores: &[i16]) -> Result<Vec<Self>, PackError>;
}

impl Labelled for Game {
    type Source = Self;

    fn count(_: &Self) -> u64 {
        1
    }

    fn boards(game: &Self) -> Result<Vec<Board>, RecordError> {
        let mut boards = Vec::with_capacity(game.plies().len());
        game.replay(|board, _| boards.push(*board))?;
        Ok(boards)
    }

    fn label(game: Self, scores: &[i16]) -> Result<Vec<Self>, PackError> {
        let mut labelled = Self::new(&game.start()?, game.result())?;
        for (ply, score) in game.plies().iter().zip(scores) {
            labelled.push(ply.mv, Some(*score));
        }
        Ok(vec![labelled])
    }
}

impl Labelled for LabelledPosition {
    type Source = Vec<Candidate>;

    fn count(group: &Vec<Candidate>) -> u64 {
        group.len() as u64
    }

    fn boards(group: &Vec<Candidate>) -> Result<Vec<Board>, RecordError> {
        Ok(group.iter().map(|candidate| candidate.board).collect())
    }

    fn label(group: Vec<Candidate>, scores: &[i16]) -> Result<Vec<Self>, PackError> {
        let label = |(candidate, score): (&Candidate, &i16)| {
            let verdict = candidate.verdict.unwrap_or_else(|| likely_verdict(*score));
            let mut position = Self::new(&candidate.board, *score, verdict)?;
            position.kind = candidate.kind;
            Ok(position)
        };
        group.iter().zip(scores).map(label).collect()
    }
}

/// The result that a score suggests.
fn likely_verdict(score: i16) -> Verdict {
    if score >= LIKELY_WIN {
        Verdict::Win
    } else if score <= -LIKELY_WIN {
        Verdict::Loss
    } else {
        Verdict::Draw
    }
}
