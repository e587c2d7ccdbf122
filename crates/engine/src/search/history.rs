//! What the search has learned about moves and evaluations: all history and correction tables.
//!
//! Entries move towards a bonus by the "gravity" rule: the closer to the limit, the smaller the
//! step, so that they stay in range and forget old news.

use super::params::Params;
use crate::memory::{boxed, prefetch};
use crate::score::Value;
use tabiya_chess::{Bitboard, Board, Color, Move, Piece, PieceType, Square};

/// Largest magnitude of an entry of a move history.
const LIMIT: i32 = 16384;
/// Largest magnitude of a correction entry.
const CORRECTION_LIMIT: i32 = 1024;
/// Number of correction entries a side; a power of two.
const CORRECTION_SIZE: usize = 16384;
/// Number of pawn structures told apart; a power of two.
const PAWN_BUCKETS: usize = 4096;

/// Plies from the root on that have a table of their own.
const LOW_PLIES: usize = 4;

/// The continuation block of "no move": a root or a null move.
pub(crate) const NO_CONTINUATION: usize = 12 * 64;

type PieceTo = [[i16; 64]; 12];
type CorrectionTable = [i16; 2 * CORRECTION_SIZE];
type FromTo = [[i16; 64]; 64];

#[inline]
fn apply_gravity(entry: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / limit) as i16;
}

/// What a move looks like to the tables.
#[derive(Clone, Copy)]
pub(crate) struct MoveKey {
    piece: Piece,
    from: Square,
    to: Square,
    /// Whether the square left and the square reached are attacked by the opponent.
    threats: u8,
}

impl MoveKey {
    /// No move; never looked at.
    pub(crate) const NONE: Self =
        Self { piece: Piece::WhitePawn, from: Square::A1, to: Square::A1, threats: 0 };

    #[inline]
    pub(crate) fn new(board: &Board, mv: Move, threatened: Bitboard) -> Self {
        let piece = board.piece_on(mv.from()).unwrap_or(Self::NONE.piece);
        let to = Board::landing_square(mv);
        let threats =
            u8::from(threatened.contains(mv.from())) * 2 + u8::from(threatened.contains(to));
        Self { piece, from: mv.from(), to, threats }
    }

    /// Whether the opponent attacks the square left or the square reached. If not, no exchange can
    /// follow: a line opened by the move would lead through the square it left.
    #[inline]
    pub(crate) const fn is_threatened(self) -> bool {
        self.threats != 0
    }

    #[inline]
    pub(crate) const fn is_pawn(self) -> bool {
        matches!(self.piece, Piece::WhitePawn | Piece::BlackPawn)
    }

    /// The index of this move as the first half of a continuation.
    #[inline]
    pub(crate) const fn continuation(self) -> usize {
        self.piece as usize * 64 + self.to as usize
    }
}

/// All tables of one thread.
pub(crate) struct Histories {
    /// By side and threats at both ends, then from and to.
    main: [Box<[FromTo; 4]>; 2],
    /// Near the root, for the current search only: by ply, from and to.
    low_ply: Box<[FromTo; LOW_PLIES]>,
    /// By piece, target and captured type.
    capture: Box<[[[i16; 7]; 64]; 12]>,
    /// By an earlier move's piece and target, then piece and target.
    continuation: Box<[PieceTo; NO_CONTINUATION + 1]>,
    /// By pawn structure, piece and target.
    pawn: Box<[PieceTo; PAWN_BUCKETS]>,
    /// The reply that last refuted a move, by its piece and target.
    counter: Box<[Option<Move>; NO_CONTINUATION + 1]>,
    pub(crate) corrections: Corrections,
}

impl Histories {
    pub(crate) fn new() -> Self {
        Self {
            main: [boxed([[0; 64]; 64]), boxed([[0; 64]; 64])],
            low_ply: boxed([[0; 64]; 64]),
            capture: boxed([[0; 7]; 64]),
            continuation: boxed([[0; 64]; 12]),
            pawn: boxed([[0; 64]; 12]),
            counter: boxed(None),
            corrections: Corrections::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        for table in &mut self.main {
            table.fill([[0; 64]; 64]);
        }
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

    /// What judges the quiet moves of one node; `earlier` as in [`Self::update_quiet`].
    #[inline]
    pub(crate) fn quiet_tables(
        &self,
        board: &Board,
        earlier: &[usize],
        ply: usize,
    ) -> QuietTables<'_> {
        QuietTables {
            main: &self.main[board.side_to_move()],
            pawn: &self.pawn[board.pawn_key() as usize % PAWN_BUCKETS],
            continuation: [0, 1, 2].map(|i| &self.continuation[earlier[i]]),
            low_ply: self.low_ply.get(ply),
        }
    }

    pub(crate) fn update_low_ply(&mut self, ply: usize, key: MoveKey, bonus: i32) {
        if let Some(table) = self.low_ply.get_mut(ply) {
            apply_gravity(&mut table[key.from][key.to], bonus, LIMIT);
        }
    }

    #[inline]
    pub(crate) fn main(&self, side: Color, key: MoveKey) -> i32 {
        self.main[side][usize::from(key.threats)][key.from][key.to].into()
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
        self.update_pawn(board, key, bonus);
        self.update_continuation(key, earlier, bonus);
    }

    /// Rewards or punishes a quiet move of a side whatever came before it.
    pub(crate) fn update_main(&mut self, side: Color, key: MoveKey, bonus: i32) {
        let entry = &mut self.main[side][usize::from(key.threats)][key.from][key.to];
        apply_gravity(entry, bonus, LIMIT);
    }

    pub(crate) fn update_pawn(&mut self, board: &Board, key: MoveKey, bonus: i32) {
        let bucket = board.pawn_key() as usize % PAWN_BUCKETS;
        apply_gravity(&mut self.pawn[bucket][key.piece][key.to], bonus, LIMIT);
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

/// The tables of one node's quiet moves, found once for all of them.
pub(crate) struct QuietTables<'a> {
    main: &'a [FromTo; 4],
    pawn: &'a PieceTo,
    continuation: [&'a PieceTo; 3],
    low_ply: Option<&'a FromTo>,
}

impl QuietTables<'_> {
    /// The history of a move by all tables, weighted.
    #[inline]
    pub(crate) fn score(&self, key: MoveKey, params: &Params) -> i32 {
        let [one, two, four] = self.continuation.map(|table| i32::from(table[key.piece][key.to]));
        let low_ply = self.low_ply.map_or(0, |table| table[key.from][key.to].into());
        let sum = 1024 * i32::from(self.main[usize::from(key.threats)][key.from][key.to])
            + params.order_pawn() * i32::from(self.pawn[key.piece][key.to])
            + params.order_cont1() * one
            + params.order_cont2() * two
            + params.order_cont4() * four
            + params.order_low_ply() * low_ply;
        sum / 1024
    }
}

/// The mean error of the static evaluation in positions that share a feature, learned in search
/// (correction history).
pub(crate) struct Corrections {
    /// By side to move and pawn key.
    pawn: Box<CorrectionTable>,
    /// By side to move and key of the minor pieces.
    minor: Box<CorrectionTable>,
    /// For each colour by side to move and key of that colour's pieces.
    non_pawn: [Box<CorrectionTable>; 2],
    /// By the last move's piece and target, then the one before it.
    continuation: Box<[PieceTo; NO_CONTINUATION + 1]>,
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
        Self {
            pawn: boxed(0),
            minor: boxed(0),
            non_pawn: [boxed(0), boxed(0)],
            continuation: boxed([[0; 64]; 12]),
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

    /// Asks the cache for the entries of a position ahead of [`Self::get`].
    #[inline]
    pub(crate) fn prefetch(&self, board: &Board, last: usize, before: usize) {
        let side = board.side_to_move();
        prefetch(&self.pawn[slot(side, board.pawn_key())]);
        prefetch(&self.minor[slot(side, board.minor_key())]);
        for color in Color::ALL {
            prefetch(&self.non_pawn[color][slot(side, board.non_pawn_key(color))]);
        }
        prefetch(&self.continuation[before][last / 64][last % 64]);
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
