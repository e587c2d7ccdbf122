//! The transposition table: what is already known about a position, found by its Zobrist key.

use crate::search::MATE;
use tabiya_chess::Move;

/// The true value of the position lies between `low` and `high`.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) mv: Option<Move>,
    pub(crate) depth: i32,
    low: i32,
    high: i32,
}

impl Entry {
    /// What a search with the window from `alpha` to `beta` has proven by its result.
    pub(crate) fn new(
        key: u64,
        mv: Option<Move>,
        depth: i32,
        value: i32,
        (alpha, beta): (i32, i32),
    ) -> Self {
        let low = if value > alpha { value } else { -MATE };
        let high = if value < beta { value } else { MATE };
        Self { key, mv, depth, low, high }
    }

    /// The answer to a search with this window, if the entry knows it.
    pub(crate) fn answer(&self, alpha: i32, beta: i32) -> Option<i32> {
        match self {
            _ if self.low >= beta || self.low == self.high => Some(self.low),
            _ if self.high <= alpha => Some(self.high),
            _ => None,
        }
    }
}

pub(crate) struct Table(Vec<Option<Entry>>);

impl Table {
    pub(crate) fn new(megabytes: usize) -> Self {
        Self(vec![None; (megabytes << 20) / size_of::<Option<Entry>>()])
    }

    /// The whole key is compared: another position may share the slot.
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        self.0[self.slot(key)].filter(|entry| entry.key == key)
    }

    /// The newest result stays: simple, and good enough for a small engine.
    pub(crate) fn put(&mut self, entry: Entry) {
        let slot = self.slot(entry.key);
        self.0[slot] = Some(entry);
    }

    /// The high half of a product: a remainder without a division.
    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.0.len() as u128) >> 64) as usize
    }
}
