//! The position: where the pieces are, who moves, what may still be castled or captured en passant.
//!
//! A [`Board`] is always a playable position: it can only be made from a validated
//! [`Setup`](crate::Setup) or by playing a move. It is `Copy` (208 bytes): search and perft copy it
//! and play on the copy, which measured faster than undoing moves (docs/EXPERIMENTS.md).

mod en_passant;
mod legal;
mod movegen;
mod play;
pub(crate) mod setup;

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use crate::zobrist::{self, Keys};

use en_passant::EnPassant;
pub use movegen::{Generate, MoveSink};
pub use play::IllegalMove;

/// A legal chess position.
///
/// ```
/// use tabiya_chess::Board;
/// let mut board = Board::default();
/// let mv = board.parse_san("e4")?;
/// board.play(mv);
/// assert_eq!(board.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// assert_eq!(board.legal_moves().len(), 20);
/// # Ok::<(), tabiya_chess::SanError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    pieces: [Bitboard; 6],
    colors: [Bitboard; 2],
    mailbox: [Option<Piece>; 64],
    keys: Keys,
    /// Enemy pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that must stay on a line with their king.
    pinned: Bitboard,
    /// The rooks that may still castle, of both sides.
    castling: Bitboard,
    halfmove_clock: u16,
    fullmove_number: u16,
    /// Plies since the last capture, pawn move or null move.
    reversible_plies: u16,
    en_passant: EnPassant,
    side: Color,
}

const _: () = assert!(size_of::<Board>() == 208);

/// The two directions of castling. The king ends on the g-file or the c-file.
///
/// ```
/// use tabiya_chess::{CastlingSide, File};
/// assert_eq!(CastlingSide::ALL.map(CastlingSide::king_file), [File::G, File::C]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastlingSide {
    /// Short castling: the king goes to the g-file.
    King,
    /// Long castling: the king goes to the c-file.
    Queen,
}

impl CastlingSide {
    /// Both sides, king side first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// The direction of a castling move.
    ///
    /// ```
    /// use tabiya_chess::{CastlingSide, Move, MoveKind, Square};
    /// let mv = Move::new(Square::E8, Square::A8, MoveKind::Castling);
    /// assert_eq!(CastlingSide::of(mv), CastlingSide::Queen);
    /// ```
    #[inline]
    pub fn of(castling: Move) -> Self {
        Self::towards(castling.from(), castling.to())
    }

    #[inline]
    fn towards(king: Square, rook: Square) -> Self {
        if rook > king { Self::King } else { Self::Queen }
    }

    /// The file the king ends on.
    ///
    /// ```
    /// use tabiya_chess::{CastlingSide, File};
    /// assert_eq!(CastlingSide::Queen.king_file(), File::C);
    /// ```
    #[inline]
    pub const fn king_file(self) -> File {
        match self {
            Self::King => File::G,
            Self::Queen => File::C,
        }
    }

    /// The file the rook ends on.
    ///
    /// ```
    /// use tabiya_chess::{CastlingSide, File};
    /// assert_eq!(CastlingSide::Queen.rook_file(), File::D);
    /// ```
    #[inline]
    pub const fn rook_file(self) -> File {
        match self {
            Self::King => File::F,
            Self::Queen => File::D,
        }
    }
}

impl Board {
    /// The pieces of one colour.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// assert_eq!(Board::default().color(Color::White).0, 0xFFFF);
    /// ```
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    /// The pieces of one type, of both colours.
    ///
    /// ```
    /// use tabiya_chess::{Board, PieceType};
    /// assert_eq!(Board::default().kind(PieceType::Pawn).count(), 16);
    /// ```
    #[inline]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.pieces[kind]
    }

    /// The pieces of one type and colour.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color, PieceType, Square};
    /// let rooks = Board::default().pieces(Color::White, PieceType::Rook);
    /// assert_eq!(rooks.into_iter().collect::<Vec<_>>(), [Square::A1, Square::H1]);
    /// ```
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.pieces[kind] & self.colors[color]
    }

    /// All occupied squares.
    ///
    /// ```
    /// use tabiya_chess::{Board, Square};
    /// assert!(!Board::default().occupied().contains(Square::E4));
    /// ```
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The piece on a square.
    ///
    /// ```
    /// use tabiya_chess::{Board, Piece, Square};
    /// assert_eq!(Board::default().piece_on(Square::D8), Some(Piece::BlackQueen));
    /// ```
    #[inline]
    pub fn piece_on(&self, sq: Square) -> Option<Piece> {
        self.mailbox[sq]
    }

    /// The pieces of all squares, from a1 to h8.
    ///
    /// ```
    /// use tabiya_chess::{Board, Piece};
    /// assert_eq!(Board::default().mailbox()[4], Some(Piece::WhiteKing));
    /// ```
    #[inline]
    pub fn mailbox(&self) -> &[Option<Piece>; Square::COUNT] {
        &self.mailbox
    }

    /// Where a side's king is.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color, Square};
    /// assert_eq!(Board::default().king(Color::Black), Square::E8);
    /// ```
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // A valid board has one king a side, so the index is below 64 already.
        Square::wrapping(self.pieces(color, PieceType::King).0.trailing_zeros() as usize)
    }

    /// The side to move.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// assert_eq!(Board::default().side_to_move(), Color::White);
    /// ```
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// Plies since the last capture or pawn move.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mut board = Board::default();
    /// board.play(board.parse_san("Nf3").unwrap());
    /// assert_eq!(board.halfmove_clock(), 1);
    /// ```
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the current move, counted from 1 and raised after Black's move.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::default().fullmove_number(), 1);
    /// ```
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// Plies since a position could last not be repeated: a capture, pawn move or null move.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mut board: Board = "4k3/8/8/8/8/8/8/4K2R w - - 12 40".parse().unwrap();
    /// board.play_null();
    /// assert_eq!((board.reversible_plies(), board.halfmove_clock()), (0, 12));
    /// ```
    #[inline]
    pub fn reversible_plies(&self) -> u16 {
        self.reversible_plies
    }

    /// Enemy pieces that give check.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Board, Square};
    /// let board: Board = "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1".parse().unwrap();
    /// assert_eq!(board.checkers(), Bitboard::of(Square::E2));
    /// ```
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert!(!Board::default().in_check());
    /// ```
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of the side to move that may move only along the line to their own king.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Board, Square};
    /// let board: Board = "4k3/4n3/8/8/8/8/4R3/4K3 b - - 0 1".parse().unwrap();
    /// assert_eq!(board.pinned(), Bitboard::of(Square::E7));
    /// ```
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The rook that may castle on this side of its king.
    ///
    /// ```
    /// use tabiya_chess::{Board, CastlingSide, Color, Square};
    /// let board = Board::default();
    /// assert_eq!(board.castling_rook(Color::White, CastlingSide::King), Some(Square::H1));
    /// ```
    #[inline]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = Bitboard::of(self.king(color)).0;
        let rooks = self.castling & Bitboard::rank(color.back_rank());
        match side {
            CastlingSide::King => Bitboard(rooks.0 & !(king | (king - 1))).first(),
            CastlingSide::Queen => Bitboard(rooks.0 & (king - 1)).first(),
        }
    }

    /// All rooks of both sides that may still castle.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Board, Square};
    /// let board: Board = "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1".parse().unwrap();
    /// assert_eq!(board.castling_rooks(), Bitboard::of(Square::H1) | Square::A8.into());
    /// ```
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The Zobrist key of the position.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mut board = Board::default();
    /// for text in ["Nf3", "Nf6", "Ng1", "Ng8"] {
    ///     board.play(board.parse_san(text)?);
    /// }
    /// assert_eq!(board.key(), Board::default().key());
    /// # Ok::<(), tabiya_chess::SanError>(())
    /// ```
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.full()
    }

    /// The key of the pawns alone, for pawn hash and pawn correction history.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mut board = Board::default();
    /// board.play(board.parse_san("Nf3").unwrap());
    /// assert_eq!(board.pawn_key(), Board::default().pawn_key());
    /// ```
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.keys.pawns()
    }

    /// The key of all knights and bishops.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mut board = Board::default();
    /// board.play(board.parse_san("e4").unwrap());
    /// assert_eq!(board.minor_key(), Board::default().minor_key());
    /// ```
    #[inline]
    pub fn minor_key(&self) -> u64 {
        self.keys.minors()
    }

    /// The key of a side's pieces without its pawns.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// let mut board = Board::default();
    /// board.play(board.parse_san("Nf3").unwrap());
    /// assert_ne!(board.non_pawn_key(Color::White), Board::default().non_pawn_key(Color::White));
    /// assert_eq!(board.non_pawn_key(Color::Black), Board::default().non_pawn_key(Color::Black));
    /// ```
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawns(color)
    }

    /// Whether a side has anything besides king and pawns.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color};
    /// let board: Board = "4k3/4p3/8/8/8/8/8/4KB2 w - - 0 1".parse().unwrap();
    /// assert!(board.has_non_pawns(Color::White) && !board.has_non_pawns(Color::Black));
    /// ```
    #[inline]
    pub fn has_non_pawns(&self, color: Color) -> bool {
        (self.colors[color] - self.pieces[PieceType::Pawn] - self.pieces[PieceType::King]).any()
    }

    /// The pieces of both sides that attack `sq` if the board were occupied like `occupied`.
    ///
    /// Removing pieces from `occupied` reveals the sliders behind them (x-rays), which is what an
    /// exchange evaluation needs.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Board, Square};
    /// let board: Board = "3rk3/3q4/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
    /// let queen = Bitboard::of(Square::D7);
    /// assert_eq!(board.attackers_to(Square::D1, board.occupied()), queen | Square::E1.into());
    /// assert!(board.attackers_to(Square::D1, board.occupied() - queen).contains(Square::D8));
    /// ```
    #[inline]
    pub fn attackers_to(&self, sq: Square, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings] = self.pieces;
        let white_pawns = attacks::pawn(Color::Black, sq) & self.colors[Color::White];
        let black_pawns = attacks::pawn(Color::White, sq) & self.colors[Color::Black];
        (white_pawns | black_pawns) & pawns
            | attacks::knight(sq) & knights
            | attacks::bishop(sq, occupied) & (bishops | queens)
            | attacks::rook(sq, occupied) & (rooks | queens)
            | attacks::king(sq) & kings
    }

    /// Whether a side attacks `sq` if the board were occupied like `occupied`.
    ///
    /// ```
    /// use tabiya_chess::{Board, Color, Square};
    /// let board = Board::default();
    /// assert!(board.is_attacked(Square::F3, Color::White, board.occupied()));
    /// ```
    #[inline]
    pub fn is_attacked(&self, sq: Square, by: Color, occupied: Bitboard) -> bool {
        self.attackers_to(sq, occupied).intersects(self.colors[by])
    }

    /// All squares a side attacks if the board were occupied like `occupied`.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Board, Color, Rank};
    /// let board = Board::default();
    /// let attacked = board.attacks_by(Color::White, board.occupied()) - board.occupied();
    /// assert_eq!(attacked, Bitboard::rank(Rank::R3));
    /// ```
    #[inline]
    pub fn attacks_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let own = self.colors[color];
        let [pawns, knights, bishops, rooks, queens, _] = self.pieces;
        let mut set = attacks::pawns(color, pawns & own) | attacks::king(self.king(color));
        for sq in knights & own {
            set |= attacks::knight(sq);
        }
        for sq in (bishops | queens) & own {
            set |= attacks::bishop(sq, occupied);
        }
        for sq in (rooks | queens) & own {
            set |= attacks::rook(sq, occupied);
        }
        set
    }

    /// All squares the opponent attacks, seen through the king of the side to move: where that king
    /// may not go.
    ///
    /// ```
    /// use tabiya_chess::{Board, Square};
    /// let board: Board = "4k3/8/8/8/8/8/8/r2K4 w - - 0 1".parse().unwrap();
    /// assert!(board.threatened().contains(Square::E1));
    /// ```
    #[inline]
    pub fn threatened(&self) -> Bitboard {
        let king = Bitboard::of(self.king(self.side));
        self.attacks_by(!self.side, self.occupied() - king)
    }

    /// The keys computed from nothing but the pieces and rights; equal to the incremental ones.
    pub(crate) fn keys_from_scratch(&self) -> Keys {
        let mut keys = Keys::default();
        for sq in Square::ALL {
            if let Some(piece) = self.mailbox[sq] {
                keys.toggle(piece, sq);
            }
        }
        for rook in self.castling {
            keys.state ^= Self::castling_key(rook);
        }
        if let Some(sq) = self.en_passant() {
            keys.state ^= zobrist::en_passant(sq.file());
        }
        if self.side == Color::Black {
            keys.state ^= zobrist::black_to_move();
        }
        keys
    }

    /// The key of the right to castle with the rook on `rook`.
    fn castling_key(rook: Square) -> u64 {
        let color = if rook.rank() == Rank::R1 { Color::White } else { Color::Black };
        zobrist::castling(color, rook.file())
    }

    /// Finds who checks and what is pinned for the side to move.
    #[inline]
    fn update_checks(&mut self) {
        let (us, them) = (self.side, !self.side);
        let king = self.king(us);
        let [pawns, knights, bishops, rooks, queens, _] = self.pieces;
        let enemy = self.colors[them];
        let occupied = self.occupied();
        let mut checkers = attacks::knight(king) & knights | attacks::pawn(us, king) & pawns;
        checkers &= enemy;
        let mut pinned = Bitboard::EMPTY;
        let snipers = attacks::bishop_rays(king) & (bishops | queens)
            | attacks::rook_rays(king) & (rooks | queens);
        for sniper in snipers & enemy {
            let blockers = attacks::between(king, sniper) & occupied;
            if blockers.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !blockers.several() {
                pinned |= blockers;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned & self.colors[us];
    }

    /// The position with colours swapped and the board turned top to bottom.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1".parse().unwrap();
    /// assert_eq!(board.mirrored().to_string(), "4k2r/4p3/8/8/8/8/8/4K3 b k - 0 1");
    /// ```
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut board = *self;
        board.pieces = self.pieces.map(Bitboard::flip_ranks);
        board.colors = [self.colors[1].flip_ranks(), self.colors[0].flip_ranks()];
        for sq in Square::ALL {
            board.mailbox[sq.flip_rank()] =
                self.mailbox[sq].map(|piece| Piece::new(!piece.color(), piece.kind()));
        }
        board.castling = self.castling.flip_ranks();
        board.en_passant = self.en_passant.flip_rank();
        board.side = !self.side;
        board.keys = board.keys_from_scratch();
        board.update_checks();
        board
    }

    /// Panics if any incrementally kept field differs from one computed from scratch.
    ///
    /// Costs far more than a move; made for tests and debug builds.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mut board = Board::default();
    /// board.play(board.parse_san("e4").unwrap());
    /// board.assert_consistent();
    /// ```
    pub fn assert_consistent(&self) {
        let mut fresh = *self;
        fresh.pieces = [Bitboard::EMPTY; 6];
        fresh.colors = [Bitboard::EMPTY; 2];
        for sq in Square::ALL {
            if let Some(piece) = self.mailbox[sq] {
                fresh.pieces[piece.kind()] |= Bitboard::of(sq);
                fresh.colors[piece.color()] |= Bitboard::of(sq);
            }
        }
        fresh.keys = fresh.keys_from_scratch();
        fresh.update_checks();
        if let Some(target) = self.en_passant() {
            assert!(self.en_passant_capturers(target).any(), "en passant without a capture");
        }
        assert!(*self == fresh, "incremental state differs from scratch: {self}");
    }
}
