//! Making opening books: from games, from the engine's own analysis, from other books.
//!
//! All three gather moves in a [`Collection`] and turn it into the sorted entries of a Polyglot book,
//! which [`write()`] puts into a file. Reading and playing books is the engine's business.

mod analysis;
mod games;

use crate::work::files;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use tabiya_engine::book::{Book, BookEntry};

pub use analysis::{Analysis, AnalysisError, BookProgress, analyse};
pub use games::{GameFilter, GameTally, add_games};

/// Moves with weights of any size, by position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Collection {
    weights: BTreeMap<(u64, u16), u64>,
}

impl Collection {
    /// Adds to the weight of a move; the weight of the entry itself counts.
    pub fn add(&mut self, entry: BookEntry) {
        *self.weights.entry((entry.key, entry.mv)).or_default() += u64::from(entry.weight);
    }

    /// Adds all moves of a book.
    pub fn add_book(&mut self, book: &Book) {
        book.entries().for_each(|entry| self.add(entry));
    }

    /// The entries of a book: positions in the order of their keys, in each the best move first.
    /// Weights of a position are scaled down together if one is too large for the format.
    pub fn to_entries(&self) -> Vec<BookEntry> {
        let mut largest: BTreeMap<u64, u64> = BTreeMap::new();
        for ((key, _), weight) in &self.weights {
            let top = largest.entry(*key).or_default();
            *top = (*top).max(*weight);
        }
        let fit = |key: u64, weight: u64| {
            let scale = largest.get(&key).map_or(1, |top| top.div_ceil(u64::from(u16::MAX)).max(1));
            // A move that was worth something stays worth something.
            (weight / scale).max(u64::from(weight > 0)) as u16
        };
        let entry = |(&(key, mv), &weight): (&(u64, u16), &u64)| BookEntry {
            key,
            mv,
            weight: fit(key, weight),
            learn: 0,
        };
        let mut entries: Vec<BookEntry> = self.weights.iter().map(entry).collect();
        entries.sort_by_key(|entry| (entry.key, std::cmp::Reverse(entry.weight), entry.mv));
        entries
    }
}

/// Writes a book so that a crash leaves the old file or the new one.
pub fn write(path: &Path, entries: &[BookEntry]) -> io::Result<()> {
    let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_bytes()).collect();
    files::replace(path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_and_fit_the_format() {
        let mut collection = Collection::default();
        let entry = |key, mv, weight| BookEntry { key, mv, weight, learn: 0 };
        for _ in 0..10 {
            collection.add(entry(2, 1, 60_000));
        }
        collection.add(entry(2, 3, 1));
        collection.add(entry(2, 4, 30_000));
        collection.add(entry(1, 9, 5));
        collection.add(entry(1, 8, 7));
        let entries = collection.to_entries();
        assert_eq!(
            entries,
            [
                entry(1, 8, 7),
                entry(1, 9, 5),
                entry(2, 1, 60_000),
                entry(2, 4, 3000),
                entry(2, 3, 1)
            ]
        );
    }
}
