//! How often keys of too few bits collide: the birthday paradox, counted.

use std::collections::HashSet;
use tabiya_chess::Board;

/// The keys of the first `count` different positions of random games.
pub fn distinct_keys(count: usize) -> Vec<u64> {
    let mut seen = HashSet::new();
    let mut keys = Vec::with_capacity(count);
    let mut board = Board::default();
    let (mut state, mut plies) = (2026_u64, 0);
    while keys.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() || plies == 100 {
            (board, plies) = (Board::default(), 0);
            continue;
        }
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if let Some(mv) = moves.get((state >> 33) as usize % moves.len()) {
            board.play(mv);
            plies += 1;
        }
        if seen.insert(board.key()) {
            keys.push(board.key());
        }
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
    if bits >= 40 { n * n / 2.0 / slots } else { n + slots * (n * (-1.0 / slots).ln_1p()).exp_m1() }
}
