//! Moves in the coordinate notation of the UCI protocol: `e2e4`, `e7e8q`, `e1g1`.

use crate::board::Board;
use crate::fen::quote;
use crate::moves::Move;
use crate::types::{Piece, PieceType, Square};
use std::fmt;

/// Why a text is not a move of a position.
///
/// ```
/// use tabiya_chess::{Board, Square, UciMoveError};
/// assert_eq!(Board::default().parse_uci("e4e5"), Err(UciMoveError::NoPiece(Square::E4)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UciMoveError {
    /// Not two squares and perhaps a promotion letter.
    Malformed(String),
    /// Nothing stands on the first square.
    NoPiece(Square),
    /// The piece on the first square belongs to the other side.
    WrongColor(Square, Piece),
    /// The pawn reaches the last rank but the text does not say what it becomes.
    NoPromotion(String),
    /// The piece may not go there.
    Illegal(String),
}

impl fmt::Display for UciMoveError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Malformed(text) => write!(f, "'{text}' is not a move like e2e4 or e7e8q"),
            Self::NoPiece(sq) => write!(f, "no piece on {sq}"),
            Self::WrongColor(sq, piece) => write!(f, "it is not the turn of the {piece} on {sq}"),
            Self::NoPromotion(text) => write!(f, "{text} lacks the promotion piece"),
            Self::Illegal(text) => write!(f, "illegal move {text}"),
        }
    }
}

impl std::error::Error for UciMoveError {}

impl Board {
    /// Reads a move in coordinates.
    ///
    /// Castling may be written as the king's step (`e1g1`) or as king takes own rook (`e1h1`). Where
    /// a Chess960 king may also simply step onto its castling square, the step is meant.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1".parse().unwrap();
    /// assert_eq!(board.parse_uci("e1g1"), board.parse_uci("e1h1"));
    /// assert_eq!(board.parse_uci("e2e5").unwrap_err().to_string(), "illegal move e2e5");
    /// assert_eq!(board.parse_uci("e3e4").unwrap_err().to_string(), "no piece on e3");
    /// ```
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciMoveError> {
        let (from, to, promotion) =
            parse_coordinates(text).ok_or_else(|| UciMoveError::Malformed(quote(text)))?;
        let piece = self.piece_on(from).ok_or(UciMoveError::NoPiece(from))?;
        if piece.color() != self.side_to_move() {
            return Err(UciMoveError::WrongColor(from, piece));
        }
        let moves = self.legal_moves();
        let find = |wanted: &dyn Fn(Move) -> bool| {
            moves.iter().find(|mv| mv.from() == from && wanted(*mv))
        };
        if let Some(mv) = find(&|mv| mv.to() == to && mv.promotion() == promotion) {
            return Ok(mv);
        }
        if promotion.is_none() {
            if let Some(mv) = find(&|mv| mv.is_castling() && Self::landing_square(mv) == to) {
                return Ok(mv);
            }
            if find(&|mv| mv.to() == to).is_some() {
                return Err(UciMoveError::NoPromotion(text.to_owned()));
            }
        }
        Err(UciMoveError::Illegal(text.to_owned()))
    }

    /// Writes a move in coordinates. Castling is king takes own rook with `chess960`, else the
    /// king's step, which is ambiguous where the king starts beside its castling square.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    /// let mv = board.parse_san("O-O").unwrap();
    /// assert_eq!(board.uci(mv, false), "e1g1");
    /// assert_eq!(board.uci(mv, true), "e1h1");
    /// ```
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        let to = if chess960 { mv.to() } else { Self::landing_square(mv) };
        let mut text = format!("{}{to}", mv.from());
        text.extend(mv.promotion().map(PieceType::letter));
        text
    }
}

fn parse_coordinates(text: &str) -> Option<(Square, Square, Option<PieceType>)> {
    let from = Square::from_text(text.get(..2)?)?;
    let to = Square::from_text(text.get(2..4)?)?;
    let mut rest = text.get(4..)?.chars();
    let promotion = match rest.next() {
        None => None,
        Some(letter) => Some(PieceType::promotion_from_letter(letter)?),
    };
    rest.next().is_none().then_some((from, to, promotion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::MoveKind;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, true).unwrap()
    }

    #[test]
    fn promotion_letters_may_be_upper_case() {
        let board = board("8/4P3/8/8/8/8/k7/4K3 w - - 0 1");
        assert_eq!(board.parse_uci("e7e8N"), board.parse_uci("e7e8n"));
        assert_eq!(board.uci(board.parse_uci("e7e8N").unwrap(), false), "e7e8n");
    }

    #[test]
    fn a_step_onto_the_castling_square_is_a_step() {
        let board = board("4k3/8/8/8/8/8/8/RK6 w A - 0 1");
        assert_eq!(board.parse_uci("b1c1").unwrap().kind(), MoveKind::Quiet);
        assert_eq!(board.parse_uci("b1a1").unwrap().kind(), MoveKind::Castling);
    }

    #[test]
    fn castling_that_leaves_the_king_in_place_round_trips() {
        let board = board("4k3/8/8/8/8/8/8/6KR w H - 0 1");
        let castling = board.parse_uci("g1h1").unwrap();
        assert!(castling.is_castling());
        assert_eq!(board.parse_uci(&board.uci(castling, false)), Ok(castling));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let board = board("7k/4P3/8/8/8/8/8/4K3 w - - 0 1");
        for (text, message) in [
            ("", "'' is not a move like e2e4 or e7e8q"),
            ("0000", "'0000' is not a move like e2e4 or e7e8q"),
            ("e7e8k", "'e7e8k' is not a move like e2e4 or e7e8q"),
            ("e7é", "'e7\\u{e9}' is not a move like e2e4 or e7e8q"),
            ("e7e8qq", "'e7e8qq' is not a move like e2e4 or e7e8q"),
            ("h8h7", "it is not the turn of the black king on h8"),
            ("e7e8", "e7e8 lacks the promotion piece"),
            ("e1e2q", "illegal move e1e2q"),
            ("e1g1", "illegal move e1g1"),
            ("a1a2", "no piece on a1"),
        ] {
            assert_eq!(board.parse_uci(text).unwrap_err().to_string(), message);
        }
    }
}
