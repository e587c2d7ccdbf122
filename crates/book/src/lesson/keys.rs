//! How often keys of too few bits collide: the birthday paradox, counted.

use std::collections::HashSet;
use tabiya_chess::Board;

/// The keys of the first `count` different positions met when all moves are tried, depth first.
pub fn distinct_keys(count: usize) -> Vec<u64> {
    let mut seen = HashSet::new();
    let mut layer = vec![Board::default()];
    let mut keys = Vec::with_capacity(count);
    while keys.len() < count {
        let mut next = Vec::new();
        for board in &layer {
            for mv in &board.legal_moves() {
                let mut child = *board;
                child.play(mv);
                if keys.len() < count && seen.insert(child.key()) {
                    keys.push(child.key());
                    next.push(child);
                }
            }
        }
        layer = next;
    }
    keys
}

/// How many keys have the same lowest `bits` bits as one before them.
pub fn collisions(keys: &[u64], bits: u32) -> usize {
    let mask = u64::MAX >> (64 - bits);
    let mut seen = HashSet::new();
    keys.iter().filter(|key| !seen.insert(*key & mask)).count()
}

/// What chance promises: n² / 2 pairs, each alike with one chance in 2^bits.
pub fn expected(count: usize, bits: u32) -> f64 {
    let (n, slots) = (count as f64, 2f64.powi(bits as i32));
    n - slots * (1.0 - (1.0 - 1.0 / slots).powf(n))
}
