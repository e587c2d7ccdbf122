//! Opening books in the Polyglot format (Fabien Letouzey): entries of 16 bytes, sorted by the key of
//! their position.
//!
//! A book is a memory-mapped file or the one inside the program; a position is found by binary
//! search. `policy` says when the engine plays from it, `check` lets a short search have a last look
//! at the chosen move.

mod check;
mod policy;

#[cfg(feature = "mmap")]
use crate::files::open_regular;
use std::fmt;
use std::io;
use std::path::Path;
use tabiya_chess::{Board, Move, PieceType, Square};

pub(crate) use check::confirm;
pub(crate) use policy::candidates;

/// The book inside the program; see docs/BOOKS.md for where it comes from.
static EMBEDDED: &[u8] = include_bytes!(env!("TABIYA_BOOK"));

/// One line of a book: a move in a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BookEntry {
    /// The position, see [`Board::polyglot_key`].
    pub key: u64,
    /// The move: target square in the lowest six bits, then origin, then promotion. Castling is king
    /// takes own rook.
    pub mv: u16,
    /// How often it should be played, compared with the position's other moves.
    pub weight: u16,
    /// For programs that learn; Tabiya does not use it.
    pub learn: u32,
}

impl BookEntry {
    /// The size of an entry.
    pub const BYTES: usize = 16;

    /// An entry for a legal move.
    pub fn new(board: &Board, mv: Move, weight: u16) -> Self {
        let promotion = mv.promotion().map_or(0, PieceType::index) as u16;
        let squares = mv.to().index() as u16 | (mv.from().index() as u16) << 6;
        Self { key: board.polyglot_key(), mv: squares | promotion << 12, weight, learn: 0 }
    }

    /// The legal move it means, if there is one.
    pub fn to_move(self, board: &Board) -> Option<Move> {
        let square = |bits: u16| Square::ALL[usize::from(bits & 63)];
        let promotion = match self.mv >> 12 & 7 {
            0 => None,
            index => Some(PieceType::from_index(usize::from(index))?),
        };
        let mut text = format!("{}{}", square(self.mv >> 6), square(self.mv));
        text.extend(promotion.map(PieceType::letter));
        board.parse_uci(&text).ok()
    }

    /// The entry as in a file.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.key.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.mv.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_be_bytes());
        bytes[12..].copy_from_slice(&self.learn.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let all = u128::from_be_bytes(bytes);
        Self {
            key: (all >> 64) as u64,
            mv: (all >> 48) as u16,
            weight: (all >> 32) as u16,
            learn: all as u32,
        }
    }
}

/// Why a file is no book.
#[derive(Debug)]
pub enum BookError {
    /// It cannot be read.
    Read(io::Error),
    /// Its size is no multiple of an entry's.
    Size(u64),
    /// The entry with this number is out of order.
    Order(usize),
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "book: {error}"),
            Self::Size(bytes) => write!(f, "book: {bytes} bytes are no whole number of entries"),
            Self::Order(number) => write!(f, "book: entry {number} is out of order"),
        }
    }
}

impl std::error::Error for BookError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            _ => None,
        }
    }
}

enum Bytes {
    #[cfg(feature = "mmap")]
    Mapped(memmap2::Mmap),
    #[cfg(not(feature = "mmap"))]
    Read(Vec<u8>),
    Embedded(&'static [u8]),
}

impl Bytes {
    #[cfg(feature = "mmap")]
    fn open(path: &Path) -> Result<Self, BookError> {
        let file = open_regular(path).map_err(BookError::Read)?;
        check_size(file.metadata().map_err(BookError::Read)?.len())?;
        #[expect(unsafe_code, reason = "mapping a file is unsafe: others may change it")]
        // SAFETY: the bytes are only ever read as numbers that are checked for their meaning (a key
        // to compare, a move to be legal), so that a file changed by others can do no more harm than
        // a bad book. Cutting it off while it is in use ends the program, as with any mapped file.
        let mapped = unsafe { memmap2::Mmap::map(&file) }.map_err(BookError::Read)?;
        Ok(Self::Mapped(mapped))
    }

    #[cfg(not(feature = "mmap"))]
    fn open(path: &Path) -> Result<Self, BookError> {
        /// No book is as large.
        const LARGEST: u64 = 1 << 30;
        let bytes = crate::files::read_regular(path, LARGEST).map_err(BookError::Read)?;
        check_size(bytes.len() as u64)?;
        Ok(Self::Read(bytes))
    }
}

fn check_size(bytes: u64) -> Result<(), BookError> {
    let whole = bytes > 0 && bytes.is_multiple_of(BookEntry::BYTES as u64);
    if whole { Ok(()) } else { Err(BookError::Size(bytes)) }
}

/// An opening book.
///
/// ```
/// use tabiya_engine::book::Book;
/// let moves = Book::embedded().moves(&Default::default());
/// assert!(moves.len() > 1 && moves[0].1 >= moves[1].1);
/// ```
pub struct Book {
    bytes: Bytes,
}

impl Book {
    /// The book inside the program.
    pub fn embedded() -> Self {
        Self { bytes: Bytes::Embedded(EMBEDDED) }
    }

    /// A book from a file.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let book = Self { bytes: Bytes::open(path)? };
        let key = |bytes: &[u8; BookEntry::BYTES]| BookEntry::from_bytes(*bytes).key;
        let misplaced = book.packed().windows(2).position(|pair| key(&pair[1]) < key(&pair[0]));
        match misplaced {
            Some(index) => Err(BookError::Order(index + 1)),
            None => Ok(book),
        }
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            #[cfg(feature = "mmap")]
            Bytes::Mapped(mapped) => mapped,
            #[cfg(not(feature = "mmap"))]
            Bytes::Read(bytes) => bytes,
            Bytes::Embedded(bytes) => bytes,
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.packed().len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn packed(&self) -> &[[u8; BookEntry::BYTES]] {
        self.bytes().as_chunks().0
    }

    /// All entries in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = BookEntry> + '_ {
        self.packed().iter().map(|bytes| BookEntry::from_bytes(*bytes))
    }

    /// The entries of a position.
    pub fn find(&self, key: u64) -> impl Iterator<Item = BookEntry> + '_ {
        let packed = self.packed();
        let first = packed.partition_point(|bytes| BookEntry::from_bytes(*bytes).key < key);
        let rest = packed[first..].iter().map(|bytes| BookEntry::from_bytes(*bytes));
        rest.take_while(move |entry| entry.key == key)
    }

    /// The legal moves of a position with their weights, best first.
    pub fn moves(&self, board: &Board) -> Vec<(Move, u16)> {
        let entries = self.find(board.polyglot_key());
        let mut moves: Vec<(Move, u16)> =
            entries.filter_map(|entry| Some((entry.to_move(board)?, entry.weight))).collect();
        moves.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        moves
    }
}

#[cfg(test)]
mod tests;
