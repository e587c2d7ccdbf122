//! Positions in the shares that training wants: most of them where games are decided.
//!
//! Two thirds of the quiet positions of the teacher games have a score of 150 centipawns or more. What makes an evaluation strong is the order of positions whose result is open (docs/NETS.md).

use crate::data::positions::{ExpandError, open_positions};
use crate::data::record::{CENTIPAWNS, LabelledPosition, Writer};
use crate::work::{SplitMix, files};
use std::path::Path;

/// Shares by number of pieces, as in nnue-pytorch's recipes; linear between these points.
const BY_PIECES: [(f64, f64); 5] =
    [(2.0, 0.2), (8.0, 0.45), (16.0, 1.0), (24.0, 0.95), (32.0, 0.75)];
/// Shares by the size of the score in centipawns.
const BY_SCORE: [(f64, f64); 4] = [(200.0, 1.0), (400.0, 0.5), (600.0, 0.25), (1000.0, 0.15)];

/// How many positions were read and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BalanceProgress {
    /// Positions read.
    pub read: u64,
    /// Positions written.
    pub kept: u64,
}

/// Keeps positions of a file by chance: each with the share that its pieces and its score want.
pub fn run(
    input: &Path,
    seed: u64,
    output: &Path,
    mut observe: impl FnMut(BalanceProgress),
) -> Result<BalanceProgress, ExpandError> {
    let mut reader = open_positions(input)?;
    let mut header = reader.header().clone();
    if header.score_unit != CENTIPAWNS {
        return Err(ExpandError::Unit(input.to_owned(), header.score_unit));
    }
    header.description = format!("{}; balanced, seed {seed}", header.description);
    let mut random = SplitMix::new(seed);
    let mut progress = BalanceProgress::default();
    let fail = |error| ExpandError::Write(output.to_owned(), error);
    files::replace_with(output, fail, |fresh| {
        let mut writer = Writer::create(fresh, &header).map_err(fail)?;
        let unreadable = |error| ExpandError::Read(input.to_owned(), error);
        while let Some(block) = reader.next_block().map_err(unreadable)? {
            progress.read += block.len() as u64;
            for position in block.iter().filter(|position| random.unit() < share(position)) {
                writer.push(position).map_err(fail)?;
            }
            progress.kept = writer.total();
            observe(progress);
        }
        writer.finish().map(|_| ()).map_err(fail)
    })?;
    Ok(progress)
}

fn share(position: &LabelledPosition) -> f64 {
    let score = f64::from(position.score.unsigned_abs());
    share_by_pieces(f64::from(position.piece_count())) * at(&BY_SCORE, score)
}

/// The share of positions with so many pieces.
pub(super) fn share_by_pieces(pieces: f64) -> f64 {
    at(&BY_PIECES, pieces)
}

/// The height of a curve of straight lines between points, level before the first and after the last.
fn at(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.iter().position(|point| point.0 >= x).unwrap_or(points.len() - 1).max(1);
    let ((x0, y0), (x1, y1)) = (points[next - 1], points[next]);
    y0 + (y1 - y0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::positions;
    use crate::data::record::{Header, Verdict};
    use tabiya_chess::{Board, Color, GameResult};

    #[test]
    fn shares_follow_pieces_and_scores() {
        let heights = [0.0, 5.0, 8.0, 20.0, 32.0, 40.0].map(share_by_pieces);
        for (found, wanted) in heights.into_iter().zip([0.2, 0.325, 0.45, 0.975, 0.75, 0.75]) {
            assert!((found - wanted).abs() < 1e-9, "{heights:?}");
        }
        assert!((at(&BY_SCORE, 0.0) - 1.0).abs() < 1e-9);
        assert!((at(&BY_SCORE, 500.0) - 0.375).abs() < 1e-9);
        assert!((at(&BY_SCORE, 9000.0) - 0.15).abs() < 1e-9);
    }

    #[test]
    fn positions_are_kept_in_their_shares_and_the_same_with_the_same_seed() {
        let folder = std::env::temp_dir().join(format!("tabiya-balance-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [input, output] = ["all.pos", "some.pos"].map(|name| folder.join(name));
        let header = |unit: &str| Header {
            score_unit: unit.to_string(),
            description: "made up".to_string(),
        };
        let board = Board::default();
        let verdict = Verdict::of(GameResult::Draw, Color::White).unwrap();
        let positions: Vec<_> = (0..8000)
            .map(|index| LabelledPosition::new(&board, [0, -1500][index % 2], verdict).unwrap())
            .collect();
        positions::write(&input, &header(CENTIPAWNS), &positions).unwrap();
        let balance = |seed| {
            let done = run(&input, seed, &output, |_| {}).unwrap();
            let (kept, found) = positions::read(std::slice::from_ref(&output)).unwrap();
            assert_eq!((done.read, done.kept), (8000, kept.len() as u64));
            assert_eq!(found.description, format!("made up; balanced, seed {seed}"));
            kept
        };
        let kept = balance(3);
        let open = kept.iter().filter(|position| position.score == 0).count();
        // 4000 x 0.75 and 4000 x 0.75 x 0.15 expected, standard deviations 27 and 20.
        assert!((2870..3130).contains(&open), "{open}");
        assert!((350..550).contains(&(kept.len() - open)), "{}", kept.len());
        assert!(balance(3) == kept && balance(4) != kept);
        positions::write(&input, &header("internal units"), &positions).unwrap();
        let refused = run(&input, 1, &output, |_| {}).unwrap_err();
        assert!(refused.to_string().contains("internal units"), "{refused}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
