//! Reading foreign data: games and positions as text, plain or packed, into record files.
//!
//! Every move is checked. A line that cannot be read stops the import and is named.

mod source;
mod text;

pub use text::LineError;
pub(crate) use text::position;

use crate::data::record::{Header, Record, Writer};
use crate::work::files;
use crate::work::{LostItem, ordered_map};
use source::Chunk;
use std::io;
use std::path::{Path, PathBuf};

/// How a line of text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextFormat {
    /// `FEN|RESULT|MOVE SCORE MOVE SCORE ...`: a game per line, scores from the side to move,
    /// results `1`, `=`, `0` from White.
    Games,
    /// `FEN | SCORE | RESULT`: a position per line, score and result (`1.0`, `0.5`, `0.0`) from
    /// White. Commas or semicolons may separate the fields, and a first line of names is skipped.
    Positions,
    /// EPD with the operations `ce` (score, from the side to move) and `c9` (result).
    Epd,
}

/// Why an import stopped.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The output cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    /// Lines that were not read because of a bug.
    #[error(transparent)]
    Lost(#[from] LostItem),
    /// A line that makes no sense.
    #[error("{}, line {line}: {error}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        #[source]
        error: LineError,
    },
}

/// How far an import is.
#[derive(Clone, Copy, Default, Debug)]
pub struct ImportProgress {
    /// Records written: games or positions.
    pub records: u64,
    /// Plies or positions in them.
    pub positions: u64,
}

/// Reads text files into one record file: games or positions, according to the format.
pub fn run(
    format: TextFormat,
    inputs: &[PathBuf],
    output: &Path,
    header: &Header,
    threads: usize,
    progress: impl FnMut(ImportProgress),
) -> Result<ImportProgress, ImportError> {
    let files = Files { inputs, output, header, threads };
    match format {
        TextFormat::Games => files.convert(text::game, |game| game.plies().len(), progress),
        TextFormat::Positions => files.convert(text::position, |_| 1, progress),
        TextFormat::Epd => files.convert(text::epd, |_| 1, progress),
    }
}

struct Files<'a> {
    inputs: &'a [PathBuf],
    output: &'a Path,
    header: &'a Header,
    threads: usize,
}

impl Files<'_> {
    fn convert<R: Record + Send>(
        &self,
        parse: impl Fn(&str) -> Result<Option<R>, LineError> + Sync,
        count: impl Fn(&R) -> usize,
        mut progress: impl FnMut(ImportProgress),
    ) -> Result<ImportProgress, ImportError> {
        let mut done = ImportProgress::default();
        let fail = |error| ImportError::Write(self.output.to_owned(), error);
        files::replace_with(self.output, fail, |fresh| {
            let mut writer = Writer::create(fresh, self.header).map_err(fail)?;
            ordered_map(
                self.inputs.iter().flat_map(|path| source::chunks(path)),
                self.threads,
                |chunk| format!("{} from line {}", chunk.path.display(), chunk.first_line),
                |chunk| parse_chunk(chunk, &parse),
                |records| {
                    for record in records? {
                        writer.push(&record).map_err(fail)?;
                        done.records += 1;
                        done.positions += count(&record) as u64;
                    }
                    progress(done);
                    Ok::<_, ImportError>(())
                },
            )?;
            writer.finish().map(|_| ()).map_err(fail)
        })?;
        Ok(done)
    }
}

fn parse_chunk<R>(
    chunk: Chunk,
    parse: impl Fn(&str) -> Result<Option<R>, LineError>,
) -> Result<Vec<R>, ImportError> {
    let Chunk { path, first_line, text } = chunk;
    let text = text.map_err(|error| ImportError::Read(path.clone(), error))?;
    let mut records = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = first_line + index as u64;
        match parse(line) {
            Ok(record) => records.extend(record),
            // The names of the columns of a table.
            Err(_) if number == 1 && !line.contains('/') => {}
            Err(error) => return Err(ImportError::Line { path, line: number, error }),
        }
    }
    Ok(records)
}
