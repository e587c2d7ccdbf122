//! Zobrist hashing: one random number for each (piece, square), castling right, en passant file
//! and side to move. The numbers are fixed: keys may be stored in files.
//!
//! Piece keys are kept in five groups whose exclusive-or is the key of all pieces. A make-move thus
//! updates one word a piece, and the pawn, minor-piece and non-pawn keys that pawn hash and
//! correction histories need come for free.

use crate::types::{Color, File, Piece, PieceType, Square};

/// One step of `SplitMix64` (Steele, Lea, Flood 2014).
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

struct Numbers {
    pieces: [[u64; 64]; 12],
    castling: [[u64; 8]; 2],
    en_passant: [u64; 8],
    black_to_move: u64,
}

const fn numbers() -> Numbers {
    let mut state = 0x7AB1_7A00_2026_0001;
    let mut numbers = Numbers {
        pieces: [[0; 64]; 12],
        castling: [[0; 8]; 2],
        en_passant: [0; 8],
        black_to_move: split_mix(&mut state),
    };
    let mut i = 0;
    while i < 12 * 64 {
        numbers.pieces[i / 64][i % 64] = split_mix(&mut state);
        i += 1;
    }
    let mut i = 0;
    while i < 8 {
        numbers.castling[0][i] = split_mix(&mut state);
        numbers.castling[1][i] = split_mix(&mut state);
        numbers.en_passant[i] = split_mix(&mut state);
        i += 1;
    }
    numbers
}

static NUMBERS: Numbers = numbers();

#[inline]
pub(crate) const fn piece(piece: Piece, sq: Square) -> u64 {
    NUMBERS.pieces[piece as usize][sq as usize]
}

#[inline]
pub(crate) fn castling(color: Color, rook: File) -> u64 {
    NUMBERS.castling[color][rook]
}

#[inline]
pub(crate) fn en_passant(file: File) -> u64 {
    NUMBERS.en_passant[file]
}

#[inline]
pub(crate) const fn black_to_move() -> u64 {
    NUMBERS.black_to_move
}

/// The group a piece's key belongs to.
const GROUP: [usize; 12] = {
    let mut groups = [0; 12];
    let mut i = 0;
    while i < 12 {
        let piece = Piece::ALL[i];
        groups[i] = match (piece.kind(), piece.color()) {
            (PieceType::Pawn, _) => 0,
            (PieceType::Knight | PieceType::Bishop, Color::White) => 1,
            (PieceType::Knight | PieceType::Bishop, Color::Black) => 2,
            (_, Color::White) => 3,
            (_, Color::Black) => 4,
        };
        i += 1;
    }
    groups
};

/// The keys of a position, kept up to date by every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Keys {
    /// Pawns; white minors; black minors; white majors with king; black majors with king.
    groups: [u64; 5],
    /// Side to move, castling rights, en passant.
    pub(crate) state: u64,
}

impl Keys {
    #[inline]
    pub(crate) fn toggle(&mut self, pc: Piece, sq: Square) {
        self.groups[GROUP[pc]] ^= piece(pc, sq);
    }

    #[inline]
    pub(crate) const fn full(&self) -> u64 {
        let [pawns, white_minors, black_minors, white_majors, black_majors] = self.groups;
        pawns ^ white_minors ^ black_minors ^ white_majors ^ black_majors ^ self.state
    }

    #[inline]
    pub(crate) const fn pawns(&self) -> u64 {
        self.groups[0]
    }

    #[inline]
    pub(crate) const fn minors(&self) -> u64 {
        self.groups[1] ^ self.groups[2]
    }

    #[inline]
    pub(crate) const fn non_pawns(&self, color: Color) -> u64 {
        match color {
            Color::White => self.groups[1] ^ self.groups[3],
            Color::Black => self.groups[2] ^ self.groups[4],
        }
    }
}
