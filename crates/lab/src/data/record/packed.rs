//! A position in 28 bytes: what games and training positions have in common.
//!
//! Occupied squares, then one nibble per piece in square order: type in the low three bits, 8 for
//! Black. Type 6 is a rook that may still castle, which covers Chess960 without further fields (the
//! idea of the marlinformat of Viridithas and Black Marlin).

use super::{RecordError, take};
use tabiya_chess::{
    Bitboard, Board, CastlingClaim, Color, Piece, PieceType, Setup, SetupError, Square,
};

/// The nibble type of a rook that may castle.
const CASTLING_ROOK: u8 = 6;
/// Most pieces that fit.
const MAX_PIECES: u32 = 32;
/// Stands for "no en passant square".
const NO_SQUARE: u8 = 64;
/// The bit of the side byte that means Black.
const BLACK: u8 = 0x80;

/// Why a position cannot be packed or unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PackError {
    /// More than 32 pieces.
    #[error("{0} pieces, at most {MAX_PIECES} fit")]
    Pieces(u32),
    /// A nibble that is no piece.
    #[error("no piece has code {0} (on {1})")]
    Nibble(u8, Square),
    /// Not one king of this colour.
    #[error("{0} must have one king")]
    King(Color),
    /// An en passant square beyond h8.
    #[error("en passant square {0}")]
    EnPassant(u8),
    /// Pieces in their places but no legal position.
    #[error(transparent)]
    Setup(SetupError),
}

/// The packed position; every value of this type has one king a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedBoard {
    /// Little endian; as bytes it needs no alignment, so that a labelled position has 32 bytes.
    occupied: [u8; 8],
    nibbles: [u8; 16],
    side: u8,
    halfmove_clock: u8,
    fullmove_number: u16,
}

impl PackedBoard {
    pub(crate) fn new(board: &Board) -> Result<Self, PackError> {
        let occupied = board.occupied();
        if occupied.count() > MAX_PIECES {
            return Err(PackError::Pieces(occupied.count()));
        }
        let mut nibbles = [0; 16];
        for (index, sq) in occupied.into_iter().enumerate() {
            let Some(piece) = board.piece_on(sq) else { continue };
            let castles = board.castling_rooks().contains(sq);
            let kind = if castles { CASTLING_ROOK } else { piece.kind() as u8 };
            let nibble = kind | (piece.color() as u8) << 3;
            nibbles[index / 2] |= nibble << (4 * (index % 2));
        }
        let target = board.en_passant().map_or(NO_SQUARE, |sq| sq as u8);
        let black = if board.side_to_move() == Color::Black { BLACK } else { 0 };
        Ok(Self {
            occupied: occupied.0.to_le_bytes(),
            nibbles,
            side: target | black,
            halfmove_clock: board.halfmove_clock().min(u8::MAX as u16) as u8,
            fullmove_number: board.fullmove_number(),
        })
    }

    /// The legal position that was packed.
    pub(crate) fn to_board(self) -> Result<Board, PackError> {
        let mut setup = Setup::empty();
        for (sq, nibble) in self.nibbles() {
            let piece = piece_of(nibble).ok_or(PackError::Nibble(nibble, sq))?;
            setup.pieces[sq] = Some(piece);
            if nibble & 7 == CASTLING_ROOK {
                setup.castling.push((piece.color(), CastlingClaim::File(sq.file())));
            }
        }
        setup.side = self.side_to_move();
        setup.en_passant = Square::from_index((self.side & !BLACK) as usize);
        setup.halfmove_clock = self.halfmove_clock as u16;
        setup.fullmove_number = self.fullmove_number;
        // File letters say which rook castles, in standard chess too.
        setup.to_board(true).map_err(PackError::Setup)
    }

    pub(super) fn side_to_move(self) -> Color {
        if self.side & BLACK == 0 { Color::White } else { Color::Black }
    }

    /// Plies since the start of the game, by the move number.
    pub(super) fn ply(self) -> u32 {
        2 * (self.fullmove_number as u32).saturating_sub(1) + self.side_to_move() as u32
    }

    pub(super) fn piece_count(self) -> u32 {
        self.occupied().count()
    }

    fn occupied(self) -> Bitboard {
        Bitboard(u64::from_le_bytes(self.occupied))
    }

    #[inline]
    fn nibbles(self) -> impl Iterator<Item = (Square, u8)> {
        let mut rest = u128::from_le_bytes(self.nibbles);
        self.occupied().into_iter().map(move |sq| {
            let nibble = rest as u8 & 15;
            rest >>= 4;
            (sq, nibble)
        })
    }

    /// Every piece and its square, in square order.
    #[inline]
    pub(super) fn pieces(self) -> impl Iterator<Item = (Piece, Square)> {
        self.nibbles().filter_map(|(sq, nibble)| piece_of(nibble).map(|piece| (piece, sq)))
    }

    pub(crate) fn encode(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.occupied);
        bytes.extend(self.nibbles);
        bytes.extend([self.side, self.halfmove_clock]);
        bytes.extend(self.fullmove_number.to_le_bytes());
    }

    /// Reads 28 bytes and checks all that training relies on; legality is left to `to_board`.
    pub(crate) fn decode(bytes: &mut &[u8]) -> Result<Self, RecordError> {
        let occupied = take(bytes)?;
        let nibbles = take(bytes)?;
        let [side, halfmove_clock] = take(bytes)?;
        let fullmove_number = u16::from_le_bytes(take(bytes)?);
        let packed = Self { occupied, nibbles, side, halfmove_clock, fullmove_number };
        packed.check()?;
        Ok(packed)
    }

    fn check(self) -> Result<(), PackError> {
        if self.piece_count() > MAX_PIECES {
            return Err(PackError::Pieces(self.piece_count()));
        }
        let mut kings = [0; 2];
        for (sq, nibble) in self.nibbles() {
            let piece = piece_of(nibble).ok_or(PackError::Nibble(nibble, sq))?;
            kings[piece.color()] += usize::from(piece.kind() == PieceType::King);
        }
        for color in Color::ALL {
            if kings[color] != 1 {
                return Err(PackError::King(color));
            }
        }
        match self.side & !BLACK {
            0..=NO_SQUARE => Ok(()),
            code => Err(PackError::EnPassant(code)),
        }
    }
}

/// The piece of every nibble.
const PIECES: [Option<Piece>; 16] = {
    let mut pieces = [None; 16];
    let mut nibble = 0;
    while nibble < 16 {
        let color = if nibble < 8 { Color::White } else { Color::Black };
        let kind = if nibble as u8 & 7 == CASTLING_ROOK {
            Some(PieceType::Rook)
        } else {
            PieceType::from_index(nibble & 7)
        };
        if let Some(kind) = kind {
            pieces[nibble] = Some(Piece::new(color, kind));
        }
        nibble += 1;
    }
    pieces
};

#[inline]
fn piece_of(nibble: u8) -> Option<Piece> {
    PIECES[nibble as usize & 15]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_packing() {
        for fen in [
            tabiya_chess::START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
            "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 30",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 12 60",
            "8/5k2/8/8/8/3K4/8/8 b - - 99 120",
        ] {
            let board = Board::from_fen(fen, true).unwrap();
            let packed = PackedBoard::new(&board).unwrap();
            assert_eq!(packed.to_board(), Ok(board), "{fen}");
            let mut bytes = Vec::new();
            packed.encode(&mut bytes);
            assert_eq!(bytes.len(), 28);
            assert_eq!(PackedBoard::decode(&mut &bytes[..]), Ok(packed));
        }
    }

    #[test]
    fn bytes_that_are_no_position_are_refused() {
        let mut bytes = Vec::new();
        PackedBoard::new(&Board::default()).unwrap().encode(&mut bytes);
        let damaged = |index: usize, value: u8| {
            let mut copy = bytes.clone();
            copy[index] = value;
            PackedBoard::decode(&mut &copy[..]).unwrap_err().to_string()
        };
        assert_eq!(damaged(5, 0xff), "board: 40 pieces, at most 32 fit");
        assert_eq!(damaged(9, 0x17), "board: no piece has code 7 (on c1)");
        assert_eq!(damaged(10, 0x55), "board: white must have one king");
        assert_eq!(damaged(24, 65), "board: en passant square 65");
        assert_eq!(PackedBoard::decode(&mut &bytes[..27]), Err(RecordError::TooShort));
    }
}
