//! Formats of other trainers and plain text: files of records out, binary files and PGN in.
//!
//! The formats know neither checksums nor blocks, so a record that makes no sense is told with its
//! number. None of them knows "no score" or "no result": such records are refused on the way out.

mod bullet;
mod text;
mod viri;

use crate::data::import::ImportProgress;
use crate::data::label::{self, InputError};
use crate::data::record::{
    Game, Header, PackError, Position, ReadError, Reader, Record, RecordError, Writer,
};
use crate::work::files;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What an export writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// Games of Viridithas: a packed board, move and score per ply, four zeros.
    Viri,
    /// Positions of the bullet trainer: 32 bytes from the view of the side to move.
    Bullet,
    /// Text that the import reads: a game or position per line.
    Text,
    /// Positions as a table with the columns fen, score and result.
    Csv,
    /// Positions as EPD with the operations `ce` (score) and `c9` (result).
    Epd,
}

/// What an import reads, besides text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportFormat {
    /// Games of Viridithas.
    Viri,
    /// Positions of the bullet trainer; castling, en passant and clocks are not in them.
    Bullet,
    /// Games as PGN; they have no scores.
    Pgn,
}

/// Why a file cannot be converted.
#[derive(Debug)]
pub enum ForeignError {
    /// The input cannot be read.
    Read(PathBuf, io::Error),
    /// The input is a damaged file of records.
    Records(PathBuf, ReadError),
    /// The input is a damaged PGN.
    Input(InputError),
    /// The format holds games, the file positions, or the other way round.
    WrongRecords(PathBuf),
    /// A record that makes no sense or cannot be expressed.
    Record {
        /// The file.
        path: PathBuf,
        /// Counted from 0.
        index: u64,
        /// What is wrong.
        fault: RecordFault,
    },
    /// The output cannot be written.
    Write(io::Error),
}

/// What can be wrong with a foreign record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordFault {
    /// The file ends inside it.
    Truncated,
    /// The position.
    Board(PackError),
    /// A result that is none of loss, draw and win.
    Result(u8),
    /// A move that the position does not allow.
    Move {
        /// Within the game, from 0.
        ply: usize,
        /// The stored bits.
        bits: u16,
    },
    /// More plies than fit.
    TooLong,
    /// A position without score.
    NoScore {
        /// Within the game, from 0.
        ply: usize,
    },
    /// A game without result.
    NoResult,
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Truncated => write!(f, "the file ends inside it"),
            Self::Board(error) => write!(f, "board: {error}"),
            Self::Result(code) => write!(f, "result: unknown code {code}"),
            Self::Move { ply, bits } => write!(f, "ply {ply}: illegal move with bits {bits:#06x}"),
            Self::TooLong => write!(f, "plies: more than {}", Game::MAX_PLIES),
            Self::NoScore { ply } => write!(f, "ply {ply}: no score (label the games first)"),
            Self::NoResult => write!(f, "result: unknown"),
        }
    }
}

impl From<PackError> for RecordFault {
    fn from(error: PackError) -> Self {
        Self::Board(error)
    }
}

impl fmt::Display for ForeignError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Self::Records(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Input(error) => error.fmt(f),
            Self::WrongRecords(path) => {
                write!(f, "{}: not the records this format holds", path.display())
            }
            Self::Record { path, index, fault } => {
                write!(f, "{}: record {index}: {fault}", path.display())
            }
            Self::Write(error) => write!(f, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for ForeignError {}

impl From<io::Error> for ForeignError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Writes a file of games or positions in another format; returns the number of records.
pub fn export(
    format: ExportFormat,
    input: &Path,
    output: &Path,
    observe: impl FnMut(u64),
) -> Result<u64, ForeignError> {
    let games = Reader::<Game>::open(input);
    match (format, games) {
        (ExportFormat::Viri, Ok(games)) => write(games, input, output, "", viri::encode, observe),
        (ExportFormat::Text, Ok(games)) => write(games, input, output, "", text::game, observe),
        (_, Ok(_)) => Err(ForeignError::WrongRecords(input.into())),
        (_, Err(ReadError::Magic)) => {
            let fail = |error| ForeignError::Records(input.into(), error);
            let positions = Reader::<Position>::open(input).map_err(fail)?;
            let (head, encode): (_, fn(&Position, &mut Vec<u8>) -> _) = match format {
                ExportFormat::Viri => return Err(ForeignError::WrongRecords(input.into())),
                ExportFormat::Bullet => ("", bullet::encode),
                ExportFormat::Text => ("", text::position),
                ExportFormat::Csv => ("fen,score,result\n", text::row),
                ExportFormat::Epd => ("", text::epd),
            };
            write(positions, input, output, head, encode, observe)
        }
        (_, Err(error)) => Err(ForeignError::Records(input.into(), error)),
    }
}

fn write<R: Record>(
    reader: Reader<R>,
    input: &Path,
    output: &Path,
    head: &str,
    encode: impl Fn(&R, &mut Vec<u8>) -> Result<(), RecordFault>,
    mut observe: impl FnMut(u64),
) -> Result<u64, ForeignError> {
    let mut index = 0;
    files::replace_with(output, |fresh| {
        let mut file = BufWriter::new(File::create(fresh)?);
        file.write_all(head.as_bytes())?;
        let mut bytes = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| ForeignError::Records(input.into(), error))?;
            bytes.clear();
            encode(&record, &mut bytes).map_err(|fault| ForeignError::Record {
                path: input.into(),
                index,
                fault,
            })?;
            file.write_all(&bytes)?;
            index += 1;
            observe(index);
        }
        file.flush()?;
        Ok::<_, ForeignError>(file.get_ref().sync_all()?)
    })?;
    Ok(index)
}

/// Reads foreign files into one file of records.
pub fn import(
    format: ImportFormat,
    inputs: &[PathBuf],
    output: &Path,
    header: &Header,
    observe: impl FnMut(ImportProgress),
) -> Result<ImportProgress, ForeignError> {
    match format {
        ImportFormat::Viri => {
            let games = inputs.iter().flat_map(|path| decode_all(path, viri::decode));
            store(games, |game| game.plies().len(), output, header, observe)
        }
        ImportFormat::Bullet => {
            let positions = inputs.iter().flat_map(|path| decode_all(path, bullet::decode));
            store(positions, |_| 1, output, header, observe)
        }
        ImportFormat::Pgn => {
            let games = inputs.iter().flat_map(|path| match label::read_games(path) {
                Ok(games) => games,
                Err(error) => Box::new(std::iter::once(Err(error))),
            });
            let games = games.map(|game| game.map_err(ForeignError::Input));
            store(games, |game: &Game| game.plies().len(), output, header, observe)
        }
    }
}

fn store<R: Record>(
    records: impl Iterator<Item = Result<R, ForeignError>>,
    count: impl Fn(&R) -> usize,
    output: &Path,
    header: &Header,
    mut observe: impl FnMut(ImportProgress),
) -> Result<ImportProgress, ForeignError> {
    let mut done = ImportProgress::default();
    files::replace_with(output, |fresh| {
        let mut writer = Writer::create(fresh, header)?;
        for record in records {
            let record = record?;
            writer.push(&record)?;
            done.records += 1;
            done.positions += count(&record) as u64;
            observe(done);
        }
        writer.finish()?;
        Ok::<_, ForeignError>(())
    })?;
    Ok(done)
}

/// Why a record cannot be decoded.
enum DecodeError {
    Io(io::Error),
    Fault(RecordFault),
}

impl From<RecordFault> for DecodeError {
    fn from(fault: RecordFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<PackError> for DecodeError {
    fn from(error: PackError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<RecordError> for DecodeError {
    fn from(error: RecordError) -> Self {
        Self::Fault(match error {
            RecordError::TooShort => RecordFault::Truncated,
            RecordError::Board(error) => RecordFault::Board(error),
            RecordError::Result(code) => RecordFault::Result(code),
            RecordError::Move { ply, bits } => RecordFault::Move { ply, bits },
        })
    }
}

/// Every record of a file; the first error is the last item.
fn decode_all<R>(
    path: &Path,
    decode: impl Fn(&mut BufReader<File>) -> Result<R, DecodeError>,
) -> impl Iterator<Item = Result<R, ForeignError>> {
    let mut file = Some(File::open(path).map(BufReader::new));
    let mut index = 0;
    std::iter::from_fn(move || {
        let unreadable = |error| Some(Err(ForeignError::Read(path.into(), error)));
        let mut reader = match file.take()? {
            Ok(reader) => reader,
            Err(error) => return unreadable(error),
        };
        match reader.fill_buf() {
            Ok([]) => return None,
            Ok(_) => {}
            Err(error) => return unreadable(error),
        }
        match decode(&mut reader) {
            Ok(record) => {
                file = Some(Ok(reader));
                index += 1;
                Some(Ok(record))
            }
            Err(DecodeError::Io(error)) => unreadable(error),
            Err(DecodeError::Fault(fault)) => {
                Some(Err(ForeignError::Record { path: path.into(), index, fault }))
            }
        }
    })
}

/// Takes a fixed number of bytes from a file.
fn take<const N: usize>(reader: &mut impl BufRead) -> Result<[u8; N], DecodeError> {
    let mut bytes = [0; N];
    match reader.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(RecordFault::Truncated.into())
        }
        Err(error) => Err(DecodeError::Io(error)),
    }
}
