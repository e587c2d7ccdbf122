//! Text files, packed or not, as a stream of pieces that end at line ends.

use crate::work::files;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A piece has about this many bytes.
const PIECE: usize = 1 << 20;
/// No line is longer than this.
const LONGEST_LINE: u64 = 1 << 22;

/// Some whole lines of one file.
pub(super) struct Chunk {
    pub(super) path: PathBuf,
    /// Counted from 1.
    pub(super) first_line: u64,
    pub(super) text: io::Result<String>,
}

/// The file cut into pieces; an error is the last piece.
pub(super) fn chunks(path: &Path) -> impl Iterator<Item = Chunk> + use<> {
    let path = path.to_owned();
    let mut reader = None;
    let mut next_line = 1;
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let text = match &mut reader {
            Some(reader) => read_lines(reader),
            None => open(&path).and_then(|opened| read_lines(reader.insert(opened))),
        };
        failed = text.is_err();
        let lines = text.as_ref().map_or(0, |text| text.lines().count() as u64);
        let first_line = next_line;
        next_line += lines;
        (failed || lines > 0).then(|| Chunk { path: path.clone(), first_line, text })
    })
}

/// Opens a file according to the end of its name; `-` is standard input.
fn open(path: &Path) -> io::Result<BufReader<Box<dyn Read + Send>>> {
    let text = if path == Path::new("-") { Box::new(io::stdin()) } else { files::open_text(path)? };
    Ok(BufReader::with_capacity(PIECE, text))
}

/// The next piece; empty at the end of the file.
fn read_lines(reader: &mut impl BufRead) -> io::Result<String> {
    let mut text = Vec::new();
    while text.len() < PIECE {
        let start = text.len();
        if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if (text.len() - start) as u64 == LONGEST_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"));
        }
    }
    String::from_utf8(text).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}
