//! Reading labelled positions and reducing them to features.

use crate::work::files;
use crate::work::hash::fnv1a;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use tabiya_chess::{Board, FenError};
use tabiya_engine::eval::hce::{
    Combination, FULL_PHASE, FULL_SCALE, PawnTable, TERMS, Trace, WEIGHT_COUNT, middlegame_scale,
};

/// One in this many positions is held out.
const HELD_OUT_SHARE: u64 = 10;

/// A weight and how often it counts for White more than for Black.
pub(super) type LinearCount = (u16, i16);
/// A weight and how often it counts for each king.
pub(super) type DangerCount = (u16, [i16; 2]);

/// A position as the model sees it.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// End of its features in each list; they begin where the sample before ends.
    linear_end: u32,
    danger_end: u32,
    complexity_end: u32,
    /// What the middlegame and the endgame sums are multiplied with.
    pub(super) factors: [f32; 2],
    /// The result for White: 1, 0.5 or 0.
    pub(super) result: f32,
    /// The score an engine gave, for White in centipawns.
    pub(super) score: Option<f32>,
}

/// Positions reduced to features.
#[derive(Default)]
pub struct Dataset {
    pub(super) samples: Vec<Sample>,
    linear: Vec<LinearCount>,
    danger: Vec<DangerCount>,
    complexity: Vec<LinearCount>,
}

/// The features of one position.
pub(super) struct Features<'a> {
    pub(super) linear: &'a [LinearCount],
    pub(super) danger: &'a [DangerCount],
    pub(super) complexity: &'a [LinearCount],
}

impl Dataset {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    pub(super) fn features(&self, index: usize) -> Features<'_> {
        let sample = &self.samples[index];
        let before = index.checked_sub(1).map(|before| &self.samples[before]);
        let start = |end: fn(&Sample) -> u32| before.map_or(0, end) as usize;
        Features {
            linear: &self.linear[start(|s| s.linear_end)..sample.linear_end as usize],
            danger: &self.danger[start(|s| s.danger_end)..sample.danger_end as usize],
            complexity: &self.complexity
                [start(|s| s.complexity_end)..sample.complexity_end as usize],
        }
    }

    pub(super) fn push(&mut self, trace: &Trace, result: f32, score: Option<f32>) {
        for term in &TERMS {
            for index in term.range() {
                let [white, black] = trace.counts[index];
                let weight = index as u16;
                match term.group.combination() {
                    Combination::Linear if white != black => {
                        self.linear.push((weight, white - black));
                    }
                    Combination::Danger if white != 0 || black != 0 => {
                        self.danger.push((weight, [white, black]));
                    }
                    Combination::Complexity if white != 0 => self.complexity.push((weight, white)),
                    _ => {}
                }
            }
        }
        let phase = trace.phase as f32 / FULL_PHASE as f32;
        let share = |scale: i32| scale as f32 / FULL_SCALE as f32;
        self.samples.push(Sample {
            linear_end: self.linear.len() as u32,
            danger_end: self.danger.len() as u32,
            complexity_end: self.complexity.len() as u32,
            factors: [
                phase * share(middlegame_scale(trace.scale)),
                (1.0 - phase) * share(trace.scale),
            ],
            result,
            score,
        });
    }

    /// How often each weight occurs.
    pub(super) fn occurrences(&self) -> Vec<u64> {
        let mut counts = vec![0; WEIGHT_COUNT];
        for (weight, count) in &self.linear {
            counts[usize::from(*weight)] += u64::from(count.unsigned_abs());
        }
        counts
    }
}

/// The positions to learn from and those to judge by.
#[derive(Default)]
pub(super) struct Split {
    pub(super) training: Dataset,
    pub(super) held_out: Dataset,
}

/// Reads files of `fen;result` or `fen;result;score` with a header line, packed or not.
///
/// Whether a position is held out depends on nothing but its FEN. Known endgames, which no weight
/// influences, are left out.
pub(super) fn read(files: &[PathBuf]) -> Result<Split, DataError> {
    let mut split = Split::default();
    let mut pawns = PawnTable::default();
    for path in files {
        let unreadable = |error| DataError::Unreadable(path.clone(), error);
        let reader = BufReader::new(files::open_text(path).map_err(unreadable)?);
        for (number, line) in reader.lines().enumerate().skip(1) {
            let line = line.map_err(unreadable)?;
            let record = Record::parse(&line)
                .map_err(|error| DataError::Line(path.clone(), number + 1, error))?;
            if let Some(trace) = Trace::new(&record.board, &mut pawns) {
                let set = if hash_of(&line).is_multiple_of(HELD_OUT_SHARE) {
                    &mut split.held_out
                } else {
                    &mut split.training
                };
                set.push(&trace, record.result, record.score);
            }
        }
    }
    if split.training.is_empty() || split.held_out.is_empty() {
        return Err(DataError::TooFew);
    }
    Ok(split)
}

/// A hash of the FEN field; the lowest bits are the least mixed.
fn hash_of(line: &str) -> u64 {
    let fen = line.split(';').next().unwrap_or_default();
    fnv1a(fen.bytes()) >> 16
}

struct Record {
    board: Board,
    result: f32,
    score: Option<f32>,
}

impl Record {
    fn parse(line: &str) -> Result<Self, LineError> {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default();
        let board = Board::from_fen(fen, false).map_err(LineError::Fen)?;
        let result = match fields.next() {
            Some("1-0") => 1.0,
            Some("0-1") => 0.0,
            Some("1/2-1/2") => 0.5,
            other => return Err(LineError::Result(other.unwrap_or_default().to_owned())),
        };
        let score = match fields.next() {
            Some(text) => Some(text.trim().parse().map_err(|_| LineError::Score(text.to_owned()))?),
            None => None,
        };
        Ok(Self { board, result, score })
    }
}

/// Why a data file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be opened or decompressed.
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] io::Error),
    /// A line is wrong.
    #[error("{} line {}: {}", .0.display(), .1, .2)]
    Line(PathBuf, usize, #[source] LineError),
    /// Too few positions to learn from and to hold some out.
    #[error("data: too few positions to fit and to hold some out")]
    TooFew,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The position.
    #[error(transparent)]
    Fen(FenError),
    /// The result is none of `1-0`, `0-1`, `1/2-1/2`.
    #[error("result: {0:?} is not 1-0, 0-1 or 1/2-1/2")]
    Result(String),
    /// The score is not a number.
    #[error("score: {0:?} is not a number")]
    Score(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_position_a_result_and_perhaps_a_score() {
        let fen = "4k3/pp6/8/8/8/8/6PP/4K3 w - - 0 1";
        let record = Record::parse(&format!("{fen};1/2-1/2;-40")).expect("a good line");
        assert_eq!((record.result, record.score), (0.5, Some(-40.0)));
        assert_eq!(Record::parse(&format!("{fen};0-1")).expect("a good line").score, None);
        for (line, reason) in [
            (format!("{fen};2-0"), "result: \"2-0\" is not 1-0, 0-1 or 1/2-1/2"),
            (format!("{fen};1-0;x"), "score: \"x\" is not a number"),
            (fen.to_owned(), "result: \"\" is not 1-0, 0-1 or 1/2-1/2"),
        ] {
            let error = Record::parse(&line).err().expect("a bad line");
            assert_eq!(error.to_string(), reason);
        }
        assert!(Record::parse("8/8 w;1-0").is_err());
    }
}
