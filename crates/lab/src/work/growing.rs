//! Record files that grow for hours: written under their final name, a durable block every moment,
//! continued where a crash or Ctrl-C left them.

use crate::data::record::{Header, ReadError, Reader, Record, Writer};
use crate::work::files;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Work of at most this long is lost in a crash.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

/// Why a growing file cannot be opened or written.
#[derive(Debug)]
pub enum GrowError {
    /// There is such a file already, and nobody asked to continue it.
    Exists(PathBuf),
    /// The file was begun with other settings: what it says about itself.
    OtherSettings(PathBuf, String),
    /// What is there cannot be read.
    Read(PathBuf, ReadError),
    /// The file cannot be written.
    Write(PathBuf, io::Error),
}

impl fmt::Display for GrowError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Exists(path) => {
                write!(f, "{}: exists already; --resume continues it", path.display())
            }
            Self::OtherSettings(path, found) => {
                write!(f, "{}: begun with other settings: {found}", path.display())
            }
            Self::Read(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Write(path, error) => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for GrowError {}

/// A record file under construction.
pub(crate) struct GrowingFile<R: Record> {
    path: PathBuf,
    writer: Writer<R>,
    synced: Instant,
}

impl<R: Record> GrowingFile<R> {
    /// Begins a file, or continues one that was begun with the same header.
    pub(crate) fn open(path: &Path, header: &Header, resume: bool) -> Result<Self, GrowError> {
        let fail = |error| GrowError::Write(path.to_owned(), error);
        if !path.exists() {
            // The name appears together with a whole header, so that any crash can be resumed.
            files::replace_with(path, |fresh| Writer::<R>::create(fresh, header)?.sync())
                .map_err(fail)?;
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
        Ok(Self { path: path.to_owned(), writer, synced: Instant::now() })
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
