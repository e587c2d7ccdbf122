//! The transposition table: what is already known about a position, found by its Zobrist key.

use tabiya_chess::Move;

/// The value of the position is at least `low` and at most `high`, by a search of this depth.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) mv: Option<Move>,
    pub(crate) depth: i32,
    pub(crate) low: i32,
    pub(crate) high: i32,
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
