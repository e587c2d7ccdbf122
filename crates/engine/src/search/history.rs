//! What the search has learned about moves and evaluations: all history and correction tables.
//!
//! Entries move towards a bonus by the "gravity" rule: the closer to the limit, the smaller the
//! step, so that they stay in range and forget old news.

use crate::score::Value;
use tabiya_chess::{Bitboard, Board, Color, Move, PieceType, Square};

/// Largest magnitude of an entry of a move history.
const LIMIT: i32 = 16384;
/// Largest magnitude of a correction entry.
const CORRECTION_LIMIT: i32 = 1024;
/// Number of correction entries a side; a power of two.
const CORRECTION_SIZE: usize = 16384;
/// Number of pawn structures told apart; a power of two.
const PAWN_BUCKETS: usize = 512;

/// Plies from the root on that have a table of their own.
const LOW_PLIES: usize = 4;

/// The continuation block of "no move": a root or a null move.
pub(crate) const NO_CONTINUATION: usize = 12 * 64;

type PieceTo = [[i16; 64]; 12];

#[inline]
fn apply_gravity(entry: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / limit) as i16;
}

/// What a move looks like to the tables.
#[derive(Clone, Copy)]
pub(crate) struct MoveKey {
    piece: usize,
    from: Square,
    to: Square,
    /// Whether the square left and the square reached are attacked by the opponent.
    threats: usize,
}

impl MoveKey {
    /// No move; never looked at.
    pub(crate) const NONE: Self = Self { piece: 0, from: Square::A1, to: Square::A1, threats: 0 };

    #[inline]
    pub(crate) fn new(board: &Board, mv: Move, threatened: Bitboard) -> Self {
        let piece = board.piece_on(mv.from()).map_or(0, tabiya_chess::Piece::index);
        let to = Board::landing_square(mv);
        let threats =
            usize::from(threatened.contains(mv.from())) * 2 + usize::from(threatened.contains(to));
        Self { piece, from: mv.from(), to, threats }
    }

    /// The index of this move as the first half of a continuation.
    #[inline]
    pub(crate) const fn continuation(self) -> usize {
        self.piece * 64 + self.to as usize
    }
}

/// All tables of one thread.
pub(crate) struct Histories {
    /// By side and threats at both ends, then from and to.
    main: Box<[[[i16; 64]; 64]]>,
    /// Near the root, for the current search only: by ply, from and to.
    low_ply: Box<[[[i16; 64]; 64]]>,
    /// By piece, target and captured type.
    capture: Box<[[[i16; 7]; 64]]>,
    /// By an earlier move's piece and target, then piece and target.
    continuation: Box<[PieceTo]>,
    /// By pawn structure, piece and target.
    pawn: Box<[PieceTo]>,
    /// The reply that last refuted a move, by its piece and target.
    counter: Box<[Option<Move>]>,
    pub(crate) corrections: Corrections,
}

impl Histories {
    pub(crate) fn new() -> Self {
        Self {
            main: vec![[[0; 64]; 64]; 8].into_boxed_slice(),
            low_ply: vec![[[0; 64]; 64]; LOW_PLIES].into_boxed_slice(),
            capture: vec![[[0; 7]; 64]; 12].into_boxed_slice(),
            continuation: vec![[[0; 64]; 12]; NO_CONTINUATION + 1].into_boxed_slice(),
            pawn: vec![[[0; 64]; 12]; PAWN_BUCKETS].into_boxed_slice(),
            counter: vec![None; NO_CONTINUATION + 1].into_boxed_slice(),
            corrections: Corrections::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.main.fill([[0; 64]; 64]);
        self.capture.fill([[0; 7]; 64]);
        self.continuation.fill([[0; 64]; 12]);
        self.pawn.fill([[0; 64]; 12]);
        self.counter.fill(None);
        self.corrections.clear();
    }

    /// Forgets what belongs to one search.
    pub(crate) fn start_search(&mut self) {
        self.low_ply.fill([[0; 64]; 64]);
    }

    #[inline]
    pub(crate) fn low_ply(&self, ply: usize, key: MoveKey) -> i32 {
        self.low_ply.get(ply).map_or(0, |table| table[key.from][key.to].into())
    }

    pub(crate) fn update_low_ply(&mut self, ply: usize, key: MoveKey, bonus: i32) {
        if let Some(table) = self.low_ply.get_mut(ply) {
            apply_gravity(&mut table[key.from][key.to], bonus, LIMIT);
        }
    }

    #[inline]
    pub(crate) fn main(&self, side: Color, key: MoveKey) -> i32 {
        self.main[4 * side.index() + key.threats][key.from][key.to].into()
    }

    #[inline]
    pub(crate) fn pawn(&self, board: &Board, key: MoveKey) -> i32 {
        self.pawn[board.pawn_key() as usize % PAWN_BUCKETS][key.piece][key.to].into()
    }

    #[inline]
    pub(crate) fn continuation(&self, earlier: usize, key: MoveKey) -> i32 {
        self.continuation[earlier][key.piece][key.to].into()
    }

    #[inline]
    pub(crate) fn capture(&self, board: &Board, mv: Move) -> i32 {
        let (piece, victim) = capture_key(board, mv);
        self.capture[piece][mv.to()][victim].into()
    }

    #[inline]
    pub(crate) fn counter(&self, earlier: usize) -> Option<Move> {
        self.counter[earlier]
    }

    pub(crate) fn set_counter(&mut self, earlier: usize, mv: Move) {
        self.counter[earlier] = Some(mv);
    }

    /// Rewards or punishes a quiet move; `earlier` are the continuation blocks of the moves one,
    /// two, four and six plies before.
    pub(crate) fn update_quiet(
        &mut self,
        board: &Board,
        key: MoveKey,
        earlier: &[usize],
        bonus: i32,
    ) {
        self.update_main(board.side_to_move(), key, bonus);
        let bucket = board.pawn_key() as usize % PAWN_BUCKETS;
        apply_gravity(&mut self.pawn[bucket][key.piece][key.to], bonus, LIMIT);
        self.update_continuation(key, earlier, bonus);
    }

    /// Rewards or punishes a quiet move of a side whatever came before it.
    pub(crate) fn update_main(&mut self, side: Color, key: MoveKey, bonus: i32) {
        let block = 4 * side.index() + key.threats;
        apply_gravity(&mut self.main[block][key.from][key.to], bonus, LIMIT);
    }

    pub(crate) fn update_continuation(&mut self, key: MoveKey, earlier: &[usize], bonus: i32) {
        for block in earlier {
            if *block != NO_CONTINUATION {
                apply_gravity(&mut self.continuation[*block][key.piece][key.to], bonus, LIMIT);
            }
        }
    }

    /// The same for a move known only by its own continuation block.
    pub(crate) fn reward_continuation(&mut self, block: usize, earlier: &[usize], bonus: i32) {
        for before in earlier {
            if *before != NO_CONTINUATION && block != NO_CONTINUATION {
                let entry = &mut self.continuation[*before][block / 64][block % 64];
                apply_gravity(entry, bonus, LIMIT);
            }
        }
    }

    pub(crate) fn update_capture(&mut self, board: &Board, mv: Move, bonus: i32) {
        let (piece, victim) = capture_key(board, mv);
        apply_gravity(&mut self.capture[piece][mv.to()][victim], bonus, LIMIT);
    }
}

/// The moving piece and what it captures; 6 stands for a promotion without capture.
#[inline]
fn capture_key(board: &Board, mv: Move) -> (usize, usize) {
    let piece = board.piece_on(mv.from()).map_or(0, tabiya_chess::Piece::index);
    (piece, board.captured(mv).map_or(6, PieceType::index))
}

/// The mean error of the static evaluation in positions that share a feature, learned in search
/// (correction history).
pub(crate) struct Corrections {
    /// By side to move and pawn key.
    pawn: Box<[i16]>,
    /// By side to move and key of the minor pieces.
    minor: Box<[i16]>,
    /// For each colour by side to move and key of that colour's pieces.
    non_pawn: [Box<[i16]>; 2],
    /// By the last move's piece and target, then the one before it.
    continuation: Box<[PieceTo]>,
}

/// The weights of the tables, in 1/1024 of an entry sixteenth.
#[derive(Clone, Copy)]
pub(crate) struct CorrectionWeights {
    pub(crate) pawn: i32,
    pub(crate) minor: i32,
    pub(crate) non_pawn: i32,
    pub(crate) continuation: i32,
}

impl Corrections {
    fn new() -> Self {
        let table = || vec![0; 2 * CORRECTION_SIZE].into_boxed_slice();
        Self {
            pawn: table(),
            minor: table(),
            non_pawn: [table(), table()],
            continuation: vec![[[0; 64]; 12]; NO_CONTINUATION + 1].into_boxed_slice(),
        }
    }

    fn clear(&mut self) {
        let [white, black] = &mut self.non_pawn;
        for table in [&mut self.pawn, &mut self.minor, white, black] {
            table.fill(0);
        }
        self.continuation.fill([[0; 64]; 12]);
    }

    /// The correction to add to a static evaluation, in the evaluation's units.
    #[inline]
    pub(crate) fn get(
        &self,
        board: &Board,
        last: usize,
        before: usize,
        weights: CorrectionWeights,
    ) -> Value {
        let side = board.side_to_move();
        let pawn = i32::from(self.pawn[slot(side, board.pawn_key())]);
        let minor = i32::from(self.minor[slot(side, board.minor_key())]);
        let non_pawn: i32 = Color::ALL
            .into_iter()
            .map(|color| i32::from(self.non_pawn[color][slot(side, board.non_pawn_key(color))]))
            .sum();
        let continuation = i32::from(self.continuation_entry(last, before));
        (pawn * weights.pawn
            + minor * weights.minor
            + non_pawn * weights.non_pawn
            + continuation * weights.continuation)
            / (1024 * 16)
    }

    #[inline]
    fn continuation_entry(&self, last: usize, before: usize) -> i16 {
        if last == NO_CONTINUATION {
            return 0;
        }
        self.continuation[before][last / 64][last % 64]
    }

    /// Learns that the evaluation was off by `error` at a search of `depth`.
    pub(crate) fn update(
        &mut self,
        board: &Board,
        last: usize,
        before: usize,
        depth: i32,
        error: Value,
    ) {
        let bonus = (error * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        let side = board.side_to_move();
        let learn = |entry: &mut i16| apply_gravity(entry, bonus, CORRECTION_LIMIT);
        learn(&mut self.pawn[slot(side, board.pawn_key())]);
        learn(&mut self.minor[slot(side, board.minor_key())]);
        for color in Color::ALL {
            learn(&mut self.non_pawn[color][slot(side, board.non_pawn_key(color))]);
        }
        if last != NO_CONTINUATION {
            learn(&mut self.continuation[before][last / 64][last % 64]);
        }
    }
}

/// Where a key's entry lies in a correction table.
#[inline]
fn slot(side: Color, key: u64) -> usize {
    side.index() * CORRECTION_SIZE + key as usize % CORRECTION_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_their_limit() {
        let mut entry = 0_i16;
        for step in 0..10_000 {
            let bonus = (step * 7919 % 200_001) - 100_000;
            apply_gravity(&mut entry, bonus, LIMIT);
            assert!(i32::from(entry).abs() <= LIMIT);
        }
        (0..100).for_each(|_| apply_gravity(&mut entry, LIMIT, LIMIT));
        assert_eq!(i32::from(entry), LIMIT);
    }

    #[test]
    fn a_quiet_bonus_is_found_again_and_only_there() {
        let mut histories = Histories::new();
        let board = Board::default();
        let moves = board.legal_moves();
        let key = |index| MoveKey::new(&board, moves.get(index).unwrap(), board.threatened());
        let (first, second) = (key(0), key(1));
        histories.update_quiet(&board, first, &[5, NO_CONTINUATION], 500);
        assert_eq!(histories.main(Color::White, first), 500);
        assert_eq!(histories.main(Color::White, second), 0);
        assert_eq!(histories.continuation(5, first), 500);
        assert_eq!(histories.continuation(NO_CONTINUATION, first), 0);
        histories.clear();
        assert_eq!(histories.main(Color::White, first), 0);
    }
}
