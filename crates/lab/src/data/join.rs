//! Joining the parts of a job that were made one by one, here or elsewhere, to the file that one run
//! would have made.

use crate::data::record::{Header, ReadError, Reader, Record, Writer};
use crate::work::Part;
use crate::work::files;
use std::io;
use std::path::{Path, PathBuf};

/// Why parts cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// A part cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] ReadError),
    /// A file that does not say which part it is.
    #[error("{}: not a part of a job", .0.display())]
    NoPart(PathBuf),
    /// A part of something else.
    #[error("{}: part of another job: {}", .0.display(), .1)]
    OtherJob(PathBuf, String),
    /// The parts do not follow one another.
    #[error("{}: begins with {found}, but the parts before it end with {expected}", .path.display())]
    Gap {
        /// The part.
        path: PathBuf,
        /// Its first item.
        found: u64,
        /// What should be its first item.
        expected: u64,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
}

/// Joins parts, given in any order, and returns the number of records. All or nothing is written.
pub fn run<R: Record>(inputs: &[PathBuf], output: &Path) -> Result<u64, JoinError> {
    let mut parts = Vec::new();
    for path in inputs {
        let reader =
            Reader::<R>::open(path).map_err(|error| JoinError::Read(path.clone(), error))?;
        let (job, part) = Part::of_description(&reader.header().description);
        let part = part.ok_or_else(|| JoinError::NoPart(path.clone()))?;
        let header =
            Header { score_unit: reader.header().score_unit.clone(), description: job.to_owned() };
        parts.push((part, path, header, reader));
    }
    parts.sort_by_key(|(part, ..)| part.from);
    let Some((_, _, header, _)) = parts.first() else { return Ok(0) };
    let header = header.clone();
    let mut next = 0;
    for (part, path, own, _) in &parts {
        if *own != header {
            let job = format!("{} ({})", own.description, own.score_unit);
            return Err(JoinError::OtherJob((*path).clone(), job));
        }
        if part.from != next {
            let path = (*path).clone();
            return Err(JoinError::Gap { path, found: part.from, expected: next });
        }
        next = part.to;
    }
    let failed = |error| JoinError::Write(output.to_owned(), error);
    let mut total = 0;
    files::replace_with(output, failed, |fresh| {
        let mut writer = Writer::<R>::create(fresh, &header).map_err(failed)?;
        for (_, path, _, mut reader) in parts {
            let read = |error| JoinError::Read(path.clone(), error);
            while let Some(block) = reader.next_block().map_err(read)? {
                block.iter().try_for_each(|record| writer.push(record)).map_err(failed)?;
            }
        }
        total = writer.finish().map_err(failed)?;
        Ok(())
    })?;
    Ok(total)
}
