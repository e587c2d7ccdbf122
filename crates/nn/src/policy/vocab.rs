//! The moves a policy can name: 1,880 rows in the frame of the side that moves.
//!
//! 1,792 pairs of squares that a queen or a knight can connect on an empty board, ordered by first and
//! second square, then 22 steps of a pawn onto the last rank times four pieces. The frame turns the
//! board top to bottom when Black moves, so both colours share every row. Castling is the king's
//! move onto its rook, as in [`Move`]: no other legal move has these two squares, in Chess960 too.
//! (The count is that of the Monty engine's vocabulary; Leela's has 22 rows fewer, for its promotions
//! to one of the pieces are plain moves.)

use tabiya_chess::{Color, Move, PieceType, Square};

/// Number of moves in the vocabulary.
pub const MOVES: usize = PLAIN + 4 * STEPS;

/// Pairs of squares.
const PLAIN: usize = 1792;
/// Ways of a pawn to reach the last rank.
const STEPS: usize = 22;
/// The pieces a pawn may become, in the order of their rows.
const PROMOTIONS: [PieceType; 4] =
    [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// A move of the vocabulary, in the frame of the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FramedMove {
    /// The square the piece leaves.
    pub from: Square,
    /// The square it goes to.
    pub to: Square,
    /// The piece a pawn becomes.
    pub promotion: Option<PieceType>,
}

/// The row of a legal move of `side`.
///
/// ```
/// use tabiya_chess::{Board, Color};
/// use tabiya_nn::policy::vocab;
/// let board = Board::default();
/// let mirrored = board.mirrored();
/// let row = vocab::row(board.parse_uci("e2e4")?, Color::White);
/// assert_eq!(row, vocab::row(mirrored.parse_uci("e7e5")?, Color::Black));
/// # Ok::<(), tabiya_chess::UciMoveError>(())
/// ```
#[inline]
pub fn row(mv: Move, side: Color) -> usize {
    let (from, to) = (mv.from().relative_to(side), mv.to().relative_to(side));
    match mv.promotion() {
        None => PAIR_ROWS[from.index()][to.index()] as usize,
        Some(kind) => promotion_row(from, to, kind),
    }
}

/// The row of the policy head for a move: `losing` tells whether it loses material by static exchange.
#[inline]
pub fn policy_row(mv: Move, side: Color, losing: bool) -> usize {
    row(mv, side) + if losing { MOVES } else { 0 }
}

/// The move of a row below [`MOVES`].
pub fn framed_move(row: usize) -> Option<FramedMove> {
    if row >= PLAIN {
        let kind = *PROMOTIONS.get((row - PLAIN) % 4)?;
        let step = (row - PLAIN) / 4;
        let squares = Square::ALL.into_iter().filter(|sq| sq.index() / 8 == 6);
        let steps = squares.flat_map(|from| {
            [-1, 0, 1].into_iter().filter_map(move |file| Some((from, from.offset(file, 1)?)))
        });
        let (from, to) = steps.into_iter().nth(step)?;
        return Some(FramedMove { from, to, promotion: Some(kind) });
    }
    let from = Square::ALL.into_iter().rfind(|from| FIRST_ROWS[from.index()] as usize <= row)?;
    let is_row = |to: &Square| PAIR_ROWS[from.index()][to.index()] as usize == row;
    let to = Square::ALL.into_iter().find(is_row)?;
    Some(FramedMove { from, to, promotion: None })
}

/// The same move on the board mirrored left to right, for a row below [`MOVES`].
pub fn mirrored(row: usize) -> usize {
    framed_move(row).map_or(row, |mv| {
        let (from, to) = (mv.from.flip_file(), mv.to.flip_file());
        match mv.promotion {
            None => PAIR_ROWS[from.index()][to.index()] as usize,
            Some(kind) => promotion_row(from, to, kind),
        }
    })
}

/// Steps are counted from the a-file, captures to the left first.
fn promotion_row(from: Square, to: Square, kind: PieceType) -> usize {
    // Three steps a file, but for the missing capture of the a-file: 3 * from - 1 + (to - from + 1).
    let step = 2 * from.file().index() + to.file().index();
    let piece = PROMOTIONS.iter().position(|promotion| *promotion == kind).unwrap_or(3);
    PLAIN + 4 * step + piece
}

/// The first row of every square.
const FIRST_ROWS: [u16; 64] = tables().0;
/// The row of every pair; pairs that no piece connects have `NO_ROW`.
static PAIR_ROWS: [[u16; 64]; 64] = tables().1;
const NO_ROW: u16 = u16::MAX;

const fn tables() -> ([u16; 64], [[u16; 64]; 64]) {
    let (mut firsts, mut rows) = ([0; 64], [[NO_ROW; 64]; 64]);
    let (mut next, mut from) = (0, 0);
    while from < 64 {
        firsts[from] = next;
        let mut to = 0;
        while to < 64 {
            if connected(from, to) {
                rows[from][to] = next;
                next += 1;
            }
            to += 1;
        }
        from += 1;
    }
    assert!(next as usize == PLAIN);
    (firsts, rows)
}

/// Whether a queen or a knight goes from one square to the other on an empty board.
const fn connected(from: usize, to: usize) -> bool {
    let files = (from % 8).abs_diff(to % 8);
    let ranks = (from / 8).abs_diff(to / 8);
    let queen = files == 0 || ranks == 0 || files == ranks;
    let knight = files + ranks == 3 && files != 0 && ranks != 0;
    from != to && (queen || knight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::random_boards;
    use std::collections::HashSet;
    use tabiya_chess::{Board, attacks};

    #[test]
    fn every_row_names_one_move_and_back() {
        let mut seen = HashSet::new();
        for index in 0..MOVES {
            let mv = framed_move(index).unwrap();
            assert!(seen.insert((mv.from, mv.to, mv.promotion)), "row {index} is not unique");
            let again = match mv.promotion {
                None => PAIR_ROWS[mv.from.index()][mv.to.index()] as usize,
                Some(kind) => promotion_row(mv.from, mv.to, kind),
            };
            assert_eq!(again, index);
            assert_eq!(mirrored(mirrored(index)), index);
            if mv.promotion.is_none() {
                let reach = attacks::queen(mv.from, tabiya_chess::Bitboard::EMPTY)
                    | attacks::knight(mv.from);
                assert!(reach.contains(mv.to));
            }
        }
        assert_eq!(framed_move(MOVES), None);
        assert_eq!((MOVES, seen.len()), (1880, 1880));
    }

    #[test]
    fn legal_moves_have_rows_of_their_own_in_both_colours() {
        let check = |board: &Board| {
            let side = board.side_to_move();
            let mut rows = HashSet::new();
            for mv in &board.legal_moves() {
                let index = row(mv, side);
                assert!(rows.insert(index), "{board} {mv:?} shares row {index}");
                let framed = framed_move(index).unwrap();
                assert_eq!(framed.from.relative_to(side), mv.from());
                assert_eq!(framed.to.relative_to(side), mv.to());
                assert_eq!(framed.promotion, mv.promotion());
            }
            rows
        };
        for board in random_boards(10_000) {
            assert_eq!(check(&board), check(&board.mirrored()), "{board}");
        }
        // Castling onto a square that the king may also reach by a step of its own.
        let fen = "4k3/8/8/8/8/8/8/RK5R w HA - 0 1";
        check(&Board::from_fen(fen, true).unwrap());
    }
}
