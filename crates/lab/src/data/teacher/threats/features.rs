//! Which inputs of the net a position turns on.
//!
//! Squares and colours are always those one side sees: from its own end of the board, and mirrored by
//! the file of its king. Pieces are mirrored so that the king stands on files e to h, threats so that
//! it stands on files a to d.

use std::sync::LazyLock;
use tabiya_chess::{Bitboard, Board, Color, PieceType, Square, attacks};

/// Own and other pieces of five kinds, and one plane for both kings.
const PLANES: usize = 11;
/// Inputs for pieces: squares, planes, squares of the own king.
pub(super) const PIECES: usize = 64 * PLANES * KING_SQUARES;
/// Squares a mirrored king can stand on.
pub(super) const KING_SQUARES: usize = 32;
/// Inputs for attacks.
pub(super) const THREATS: usize = 79_856;

/// Which victims of an attacker count, and in which order; in the order of [`PieceType`].
const VICTIMS: [[Option<usize>; 6]; 6] = [
    [Some(0), Some(1), None, Some(2), None, None],
    [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)],
    [Some(0), Some(1), Some(2), Some(3), None, Some(4)],
    [Some(0), Some(1), Some(2), Some(3), None, Some(4)],
    [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)],
    [Some(0), Some(1), Some(2), Some(3), None, None],
];

/// How one side sees the board: what its squares are combined with.
fn view(side: Color, mirror: bool) -> usize {
    let turn = if side == Color::Black { 56 } else { 0 };
    turn | if mirror { 7 } else { 0 }
}

/// Whether a side's king stands on files a to d.
pub(super) fn king_is_left(board: &Board, side: Color) -> bool {
    board.king(side) as usize % 8 < 4
}

/// The number of the own king's square, from 0 to 31.
pub(super) fn king_square(board: &Board, side: Color) -> usize {
    let king = board.king(side) as usize ^ view(side, king_is_left(board, side));
    (7 - king / 8) * 4 + (7 - king % 8)
}

/// Lists the pieces a side sees.
pub(super) fn pieces(board: &Board, side: Color, found: &mut Vec<u32>) {
    found.clear();
    let view = view(side, king_is_left(board, side));
    let king_square = king_square(board, side);
    for sq in board.occupied() {
        let Some(piece) = board.piece_on(sq) else { continue };
        let plane = match piece.kind() {
            PieceType::King => PLANES - 1,
            kind => 2 * kind as usize + usize::from(piece.color() != side),
        };
        found.push(((king_square * PLANES + plane) * 64 + (sq as usize ^ view)) as u32);
    }
}

/// Lists the attacks a side sees.
pub(super) fn threats(board: &Board, side: Color, found: &mut Vec<u32>) {
    found.clear();
    let index = &*INDEX;
    let view = view(side, !king_is_left(board, side));
    let occupied = board.occupied();
    for color in [side, !side] {
        let is_enemy = usize::from(color != side);
        for kind in PieceType::ALL {
            for from in board.pieces(color, kind) {
                let seen_from = from as usize ^ view;
                for to in attacks::of(kind, color, from, occupied) & occupied {
                    let Some(victim) = board.piece_on(to) else { continue };
                    let target = Target {
                        kind: victim.kind(),
                        is_enemy: victim.color() != side,
                        to: to as usize ^ view,
                    };
                    found.extend(index.of(is_enemy, kind, seen_from, target));
                }
            }
        }
    }
}

/// What is attacked, as one side sees it.
#[derive(Clone, Copy)]
struct Target {
    kind: PieceType,
    is_enemy: bool,
    to: usize,
}

/// Where the inputs of every attacker begin.
struct Index {
    /// By colour, kind of attacker and square.
    attackers: [[Attacker; 6]; 2],
}

#[derive(Clone)]
struct Attacker {
    /// The first input.
    base: usize,
    /// Attacks from all squares of the empty board: inputs of one kind of victim.
    size: usize,
    /// Attacks from lower squares.
    before: [usize; 64],
    /// Attacks of every square on the empty board.
    reach: [Bitboard; 64],
}

static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

impl Index {
    fn new() -> Self {
        let mut next = 0;
        let attackers = Color::ALL.map(|color| {
            PieceType::ALL.map(|kind| {
                let mut size = 0;
                let reach = Square::ALL.map(|from| {
                    // Pawns never stand on the first and the last rank.
                    if kind == PieceType::Pawn && !(1..7).contains(&(from as usize / 8)) {
                        Bitboard::EMPTY
                    } else {
                        attacks::of(kind, color, from, Bitboard::EMPTY)
                    }
                });
                let before = reach.map(|targets| {
                    size += targets.count() as usize;
                    size - targets.count() as usize
                });
                let base = next;
                next += 2 * victims(kind) * size;
                Attacker { base, size, before, reach }
            })
        });
        debug_assert_eq!(next, THREATS);
        Self { attackers }
    }

    /// The input of an attack, if there is one.
    fn of(&self, is_enemy: usize, kind: PieceType, from: usize, target: Target) -> Option<u32> {
        let victim = VICTIMS[kind][target.kind]?;
        let same_side = target.is_enemy == (is_enemy == 1);
        // Two of a kind attack each other: one of the two says it all. (Own pawns never do.)
        if kind == target.kind && from < target.to && !(same_side && kind == PieceType::Pawn) {
            return None;
        }
        let attacker = &self.attackers[is_enemy][kind];
        let slot = victim + if target.is_enemy { victims(kind) } else { 0 };
        let below = Bitboard((1 << target.to) - 1);
        let number = (attacker.reach[from] & below).count() as usize;
        Some((attacker.base + slot * attacker.size + attacker.before[from] + number) as u32)
    }
}

/// How many kinds of victims count.
fn victims(kind: PieceType) -> usize {
    VICTIMS[kind].iter().flatten().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fen: &str, side: Color) -> Vec<u32> {
        let mut list = Vec::new();
        threats(&fen.parse().unwrap(), side, &mut list);
        list.sort_unstable();
        list
    }

    #[test]
    fn the_inputs_of_all_attackers_fill_the_table() {
        let sizes = INDEX.attackers[0].each_ref().map(|attacker| attacker.size);
        assert_eq!(sizes, [84, 336, 560, 896, 1456, 420]);
        assert_eq!(PieceType::ALL.map(victims), [3, 6, 5, 5, 6, 4]);
        let last = INDEX.attackers[1][PieceType::King].clone();
        assert_eq!(last.base + 8 * last.size, THREATS);
        // The enemy's king on h8 protects his rook on g8: the last victim on the last square.
        let rook = Target { kind: PieceType::Rook, is_enemy: true, to: 62 };
        let index = INDEX.of(1, PieceType::King, 63, rook);
        assert_eq!(index, Some((THREATS - 1) as u32));
        assert_eq!(THREATS, 79_856);
    }

    #[test]
    fn an_attack_has_the_number_that_counting_by_hand_gives() {
        // White's knight on b1, the second of the squares, attacks a pawn on d2, its lowest target,
        // after the two attacks of a1. White's king on a1 protects the knight on his lowest target.
        let list = found("7k/8/8/8/8/8/3p4/KN6 w - - 0 1", Color::White);
        let pawns = 6 * 84;
        let enemy_pawn = 6 * 336;
        let kings = pawns + 12 * 336 + 10 * 560 + 10 * 896 + 12 * 1456;
        assert_eq!(list, [(pawns + enemy_pawn + 2) as u32, (kings + 420) as u32]);
        // Black sees it upside down, his king on h8 turned to h1 and mirrored to a1: an enemy's
        // knight on g8 attacks an own pawn on e7, its highest target, an enemy's king on h8 protects the knight.
        let list = found("7k/8/8/8/8/8/3p4/KN6 w - - 0 1", Color::Black);
        let enemies = THREATS / 2;
        let before: u32 = (0..62).map(|sq| attacks::knight(Square::ALL[sq]).count()).sum();
        let knight = (enemies + pawns) as u32 + before + 2;
        // Of the three targets of h8 the knight's is the last; then the four other kinds of victims.
        let king = (enemies + kings + 6 * 420) as u32 - 1;
        assert_eq!(list, [knight, king]);
    }

    #[test]
    fn two_of_a_kind_count_once_and_some_victims_never() {
        // Rooks on a1 and a8 attack each other, seen once, and protect their kings.
        assert_eq!(found("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", Color::White).len(), 1 + 2);
        // A rook does not count as a threat to a queen; the queen attacks the rook, kings are protected.
        assert_eq!(found("q6k/8/8/8/8/8/8/R5K1 w - - 0 1", Color::White).len(), 1 + 2);
        // Two pawns of one side protect in one direction only, two enemies attack each other.
        assert_eq!(found("7k/8/8/8/8/2P5/1P6/7K w - - 0 1", Color::White).len(), 1);
        assert_eq!(found("7k/8/8/8/8/2p5/1P6/7K w - - 0 1", Color::White).len(), 1);
    }
}
