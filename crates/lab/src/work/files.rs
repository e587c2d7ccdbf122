//! Reading text files, packed or not, and writing files so that a crash at any moment leaves the old
//! or the new content, never a mixture.

use super::zstd::Frames;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tabiya_engine::files::open_regular;

/// Texts larger than this after unpacking are refused.
const LARGEST: u64 = 1 << 30;

/// Files being written that will replace others.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Opens a text file, unpacking it according to its name.
pub(crate) fn open_text(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(unpack(path, BufReader::new(File::open(path)?)))
}

/// Unpacks a text according to the name of its file.
pub(crate) fn unpack(path: &Path, file: impl BufRead + Send + 'static) -> Box<dyn Read + Send> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        Some("xz") => Box::new(lzma_rust2::XzReader::new(file, true)),
        Some("zst") => Box::new(Frames::new(file)),
        _ => Box::new(file),
    }
}

/// Reads a text file, unpacking it according to its name.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // A pipe or a device could keep us waiting for ever.
    unpack(path, BufReader::new(open_regular(path)?)).take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "more than 1 GiB of text"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file that tells how much of it was read.
pub(crate) struct CountingReader {
    file: File,
    read: Arc<AtomicU64>,
}

impl CountingReader {
    pub(crate) fn new(file: File) -> io::Result<(Self, ReadShare)> {
        let length = file.metadata()?.len();
        let read = Arc::new(AtomicU64::new(0));
        let share = ReadShare { read: Arc::clone(&read), length };
        Ok((Self { file, read }, share))
    }
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

/// How much of a file was read.
pub(crate) struct ReadShare {
    read: Arc<AtomicU64>,
    /// Zero if nobody knows.
    length: u64,
}

impl ReadShare {
    /// Of something that has no length.
    pub(crate) fn unknown() -> Self {
        Self { read: Arc::default(), length: 0 }
    }

    /// From 0 to 1.
    pub(crate) fn share(&self) -> Option<f64> {
        (self.length > 0).then(|| self.read.load(Relaxed) as f64 / self.length as f64)
    }
}

/// Replaces a file: writes beside it, syncs, renames over it and syncs the folder.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(
        path,
        |error| error,
        |fresh| {
            let mut file = File::create(fresh)?;
            file.write_all(content)?;
            file.sync_all()
        },
    )
}

/// Whether a file could be written under this name, before hours are spent on its content.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let fresh = fresh_name(&destination(path)?);
    File::create(&fresh)?;
    fs::remove_file(fresh)
}

/// The file that a path means: what a link leads to. A device or a pipe is no file that could be replaced.
fn destination(path: &Path) -> io::Result<PathBuf> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path.to_path_buf()),
        found => found?,
    };
    let path = if found.is_symlink() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let found = fs::metadata(&path)?;
    match (found.is_dir(), found.is_file()) {
        (true, _) => Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder")),
        (_, false) => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        _ => Ok(path),
    }
}

/// The name under which a file is written before it replaces another. Threads of a process do not share it,
/// nor do machines or containers that have the folder in common and numbers of processes of their own.
fn fresh_name(path: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    with_suffix(path, &format!(".{}-{number}-{now:x}.new", std::process::id()))
}

/// A path with more at the end of its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(suffix);
    path.with_file_name(name)
}

/// Replaces a file by what `write` leaves, durably, at the path it is given; `fail` says what it means
/// that this cannot be done.
pub(crate) fn replace_with<E>(
    path: &Path,
    fail: impl Fn(io::Error) -> E,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let path = &destination(path).map_err(&fail)?;
    let fresh = fresh_name(path);
    with_unfinished(|files| files.push(fresh.clone()));
    // Whatever lies there, a link above all, is not what we want to write through.
    let _ = fs::remove_file(&fresh);
    let written = write(&fresh).and_then(|()| fs::rename(&fresh, path).map_err(&fail));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    with_unfinished(|files| files.retain(|file| *file != fresh));
    written?;
    sync_folder(path).map_err(fail)
}

/// Removes the files that were to replace others; for a process that ends before they are complete.
pub fn remove_unfinished() {
    with_unfinished(|files| files.drain(..).for_each(|file| drop(fs::remove_file(file))));
}

fn with_unfinished(act: impl FnOnce(&mut Vec<PathBuf>)) {
    act(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Makes the name of a new or renamed file durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_left_alone() {
        let folder = std::env::temp_dir().join(format!("tabiya-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let pipe = folder.join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [&pipe, &folder, &PathBuf::from("/dev/null")] {
            assert!(replace(path, b"new").is_err());
            assert!(check_writable(path).is_err());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
    }
}
