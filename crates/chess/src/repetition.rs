//! Repetition of positions, for search and for games.
//!
//! All functions take the keys of the earlier positions, oldest first, without the current one. They
//! look back no further than the last irreversible move, and only at positions with the same side
//! to move. `ply` is the distance of the current position from the root of a search; a game that is
//! merely played has `ply` 0.

use crate::attacks;
use crate::board::Board;
use crate::types::{Piece, PieceType, Square};
use crate::zobrist;

/// A position can repeat four plies later at the earliest.
const SHORTEST_CYCLE: usize = 4;

/// How often the position occurred before: 2 means that it is on the board for the third time.
///
/// ```
/// use tabiya_chess::{Board, repetition};
/// let mut board = Board::default();
/// let mut keys = Vec::new();
/// for text in ["Nf3", "Nf6", "Ng1", "Ng8"] {
///     keys.push(board.key());
///     board.play(board.parse_san(text)?);
/// }
/// assert_eq!(repetition::count_repetitions(&board, &keys), 1);
/// # Ok::<(), tabiya_chess::SanError>(())
/// ```
pub fn count_repetitions(board: &Board, keys: &[u64]) -> usize {
    earlier_occurrences(board, keys).count()
}

/// Whether search should score the position as drawn: it occurred once inside the search tree
/// (after the root), or twice anywhere.
///
/// One repetition inside the tree is enough because what was good once is good again; the root
/// and the game before it count only with the real rule.
///
/// ```
/// use tabiya_chess::{Game, repetition};
/// let mut game = Game::default();
/// for text in ["Nf3", "Nf6", "Ng1", "Ng8"] {
///     game.play(game.board().parse_san(text)?).expect("legal");
/// }
/// let is_draw = |ply| repetition::is_draw_by_repetition(game.board(), game.keys(), ply);
/// assert!(is_draw(5) && !is_draw(0));
/// # Ok::<(), tabiya_chess::SanError>(())
/// ```
#[inline]
pub fn is_draw_by_repetition(board: &Board, keys: &[u64], ply: usize) -> bool {
    let mut earlier = earlier_occurrences(board, keys);
    earlier.next().is_some_and(|distance| distance < ply || earlier.next().is_some())
}

/// The distances in plies to the earlier occurrences of the position, nearest first.
#[inline]
fn earlier_occurrences(board: &Board, keys: &[u64]) -> impl Iterator<Item = usize> {
    let key = board.key();
    (SHORTEST_CYCLE..=reach(board, keys)).step_by(2).filter(move |d| keys[keys.len() - d] == key)
}

/// How many plies back a position could still be repeated.
#[inline]
fn reach(board: &Board, keys: &[u64]) -> usize {
    keys.len().min(board.reversible_plies() as usize)
}

/// Whether the side to move has a move after which [`is_draw_by_repetition`] holds, so that the
/// position is worth at least a draw to it.
///
/// No move is generated: the difference of two keys is looked up in a table of all reversible moves
/// (van Kervinck 2013, "The detection of repetition cycles in game tree search"). The answer is
/// exact but for key collisions, because a move back into a position that was on the board is
/// legal as soon as its path is free.
///
/// ```
/// use tabiya_chess::{Game, repetition};
/// let mut game = Game::default();
/// for text in ["Nf3", "Nf6", "Ng1"] {
///     game.play(game.board().parse_san(text)?).expect("legal");
/// }
/// // Ng8 would repeat the position four plies up, inside a search that began before it.
/// assert!(repetition::has_upcoming_repetition(game.board(), game.keys(), 5));
/// # Ok::<(), tabiya_chess::SanError>(())
/// ```
pub fn has_upcoming_repetition(board: &Board, keys: &[u64], ply: usize) -> bool {
    let reach = reach(board, keys);
    if reach + 1 < SHORTEST_CYCLE {
        return false;
    }
    let now = board.key();
    let back = |distance: usize| keys[keys.len() - distance];
    let side = zobrist::black_to_move();
    // What the opponent's moves since then changed. A single own move leads back only if it is nothing.
    let mut by_opponent = now ^ back(1) ^ side;
    for distance in (3..=reach).step_by(2) {
        by_opponent ^= back(distance - 1) ^ back(distance) ^ side;
        if by_opponent != 0 {
            continue;
        }
        let then = back(distance);
        let Some((from, to)) = CUCKOO.find(now ^ then) else { continue };
        if attacks::between(from, to).intersects(board.occupied()) {
            continue;
        }
        let occurred_before =
            || (distance + SHORTEST_CYCLE..=reach).step_by(2).any(|earlier| back(earlier) == then);
        if distance < ply || occurred_before() {
            return true;
        }
    }
    false
}

/// A cuckoo hash table of the key changes of all reversible moves on an empty board.
///
/// Each entry lies in one of two slots, so a lookup reads two words at most and never probes on.
struct Cuckoo {
    /// Zero in an empty slot.
    keys: [u64; Self::SLOTS],
    squares: [(Square, Square); Self::SLOTS],
}

static CUCKOO: Cuckoo = Cuckoo::new();

impl Cuckoo {
    const SLOTS: usize = 8192;
    /// The number of unordered pairs of squares that a piece other than a pawn connects.
    const MOVES: usize = 3668;

    const fn slots(key: u64) -> [usize; 2] {
        [key as usize % Self::SLOTS, (key >> 16) as usize % Self::SLOTS]
    }

    fn find(&self, key: u64) -> Option<(Square, Square)> {
        Self::slots(key).into_iter().find(|slot| self.keys[*slot] == key).map(|i| self.squares[i])
    }

    #[expect(clippy::large_stack_arrays, reason = "evaluated at compile time only")]
    const fn new() -> Self {
        let mut table =
            Self { keys: [0; Self::SLOTS], squares: [(Square::A1, Square::A1); Self::SLOTS] };
        let mut count = 0;
        let mut i = 0;
        while i < Piece::COUNT * 64 * 64 {
            let piece = Piece::ALL[i / 4096];
            let (a, b) = (Square::ALL[i / 64 % 64], Square::ALL[i % 64]);
            if (a as u8) < b as u8 && connects(piece.kind(), a, b) {
                let change = zobrist::piece(piece, a) ^ zobrist::piece(piece, b);
                table.insert(change ^ zobrist::black_to_move(), (a, b));
                count += 1;
            }
            i += 1;
        }
        assert!(count == Self::MOVES);
        table
    }

    /// Puts an entry into its first slot; whoever lay there moves to his other slot, and so on.
    const fn insert(&mut self, mut key: u64, mut squares: (Square, Square)) {
        let mut slot = Self::slots(key)[0];
        loop {
            (self.keys[slot], key) = (key, self.keys[slot]);
            (self.squares[slot], squares) = (squares, self.squares[slot]);
            if key == 0 {
                return;
            }
            let [first, second] = Self::slots(key);
            slot = if slot == first { second } else { first };
        }
    }
}

/// Whether a piece can go from one square to the other on an empty board and back.
const fn connects(kind: PieceType, a: Square, b: Square) -> bool {
    let files = (a.file() as u8).abs_diff(b.file() as u8);
    let ranks = (a.rank() as u8).abs_diff(b.rank() as u8);
    let straight = files == 0 || ranks == 0;
    let diagonal = files == ranks;
    match kind {
        PieceType::Pawn => false,
        PieceType::Knight => files * ranks == 2,
        PieceType::Bishop => diagonal,
        PieceType::Rook => straight,
        PieceType::Queen => straight || diagonal,
        PieceType::King => files <= 1 && ranks <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reversible_move_is_in_the_table() {
        let mut found = 0;
        for (slot, key) in CUCKOO.keys.iter().enumerate().filter(|(_, key)| **key != 0) {
            assert!(Cuckoo::slots(*key).contains(&slot));
            assert_eq!(CUCKOO.find(*key), Some(CUCKOO.squares[slot]));
            found += 1;
        }
        assert_eq!(found, Cuckoo::MOVES);
        assert_eq!(CUCKOO.find(1), None);
    }
}
