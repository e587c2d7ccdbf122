//! Files that one run has for itself.

use super::files::with_suffix;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a lock may outlive the run that took it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a file cannot be had alone.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another run has it.
    Busy,
    /// It cannot be opened.
    Io(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Opens a file and takes it for this run alone, until the file is closed or the process ends.
pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<File, LockError> {
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    lock(&file)?;
    Ok(file)
}

/// [`open`] for a file whose name we made up: nobody else has a reason to put a link there.
pub(crate) fn open_unlinked(path: &Path, options: &OpenOptions) -> Result<File, LockError> {
    if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a symbolic link").into());
    }
    open(path, options)
}

/// The lock of a file that is replaced while it is in use: a file beside it, which stays there. If it were
/// removed, a run that waits for it and one that comes later could both have it.
pub(crate) fn beside(path: &Path) -> Result<File, LockError> {
    let options = OpenOptions::new().write(true).create(true).truncate(false).clone();
    open_unlinked(&with_suffix(path, ".lock"), &options)
}

/// A run that was killed while it started a program has left its lock to that program for the moment
/// until it is loaded.
fn lock(file: &File) -> Result<(), LockError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => return Err(LockError::Busy),
        }
    }
}
