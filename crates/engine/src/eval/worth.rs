//! What each piece is worth: the evaluation with and without it.

use std::fmt;
use tabiya_chess::{Board, Color, File, Piece, PieceType, Rank, Setup, Square};

/// What the value loses for its owner when a piece is taken off the board; `None` for kings, empty
/// squares, and pieces whose removal leaves no legal position.
#[derive(Clone, Debug)]
pub struct Worth(pub [Option<(Piece, i32)>; 64]);

impl Worth {
    /// Asks `value`, an evaluation from White's view, about every piece.
    pub fn new(board: &Board, mut value: impl FnMut(&Board) -> i32) -> Self {
        let with = value(board);
        Self(Square::ALL.map(|sq| {
            let piece = board.piece_on(sq).filter(|piece| piece.kind() != PieceType::King)?;
            let mut setup = Setup::from_fen(&board.to_string()).ok()?;
            setup.pieces[sq] = None;
            // Castling rights of a missing rook are dropped.
            let (without, _) = setup.to_board_lenient(true).ok()?;
            let gain = with - value(&without);
            Some((piece, if piece.color() == Color::White { gain } else { -gain }))
        }))
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            write!(f, "{}", rank.letter())?;
            for file in File::ALL {
                match self.0[Square::new(file, rank)] {
                    Some((piece, worth)) => write!(f, "  {}{worth:5}", piece.letter())?,
                    None => write!(f, "  {:>6}", ".")?,
                }
            }
            writeln!(f)?;
        }
        write!(f, " ")?;
        for file in File::ALL {
            write!(f, "  {:>6}", file.letter())?;
        }
        writeln!(f)
    }
}
