//! What several integration tests share: random numbers and random moves.

use tabiya_chess::{Board, Move};

/// `SplitMix64` (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A random legal move that rarely captures or pushes a pawn, so that positions repeat.
    pub(crate) fn shuffling_move(&mut self, board: &Board) -> Option<Move> {
        let moves = board.legal_moves();
        let mut pick = || (!moves.is_empty()).then(|| self.below(moves.len()));
        let mv = moves.get(pick()?)?;
        let mut child = *board;
        child.play(mv);
        if child.reversible_plies() > 0 || self.one_in(20) {
            return Some(mv);
        }
        moves.get(self.below(moves.len()))
    }
}
