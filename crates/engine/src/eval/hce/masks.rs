//! Sets of squares the evaluation asks for, by colour and square; computed at compile time.

use tabiya_chess::{Bitboard, Color, File, Rank, Square};

/// Files a to c.
pub(super) const QUEEN_SIDE: Bitboard = files(0, 3);
/// Files f to h.
pub(super) const KING_SIDE: Bitboard = files(5, 8);
/// Files c to f.
pub(super) const CENTRE_FILES: Bitboard = files(2, 6);
/// d4, e4, d5, e5.
pub(super) const CENTRE: Bitboard =
    Bitboard(files(3, 5).0 & (Bitboard::rank(Rank::R4).0 | Bitboard::rank(Rank::R5).0));

/// The second and third rank of each side.
pub(super) const LOW_RANKS: [Bitboard; 2] = both(ranks(1, 3));
/// Ranks two to four of each side.
pub(super) const SPACE_RANKS: [Bitboard; 2] = both(ranks(1, 4));
/// Ranks four to six of each side.
pub(super) const OUTPOST_RANKS: [Bitboard; 2] = both(ranks(3, 6));
/// Ranks one to five of each side.
pub(super) const CAMP: [Bitboard; 2] = both(ranks(0, 5));

/// The files beside each file.
pub(super) static ADJACENT_FILES: [Bitboard; 8] = {
    let mut table = [Bitboard::EMPTY; 8];
    let mut i = 0;
    while i < 8 {
        let file = Bitboard::file(File::ALL[i]);
        table[i] = Bitboard(file.east().0 | file.west().0);
        i += 1;
    }
    table
};

/// The four files around the king that its attackers come through, by king file.
pub(super) static FLANK: [Bitboard; 8] = [
    files(0, 4),
    files(0, 4),
    files(0, 4),
    files(2, 6),
    files(2, 6),
    files(4, 8),
    files(4, 8),
    files(4, 8),
];

/// All squares on the ranks ahead of a square, by colour and rank.
pub(super) static RANKS_AHEAD: [[Bitboard; 8]; 2] = {
    let mut table = [[Bitboard::EMPTY; 8]; 2];
    let mut rank = 0;
    while rank < 8 {
        table[0][rank] = ranks(rank + 1, 8);
        table[1][rank] = ranks(0, rank);
        rank += 1;
    }
    table
};

const fn files(from: usize, to: usize) -> Bitboard {
    let mut set = 0;
    let mut i = from;
    while i < to {
        set |= Bitboard::file(File::ALL[i]).0;
        i += 1;
    }
    Bitboard(set)
}

const fn ranks(from: usize, to: usize) -> Bitboard {
    let mut set = 0;
    let mut i = from;
    while i < to {
        set |= Bitboard::rank(Rank::ALL[i]).0;
        i += 1;
    }
    Bitboard(set)
}

/// A set given for White, for both sides.
const fn both(set: Bitboard) -> [Bitboard; 2] {
    [set, set.flip_ranks()]
}

/// The squares ahead on the same file.
#[inline]
pub(super) fn file_ahead(us: Color, sq: Square) -> Bitboard {
    RANKS_AHEAD[us][sq.rank()] & Bitboard::file(sq.file())
}

/// The squares a pawn's opponents can stop it from: ahead on its own and the next files.
#[inline]
pub(super) fn passed_span(us: Color, sq: Square) -> Bitboard {
    let file = sq.file();
    RANKS_AHEAD[us][sq.rank()] & (Bitboard::file(file) | ADJACENT_FILES[file])
}

/// The set and everything ahead of it.
#[inline]
pub(super) fn fill_forward(us: Color, set: Bitboard) -> Bitboard {
    let mut fill = set.0;
    match us {
        Color::White => {
            fill |= fill << 8;
            fill |= fill << 16;
            fill |= fill << 32;
        }
        Color::Black => {
            fill |= fill >> 8;
            fill |= fill >> 16;
            fill |= fill >> 32;
        }
    }
    Bitboard(fill)
}

/// King steps between two squares.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> i32 {
    let files = (a.file() as i32 - b.file() as i32).abs();
    let ranks = (a.rank() as i32 - b.rank() as i32).abs();
    files.max(ranks)
}
