//! The sums of a net, kept from position to position.
//!
//! Neighbours in a game or a search share most of their inputs. The last position of every square of
//! the own king (for pieces) and of both mirrors (for threats) is kept with its inputs; the next one
//! adds and takes away what differs, or begins anew where that is less.

use super::features::{self, KING_SQUARES};
use super::{BUCKETS, Row, ThreatNet};
use tabiya_chess::{Board, Color};

/// Sums per side.
pub(super) const SUMS: usize = 1024;

/// What is known of earlier positions.
pub struct Sums {
    pieces: Vec<[Known; KING_SQUARES]>,
    threats: Vec<[Known; 2]>,
    wanted: Vec<u32>,
    changes: Changes,
}

/// The sums of one side.
pub(super) struct Side<'a> {
    pub(super) pieces: &'a Known,
    pub(super) threats: &'a Known,
}

/// Sums and the inputs they are made of, in rising order.
#[derive(Clone)]
pub(super) struct Known {
    features: Vec<u32>,
    pub(super) row: Row<i16>,
    pub(super) values: [i32; BUCKETS],
}

/// What one list of inputs has and another has not.
#[derive(Default)]
struct Changes {
    added: Vec<u32>,
    removed: Vec<u32>,
}

impl Sums {
    /// Nothing is known yet.
    pub fn new(net: &ThreatNet) -> Self {
        let start = |row: &Row<i16>| Known {
            features: Vec::with_capacity(64),
            row: row.clone(),
            values: [0; BUCKETS],
        };
        let pieces = || std::array::from_fn(|_| start(&net.biases));
        let threats = || std::array::from_fn(|_| start(&Row([0; SUMS])));
        Self {
            pieces: vec![pieces(), pieces()],
            threats: vec![threats(), threats()],
            wanted: Vec::with_capacity(64),
            changes: Changes::default(),
        }
    }

    /// Brings the sums of one side up to date.
    pub(super) fn look(&mut self, net: &ThreatNet, board: &Board, side: Color) -> Side<'_> {
        let Self { pieces, threats, wanted, changes } = self;
        let pieces = &mut pieces[side as usize][features::king_square(board, side)];
        features::pieces(board, side, wanted);
        pieces.follow(wanted, changes, &net.biases, &net.pieces, &net.piece_values);
        let threats = &mut threats[side as usize][usize::from(features::king_is_left(board, side))];
        features::threats(board, side, wanted);
        threats.follow(wanted, changes, &Row([0; SUMS]), &net.threats, &net.threat_values);
        Side { pieces, threats }
    }
}

impl Known {
    /// Becomes the sums of the `wanted` inputs.
    fn follow<T: Copy + Into<i16>>(
        &mut self,
        wanted: &mut Vec<u32>,
        changes: &mut Changes,
        start: &Row<i16>,
        rows: &[Row<T>],
        values: &[[i32; BUCKETS]],
    ) {
        wanted.sort_unstable();
        changes.between(&self.features, wanted);
        if changes.added.len() + changes.removed.len() > wanted.len() {
            self.row = start.clone();
            self.values = [0; BUCKETS];
            changes.between(&[], wanted);
        }
        for feature in changes.removed.iter().map(|feature| *feature as usize) {
            for (sum, weight) in self.row.0.iter_mut().zip(&rows[feature].0) {
                *sum = sum.wrapping_sub((*weight).into());
            }
            for (sum, value) in self.values.iter_mut().zip(values[feature]) {
                *sum = sum.wrapping_sub(value);
            }
        }
        for feature in changes.added.iter().map(|feature| *feature as usize) {
            for (sum, weight) in self.row.0.iter_mut().zip(&rows[feature].0) {
                *sum = sum.wrapping_add((*weight).into());
            }
            for (sum, value) in self.values.iter_mut().zip(values[feature]) {
                *sum = sum.wrapping_add(value);
            }
        }
        std::mem::swap(&mut self.features, wanted);
    }
}

impl Changes {
    /// From one list in rising order to another.
    fn between(&mut self, old: &[u32], new: &[u32]) {
        self.added.clear();
        self.removed.clear();
        let (mut i, mut j) = (0, 0);
        while i < old.len() && j < new.len() {
            let (before, after) = (old[i], new[j]);
            if before < after {
                self.removed.push(before);
            } else if after < before {
                self.added.push(after);
            }
            i += usize::from(before <= after);
            j += usize::from(after <= before);
        }
        self.removed.extend(&old[i..]);
        self.added.extend(&new[j..]);
    }
}
