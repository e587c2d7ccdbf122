//! From any arrangement of pieces to a playable [`Board`]: what is checked, and what may be repaired.

use super::en_passant::EnPassant;
use super::{Board, CastlingSide};
use crate::attacks;
use crate::bitboard::Bitboard;
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use crate::zobrist::Keys;
use std::fmt;

/// How castling rights are asked for.
///
/// ```
/// use tabiya_chess::{CastlingClaim, Color, File, Setup};
/// let setup = Setup::from_fen("4k3/8/8/8/8/8/8/R3K1R1 w G - 0 1")?;
/// assert_eq!(setup.castling, [(Color::White, CastlingClaim::File(File::G))]);
/// # Ok::<(), tabiya_chess::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastlingClaim {
    /// The letters K and Q: the outermost rook on that side of the king.
    Side(CastlingSide),
    /// A file letter (Shredder-FEN): the rook on that file.
    File(File),
}

/// An unchecked position, for example fresh from a FEN or a board editor.
///
/// ```
/// use tabiya_chess::{Color, Piece, Setup, Square};
/// let mut setup = Setup::empty();
/// setup.pieces[Square::E1] = Some(Piece::WhiteKing);
/// setup.pieces[Square::E8] = Some(Piece::BlackKing);
/// assert!(setup.to_board(false).is_ok());
/// setup.pieces[Square::E8] = None;
/// assert_eq!(setup.to_board(false).unwrap_err().to_string(), "pieces: black has no king");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The piece on each square.
    pub pieces: [Option<Piece>; 64],
    /// The side to move.
    pub side: Color,
    /// The castling rights asked for.
    pub castling: Vec<(Color, CastlingClaim)>,
    /// The square a pawn just passed over.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the move, from 1.
    pub fullmove_number: u16,
}

/// Why a setup is not a legal position.
///
/// ```
/// use tabiya_chess::{Setup, SetupError, Square};
/// let setup = Setup::from_fen("4k2P/8/8/8/8/8/8/4K3 w - - 0 1")?;
/// assert_eq!(setup.to_board(false), Err(SetupError::PawnOnBackRank(Square::H8)));
/// # Ok::<(), tabiya_chess::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetupError {
    /// A side has no king.
    NoKing(Color),
    /// A side has more than one king.
    TooManyKings(Color),
    /// A pawn on the first or last rank.
    PawnOnBackRank(Square),
    /// The side that just moved left its king in check.
    OpponentInCheck(Color),
    /// More than sixteen pieces of a colour.
    TooManyPieces(Color, u32),
    /// More than eight pawns of a colour.
    TooManyPawns(Color, u32),
    /// The checks cannot have come from one move.
    ImpossibleCheck,
    /// A castling right without the king on its place.
    CastlingKing(Color, Square),
    /// A castling right without a rook.
    CastlingRook(Color, CastlingClaim),
    /// Two rights for rooks on one side of the king.
    CastlingTwice(Color),
    /// An en passant square that no double step can have left behind.
    EnPassant(Square),
}

impl SetupError {
    /// Whether [`Setup::to_board_lenient`] can do without the faulty part.
    fn is_repairable(self) -> bool {
        !matches!(
            self,
            Self::NoKing(_)
                | Self::TooManyKings(_)
                | Self::PawnOnBackRank(_)
                | Self::OpponentInCheck(_)
        )
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::NoKing(color) => write!(f, "pieces: {color} has no king"),
            Self::TooManyKings(color) => write!(f, "pieces: {color} has more than one king"),
            Self::PawnOnBackRank(sq) => write!(f, "pieces: pawn on {sq}"),
            Self::OpponentInCheck(color) => {
                write!(f, "side to move: {color} is in check but it is not {color}'s move")
            }
            Self::TooManyPieces(color, count) => {
                write!(f, "pieces: {color} has {count} pieces, more than 16")
            }
            Self::TooManyPawns(color, count) => {
                write!(f, "pieces: {color} has {count} pawns, more than 8")
            }
            Self::ImpossibleCheck => write!(f, "pieces: no move can lead to this check"),
            Self::CastlingKing(color, sq) => {
                write!(f, "castling: {color} may castle but its king is on {sq}")
            }
            Self::CastlingRook(color, CastlingClaim::File(file)) => {
                let rook = Square::new(file, color.back_rank());
                write!(f, "castling: {color} may castle with a rook on {rook} but there is none")
            }
            Self::CastlingRook(color, CastlingClaim::Side(side)) => {
                let (name, file) = match side {
                    CastlingSide::King => ("king", File::H),
                    CastlingSide::Queen => ("queen", File::A),
                };
                let rook = Square::new(file, color.back_rank());
                write!(f, "castling: {color} may castle {name}-side but no rook on {rook}")
            }
            Self::CastlingTwice(color) => {
                write!(f, "castling: {color} has two rooks to castle with on one side")
            }
            Self::EnPassant(sq) => write!(f, "en passant: no pawn can have passed {sq}"),
        }
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// An empty board, White to move.
    ///
    /// ```
    /// use tabiya_chess::Setup;
    /// assert!(Setup::empty().pieces.iter().all(Option::is_none));
    /// ```
    pub const fn empty() -> Self {
        Self {
            pieces: [None; 64],
            side: Color::White,
            castling: Vec::new(),
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// The position, if it is legal. In Chess960 the letters K and Q stand for the outermost rook
    /// beside a king anywhere on its back rank; else king and rook must be on their usual squares.
    ///
    /// ```
    /// use tabiya_chess::Setup;
    /// let setup = Setup::from_fen("1k6/8/8/8/8/8/8/1K4R1 w K - 0 1")?;
    /// assert!(setup.to_board(true).is_ok());
    /// assert!(setup.to_board(false).is_err());
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn to_board(&self, chess960: bool) -> Result<Board, SetupError> {
        let mut faults = Vec::new();
        let board = self.build(chess960, &mut faults)?;
        faults.first().map_or(Ok(board), |fault| Err(*fault))
    }

    /// The position without the parts that make no sense (castling rights, en passant square), and
    /// what was dropped or overlooked. Still an error where nothing can be played.
    ///
    /// ```
    /// use tabiya_chess::{Setup, SetupError, Square};
    /// let setup = Setup::from_fen("4k3/8/8/8/8/8/8/4K3 w - e6 0 1")?;
    /// let (board, faults) = setup.to_board_lenient(false)?;
    /// assert_eq!((board.en_passant(), faults), (None, vec![SetupError::EnPassant(Square::E6)]));
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn to_board_lenient(&self, chess960: bool) -> Result<(Board, Vec<SetupError>), SetupError> {
        let mut faults = Vec::new();
        let board = self.build(chess960, &mut faults)?;
        Ok((board, faults))
    }

    fn build(&self, chess960: bool, faults: &mut Vec<SetupError>) -> Result<Board, SetupError> {
        let mut board = Board {
            pieces: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            mailbox: self.pieces,
            keys: Keys::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: Bitboard::EMPTY,
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number.max(1),
            reversible_plies: self.halfmove_clock,
            en_passant: EnPassant::NONE,
            side: self.side,
        };
        for sq in Square::ALL {
            if let Some(piece) = self.pieces[sq] {
                board.pieces[piece.kind()] |= Bitboard::of(sq);
                board.colors[piece.color()] |= Bitboard::of(sq);
            }
        }
        check_material(&board, faults)?;
        for &(color, claim) in &self.castling {
            match castling_rook(&board, color, claim, chess960) {
                Ok(rook) => board.castling |= Bitboard::of(rook),
                Err(fault) => faults.push(fault),
            }
        }
        board.update_checks();
        if let Some(target) = self.en_passant {
            if may_have_passed(&board, target) {
                board.en_passant = board.en_passant_over(target);
            } else {
                faults.push(SetupError::EnPassant(target));
            }
        }
        if is_impossible_check(&board, self.en_passant) {
            faults.push(SetupError::ImpossibleCheck);
        }
        board.keys = board.keys_from_scratch();
        debug_assert!(faults.iter().all(|fault| fault.is_repairable()));
        Ok(board)
    }
}

fn check_material(board: &Board, faults: &mut Vec<SetupError>) -> Result<(), SetupError> {
    for color in Color::ALL {
        match board.pieces(color, PieceType::King).count() {
            0 => return Err(SetupError::NoKing(color)),
            1 => {}
            _ => return Err(SetupError::TooManyKings(color)),
        }
        let (pieces, pawns) = (board.color(color), board.pieces(color, PieceType::Pawn));
        if pieces.count() > 16 {
            faults.push(SetupError::TooManyPieces(color, pieces.count()));
        }
        if pawns.count() > 8 {
            faults.push(SetupError::TooManyPawns(color, pawns.count()));
        }
    }
    let edge = Bitboard::rank(Rank::R1) | Bitboard::rank(Rank::R8);
    if let Some(sq) = (board.kind(PieceType::Pawn) & edge).first() {
        return Err(SetupError::PawnOnBackRank(sq));
    }
    let (us, them) = (board.side, !board.side);
    if board.is_attacked(board.king(them), us, board.occupied()) {
        return Err(SetupError::OpponentInCheck(them));
    }
    Ok(())
}

/// The rook a castling claim means.
fn castling_rook(
    board: &Board,
    color: Color,
    claim: CastlingClaim,
    chess960: bool,
) -> Result<Square, SetupError> {
    let king = board.king(color);
    let rank = color.back_rank();
    let standard = !chess960 && matches!(claim, CastlingClaim::Side(_));
    if king.rank() != rank || standard && king.file() != File::E {
        return Err(SetupError::CastlingKing(color, king));
    }
    let rooks = board.pieces(color, PieceType::Rook) & Bitboard::rank(rank);
    let rook = match claim {
        CastlingClaim::File(file) => Some(Square::new(file, rank)),
        CastlingClaim::Side(CastlingSide::King) if standard => Some(Square::new(File::H, rank)),
        CastlingClaim::Side(CastlingSide::Queen) if standard => Some(Square::new(File::A, rank)),
        CastlingClaim::Side(CastlingSide::King) => rooks.last().filter(|rook| *rook > king),
        CastlingClaim::Side(CastlingSide::Queen) => rooks.first().filter(|rook| *rook < king),
    };
    let rook = rook.filter(|rook| rooks.contains(*rook));
    let rook = rook.ok_or(SetupError::CastlingRook(color, claim))?;
    let claimed = (board.castling & Bitboard::rank(rank)) - Bitboard::of(rook);
    if claimed.into_iter().any(|other| (other > king) == (rook > king)) {
        return Err(SetupError::CastlingTwice(color));
    }
    Ok(rook)
}

/// Whether an enemy pawn can just have stepped over `target`.
fn may_have_passed(board: &Board, target: Square) -> bool {
    let them = !board.side;
    let behind = Bitboard::of(target).forward(board.side);
    let pawn = Bitboard::of(target).forward(them);
    target.rank() == Rank::R3.relative_to(them)
        && !board.occupied().intersects(Bitboard::of(target) | behind)
        && board.pieces(them, PieceType::Pawn).intersects(pawn)
}

/// Whether no single move can have led to the checks on the board: three checkers, two sliders on
/// one line through the king, or checks that a double step cannot have uncovered.
fn is_impossible_check(board: &Board, en_passant: Option<Square>) -> bool {
    let king = board.king(board.side);
    let checkers: Vec<_> = board.checkers.into_iter().collect();
    if let Some(target) = en_passant
        && may_have_passed(board, target)
        && !checkers.is_empty()
    {
        let pawn = Bitboard::of(target).forward(!board.side);
        let origin = Bitboard::of(target).forward(board.side);
        let before = (board.occupied() - pawn) | origin;
        return checkers.len() > 1
            || checkers.iter().any(|checker| {
                !pawn.contains(*checker) && board.attackers_to(king, before).contains(*checker)
            });
    }
    match checkers[..] {
        [] | [_] => false,
        [a, b] => attacks::line(a, b).contains(king),
        _ => true,
    }
}
