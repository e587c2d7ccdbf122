//! Record files that grow for hours: written under their final name, a durable block every moment,
//! continued where a crash or Ctrl-C left them.

use crate::data::record::{Header, ReadError, Reader, Record, Writer};
use crate::work::files;
use crate::work::lock::{self, LockError};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Work of at most this long is lost in a crash.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

/// Why a growing file cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    /// There is such a file already, and nobody asked to continue it.
    #[error("{}: exists already; --resume continues it", .0.display())]
    Exists(PathBuf),
    /// Another run is writing the file.
    #[error("{}: in use by another run", .0.display())]
    Busy(PathBuf),
    /// The file was begun with other settings: what it says about itself.
    #[error("{}: begun with other settings: {}", .0.display(), .1)]
    OtherSettings(PathBuf, String),
    /// What is there cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] ReadError),
    /// The file cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
}

/// A record file under construction.
pub(crate) struct GrowingFile<R: Record> {
    path: PathBuf,
    writer: Writer<R>,
    synced: Instant,
    /// Keeps other runs away.
    _lock: File,
}

impl<R: Record> GrowingFile<R> {
    /// Begins a file, or continues one that was begun with the same header.
    pub(crate) fn open(path: &Path, header: &Header, resume: bool) -> Result<Self, GrowError> {
        let fail = |error| GrowError::Write(path.to_owned(), error);
        let options = OpenOptions::new().read(true).append(true).create(true).clone();
        let lock = lock::open(path, &options).map_err(|error| match error {
            LockError::Busy => GrowError::Busy(path.to_owned()),
            LockError::Io(error) => fail(error),
        })?;
        if is_only_begun::<R>(&lock, header).map_err(fail)? {
            Writer::<R>::create(path, header).and_then(|mut new| new.sync()).map_err(fail)?;
            files::sync_folder(path).map_err(fail)?;
        } else if !resume {
            return Err(GrowError::Exists(path.to_owned()));
        }
        let read = |error| GrowError::Read(path.to_owned(), error);
        let found = Reader::<R>::open(path).map_err(read)?.header().clone();
        if found != *header {
            let found = format!("{} ({})", found.description, found.score_unit);
            return Err(GrowError::OtherSettings(path.to_owned(), found));
        }
        let writer = Writer::append(path).map_err(read)?;
        Ok(Self { path: path.to_owned(), writer, synced: Instant::now(), _lock: lock })
    }

    /// Records in the file.
    pub(crate) fn total(&self) -> u64 {
        self.writer.total()
    }

    /// Appends a record; it is durable soon.
    pub(crate) fn push(&mut self, record: &R) -> Result<(), GrowError> {
        let mut write = || {
            self.writer.push(record)?;
            if self.synced.elapsed() >= SYNC_INTERVAL {
                self.writer.sync()?;
                self.synced = Instant::now();
            }
            Ok(())
        };
        write().map_err(|error| GrowError::Write(self.path.clone(), error))
    }

    /// Ends the file, so that readers accept it. It can still be continued.
    pub(crate) fn finish(self) -> Result<u64, GrowError> {
        self.writer.finish().map_err(|error| GrowError::Write(self.path, error))
    }
}

/// Whether a file is new, or holds no more than a part of this header because the run that began it
/// was killed.
fn is_only_begun<R: Record>(mut file: &File, header: &Header) -> io::Result<bool> {
    let whole = header.encode(R::MAGIC)?;
    let mut found = Vec::new();
    file.by_ref().take(whole.len() as u64).read_to_end(&mut found)?;
    Ok(found.len() < whole.len() && whole.starts_with(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::LabelledPosition;
    use std::fs;
    use tabiya_chess::Board;

    fn header() -> Header {
        Header { score_unit: "points".to_owned(), description: "a test".to_owned() }
    }

    fn open(path: &Path, resume: bool) -> Result<GrowingFile<LabelledPosition>, GrowError> {
        GrowingFile::open(path, &header(), resume)
    }

    fn position() -> LabelledPosition {
        LabelledPosition::new(&Board::default(), 7, crate::data::record::Verdict::Draw).unwrap()
    }

    #[test]
    fn only_one_run_has_the_file() {
        let path = std::env::temp_dir().join(format!("tabiya-{}-lock.pos", std::process::id()));
        let _ = fs::remove_file(&path);
        let mut first = open(&path, false).unwrap();
        first.push(&position()).unwrap();
        for resume in [false, true] {
            assert!(matches!(open(&path, resume), Err(GrowError::Busy(_))));
        }
        assert_eq!(first.finish().unwrap(), 1);
        assert!(matches!(open(&path, false), Err(GrowError::Exists(_))));
        assert_eq!(open(&path, true).unwrap().total(), 1);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_kill_while_the_file_is_begun_is_survived() {
        let path = std::env::temp_dir().join(format!("tabiya-{}-begun.pos", std::process::id()));
        let whole = header().encode(LabelledPosition::MAGIC).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(open(&path, false).unwrap().total(), 0, "killed after {length} bytes");
        }
        fs::write(&path, "something else").unwrap();
        assert!(matches!(open(&path, false), Err(GrowError::Exists(_))));
        assert!(matches!(open(&path, true), Err(GrowError::Read(..))));
        assert_eq!(fs::read(&path).unwrap(), b"something else");
        fs::remove_file(path).unwrap();
    }
}
