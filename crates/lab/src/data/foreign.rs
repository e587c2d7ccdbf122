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
    Game, Header, LabelledPosition, PackError, ReadError, Reader, Record, RecordError, Writer,
};
use crate::work::files;
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
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The input cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The input is a damaged file of records.
    #[error("{}: {}", .0.display(), .1)]
    Records(PathBuf, #[source] ReadError),
    /// The input is a damaged PGN.
    #[error(transparent)]
    Input(InputError),
    /// The format holds games, the file positions, or the other way round.
    #[error("{}: not the records this format holds", .0.display())]
    WrongRecords(PathBuf),
    /// A record that makes no sense or cannot be expressed.
    #[error("{}: record {index}: {fault}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Counted from 0.
        index: u64,
        /// What is wrong.
        fault: RecordFault,
    },
    /// The output cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
}

/// What can be wrong with a foreign record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordFault {
    /// The file ends inside it.
    #[error("the file ends inside it")]
    Truncated,
    /// What can be wrong with a record of our own as well.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// More plies than fit.
    #[error("plies: more than {}", Game::MAX_PLIES)]
    TooLong,
    /// A position without score.
    #[error("ply {ply}: no score (label the games first)")]
    NoScore {
        /// Within the game, from 0.
        ply: usize,
    },
    /// A game without result.
    #[error("result: unknown")]
    NoResult,
    /// A position that `bulletformat` does not take.
    #[error("does not fit bullet's format: {0}")]
    Bullet(String),
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
            let positions = Reader::<LabelledPosition>::open(input).map_err(fail)?;
            let (head, encode): (_, fn(&LabelledPosition, &mut Vec<u8>) -> _) = match format {
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
    let fail = |error| ForeignError::Write(output.into(), error);
    files::replace_with(output, fail, |fresh| {
        let mut file = BufWriter::new(File::create(fresh).map_err(fail)?);
        file.write_all(head.as_bytes()).map_err(fail)?;
        let mut bytes = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| ForeignError::Records(input.into(), error))?;
            bytes.clear();
            encode(&record, &mut bytes).map_err(|fault| ForeignError::Record {
                path: input.into(),
                index,
                fault,
            })?;
            file.write_all(&bytes).map_err(fail)?;
            index += 1;
            observe(index);
        }
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(fail)
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
    let fail = |error| ForeignError::Write(output.into(), error);
    files::replace_with(output, fail, |fresh| {
        let mut writer = Writer::create(fresh, header).map_err(fail)?;
        for record in records {
            let record = record?;
            writer.push(&record).map_err(fail)?;
            done.records += 1;
            done.positions += count(&record) as u64;
            observe(done);
        }
        writer.finish().map(|_| ()).map_err(fail)
    })?;
    Ok(done)
}

/// Why a record cannot be decoded.
enum DecodeError {
    Io(io::Error),
    Fault(RecordFault),
}

impl From<PackError> for RecordFault {
    fn from(error: PackError) -> Self {
        Self::Record(error.into())
    }
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
            other => other.into(),
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
