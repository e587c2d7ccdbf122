//! What can be labelled: files of games or positions, PGN, and text with a position per line.

use crate::data::import::{self, LineError};
use crate::data::positions::{Split, absolute_ply, game_hash};
use crate::data::record::{
    self, Game, Kind, LabelledPosition, PackError, ReadError, Reader, Record, RecordError, Verdict,
};
use crate::work::SplitMix;
use crate::work::files;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tabiya_chess::pgn::{PgnError, PgnGame, PgnReader};
use tabiya_chess::{Board, Epd, EpdError, GameResult};

/// A position to be labelled.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The position, which has a legal move.
    pub board: Board,
    /// How its game ended for the side to move, if known.
    pub verdict: Option<Verdict>,
    /// Quiet or not, if known.
    pub kind: Kind,
}

/// The kinds of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A file of games.
    Games,
    /// A file of positions.
    Positions,
    /// PGN, by the name of the file.
    Pgn,
    /// A FEN, EPD or `FEN | SCORE | RESULT` per line.
    Text,
}

impl InputKind {
    /// Looks at the first bytes and the name of a file.
    pub fn of(path: &Path) -> Result<Self, InputError> {
        let mut magic = Vec::new();
        let mut file = File::open(path).map_err(|error| InputError::Read(path.into(), error))?;
        let read = file.by_ref().take(8).read_to_end(&mut magic);
        read.map_err(|error| InputError::Read(path.into(), error))?;
        let is_pgn = path.to_string_lossy().to_ascii_lowercase().contains(".pgn");
        Ok(match <[u8; 8]>::try_from(magic) {
            Ok(Game::MAGIC) => Self::Games,
            Ok(LabelledPosition::MAGIC) => Self::Positions,
            _ if is_pgn => Self::Pgn,
            _ => Self::Text,
        })
    }
}

/// Which positions are labelled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    /// Positions of games before this ply are left out.
    pub skip_plies: u32,
    /// Whether positions of games in check, or with a capture or promotion played in them, are left
    /// out.
    pub quiet: bool,
    /// The share of positions that are labelled, chosen at random,
    pub share: f64,
    /// and by this seed.
    pub seed: u64,
    /// Only games on this side of the split by game, with so many of 1000 for validation.
    pub split: Option<(Split, u32)>,
}

impl Sampling {
    /// Positions judged together.
    pub const GROUP: usize = 64;
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { skip_plies, quiet, share, seed, split } = self;
        let quiet = if *quiet { "quiet positions" } else { "positions" };
        write!(f, "{quiet} from ply {skip_plies}, a share of {share} by seed {seed},")?;
        let Some((split, permille)) = split else { return Ok(()) };
        match split {
            Split::Training => write!(f, " without the {permille} of 1000 games for validation,"),
            Split::Validation => write!(f, " of the {permille} of 1000 games for validation,"),
        }
    }
}

/// Why an input cannot be labelled.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// Positions where games are needed.
    #[error("{}: has positions, not games", .0.display())]
    NoGames(PathBuf),
    /// Positions where the split by game is asked for.
    #[error("{}: has positions, and their games are not known: only games can be split", .0.display())]
    NoSplit(PathBuf),
    /// A damaged file of records.
    #[error("{}: {}", .0.display(), .1)]
    Record(PathBuf, #[source] ReadError),
    /// A record that makes no sense.
    #[error("{}: record {index}: {error}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Counted from 0.
        index: u64,
        /// What is wrong.
        #[source]
        error: RecordError,
    },
    /// A game of a PGN file is broken.
    #[error("{}: {}", .0.display(), .1)]
    Pgn(PathBuf, #[source] PgnError),
    /// A line is no position.
    #[error("{}, line {line}: {error}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        #[source]
        error: TextError,
    },
}

/// What can be wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// Not a FEN or EPD.
    #[error(transparent)]
    Epd(EpdError),
    /// Not `FEN | SCORE | RESULT`.
    #[error(transparent)]
    Fields(LineError),
    /// Not a position that fits.
    #[error(transparent)]
    Pack(PackError),
}

/// An input as a stream that ends with the first error.
type Stream<T> = Box<dyn Iterator<Item = Result<T, InputError>> + Send>;

/// The input in words, so that a file is not continued with another input.
pub(super) fn describe(path: &Path) -> Result<String, InputError> {
    let bytes = fs::metadata(path).map_err(|error| InputError::Read(path.into(), error))?.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let header = match InputKind::of(path)? {
        InputKind::Games => open::<Game>(path)?.header().description.clone(),
        InputKind::Positions => open::<LabelledPosition>(path)?.header().description.clone(),
        // These have no header that tells how they were made, so their content has to.
        InputKind::Pgn => format!("PGN {:08x}", checksum(path)?),
        InputKind::Text => format!("text {:08x}", checksum(path)?),
    };
    Ok(format!("{name}, {bytes} bytes ({header})"))
}

/// The checksum of a whole file as it is on disk.
fn checksum(path: &Path) -> Result<u32, InputError> {
    let fail = |error| InputError::Read(path.into(), error);
    let mut reader = BufReader::new(File::open(path).map_err(fail)?);
    let mut hasher = crc32fast::Hasher::new();
    loop {
        let bytes = reader.fill_buf().map_err(fail)?;
        if bytes.is_empty() {
            return Ok(hasher.finalize());
        }
        hasher.update(bytes);
        let count = bytes.len();
        reader.consume(count);
    }
}

/// The records of a finished file, by its end mark.
pub(super) fn count(path: &Path) -> Option<u64> {
    match InputKind::of(path).ok()? {
        InputKind::Games | InputKind::Positions => record::count(path).ok(),
        InputKind::Pgn | InputKind::Text => None,
    }
}

/// The games of a file of games or PGN.
pub(crate) fn games(path: &Path) -> Result<Stream<Game>, InputError> {
    let owned = path.to_owned();
    match InputKind::of(path)? {
        InputKind::Games => Ok(Box::new(
            open::<Game>(path)?
                .records()
                .map(move |game| game.map_err(|error| InputError::Record(owned.clone(), error))),
        )),
        InputKind::Pgn => {
            let text =
                files::open_text(path).map_err(|error| InputError::Read(path.into(), error))?;
            let games = PgnReader::new(BufReader::new(text)).zip(0..);
            Ok(Box::new(games.map(move |(game, index)| {
                let game = game.map_err(|error| InputError::Read(owned.clone(), error))?;
                from_pgn(game, index, &owned)
            })))
        }
        InputKind::Positions | InputKind::Text => Err(InputError::NoGames(path.into())),
    }
}

fn from_pgn(pgn: PgnGame, index: u64, path: &Path) -> Result<Game, InputError> {
    if let Some(error) = pgn.error {
        return Err(InputError::Pgn(path.into(), error));
    }
    let packed = Game::new(&pgn.start, pgn.result);
    let fail =
        |error: PackError| InputError::Game { path: path.into(), index, error: error.into() };
    let mut game = packed.map_err(fail)?;
    for mv in pgn.to_game().moves() {
        game.push(*mv, None);
    }
    Ok(game)
}

/// The positions of any file that are to be labelled.
pub(super) fn candidates(path: &Path, sampling: Sampling) -> Result<Stream<Candidate>, InputError> {
    let all: Stream<Candidate> = match InputKind::of(path)? {
        InputKind::Positions | InputKind::Text if sampling.split.is_some() => {
            return Err(InputError::NoSplit(path.into()));
        }
        InputKind::Games | InputKind::Pgn => {
            let owned = path.to_owned();
            Box::new(games(path)?.enumerate().flat_map(move |(index, game)| {
                match game.and_then(|game| of_game(&game, index as u64, sampling, &owned)) {
                    Ok(found) => found.into_iter().map(Ok).collect(),
                    Err(error) => vec![Err(error)],
                }
            }))
        }
        InputKind::Positions => {
            let owned = path.to_owned();
            Box::new(open::<LabelledPosition>(path)?.records().enumerate().map(
                move |(index, position)| {
                    let position =
                        position.map_err(|error| InputError::Record(owned.clone(), error))?;
                    let board = position.to_board().map_err(|error| InputError::Game {
                        path: owned.clone(),
                        index: index as u64,
                        error: error.into(),
                    })?;
                    Ok(Candidate { board, verdict: Some(position.verdict), kind: position.kind })
                },
            ))
        }
        InputKind::Text => of_text(path)?,
    };
    let is_chosen = move |index: usize| {
        let seed = SplitMix::new(sampling.seed).next() ^ index as u64;
        SplitMix::new(seed).unit() < sampling.share
    };
    Ok(Box::new(all.enumerate().filter_map(move |(index, candidate)| match candidate {
        // Mate and stalemate need no judge.
        Ok(found) if !is_chosen(index) || !found.board.has_legal_move() => None,
        other => Some(other),
    })))
}

/// Groups of positions that are judged together.
pub(super) fn groups(
    mut candidates: Stream<Candidate>,
) -> impl Iterator<Item = Result<Vec<Candidate>, InputError>> + Send {
    std::iter::from_fn(move || {
        let group = candidates.by_ref().take(Sampling::GROUP).collect::<Result<Vec<_>, _>>();
        if group.as_ref().is_ok_and(Vec::is_empty) { None } else { Some(group) }
    })
}

fn open<R: Record>(path: &Path) -> Result<Reader<R>, InputError> {
    Reader::open(path).map_err(|error| InputError::Record(path.into(), error))
}

fn of_game(
    game: &Game,
    index: u64,
    sampling: Sampling,
    path: &Path,
) -> Result<Vec<Candidate>, InputError> {
    let fail = |error| InputError::Game { path: path.into(), index, error };
    let mut found = Vec::new();
    if let Some((split, permille)) = sampling.split
        && Split::of(game_hash(game).map_err(fail)?, permille) != split
    {
        return Ok(found);
    }
    let replayed = game.replay(|board, ply| {
        let noisy = board.in_check() || ply.mv.is_noisy();
        if absolute_ply(board) >= sampling.skip_plies && !(sampling.quiet && noisy) {
            let verdict = Verdict::of(game.result(), board.side_to_move());
            found.push(Candidate { board: *board, verdict, kind: Kind::Unknown });
        }
    });
    replayed.map_err(fail)?;
    Ok(found)
}

fn of_text(path: &Path) -> Result<Stream<Candidate>, InputError> {
    let text = files::open_text(path).map_err(|error| InputError::Read(path.into(), error))?;
    let path = path.to_owned();
    let lines = BufReader::new(text).lines().enumerate();
    Ok(Box::new(lines.filter_map(move |(index, line)| {
        let line = match line {
            Ok(line) => line,
            Err(error) => return Some(Err(InputError::Read(path.clone(), error))),
        };
        if line.trim().is_empty() || line.starts_with('#') {
            return None;
        }
        Some(of_line(&line).map_err(|error| InputError::Line {
            path: path.clone(),
            line: index as u64 + 1,
            error,
        }))
    })))
}

fn of_line(line: &str) -> Result<Candidate, TextError> {
    if line.contains('|') {
        // Comments were left out before, so there is a position.
        let position = import::position(line).map_err(TextError::Fields)?;
        let position = position.ok_or(TextError::Fields(LineError::Missing("position")))?;
        let board = position.to_board().map_err(TextError::Pack)?;
        return Ok(Candidate { board, verdict: Some(position.verdict), kind: position.kind });
    }
    let epd = Epd::parse(line, true).map_err(TextError::Epd)?;
    // The usual place of a result in EPD.
    let result = epd.text("c9").and_then(GameResult::from_text).unwrap_or_default();
    let verdict = Verdict::of(result, epd.board.side_to_move());
    Ok(Candidate { board: epd.board, verdict, kind: Kind::Unknown })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";

    fn file(name: &str, text: &str) -> PathBuf {
        let name = format!("tabiya-source-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn a_game_that_does_not_pack_is_told_with_its_number() {
        let crowd = "7k/8/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/K7 w - - 0 1";
        let mut pgn = PgnReader::new(START.as_bytes()).next().unwrap().unwrap();
        (pgn.start, _) = Board::from_fen_lenient(crowd, true).unwrap();
        let error = from_pgn(pgn, 2, Path::new("a.pgn")).unwrap_err().to_string();
        assert!(error.contains("record 2: board: 42 pieces"), "{error}");
    }

    #[test]
    fn a_text_of_the_same_name_and_length_is_another_input() {
        for name in ["a.pgn", "a.epd"] {
            let described = [START, &START.replace("e5", "d5")].map(|text| {
                let path = file(name, text);
                let described = describe(&path).unwrap();
                fs::remove_file(&path).unwrap();
                described
            });
            assert_ne!(described[0], described[1]);
        }
    }
}
