//! Openings from files: EPD positions or PGN games, plain or packed with gzip or zstd.

use crate::work::SplitMix;
use crate::work::files;
use crate::work::hash::fnv1a;
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use tabiya_chess::pgn::{PgnError, PgnErrorKind, PgnReader};
use tabiya_chess::{Board, Epd, EpdError, Game, Move};

/// The order in which openings are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// As in the file.
    #[default]
    Sequential,
    /// Shuffled with this seed.
    Random(u64),
}

impl fmt::Display for OpeningOrder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Sequential => f.write_str("sequential"),
            Self::Random(seed) => write!(f, "random with seed {seed}"),
        }
    }
}

/// Where openings come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpeningSource {
    /// An EPD or PGN file, perhaps with `.gz` or `.zst`; without one all games start from the
    /// initial position.
    pub file: Option<PathBuf>,
    /// Order of play.
    pub order: OpeningOrder,
    /// Number of openings to skip, in that order.
    pub skip: usize,
    /// Plies to take from each game of a PGN file; all without it.
    pub plies: Option<usize>,
}

/// Why a file gives no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("openings {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// Nothing is in it.
    #[error("openings {}: no position in it", .0.display())]
    Empty(PathBuf),
    /// A line is not a position.
    #[error("openings {} line {line}: {error}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        error: EpdError,
    },
    /// A game of a PGN file is broken.
    #[error("openings {}: {error}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        #[source]
        error: PgnError,
    },
}

/// A position and the moves that are played from it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Opening {
    start: Board,
    moves: Vec<Move>,
}

impl From<Board> for Opening {
    fn from(start: Board) -> Self {
        Self { start, moves: Vec::new() }
    }
}

/// The openings of a match, in the order of play.
#[derive(Clone, Debug)]
pub struct Openings {
    openings: Vec<Opening>,
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
            return Ok(Self { openings: vec![Board::default().into()], digest: 0 });
        };
        let text = files::read_text(path).map_err(|e| OpeningError::Read(path.clone(), e))?;
        let is_pgn = path.to_string_lossy().to_ascii_lowercase().contains(".pgn");
        let openings = if is_pgn {
            read_pgn(path, &text, source, needed)
        } else {
            read_epd(path, &text, source, chess960, needed)
        }?;
        if openings.is_empty() {
            return Err(OpeningError::Empty(path.clone()));
        }
        Ok(Self { openings, digest: fnv1a(text.bytes()) })
    }

    /// The game that a round starts from.
    pub fn game(&self, round: u64) -> Game {
        let opening = &self.openings[(round % self.openings.len() as u64) as usize];
        let mut game = Game::from_board(opening.start);
        for &mv in &opening.moves {
            // The reader has played these moves before.
            if game.play(mv).is_err() {
                break;
            }
        }
        game
    }

    /// A checksum of the file, so that a match is not resumed with other openings.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

fn read_epd(
    path: &Path,
    text: &str,
    source: &OpeningSource,
    chess960: bool,
    needed: usize,
) -> Result<Vec<Opening>, OpeningError> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    choose(lines.collect(), source, needed)
        .into_iter()
        .map(|(index, line)| match Epd::parse(line, chess960) {
            Ok(epd) => Ok(epd.board.into()),
            Err(error) => {
                Err(OpeningError::Line { path: path.to_path_buf(), line: index + 1, error })
            }
        })
        .collect()
}

fn read_pgn(
    path: &Path,
    text: &str,
    source: &OpeningSource,
    needed: usize,
) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for game in PgnReader::new(text.as_bytes()) {
        let game = game.map_err(|error| OpeningError::Read(path.to_path_buf(), error))?;
        // How its game ended does not matter to an opening.
        let is_bad = |error: &PgnError| !matches!(error.kind, PgnErrorKind::Result { .. });
        if let Some(error) = game.error.filter(is_bad) {
            return Err(OpeningError::Game { path: path.to_path_buf(), error });
        }
        let moves = game.mainline.moves.iter().map_while(|step| step.mv);
        let moves = moves.take(source.plies.unwrap_or(usize::MAX)).collect();
        openings.push(Opening { start: game.start, moves });
    }
    Ok(choose(openings, source, needed))
}

/// Puts openings into the order of play and drops those that are not needed.
fn choose<T>(mut openings: Vec<T>, source: &OpeningSource, needed: usize) -> Vec<T> {
    if let OpeningOrder::Random(seed) = source.order {
        SplitMix::new(seed).shuffle(&mut openings);
    }
    if !openings.is_empty() {
        let skip = source.skip % openings.len();
        openings.rotate_left(skip);
    }
    openings.truncate(needed);
    openings
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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

    fn load(path: &Path, order: OpeningOrder, skip: usize) -> Result<Openings, OpeningError> {
        let source = OpeningSource { file: Some(path.to_path_buf()), order, skip, plies: Some(3) };
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
        let expected = load(&plain, OpeningOrder::Sequential, 0).unwrap();
        assert_eq!(expected.openings.len(), 3);
        for path in [&gz, &zst] {
            let openings = load(path, OpeningOrder::Sequential, 0).unwrap();
            assert_eq!(
                (openings.digest(), openings.openings),
                (expected.digest(), expected.openings.clone())
            );
        }
        for path in [plain, gz, zst] {
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn order_and_skip_are_kept() {
        let path = write("order.epd", LINES.as_bytes());
        let all = load(&path, OpeningOrder::Sequential, 0).unwrap();
        let later = load(&path, OpeningOrder::Sequential, 1).unwrap();
        assert_eq!(all.game(1), later.game(0));
        assert_eq!(all.game(0), later.game(2));
        assert_eq!(all.game(0), all.game(3));
        let shuffled = load(&path, OpeningOrder::Random(3), 0).unwrap();
        assert_eq!(shuffled.openings, load(&path, OpeningOrder::Random(3), 0).unwrap().openings);
        assert!((0..20).any(
            |seed| load(&path, OpeningOrder::Random(seed), 0).unwrap().openings != all.openings
        ));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn games_give_their_first_moves() {
        let path = write("games.pgn", b"1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 *\n");
        let openings = load(&path, OpeningOrder::Sequential, 0).unwrap();
        assert_eq!(openings.game(0).moves().len(), 3);
        assert_eq!(openings.game(1).moves().len(), 1);
        std::fs::write(&path, "1. e4 e5 2. Ke3 *").unwrap();
        let error = load(&path, OpeningOrder::Sequential, 0).unwrap_err();
        assert!(matches!(error, OpeningError::Game { .. }), "{error}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn errors_name_file_and_line() {
        let path = write("bad.epd", b"\n8/8/8/8/8/8/8/8 w - - 0 1\n");
        let error = load(&path, OpeningOrder::Sequential, 0).unwrap_err().to_string();
        assert!(error.contains("bad.epd line 2: "), "{error}");
        std::fs::write(&path, "\n\n").unwrap();
        assert!(matches!(load(&path, OpeningOrder::Sequential, 0), Err(OpeningError::Empty(_))));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(load(&path, OpeningOrder::Sequential, 0), Err(OpeningError::Read(..))));
    }
}
