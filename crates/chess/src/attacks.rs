//! Where pieces can go on a board with given occupancy: leapers, sliders, pawns, and the lines
//! between squares. All tables are computed at compile time; nothing needs an `init` call.

mod magics;
mod slider;

use crate::bitboard::Bitboard;
use crate::types::{Color, PieceType, Square};

pub use slider::{bishop, rook, trace};
pub(crate) use slider::{bishop_rays, rook_rays};

/// Steps as (files, ranks).
type Step = (i8, i8);
const KNIGHT_STEPS: [Step; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [Step; 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
/// The four directions of a rook.
const ROOK_STEPS: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// The four directions of a bishop.
const BISHOP_STEPS: [Step; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

const fn leaper<const N: usize>(steps: [Step; N]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < N {
            if let Some(to) = Square::ALL[from].offset(steps[i].0, steps[i].1) {
                table[from].0 |= Bitboard::of(to).0;
            }
            i += 1;
        }
        from += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] = leaper(KNIGHT_STEPS);
static KING: [Bitboard; 64] = leaper(KING_STEPS);
static PAWN: [[Bitboard; 64]; 2] = [leaper([(-1, 1), (1, 1)]), leaper([(-1, -1), (1, -1)])];

/// Squares a knight attacks.
///
/// ```
/// use tabiya_chess::{Square, attacks};
/// assert_eq!(attacks::knight(Square::A1).count(), 2);
/// ```
#[inline]
pub fn knight(sq: Square) -> Bitboard {
    KNIGHT[sq]
}

/// Squares a king attacks.
///
/// ```
/// use tabiya_chess::{Square, attacks};
/// assert_eq!(attacks::king(Square::E1).count(), 5);
/// ```
#[inline]
pub fn king(sq: Square) -> Bitboard {
    KING[sq]
}

/// Squares a pawn of this colour attacks.
///
/// ```
/// use tabiya_chess::{Bitboard, Color, Square, attacks};
/// assert_eq!(attacks::pawn(Color::Black, Square::H5), Bitboard::of(Square::G4));
/// ```
#[inline]
pub fn pawn(color: Color, sq: Square) -> Bitboard {
    PAWN[color][sq]
}

/// Squares a queen attacks, up to and including the first occupied one in each direction.
///
/// ```
/// use tabiya_chess::{Bitboard, Square, attacks};
/// assert_eq!(attacks::queen(Square::A1, Bitboard::of(Square::B2)).count(), 7 + 7 + 1);
/// ```
#[inline]
pub fn queen(sq: Square, occupied: Bitboard) -> Bitboard {
    rook(sq, occupied) | bishop(sq, occupied)
}

/// Squares a set of pawns attacks.
///
/// ```
/// use tabiya_chess::{Bitboard, Color, Rank, attacks};
/// let pawns = Bitboard::rank(Rank::R2);
/// assert_eq!(attacks::pawns(Color::White, pawns), Bitboard::rank(Rank::R3));
/// ```
#[inline]
pub fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(color);
    ahead.east() | ahead.west()
}

/// Squares a piece of this type and colour attacks.
///
/// ```
/// use tabiya_chess::{attacks, Bitboard, Color, PieceType, Square};
/// let nothing = Bitboard::EMPTY;
/// assert_eq!(attacks::of(PieceType::Queen, Color::White, Square::D4, nothing).count(), 27);
/// assert_eq!(attacks::of(PieceType::Pawn, Color::Black, Square::A7, nothing).count(), 1);
/// ```
#[inline]
pub fn of(kind: PieceType, color: Color, sq: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Pawn => pawn(color, sq),
        PieceType::Knight => knight(sq),
        PieceType::Bishop => bishop(sq, occupied),
        PieceType::Rook => rook(sq, occupied),
        PieceType::Queen => queen(sq, occupied),
        PieceType::King => king(sq),
    }
}

/// Fills `table[a][b]` for every pair on a common rank, file or diagonal: the squares strictly
/// between them, or the whole line from edge to edge.
#[expect(clippy::large_stack_arrays, reason = "evaluated by the compiler only")]
const fn pairs(whole_line: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let line = slider::ray(Square::ALL[a], (files, ranks), 0)
                | slider::ray(Square::ALL[a], (-files, -ranks), 0)
                | 1 << a;
            let mut passed = 0;
            let mut next = Square::ALL[a].offset(files, ranks);
            while let Some(b) = next {
                table[a][b as usize].0 = if whole_line { line } else { passed };
                passed |= Bitboard::of(b).0;
                next = b.offset(files, ranks);
            }
            direction += 1;
        }
        a += 1;
    }
    table
}

static BETWEEN: [[Bitboard; 64]; 64] = pairs(false);
static LINE: [[Bitboard; 64]; 64] = pairs(true);

/// The squares strictly between two squares on a common rank, file or diagonal; else empty.
///
/// ```
/// use tabiya_chess::{Bitboard, Square, attacks};
/// assert_eq!(attacks::between(Square::A1, Square::C3), Bitboard::of(Square::B2));
/// assert!(attacks::between(Square::A1, Square::B3).is_empty());
/// ```
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a][b]
}

/// The whole rank, file or diagonal through two squares; empty if they share none.
///
/// ```
/// use tabiya_chess::{Bitboard, Rank, Square, attacks};
/// assert_eq!(attacks::line(Square::C4, Square::F4), Bitboard::rank(Rank::R4));
/// ```
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a][b]
}

const fn diagonals(files: i8) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        let sq = Square::ALL[i];
        table[i].0 = slider::ray(sq, (files, 1), 0) | slider::ray(sq, (-files, -1), 0) | 1 << i;
        i += 1;
    }
    table
}

static DIAGONAL: [Bitboard; 64] = diagonals(1);
static ANTI_DIAGONAL: [Bitboard; 64] = diagonals(-1);

/// The diagonal through `sq` that runs from lower left to upper right.
#[inline]
pub(crate) fn diagonal(sq: Square) -> Bitboard {
    DIAGONAL[sq]
}

/// The diagonal through `sq` that runs from lower right to upper left.
#[inline]
pub(crate) fn anti_diagonal(sq: Square) -> Bitboard {
    ANTI_DIAGONAL[sq]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_and_line_agree_with_rays() {
        for a in Square::ALL {
            for b in Square::ALL {
                let on_line = queen(a, Bitboard::EMPTY).contains(b);
                assert_eq!(line(a, b).any(), on_line);
                if on_line {
                    let expected =
                        queen(a, Bitboard::of(b)) & queen(b, Bitboard::of(a)) & line(a, b);
                    assert_eq!(between(a, b), expected);
                    assert!(line(a, b).contains(a) && line(a, b).contains(b));
                }
            }
        }
    }

    #[test]
    fn pawn_sets_agree_with_single_pawns() {
        for color in Color::ALL {
            for sq in Square::ALL {
                assert_eq!(pawns(color, Bitboard::of(sq)), pawn(color, sq));
            }
        }
    }
}
