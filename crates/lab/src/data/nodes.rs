//! Positions as a search asks about them, judged without a search by the net of another engine, or not
//! at all, for whoever judges them later.
//!
//! Most positions a search evaluates are not those of games: something hangs, a capture is being
//! answered, somebody has just blundered. Short searches of our own engine start from positions of
//! games, or a few random moves on; of the positions they evaluate a fair sample is kept, so that few
//! come from each of very many games. Roots are chosen so that every amount of material is shown
//! ([`Balance`]), which game positions alone would not do: half of them are endgames.

mod balance;
mod sample;

pub use balance::Balance;

use crate::data::distil::{is_quiet, wander};
use crate::data::positions::{
    Block, ExpandError, Filter, absolute_ply, block_name, game_blocks, game_hash, visit,
};
use crate::data::record::{
    Game, Header, Kind, LabelledPosition, ReadError, RecordError, Verdict, Writer,
};
use crate::data::teacher::{Labeller, Teacher};
use crate::work::SplitMix;
use crate::work::files;
use crate::work::{LostItem, ordered_map};
use sample::Sample;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use tabiya_chess::{Board, GameResult};
use tabiya_engine::eval::Evaluation;
use tabiya_engine::{Limits, Searcher, TableError};

/// Hash of the searches in megabytes: they are short, and it is emptied for every game.
const HASH_MB: usize = 1;
/// Up to so many random moves are played before a search, each number as often as the others.
const RANDOM_MOVES: usize = 2;
/// Games worked on in one go.
const CHUNK: usize = 64;
/// Games of every file that the balance is measured on. Not blocks: how games are dealt to blocks depends
/// on the time in which they were played.
const MEASURED_GAMES: u64 = 16_384;

/// What to make.
#[derive(Clone)]
pub struct NodesConfig {
    /// Files of games.
    pub inputs: Vec<PathBuf>,
    /// Which positions searches start from and which nodes are kept; games for validation are left
    /// out.
    pub filter: Filter,
    /// Decides roots, random moves and samples.
    pub seed: u64,
    /// Searches for each game, on average.
    pub per_game: f64,
    /// Nodes of each search.
    pub nodes: u64,
    /// Evaluated positions kept of each search, at most.
    pub samples: usize,
    /// Keeps only quiet or only noisy ones.
    pub only: Option<Kind>,
    /// Chooses roots by material and score; without it all are alike.
    pub is_balanced: bool,
    /// Enough positions.
    pub limit: Option<u64>,
    /// What judges the positions of the search.
    pub evaluation: Evaluation,
    /// Games worked on at the same time.
    pub threads: usize,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodesProgress {
    /// Games read.
    pub games: u64,
    /// Searches made.
    pub searches: u64,
    /// Positions the searches evaluated.
    pub evaluated: u64,
    /// Positions written.
    pub positions: u64,
    /// Quiet ones among them.
    pub quiet: u64,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum NodesError {
    /// The games or the output.
    #[error(transparent)]
    Files(#[from] ExpandError),
    /// No memory for a search.
    #[error(transparent)]
    Memory(#[from] TableError),
    /// A block whose result was lost because of a bug.
    #[error(transparent)]
    Lost(#[from] LostItem),
}

/// Writes nodes of searches from positions of all games but the ones for validation and those without a
/// result. Without a teacher their scores are 0. When told to stop, it ends with what it has.
pub fn run(
    config: &NodesConfig,
    teacher: Option<&Teacher>,
    header: &Header,
    output: &Path,
    stop: &AtomicBool,
    mut observe: impl FnMut(NodesProgress),
) -> Result<NodesProgress, NodesError> {
    let balance = measure(config)?;
    let mut progress = NodesProgress::default();
    let enough = AtomicBool::new(false);
    let workers = Mutex::new(Vec::new());
    let goes_on = || !enough.load(Relaxed) && !stop.load(Relaxed);
    let wanted = config.inputs.iter().flat_map(|path| chunks(path)).take_while(|_| goes_on());
    let fail = |error| NodesError::Files(ExpandError::Write(output.to_owned(), error));
    files::replace_with(output, fail, |fresh| {
        let mut writer = Writer::create(fresh, header).map_err(fail)?;
        ordered_map(
            wanted,
            config.threads,
            block_name,
            |(path, block, games)| {
                let (first, games) =
                    games.map_err(|error| ExpandError::Read(path.clone(), error))?;
                let idle = workers.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut worker = match idle {
                    Some(worker) => worker,
                    None => Worker::new(config, &balance, teacher)?,
                };
                let mut found = Found::default();
                let visited = visit(&games, &path, block, |game| worker.walk(game, &mut found));
                workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                visited.map_err(|error| error.counted_from(first))?;
                Ok::<_, NodesError>(found)
            },
            |made| {
                let made: Found = made?;
                if enough.load(Relaxed) {
                    return Ok(());
                }
                progress.games += made.games;
                progress.searches += made.searches;
                progress.evaluated += made.evaluated;
                for position in &made.positions {
                    writer.push(position).map_err(fail)?;
                    progress.positions += 1;
                    progress.quiet += u64::from(position.kind == Kind::Quiet);
                    if config.limit == Some(progress.positions) {
                        enough.store(true, Relaxed);
                        break;
                    }
                }
                observe(progress);
                Ok::<_, NodesError>(())
            },
        )?;
        writer.finish().map(|_| ()).map_err(fail)
    })?;
    Ok(progress)
}

/// Some games of a block and how many come before them.
type Chunk = Block<(usize, Vec<Game>)>;

/// The games of a file in small portions.
fn chunks(path: &Path) -> impl Iterator<Item = Chunk> + use<> {
    game_blocks(path).flat_map(|(path, block, games)| -> Vec<Chunk> {
        let split = |games: Vec<Game>| -> Vec<Result<(usize, Vec<Game>), ReadError>> {
            let chunks = games.chunks(CHUNK).enumerate();
            chunks.map(|(index, games)| Ok((index * CHUNK, games.to_vec()))).collect()
        };
        let parts = games.map_or_else(|error| vec![Err(error)], split);
        parts.into_iter().map(|part| (path.clone(), block, part)).collect()
    })
}

/// Counts the material of the positions searches may start from.
fn measure(config: &NodesConfig) -> Result<Balance, NodesError> {
    let mut counted = balance::Histogram::default();
    for path in &config.inputs {
        let mut left = MEASURED_GAMES;
        for (path, block, games) in game_blocks(path) {
            let games = games.map_err(|error| ExpandError::Read(path.clone(), error))?;
            visit(&games, &path, block, |game| {
                if left == 0 || game.result() == GameResult::Unknown {
                    return Ok(());
                }
                left -= 1;
                counted.games += 1;
                game.replay(|board, ply| {
                    if is_root(config.filter, board) {
                        counted.add(board, ply.score);
                    }
                })
            })?;
            if left == 0 {
                break;
            }
        }
    }
    let choose = if config.is_balanced { Balance::new } else { Balance::none };
    Ok(choose(&counted, config.per_game))
}

/// Whether a search may start from this position.
fn is_root(filter: Filter, board: &Board) -> bool {
    absolute_ply(board) >= filter.min_ply && !filter.lacks_material(board)
}

/// What the games of a portion gave.
#[derive(Default)]
struct Found {
    games: u64,
    searches: u64,
    evaluated: u64,
    positions: Vec<LabelledPosition>,
}

/// One thread's searcher and labeller.
struct Worker<'a> {
    config: &'a NodesConfig,
    balance: &'a Balance,
    searcher: Searcher,
    sample: Arc<Mutex<Sample>>,
    labeller: Option<Labeller>,
}

impl<'a> Worker<'a> {
    fn new(
        config: &'a NodesConfig,
        balance: &'a Balance,
        teacher: Option<&Teacher>,
    ) -> Result<Self, TableError> {
        let sample = Arc::new(Mutex::new(Sample::new(config.samples)));
        let mut searcher = Searcher::new(HASH_MB)?;
        searcher.set_evaluation(&sample::observed(&config.evaluation, &sample));
        Ok(Self { config, balance, searcher, sample, labeller: teacher.map(Labeller::new) })
    }

    /// Searches from some positions of a game.
    fn walk(&mut self, game: &Game, found: &mut Found) -> Result<(), RecordError> {
        let config = self.config;
        found.games += 1;
        let hash = game_hash(game)?;
        if config.filter.validates(hash) || game.result() == GameResult::Unknown {
            return Ok(());
        }
        let mut random = SplitMix::new(SplitMix::new(config.seed).next() ^ hash);
        let mut roots = Vec::new();
        game.replay(|board, ply| {
            if is_root(config.filter, board)
                && random.unit() < self.balance.chance(board, ply.score)
            {
                roots.push(*board);
            }
        })?;
        if roots.is_empty() {
            return Ok(());
        }
        self.searcher.new_game();
        for root in roots {
            let moves = random.below(RANDOM_MOVES + 1);
            let Some(root) = wander(root, moves, &mut random) else { continue };
            found.searches += 1;
            self.search(&root, random.next(), game.result(), found)?;
        }
        Ok(())
    }

    /// Searches a position and labels a sample of what was evaluated.
    fn search(
        &mut self,
        root: &Board,
        seed: u64,
        result: GameResult,
        found: &mut Found,
    ) -> Result<(), RecordError> {
        let lock = || self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        lock().start(seed);
        self.searcher.search(root, &[], &Limits::nodes(self.config.nodes), |_| {});
        let mut sample = lock();
        found.evaluated += sample.seen();
        let filter = self.config.filter;
        for board in sample.boards() {
            if board.in_check() || filter.lacks_material(board) {
                continue;
            }
            let kind = kind_of(board);
            if self.config.only.is_some_and(|only| only != kind) {
                continue;
            }
            let score = self.labeller.as_mut().map_or(0, |labeller| labeller.score(board));
            if score.abs() > i32::from(filter.max_score) {
                continue;
            }
            let Some(verdict) = Verdict::of(result, board.side_to_move()) else { continue };
            let mut position = LabelledPosition::new(board, score as i16, verdict)?;
            position.kind = kind;
            found.positions.push(position);
        }
        Ok(())
    }
}

/// Quiet is where neither side could win material at once, were it to move.
pub fn kind_of(board: &Board) -> Kind {
    let mut other = *board;
    other.play_null();
    if is_quiet(board) && is_quiet(&other) { Kind::Quiet } else { Kind::Noisy }
}

#[cfg(test)]
mod tests;
