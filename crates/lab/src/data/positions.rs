//! From games to training positions: filter, remove duplicates, split, shuffle.
//!
//! A net is asked about quiet positions only, so only those are kept: not in check, and the move
//! played neither a capture nor a promotion. Training and validation never share a game.

mod set;
mod stats;

pub use set::PositionSet;
pub use stats::{GameStats, PositionStats, fit_scale};

use crate::data::record::{
    Game, Header, LabelledPosition, ReadError, Reader, Record, RecordError, Verdict, Writer,
};
use crate::work::SplitMix;
use crate::work::files;
use crate::work::{LostItem, ordered_map};
use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use tabiya_chess::Board;

/// Which positions of a game are kept.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Filter {
    /// Positions before this ply of the game are dropped.
    pub min_ply: u32,
    /// Positions whose score is further from zero are dropped.
    pub max_score: i16,
    /// Positions with fewer pieces, kings included, are dropped.
    pub min_pieces: u32,
    /// Positions with a higher 50-move count are dropped.
    pub max_halfmove_clock: u16,
    /// Every game is for validation with this chance in 1000.
    pub validation_permille: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            min_ply: 8,
            max_score: 2000,
            min_pieces: 4,
            max_halfmove_clock: 80,
            validation_permille: 10,
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { min_ply, max_score, min_pieces, max_halfmove_clock, validation_permille } = self;
        write!(
            f,
            "from ply {min_ply}, scores within {max_score}, {min_pieces} pieces or more, 50-move count up \
             to {max_halfmove_clock}, {validation_permille} of 1000 games for validation"
        )
    }
}

/// The two sides of the split by game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// What a net learns from.
    Training,
    /// What its loss is measured with.
    Validation,
}

impl Split {
    /// The side of a game, or of anything else that has a hash, if so many of 1000 are for validation.
    pub(crate) fn of(hash: u64, validation_permille: u32) -> Self {
        if hash % 1000 < u64::from(validation_permille) { Self::Validation } else { Self::Training }
    }
}

impl Filter {
    /// Too few pieces, or too long without progress.
    pub(crate) fn lacks_material(&self, board: &Board) -> bool {
        board.occupied().count() < self.min_pieces
            || board.halfmove_clock() > self.max_halfmove_clock
    }

    /// Whether something with this hash is for validation.
    pub(crate) fn validates(&self, hash: u64) -> bool {
        Split::of(hash, self.validation_permille) == Split::Validation
    }
}

/// Why each position was kept or dropped.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Plies in them.
    pub plies: u64,
    /// Too early in the game.
    pub early: u64,
    /// The side to move was in check.
    pub in_check: u64,
    /// The move played was a capture or a promotion.
    pub noisy: u64,
    /// Without a score, or beyond the limit.
    pub score: u64,
    /// Too few pieces, or too long without progress.
    pub material: u64,
    /// Of games without a result.
    pub unknown_result: u64,
    /// Seen before.
    pub duplicates: u64,
    /// Kept for training.
    pub training: u64,
    /// Kept for validation.
    pub validation: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        for (sum, number) in [
            (&mut self.games, other.games),
            (&mut self.plies, other.plies),
            (&mut self.early, other.early),
            (&mut self.in_check, other.in_check),
            (&mut self.noisy, other.noisy),
            (&mut self.score, other.score),
            (&mut self.material, other.material),
            (&mut self.unknown_result, other.unknown_result),
        ] {
            *sum += number;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} games, {} plies; dropped: {} early, {} in check, {} capture or promotion, {} score, \
             {} material or 50-move count, {} unknown result, {} duplicates; kept: {} training, {} \
             validation",
            self.games,
            self.plies,
            self.early,
            self.in_check,
            self.noisy,
            self.score,
            self.material,
            self.unknown_result,
            self.duplicates,
            self.training,
            self.validation
        )
    }
}

/// Why positions could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExpandError {
    /// A game file that cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] ReadError),
    /// Games where positions are needed.
    #[error(
        "{path}: has games, and positions are needed: tabiya datagen positions {path} \
         --training train.pos --validation validation.pos",
        path = .0.display()
    )]
    Games(PathBuf),
    /// Scores in another unit than centipawns.
    #[error("{}: has scores in another unit ({}) than centipawns", .0.display(), .1)]
    Unit(PathBuf, String),
    /// A game with an illegal move, or a position that is none.
    #[error("{}: block {block}: record {index}: {error}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Counted from 0.
        block: u64,
        /// Within the block, counted from 0.
        index: usize,
        /// What is wrong.
        #[source]
        error: RecordError,
    },
    /// The output cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    /// A block that was not read because of a bug.
    #[error(transparent)]
    Lost(#[from] LostItem),
}

impl ExpandError {
    /// The same where the first record was not the first of its block.
    pub(crate) fn counted_from(mut self, first: usize) -> Self {
        if let Self::Record { index, .. } = &mut self {
            *index += first;
        }
        self
    }
}

/// A set of training positions in memory.
pub struct Expanded {
    /// Positions to train on, in random order.
    pub training: Vec<LabelledPosition>,
    /// Positions to check against, in random order, of other games.
    pub validation: Vec<LabelledPosition>,
    /// What was kept and dropped.
    pub counts: Counts,
    /// The header of the first file.
    pub header: Header,
}

/// A block of records with its file and its number.
pub(crate) type Block<T> = (PathBuf, u64, Result<T, ReadError>);

/// What to call a block in an error.
pub(crate) fn block_name<T>((path, block, _): &Block<T>) -> String {
    format!("{}: block {block}", path.display())
}

/// The records of a block.
enum Records {
    Games(Vec<Game>),
    Positions(Vec<LabelledPosition>),
}

/// Every block of an opened file in order; an error is the last one.
fn blocks_of<R: Record, T>(
    path: &Path,
    opened: Result<Reader<R>, ReadError>,
    wrap: fn(Vec<R>) -> T,
) -> impl Iterator<Item = Block<T>> + use<R, T> {
    let path = path.to_owned();
    let mut reader = Some(opened);
    let mut block = 0;
    std::iter::from_fn(move || {
        let records = match reader.take()? {
            Ok(mut opened) => {
                let records = opened.next_block().transpose()?;
                reader = records.is_ok().then_some(Ok(opened));
                records
            }
            Err(error) => Err(error),
        };
        block += 1;
        Some((path.clone(), block - 1, records.map(wrap)))
    })
}

/// Every block of a file of games.
pub(crate) fn game_blocks(path: &Path) -> impl Iterator<Item = Block<Vec<Game>>> + use<> {
    blocks_of(path, Reader::<Game>::open(path), |games| games)
}

/// Every block of a file of games or positions.
fn blocks(path: &Path) -> Box<dyn Iterator<Item = Block<Records>> + Send> {
    match Reader::<Game>::open(path) {
        Err(ReadError::Magic) => Box::new(blocks_of(path, Reader::open(path), Records::Positions)),
        games => Box::new(blocks_of(path, games, Records::Games)),
    }
}

/// Reads games, or positions made before, and keeps the positions the filter lets through, shuffled
/// by `seed`. Positions whose games are not known are dealt to training and validation one by one.
pub fn expand(
    inputs: &[PathBuf],
    filter: Filter,
    seed: u64,
    threads: usize,
    mut progress: impl FnMut(&Counts),
) -> Result<Expanded, ExpandError> {
    let mut counts = Counts::default();
    let mut seen: HashSet<u64, BuildHasherDefault<KeyHasher>> = HashSet::default();
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    ordered_map(
        inputs.iter().flat_map(|path| blocks(path)),
        threads,
        block_name,
        |(path, block, records)| {
            let mut kept = Kept::default();
            match records.map_err(|error| ExpandError::Read(path.clone(), error))? {
                Records::Games(games) => {
                    visit(&games, &path, block, |game| kept.add_game(game, filter))?;
                }
                Records::Positions(positions) => {
                    visit(&positions, &path, block, |one| kept.add_position(one, filter))?;
                }
            }
            Ok::<_, ExpandError>(kept)
        },
        |kept| {
            let kept: Kept = kept?;
            counts.add(&kept.counts);
            for (key, position, validates) in kept.positions {
                if !seen.insert(key) {
                    counts.duplicates += 1;
                } else if validates {
                    counts.validation += 1;
                    validation.push(position);
                } else {
                    counts.training += 1;
                    training.push(position);
                }
            }
            progress(&counts);
            Ok::<_, ExpandError>(())
        },
    )?;
    let mut random = SplitMix::new(seed);
    random.shuffle(&mut training);
    random.shuffle(&mut validation);
    let header = inputs.first().and_then(|path| header_of(path)).unwrap_or_default();
    Ok(Expanded { training, validation, counts, header })
}

/// The header of a file of games or positions.
fn header_of(path: &Path) -> Option<Header> {
    match Reader::<Game>::open(path) {
        Ok(games) => Some(games.header().clone()),
        Err(_) => Some(Reader::<LabelledPosition>::open(path).ok()?.header().clone()),
    }
}

/// Replays all games and counts what is in them.
pub fn game_stats(
    inputs: &[PathBuf],
    threads: usize,
    mut progress: impl FnMut(&GameStats),
) -> Result<GameStats, ExpandError> {
    let mut total = GameStats::default();
    ordered_map(
        inputs.iter().flat_map(|path| game_blocks(path)),
        threads,
        block_name,
        |(path, block, games)| {
            let games = games.map_err(|error| ExpandError::Read(path.clone(), error))?;
            let mut stats = GameStats::default();
            visit(&games, &path, block, |game| stats.add(game))?;
            Ok::<_, ExpandError>(stats)
        },
        |stats| {
            total.merge(&stats?);
            progress(&total);
            Ok::<_, ExpandError>(())
        },
    )?;
    Ok(total)
}

/// Does something with every record of a block and says where it failed.
pub(crate) fn visit<R>(
    records: &[R],
    path: &Path,
    block: u64,
    mut act: impl FnMut(&R) -> Result<(), RecordError>,
) -> Result<(), ExpandError> {
    for (index, record) in records.iter().enumerate() {
        act(record).map_err(|error| ExpandError::Record {
            path: path.to_owned(),
            block,
            index,
            error,
        })?;
    }
    Ok(())
}

/// Writes positions to a file that appears whole or not at all.
pub fn write(
    path: &Path,
    header: &Header,
    positions: &[LabelledPosition],
) -> Result<(), ExpandError> {
    let fail = |error| ExpandError::Write(path.to_owned(), error);
    files::replace_with(path, fail, |fresh| {
        let mut writer = Writer::create(fresh, header).map_err(fail)?;
        positions.iter().try_for_each(|position| writer.push(position)).map_err(fail)?;
        writer.finish().map(|_| ()).map_err(fail)
    })
}

/// Reads position files into memory; the header describes them all.
pub fn read(inputs: &[PathBuf]) -> Result<(Vec<LabelledPosition>, Header), ExpandError> {
    let mut positions = Vec::new();
    let mut header = Header::default();
    let mut descriptions = Vec::new();
    for path in inputs {
        let fail = |error| ExpandError::Read(path.clone(), error);
        let mut reader = open_positions(path)?;
        header.score_unit.clone_from(&reader.header().score_unit);
        descriptions.push(reader.header().description.clone());
        while let Some(block) = reader.next_block().map_err(fail)? {
            positions.extend(block);
        }
    }
    header.description = descriptions.join("; ");
    Ok((positions, header))
}

/// Opens a file of positions; whoever has games is told what to do.
pub(super) fn open_positions(path: &Path) -> Result<Reader<LabelledPosition>, ExpandError> {
    Reader::open(path).map_err(|error| match error {
        ReadError::Magic if Reader::<Game>::open(path).is_ok() => {
            ExpandError::Games(path.to_owned())
        }
        error => ExpandError::Read(path.to_owned(), error),
    })
}

/// What the filter leaves of some games.
#[derive(Default)]
struct Kept {
    counts: Counts,
    /// Key, position, and whether it is for validation.
    positions: Vec<(u64, LabelledPosition, bool)>,
}

impl Kept {
    fn add_game(&mut self, game: &Game, filter: Filter) -> Result<(), RecordError> {
        let validates = filter.validates(game_hash(game)?);
        let counts = &mut self.counts;
        counts.games += 1;
        counts.plies += game.plies().len() as u64;
        let mut packed = Ok(());
        game.replay(|board, ply| {
            let score = ply.score.filter(|score| score.abs() <= filter.max_score);
            let dropped = if absolute_ply(board) < filter.min_ply {
                &mut counts.early
            } else if board.in_check() {
                &mut counts.in_check
            } else if ply.mv.is_capture() || ply.mv.is_promotion() {
                &mut counts.noisy
            } else if filter.lacks_material(board) {
                &mut counts.material
            } else if let Some(score) = score {
                match Verdict::of(game.result(), board.side_to_move()) {
                    Some(verdict) => {
                        match LabelledPosition::new(board, score, verdict) {
                            Ok(position) => {
                                self.positions.push((board.key(), position, validates));
                            }
                            Err(error) => packed = Err(error),
                        }
                        return;
                    }
                    None => &mut counts.unknown_result,
                }
            } else {
                &mut counts.score
            };
            *dropped += 1;
        })?;
        Ok(packed?)
    }

    fn add_position(
        &mut self,
        position: &LabelledPosition,
        filter: Filter,
    ) -> Result<(), RecordError> {
        let board = position.to_board()?;
        let counts = &mut self.counts;
        counts.plies += 1;
        let dropped = if absolute_ply(&board) < filter.min_ply {
            &mut counts.early
        } else if board.in_check() {
            &mut counts.in_check
        } else if filter.lacks_material(&board) {
            &mut counts.material
        } else if i32::from(position.score).abs() > i32::from(filter.max_score) {
            &mut counts.score
        } else {
            let key = board.key();
            let validates = filter.validates(SplitMix::new(key).next());
            self.positions.push((key, *position, validates));
            return Ok(());
        };
        *dropped += 1;
        Ok(())
    }
}

/// Plies since the start of the game, by the move number.
pub(crate) fn absolute_ply(board: &Board) -> u32 {
    2 * (board.fullmove_number() as u32 - 1) + board.side_to_move() as u32
}

/// Equal for equal games only: decides on which side of the split a game is.
pub(crate) fn game_hash(game: &Game) -> Result<u64, RecordError> {
    let start = game.start()?.key();
    Ok(game.plies().iter().fold(SplitMix::new(start).next(), |hash, ply| {
        SplitMix::new(hash ^ ply.mv.to_bits() as u64).next()
    }))
}

/// Zobrist keys are random already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ *byte as u64;
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
