//! Opening positions from files: EPD, plain or packed with gzip or zstd.

use crate::files;
use crate::random::SplitMix;
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::PathBuf;
use tabiya_chess::{Board, Epd, EpdError, Game};

/// The order in which openings are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As in the file.
    #[default]
    Sequential,
    /// Shuffled with this seed.
    Random(u64),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Sequential => f.write_str("sequential"),
            Self::Random(seed) => write!(f, "random with seed {seed}"),
        }
    }
}

/// Where openings come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningSource {
    /// An EPD file, perhaps with `.gz` or `.zst`; without one all games start from the initial position.
    pub file: Option<PathBuf>,
    /// Order of play.
    pub order: Order,
    /// Number of openings to skip, in that order.
    pub skip: usize,
}

/// Why a file gives no openings.
#[derive(Debug)]
pub enum OpeningError {
    /// The file cannot be read.
    Read(PathBuf, io::Error),
    /// Nothing is in it.
    Empty(PathBuf),
    /// A line is not a position.
    Line {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong with it.
        error: EpdError,
    },
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "openings {}: {error}", path.display()),
            Self::Empty(path) => write!(f, "openings {}: no position in it", path.display()),
            Self::Line { path, line, error } => {
                write!(f, "openings {} line {line}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for OpeningError {}

/// The openings of a match, in the order of play.
#[derive(Clone, Debug)]
pub struct Openings {
    boards: Vec<Board>,
    digest: u64,
}

impl Openings {
    /// Reads at most `needed` openings. When there are fewer they are played again from the first.
    pub fn load(
        source: &OpeningSource,
        chess960: bool,
        needed: usize,
    ) -> Result<Self, OpeningError> {
        let Some(path) = &source.file else {
            return Ok(Self { boards: vec![Board::default()], digest: 0 });
        };
        let text =
            files::read_text(path).map_err(|error| OpeningError::Read(path.clone(), error))?;
        let mut lines: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .collect();
        if lines.is_empty() {
            return Err(OpeningError::Empty(path.clone()));
        }
        if let Order::Random(seed) = source.order {
            SplitMix::new(seed).shuffle(&mut lines);
        }
        let skip = source.skip % lines.len();
        lines.rotate_left(skip);
        let boards = lines
            .iter()
            .take(needed)
            .map(|(index, line)| {
                Epd::parse(line, chess960).map(|epd| epd.board).map_err(|error| {
                    OpeningError::Line { path: path.clone(), line: index + 1, error }
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { boards, digest: digest(text.as_bytes()) })
    }

    /// The game that a round starts from.
    pub fn game(&self, round: u64) -> Game {
        Game::from_board(self.boards[(round % self.boards.len() as u64) as usize])
    }

    /// Number of different openings at hand.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Never: loading refuses an empty file.
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// A checksum of the file, so that a match is not resumed with other openings.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

/// FNV-1a: enough to notice a changed file, not meant against forgery.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::Path;

    const LINES: &str = "\
# three openings
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;

rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq -
";

    fn write(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("tabiya-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn load(path: &Path, order: Order, skip: usize) -> Result<Openings, OpeningError> {
        let source = OpeningSource { file: Some(path.to_path_buf()), order, skip };
        Openings::load(&source, false, 100)
    }

    #[test]
    fn plain_and_packed_files_agree() {
        let plain = write("plain.epd", LINES.as_bytes());
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(LINES.as_bytes()).unwrap();
        let gz = write("packed.epd.gz", &packer.finish().unwrap());
        let packed = ruzstd::encoding::compress_to_vec(
            LINES.as_bytes(),
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        let zst = write("packed.epd.zst", &packed);
        let expected = load(&plain, Order::Sequential, 0).unwrap();
        assert_eq!(expected.len(), 3);
        for path in [&gz, &zst] {
            let openings = load(path, Order::Sequential, 0).unwrap();
            assert_eq!(
                (openings.digest(), openings.boards),
                (expected.digest(), expected.boards.clone())
            );
        }
        for path in [plain, gz, zst] {
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn order_and_skip_are_kept() {
        let path = write("order.epd", LINES.as_bytes());
        let all = load(&path, Order::Sequential, 0).unwrap();
        let later = load(&path, Order::Sequential, 1).unwrap();
        assert_eq!(all.game(1), later.game(0));
        assert_eq!(all.game(0), later.game(2));
        assert_eq!(all.game(0), all.game(3));
        let shuffled = load(&path, Order::Random(3), 0).unwrap();
        assert_eq!(shuffled.boards, load(&path, Order::Random(3), 0).unwrap().boards);
        assert!(
            (0..20).any(|seed| load(&path, Order::Random(seed), 0).unwrap().boards != all.boards)
        );
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn errors_name_file_and_line() {
        let path = write("bad.epd", b"\n8/8/8/8/8/8/8/8 w - - 0 1\n");
        let error = load(&path, Order::Sequential, 0).unwrap_err().to_string();
        assert!(error.contains("bad.epd line 2: "), "{error}");
        std::fs::write(&path, "\n\n").unwrap();
        assert!(matches!(load(&path, Order::Sequential, 0), Err(OpeningError::Empty(_))));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(load(&path, Order::Sequential, 0), Err(OpeningError::Read(..))));
    }
}
