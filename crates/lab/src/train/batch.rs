//! The positions of a micro-batch turned into index lists, in both directions.

use super::first::Sums;
use super::input::SHARED_FEATURES;
use super::loss::Target;
use super::tail::TailGradients;
use crate::data::record::LabelledPosition;
use std::ops::Range;
use tabiya_chess::{Color, Piece, PieceType, Square};
use tabiya_nn::{Placement, Shape, View, for_each_threat};

/// Positions of a full micro-batch: so many that a weight row, once in the cache, serves several of them,
/// and so few that a tile's rows of one king bucket fit the second-level cache.
pub(crate) const MICRO_BATCH: usize = 2048;

/// Some positions prepared for the kernels.
///
/// Each position has two rows, one for each side's view of the board. Rows of one king bucket stand
/// together: they use the same few hundred weights, forward and backward, and find them in the cache.
#[derive(Default)]
pub(crate) struct MicroBatch {
    /// The piece-squares of each row.
    pub(crate) pieces: Lists,
    /// The threats of each row; none if the net sees no threats.
    pub(crate) threats: Lists,
    /// The rows of each position, the side to move's first.
    pub(crate) places: Vec<[u32; 2]>,
    /// The output bucket of each position; those of one bucket stand together.
    pub(crate) buckets: Vec<u8>,
    /// Which position of those it was made from each one is.
    pub(crate) order: Vec<u32>,
    /// What the net should say, as the expected result.
    pub(crate) targets: Vec<f32>,
    /// The gradient of the loss by the net's output, once known,
    pub(crate) output_gradients: Vec<f32>,
    /// or by the sums of the first dense layer.
    pub(crate) sum_gradients: Vec<Sums>,
    /// Gradients of the layers after it.
    pub(crate) tail_gradients: Option<TailGradients>,
    /// The sum of the losses, once known.
    pub(crate) loss: f64,
}

/// Which features each row has and, for the backward pass, which rows each feature has.
#[derive(Default)]
pub(crate) struct Lists {
    /// Where the features of each row begin; one more than there are rows.
    row_starts: Vec<u32>,
    features: Vec<u32>,
    /// Where the rows of each feature begin; one more than there are features.
    feature_starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Lists {
    fn clear(&mut self) {
        self.row_starts.clear();
        self.row_starts.push(0);
        self.features.clear();
    }

    fn push_row(&mut self, features: &[u32]) {
        self.features.extend(features);
        self.row_starts.push(self.features.len() as u32);
    }

    /// The features of a row.
    #[inline]
    fn row(&self, row: usize) -> &[u32] {
        &self.features[self.row_starts[row] as usize..self.row_starts[row + 1] as usize]
    }

    /// The features of each row, for all rows in order.
    #[inline]
    pub(crate) fn features_by_row(&self) -> impl Iterator<Item = &[u32]> {
        self.row_starts.windows(2).map(|ends| &self.features[ends[0] as usize..ends[1] as usize])
    }

    /// The features that some row has, with their rows, in order.
    #[inline]
    pub(crate) fn rows_by_feature(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let all = self.feature_starts.windows(2).enumerate();
        all.filter(|(_, ends)| ends[0] < ends[1])
            .map(|(feature, ends)| (feature, &self.rows[ends[0] as usize..ends[1] as usize]))
    }

    /// Builds the lists of rows by feature, of which there are so many (a counting sort).
    fn invert(&mut self, features: usize) {
        let starts = &mut self.feature_starts;
        starts.clear();
        starts.resize(features + 1, 0);
        for feature in &self.features {
            starts[*feature as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        self.rows.clear();
        self.rows.resize(self.features.len(), 0);
        for (row, ends) in self.row_starts.windows(2).enumerate() {
            for feature in &self.features[ends[0] as usize..ends[1] as usize] {
                let slot = &mut starts[*feature as usize];
                self.rows[*slot as usize] = row as u32;
                *slot += 1;
            }
        }
        // Every start has moved to the next one's place.
        starts.rotate_right(1);
        starts[0] = 0;
    }
}

impl MicroBatch {
    pub(crate) fn len(&self) -> usize {
        self.buckets.len()
    }

    /// Fills the lists for these positions, at most [`MICRO_BATCH`].
    pub(crate) fn prepare(&mut self, shape: Shape, target: Target, positions: &[LabelledPosition]) {
        self.buckets.clear();
        self.targets.clear();
        self.order.clear();
        self.order.extend(0..positions.len().min(MICRO_BATCH) as u32);
        let bucket =
            |position: &LabelledPosition| shape.output_bucket(position.piece_count()) as u8;
        self.order.sort_by_cached_key(|index| bucket(&positions[*index as usize]));
        let mut rows = Rows::default();
        for index in &self.order {
            let position = &positions[*index as usize];
            rows.push(shape, position);
            self.buckets.push(bucket(position));
            self.targets.push(target.of(position));
        }
        self.sort_rows(shape, &rows);
    }

    /// Takes the rows king bucket by king bucket.
    fn sort_rows(&mut self, shape: Shape, rows: &Rows) {
        self.places.clear();
        self.places.resize(rows.king_buckets.len() / 2, [0; 2]);
        self.pieces.clear();
        self.threats.clear();
        for bucket in 0..shape.king_buckets() {
            for (row, _) in rows.king_buckets.iter().enumerate().filter(|(_, b)| **b == bucket) {
                self.places[row / 2][row % 2] = self.pieces.row_starts.len() as u32 - 1;
                self.pieces.push_row(rows.pieces.row(row));
                self.threats.push_row(rows.threats.row(row));
            }
        }
    }

    /// The positions of each output bucket: which bucket, and where they are.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut end = 0;
        self.buckets.chunk_by(|a, b| a == b).map(move |run| {
            let start = end;
            end += run.len();
            (run[0] as usize, start..end)
        })
    }

    /// Builds the lists of rows by feature, which only the backward pass needs.
    pub(crate) fn invert(&mut self, shape: Shape) {
        self.pieces.invert(shape.features());
        self.threats.invert(shape.threats());
    }
}

/// The rows of some positions, two for each, as they come.
struct Rows {
    pieces: Lists,
    threats: Lists,
    king_buckets: Vec<usize>,
}

impl Default for Rows {
    fn default() -> Self {
        let (mut pieces, mut threats) = (Lists::default(), Lists::default());
        pieces.clear();
        threats.clear();
        Self { pieces, threats, king_buckets: Vec::new() }
    }
}

impl Rows {
    fn push(&mut self, shape: Shape, position: &LabelledPosition) {
        let mut pieces = [(Piece::WhitePawn, Square::A1); 32];
        let mut count = 0;
        let mut kings = [Square::A1; 2];
        for (slot, (piece, sq)) in pieces.iter_mut().zip(position.pieces()) {
            *slot = (piece, sq);
            count += 1;
            if piece.kind() == PieceType::King {
                kings[piece.color()] = sq;
            }
        }
        let pieces = &pieces[..count];
        let mut threats = Vec::new();
        if shape.sees_threats() {
            let placement = Placement::new(pieces.iter().copied());
            for_each_threat(&placement, |threat| threats.push(threat));
        }
        let side: Color = position.side_to_move();
        let mut seen = Vec::with_capacity(pieces.len());
        for perspective in [side, !side] {
            let view = View::new(shape, perspective, kings[perspective]);
            seen.clear();
            seen.extend(pieces.iter().map(|(piece, sq)| view.feature(*piece, *sq) as u32));
            self.pieces.push_row(&seen);
            let feature = seen.first().copied().unwrap_or(0);
            self.king_buckets.push(feature as usize / SHARED_FEATURES);
            seen.clear();
            seen.extend(threats.iter().filter_map(|threat| view.threat(*threat)));
            self.threats.push_row(&seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Verdict;
    use tabiya_chess::Board;
    use tabiya_nn::{active_features, threat_features};

    #[test]
    fn lists_agree_with_the_net_and_with_each_other() {
        let shape: Shape = "768x4+threats-128p-16d-32s-1x8".parse().unwrap();
        let boards: Vec<Board> = [
            tabiya_chess::START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
            "8/5k2/8/8/8/3K4/4P3/8 b - - 9 120",
        ]
        .map(|fen| fen.parse().unwrap())
        .to_vec();
        let positions: Vec<_> =
            boards.iter().map(|b| LabelledPosition::new(b, 0, Verdict::Draw).unwrap()).collect();
        let mut batch = MicroBatch::default();
        batch.prepare(shape, Target { scale: 200.0, wdl: 0.0 }, &positions);
        batch.invert(shape);
        assert!(batch.runs().flat_map(|(_, run)| run).eq(0..boards.len()));
        let features: Vec<_> = batch.pieces.features_by_row().collect();
        let threats: Vec<_> = batch.threats.features_by_row().collect();
        for (index, place) in batch.order.iter().enumerate() {
            let board = &boards[*place as usize];
            let side = board.side_to_move();
            for (row, perspective) in batch.places[index].into_iter().zip([side, !side]) {
                let expected: Vec<_> =
                    active_features(shape, board, perspective).map(|f| f as u32).collect();
                assert_eq!(features[row as usize], expected);
                let view = View::new(shape, perspective, board.king(perspective));
                let mut found = threats[row as usize].to_vec();
                let mut expected = threat_features(&Placement::from(board), view);
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected);
            }
        }
        let king_bucket = |features: &&[u32]| features[0] as usize / SHARED_FEATURES;
        assert!(features.is_sorted_by_key(king_bucket));
        let mut rows = batch.places.as_flattened().to_vec();
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..2 * boards.len() as u32));
        for (lists, by_row) in [(&batch.pieces, features), (&batch.threats, threats)] {
            let mut used = by_row.concat();
            used.sort_unstable();
            used.dedup();
            assert!(lists.rows_by_feature().map(|(feature, _)| feature as u32).eq(used));
            for (feature, rows) in lists.rows_by_feature() {
                let expected: Vec<u32> = (0..2 * boards.len())
                    .filter(|row| by_row[*row].contains(&(feature as u32)))
                    .map(|row| row as u32)
                    .collect();
                assert_eq!(rows, expected);
            }
        }
    }
}
