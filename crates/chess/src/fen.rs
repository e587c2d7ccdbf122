//! Positions as text: FEN with the castling letters of standard FEN, X-FEN and Shredder-FEN.

use crate::bitboard::Bitboard;
use crate::board::setup::{CastlingClaim, Setup, SetupError};
use crate::board::{Board, CastlingSide};
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use std::fmt;
use std::str::FromStr;

/// The usual starting position.
///
/// ```
/// use tabiya_chess::{Board, START_FEN};
/// assert_eq!(START_FEN.parse(), Ok(Board::default()));
/// ```
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// What is wrong with a FEN, naming the field.
///
/// ```
/// use tabiya_chess::{Board, FenError, Rank};
/// let error = "rnbqkbnr/pppppppp/8/7/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".parse::<Board>();
/// assert_eq!(error, Err(FenError::RankLength(Rank::R5, 7)));
/// assert_eq!(error.unwrap_err().to_string(), "pieces: rank 5 has 7 squares, not 8");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FenError {
    /// A field that is not there.
    Missing(&'static str),
    /// Something after the last field.
    Extra(String),
    /// A rank that does not have eight squares.
    RankLength(Rank, usize),
    /// Not eight ranks.
    RankCount(usize),
    /// A character that is no piece and no number of empty squares.
    Piece(char, Rank),
    /// A field with a value it cannot have.
    Field(&'static str, String),
    /// The fields can be read but the position is not legal.
    Setup(SetupError),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Missing(field) => write!(f, "{field}: missing"),
            Self::Extra(text) => write!(f, "unexpected '{text}' after the last field"),
            Self::RankLength(rank, count) => {
                write!(f, "pieces: rank {} has {count} squares, not 8", rank.letter())
            }
            Self::RankCount(count) => write!(f, "pieces: {count} ranks, not 8"),
            Self::Piece(letter, rank) => {
                write!(f, "pieces: '{}' on rank {}", letter.escape_default(), rank.letter())
            }
            Self::Field(field, value) => write!(f, "{field}: cannot be '{value}'"),
            Self::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Setup(error) => Some(error),
            _ => None,
        }
    }
}

impl From<SetupError> for FenError {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

/// Text that could not be read is quoted no longer than this.
const QUOTE_LIMIT: usize = 40;

/// Foreign text as an error message may show it: short and printable.
pub(crate) fn quote(text: &str) -> String {
    text.chars().take(QUOTE_LIMIT).flat_map(char::escape_default).collect()
}

impl Setup {
    /// Reads the fields of a FEN without asking whether the position makes sense.
    ///
    /// The two counters may be missing, as in EPD.
    ///
    /// ```
    /// use tabiya_chess::{Piece, Setup, Square};
    /// let no_kings = Setup::from_fen("8/8/8/8/8/8/Q7/8 w - -")?;
    /// assert_eq!(no_kings.pieces[Square::A2], Some(Piece::WhiteQueen));
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut next = |name| fields.next().ok_or(FenError::Missing(name));
        let mut setup = Self::empty();
        setup.pieces = parse_pieces(next("pieces")?)?;
        setup.side = match next("side to move")? {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Field("side to move", quote(other))),
        };
        setup.castling = parse_castling(next("castling")?)?;
        setup.en_passant = match next("en passant")? {
            "-" => None,
            text => Some(
                Square::from_text(text)
                    .filter(|sq| matches!(sq.rank(), Rank::R3 | Rank::R6))
                    .ok_or_else(|| FenError::Field("en passant", quote(text)))?,
            ),
        };
        let mut counter = |name, default| match fields.next() {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| FenError::Field(name, quote(text))),
        };
        setup.halfmove_clock = counter("halfmove clock", 0)?;
        setup.fullmove_number = counter("move number", 1)?;
        match fields.next() {
            Some(extra) => Err(FenError::Extra(quote(extra))),
            None => Ok(setup),
        }
    }
}

fn parse_pieces(text: &str) -> Result<[Option<Piece>; 64], FenError> {
    let mut pieces = [None; 64];
    let ranks = text.split('/').count();
    if ranks != 8 {
        return Err(FenError::RankCount(ranks));
    }
    for (rank, row) in Rank::ALL.into_iter().rev().zip(text.split('/')) {
        let mut file = 0;
        let mut after_digit = false;
        for letter in row.chars() {
            let digit = matches!(letter, '1'..='8');
            if digit && !after_digit {
                file += letter as usize - '0' as usize;
            } else if let Some(piece) = Piece::from_letter(letter) {
                if let Some(file) = File::from_index(file) {
                    pieces[Square::new(file, rank)] = Some(piece);
                }
                file += 1;
            } else {
                return Err(FenError::Piece(letter, rank));
            }
            after_digit = digit;
        }
        if file != 8 {
            return Err(FenError::RankLength(rank, file));
        }
    }
    Ok(pieces)
}

fn parse_castling(text: &str) -> Result<Vec<(Color, CastlingClaim)>, FenError> {
    if text == "-" {
        return Ok(Vec::new());
    }
    let bad = || FenError::Field("castling", quote(text));
    let mut claims = Vec::new();
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let claim = match letter.to_ascii_lowercase() {
            'k' => CastlingClaim::Side(CastlingSide::King),
            'q' => CastlingClaim::Side(CastlingSide::Queen),
            file => CastlingClaim::File(File::from_letter(file).ok_or_else(bad)?),
        };
        claims.push((color, claim));
        if claims.iter().filter(|(owner, _)| *owner == color).count() > 2 {
            return Err(bad());
        }
    }
    Ok(claims)
}

impl FromStr for Board {
    type Err = FenError;

    /// Reads the FEN of a standard chess position.
    fn from_str(fen: &str) -> Result<Self, FenError> {
        Self::from_fen(fen, false)
    }
}

impl Default for Board {
    /// The usual starting position.
    fn default() -> Self {
        START_FEN.parse().expect("the starting position is legal")
    }
}

impl Board {
    /// Reads a FEN; with `chess960` the castling letters K and Q mean the outermost rooks (X-FEN).
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let error = Board::from_fen("4k3/8/8/8/8/8/8/4K3 w K - 0 1", false).unwrap_err();
    /// assert_eq!(error.to_string(), "castling: white may castle king-side but no rook on h1");
    /// ```
    pub fn from_fen(fen: &str, chess960: bool) -> Result<Self, FenError> {
        Ok(Setup::from_fen(fen)?.to_board(chess960)?)
    }

    /// Reads a FEN, leaving out what makes no sense, and says what was left out.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let fen = "4k3/8/8/8/8/8/8/4K3 w K - 0 1";
    /// let (board, repairs) = Board::from_fen_lenient(fen, false)?;
    /// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    /// assert_eq!(repairs.len(), 1);
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn from_fen_lenient(
        fen: &str,
        chess960: bool,
    ) -> Result<(Self, Vec<SetupError>), FenError> {
        Ok(Setup::from_fen(fen)?.to_board_lenient(chess960)?)
    }

    /// The FEN with file letters for castling (Shredder-FEN), as Chess960 programs prefer.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let fen = Board::default().to_shredder_fen();
    /// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    /// ```
    pub fn to_shredder_fen(&self) -> String {
        Fen { board: self, shredder: true }.to_string()
    }

    /// The position part of the FEN without the two counters, as in EPD.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let epd = Board::default().to_epd();
    /// assert_eq!(epd, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
    /// ```
    pub fn to_epd(&self) -> String {
        let fen = self.to_string();
        let end = fen.rmatch_indices(' ').nth(1).map_or(fen.len(), |(at, _)| at);
        fen[..end].to_owned()
    }

    /// The castling letter of a right in X-FEN: K or Q if the rook is the outermost one.
    fn castling_letter(&self, rook: Square, color: Color) -> char {
        let king = self.king(color);
        let rooks = self.pieces(color, PieceType::Rook) & Bitboard::rank(color.back_rank());
        if rook > king && rooks.last() == Some(rook) {
            'k'
        } else if rook < king && rooks.first() == Some(rook) {
            'q'
        } else {
            rook.file().letter()
        }
    }
}

impl fmt::Display for Board {
    /// The FEN, with X-FEN castling letters.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Fen { board: self, shredder: false }.fmt(f)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

struct Fen<'a> {
    board: &'a Board,
    shredder: bool,
}

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let board = self.board;
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match board.piece_on(Square::new(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                        }
                        empty = 0;
                        write!(f, "{}", piece.letter())?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank != Rank::R1 {
                f.write_str("/")?;
            }
        }
        write!(f, " {} ", board.side_to_move().letter())?;
        if board.castling_rooks().is_empty() {
            f.write_str("-")?;
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let Some(rook) = board.castling_rook(color, side) else { continue };
                let letter = if self.shredder {
                    rook.file().letter()
                } else {
                    board.castling_letter(rook, color)
                };
                let white = color == Color::White;
                write!(f, "{}", if white { letter.to_ascii_uppercase() } else { letter })?;
            }
        }
        match board.en_passant() {
            Some(sq) => write!(f, " {sq}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", board.halfmove_clock(), board.fullmove_number())
    }
}
