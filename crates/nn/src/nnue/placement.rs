//! Where the pieces stand, and nothing else: what features depend on.

use tabiya_chess::{Bitboard, Board, Color, Piece, PieceType, Square, attacks};

/// The pieces of a position, by colour, kind and square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    colors: [Bitboard; 2],
    kinds: [Bitboard; 6],
    mailbox: [Option<Piece>; Square::COUNT],
}

impl Placement {
    /// A board without pieces.
    pub const EMPTY: Self = Self {
        colors: [Bitboard::EMPTY; 2],
        kinds: [Bitboard::EMPTY; 6],
        mailbox: [None; Square::COUNT],
    };

    /// The pieces of a list, on different squares.
    ///
    /// ```
    /// use tabiya_chess::{Board, Piece, Square};
    /// use tabiya_nn::Placement;
    /// let kings = [(Piece::WhiteKing, Square::E1), (Piece::BlackKing, Square::E8)];
    /// let board: Board = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    /// assert_eq!(Placement::new(kings), Placement::from(&board));
    /// ```
    pub fn new(pieces: impl IntoIterator<Item = (Piece, Square)>) -> Self {
        let mut placement = Self::EMPTY;
        for (piece, sq) in pieces {
            placement.colors[piece.color()] |= Bitboard::from(sq);
            placement.kinds[piece.kind()] |= Bitboard::from(sq);
            placement.mailbox[sq] = Some(piece);
        }
        placement
    }

    /// The pieces of one colour and kind.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.colors[color] & self.kinds[kind]
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, sq: Square) -> Option<Piece> {
        self.mailbox[sq]
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The pieces of a kind, of both colours.
    #[inline]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind]
    }

    /// The squares on which another piece, or none, stands in `other`.
    #[inline]
    pub fn difference(&self, other: &Self) -> Bitboard {
        let mut changed = Bitboard::EMPTY;
        for (a, b) in self.colors.iter().zip(other.colors) {
            changed |= *a ^ b;
        }
        for (a, b) in self.kinds.iter().zip(other.kinds) {
            changed |= *a ^ b;
        }
        changed
    }

    /// At least the pieces, other than kings, that attack one of these squares in one of two placements.
    ///
    /// Only what stands in both hides a slider: a few more may be found than attack, none less, and each line
    /// is looked along once.
    #[inline]
    pub(super) fn attackers_in_either(&self, other: &Self, squares: Bitboard) -> Bitboard {
        let hidden_by = self.occupied() & other.occupied();
        let either = |kind: PieceType| self.kinds[kind] | other.kinds[kind];
        let queens = either(PieceType::Queen);
        let (bishops, rooks) =
            (either(PieceType::Bishop) | queens, either(PieceType::Rook) | queens);
        let knights = either(PieceType::Knight);
        let pawns = Color::ALL.map(|color| {
            self.pieces(color, PieceType::Pawn) | other.pieces(color, PieceType::Pawn)
        });
        let mut attackers = Bitboard::EMPTY;
        for sq in squares {
            attackers |= attacks::bishop(sq, hidden_by) & bishops
                | attacks::rook(sq, hidden_by) & rooks
                | attacks::knight(sq) & knights
                | attacks::pawn(Color::Black, sq) & pawns[Color::White]
                | attacks::pawn(Color::White, sq) & pawns[Color::Black];
        }
        attackers
    }
}

impl From<&Board> for Placement {
    #[inline]
    fn from(board: &Board) -> Self {
        Self {
            colors: Color::ALL.map(|color| board.color(color)),
            kinds: PieceType::ALL.map(|kind| board.kind(kind)),
            mailbox: *board.mailbox(),
        }
    }
}
