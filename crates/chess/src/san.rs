//! Moves as people write them: standard algebraic notation (`Nf3`) and its long form (`Ng1-f3`).
//!
//! Reading is tolerant, writing is exact: the shortest unambiguous form with its check or mate sign.

use crate::bitboard::Bitboard;
use crate::board::{Board, CastlingSide};
use crate::fen::quote;
use crate::moves::{Move, MoveKind};
use crate::types::{Color, File, PieceType, Rank, Square};
use std::fmt;

/// Why a text is not a move of a position.
///
/// ```
/// use tabiya_chess::{Board, SanError};
/// assert_eq!(Board::default().parse_san("hello"), Err(SanError::Malformed("hello".to_owned())));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SanError {
    /// Not written like a move at all.
    Malformed(String),
    /// Written like a move, but no legal move fits.
    NoSuchMove(String),
    /// Several legal moves fit: these, in standard notation.
    Ambiguous(String, Vec<String>),
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Malformed(text) => write!(f, "'{text}' is not a move like Nf3 or exd5"),
            Self::NoSuchMove(text) => write!(f, "no legal move is {text}"),
            Self::Ambiguous(text, candidates) => {
                write!(f, "{text} may be {}", candidates.join(" or "))
            }
        }
    }
}

impl std::error::Error for SanError {}

/// What a text says about a move.
#[derive(PartialEq, Eq, Debug)]
enum Description {
    Castling(CastlingSide),
    Other {
        kind: PieceType,
        from_file: Option<File>,
        from_rank: Option<Rank>,
        capture: bool,
        to: Square,
        promotion: Option<PieceType>,
    },
}

impl Description {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        match text {
            "O-O" | "0-0" | "o-o" => return Some(Self::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(Self::Castling(CastlingSide::Queen)),
            _ => {}
        }
        let kind = text.chars().next().filter(char::is_ascii_uppercase);
        let (kind, text) = match kind {
            Some(letter) => (PieceType::from_letter(letter)?, &text[1..]),
            None => (PieceType::Pawn, text),
        };
        let (promotion, text) = split_promotion(text)?;
        let (origin, to) = text.split_at_checked(text.len().checked_sub(2)?)?;
        let (capture, origin) = match origin.strip_suffix(['x', ':']) {
            Some(origin) => (true, origin),
            None => (false, origin.strip_suffix('-').unwrap_or(origin)),
        };
        let mut letters = origin.chars().peekable();
        let from_file = letters.peek().copied().and_then(File::from_letter);
        letters.next_if(|_| from_file.is_some());
        let from_rank = letters.peek().copied().and_then(Rank::from_letter);
        letters.next_if(|_| from_rank.is_some());
        let to = Square::from_text(to)?;
        let complete = letters.next().is_none();
        complete.then_some(Self::Other { kind, from_file, from_rank, capture, to, promotion })
    }

    fn fits(&self, board: &Board, mv: Move) -> bool {
        match *self {
            Self::Castling(side) => mv.is_castling() && CastlingSide::of(mv) == side,
            Self::Other { kind, from_file, from_rank, capture, to, promotion } => {
                let from = mv.from();
                mv.to() == to
                    && !mv.is_castling()
                    && board.piece_on(from).is_some_and(|piece| piece.kind() == kind)
                    && from_file.is_none_or(|file| file == from.file())
                    && from_rank.is_none_or(|rank| rank == from.rank())
                    && promotion.is_none_or(|piece| mv.promotion() == Some(piece))
                    // `d5` never means a capture: that is `exd5` or at least `ed5`.
                    && (kind != PieceType::Pawn || capture || from_file.is_some() || !mv.is_capture())
            }
        }
    }
}

/// Takes off `=Q`, `Q`, `(Q)` or `/Q` in either case; `None` if a pawn cannot become that.
fn split_promotion(text: &str) -> Option<(Option<PieceType>, &str)> {
    let trimmed = text.strip_suffix(')').unwrap_or(text);
    let Some(letter) = trimmed.chars().last().filter(char::is_ascii_alphabetic) else {
        return Some((None, text));
    };
    let piece = PieceType::promotion_from_letter(letter)?;
    let rest = &trimmed[..trimmed.len() - 1];
    Some((Some(piece), rest.strip_suffix(['=', '(', '/']).unwrap_or(rest)))
}

impl Board {
    /// Reads a move in standard algebraic notation, short or long.
    ///
    /// Check signs and `!`/`?` may be there or not, castling is `O-O` or `0-0`, a promotion `e8=Q`,
    /// `e8Q` or `e8(q)`, and more of the origin may be given than needed (`Ng1f3`, `e2-e4`).
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "4k3/8/8/8/8/5N2/8/RN2K3 w Q - 0 1".parse().unwrap();
    /// assert_eq!(board.parse_san("0-0-0").unwrap_err().to_string(), "no legal move is 0-0-0");
    /// assert_eq!(board.parse_san("Nd2").unwrap_err().to_string(), "Nd2 may be Nbd2 or Nfd2");
    /// assert_eq!(board.parse_san("Nb1-d2!?"), board.parse_san("Nbd2"));
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let wanted = Description::parse(text).ok_or_else(|| SanError::Malformed(quote(text)))?;
        let moves = self.legal_moves();
        let mut fitting = moves.iter().filter(|mv| wanted.fits(self, *mv));
        match (fitting.next(), fitting.next()) {
            (Some(mv), None) => Ok(mv),
            (None, _) => Err(SanError::NoSuchMove(quote(text))),
            (Some(first), Some(second)) => {
                let all = [first, second].into_iter().chain(fitting);
                let mut candidates: Vec<_> = all.map(|mv| self.san(mv)).collect();
                candidates.sort();
                Err(SanError::Ambiguous(quote(text), candidates))
            }
        }
    }

    /// Writes a legal move in standard algebraic notation.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board: Board = "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1".parse().unwrap();
    /// assert_eq!(board.san(board.parse_uci("a1a8").unwrap()), "Ra8#");
    /// assert_eq!(board.san(board.parse_uci("e1g1").unwrap()), "O-O");
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let kind = self.moving_kind(mv);
        let (file, rank) = match kind {
            PieceType::Pawn => (mv.is_capture(), false),
            _ => self.needed_origin(mv, kind),
        };
        let mut origin = String::new();
        origin.extend(file.then(|| mv.from().file().letter()));
        origin.extend(rank.then(|| mv.from().rank().letter()));
        self.algebraic(mv, &origin, if mv.is_capture() { "x" } else { "" })
    }

    /// Writes a legal move in long algebraic notation: both squares, `Ng1-f3` or `e4xd5`.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let board = Board::default();
    /// assert_eq!(board.lan(board.parse_san("Nf3").unwrap()), "Ng1-f3");
    /// ```
    pub fn lan(&self, mv: Move) -> String {
        self.algebraic(mv, &mv.from().to_string(), if mv.is_capture() { "x" } else { "-" })
    }

    fn algebraic(&self, mv: Move, origin: &str, separator: &str) -> String {
        let mut text = String::new();
        if mv.is_castling() {
            text.push_str(match CastlingSide::of(mv) {
                CastlingSide::King => "O-O",
                CastlingSide::Queen => "O-O-O",
            });
        } else {
            let kind = self.moving_kind(mv);
            if kind != PieceType::Pawn {
                text.push(kind.letter().to_ascii_uppercase());
            }
            text.push_str(origin);
            text.push_str(separator);
            text.push_str(&mv.to().to_string());
            if let Some(piece) = mv.promotion() {
                text.extend(['=', piece.letter().to_ascii_uppercase()]);
            }
        }
        if self.gives_check(mv) {
            let mut after = *self;
            after.play(mv);
            text.push(if after.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    fn moving_kind(&self, mv: Move) -> PieceType {
        self.piece_on(mv.from()).map_or(PieceType::Pawn, crate::Piece::kind)
    }

    /// Whether file and rank of the origin are needed to tell the move from those of other pieces
    /// of the same type. The file is preferred.
    fn needed_origin(&self, mv: Move, kind: PieceType) -> (bool, bool) {
        let from = mv.from();
        let how = if mv.is_capture() { MoveKind::Capture } else { MoveKind::Quiet };
        let rivals = self.attackers_to(mv.to(), self.occupied())
            & (self.pieces(self.side_to_move(), kind) - Bitboard::of(from));
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        for rival in rivals {
            if self.is_legal(Move::new(rival, mv.to(), how)) {
                any = true;
                same_file |= rival.file() == from.file();
                same_rank |= rival.rank() == from.rank();
            }
        }
        (any && (!same_file || same_rank), same_file)
    }
}

/// Lines, as people write them.
impl Board {
    /// The moves of a line from here, one by one in standard algebraic notation.
    pub fn line_san(&self, line: &[Move]) -> Vec<String> {
        let mut board = *self;
        let play = |mv: &Move| {
            let text = board.san(*mv);
            board.play(*mv);
            text
        };
        line.iter().map(play).collect()
    }

    /// The same with move numbers, in one text: `12. Nf3 Nc6 13. Bb5`.
    pub fn line_text(&self, line: &[Move]) -> String {
        let mut number = self.fullmove_number();
        let mut side = self.side_to_move();
        let mut words = Vec::new();
        for (index, san) in self.line_san(line).into_iter().enumerate() {
            match side {
                Color::White => words.push(format!("{number}.")),
                Color::Black if index == 0 => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(san);
            if side == Color::Black {
                number = number.saturating_add(1);
            }
            side = !side;
        }
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_where_they_need_them() {
        let mut board = Board::default();
        let line = ["e2e4", "e7e5", "g1f3"].map(|text| {
            let mv = board.parse_uci(text).unwrap();
            board.play(mv);
            mv
        });
        assert_eq!(Board::default().line_text(&line), "1. e4 e5 2. Nf3");
        let mut after = Board::default();
        after.play(line[0]);
        assert_eq!(after.line_text(&line[1..]), "1... e5 2. Nf3");
        assert_eq!(after.line_san(&line[1..]), ["e5", "Nf3"]);
    }

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, true).unwrap()
    }

    #[track_caller]
    fn read(board: &Board, text: &str) -> String {
        board.san(board.parse_san(text).unwrap())
    }

    #[test]
    fn tolerant_forms_mean_the_same_move() {
        let board = board("r3k2r/4P3/8/3pP3/8/5N2/8/R3K2R w KQkq d6 0 1");
        for (text, san) in [
            ("0-0", "O-O"),
            ("O-O-O!?", "O-O-O"),
            ("Nf3-g5", "Ng5"),
            ("Nf3g5", "Ng5"),
            ("N3g5", "Ng5"),
            ("Ng5+", "Ng5"),
            ("ed6", "exd6"),
            ("e5xd6", "exd6"),
            ("exd6??", "exd6"),
            ("e5-e6", "e6"),
            ("Pe6", "e6"),
        ] {
            assert_eq!(read(&board, text), san, "{text}");
        }
    }

    #[test]
    fn promotions_are_read_in_every_spelling() {
        let board = board("8/4P2k/8/8/8/8/8/4K3 w - - 0 1");
        for text in ["e8=N", "e8N", "e8n", "e8=n", "e8(N)", "e8/N", "e7-e8=N", "e7e8n!"] {
            assert_eq!(read(&board, text), "e8=N", "{text}");
        }
        let error = board.parse_san("e8").unwrap_err().to_string();
        assert_eq!(error, "e8 may be e8=B or e8=N or e8=Q or e8=R");
        assert!(matches!(board.parse_san("e8=K"), Err(SanError::Malformed(_))));
    }

    #[test]
    fn a_bare_target_is_not_a_pawn_capture() {
        let board = board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
        assert_eq!(board.parse_san("d5"), Err(SanError::NoSuchMove("d5".to_owned())));
        assert_eq!(read(&board, "xd5"), "exd5");
    }

    #[test]
    fn origin_is_as_short_as_possible() {
        // Each of the three queens reaches b2.
        let board = board("4k3/8/8/8/8/Q7/8/Q1Q1K3 w - - 0 1");
        let write = |uci: &str| board.san(board.parse_uci(uci).unwrap());
        assert_eq!(write("a1b2"), "Qa1b2");
        assert_eq!(write("a3b2"), "Q3b2");
        assert_eq!(write("c1b2"), "Qcb2");
        assert_eq!(write("a1a2"), "Q1a2");
    }

    #[test]
    fn a_pinned_rival_needs_no_disambiguation() {
        let board = board("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1");
        assert_eq!(read(&board, "Ne2"), "Ne2");
    }

    #[test]
    fn nonsense_is_malformed() {
        for text in ["", "+", "N", "x", "e", "e9", "Ni3", "♘f3", "Nf3é", "O-O-O-O", "=Q", "Nff3xx"]
        {
            let error = Board::default().parse_san(text).unwrap_err();
            assert!(matches!(error, SanError::Malformed(_)), "{text:?}: {error}");
        }
    }
}
