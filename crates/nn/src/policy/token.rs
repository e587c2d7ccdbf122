//! What the net sees of one ply: the numbers of embedding rows.

use std::fmt;

/// The most piece rows of a token: the men on a full board.
const PIECES: usize = 32;
/// The most state rows of a token.
const STATES: usize = 16;

/// The rows whose sum is the input of one ply.
///
/// Rows are kept in ascending order: the sum of floats then has one order, and a position and its
/// colour-swapped twin give the same bits. Two equal tokens look the same to the net, which is why
/// the cache of a game compares tokens instead of hash keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    pieces: [u16; PIECES],
    piece_count: u8,
    states: [u8; STATES],
    state_count: u8,
    last_move: u16,
}

impl Token {
    /// The token of a position: piece rows, state rows and the row of the last move.
    ///
    /// # Panics
    /// With more than 32 piece rows or 16 state rows.
    pub fn new(pieces: &[u16], states: &[u8], last_move: u16) -> Self {
        let mut token = Self::of_move(last_move);
        token.pieces[..pieces.len()].copy_from_slice(pieces);
        token.pieces[..pieces.len()].sort_unstable();
        token.piece_count = pieces.len() as u8;
        token.states[..states.len()].copy_from_slice(states);
        token.states[..states.len()].sort_unstable();
        token.state_count = states.len() as u8;
        token
    }

    /// A token that is a move and nothing else, as in nets that read the list of moves.
    pub const fn of_move(row: u16) -> Self {
        Self {
            pieces: [0; PIECES],
            piece_count: 0,
            states: [0; STATES],
            state_count: 0,
            last_move: row,
        }
    }

    /// Rows of the piece embedding, ascending.
    pub fn pieces(&self) -> &[u16] {
        &self.pieces[..self.piece_count as usize]
    }

    /// Rows of the state embedding, ascending.
    pub fn states(&self) -> &[u8] {
        &self.states[..self.state_count as usize]
    }

    /// Row of the move embedding.
    pub fn last_move(&self) -> u16 {
        self.last_move
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Token({:?} {:?} {})", self.pieces(), self.states(), self.last_move)
    }
}
