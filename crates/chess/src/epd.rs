//! EPD: a position without counters, followed by operations such as best moves and an identifier.
//!
//! Also reads the lines of perft suites, which put a whole FEN first and write `;D1 20 ;D2 400`.

use crate::board::Board;
use crate::board::setup::{Setup, SetupError};
use crate::fen::{FenError, quote};
use crate::moves::Move;
use crate::san::SanError;
use std::fmt;
use std::str::FromStr;

/// A position with operations.
///
/// ```
/// use tabiya_chess::Epd;
/// let line = r#"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id "back rank"; acd 3;"#;
/// let epd = Epd::parse(line, false)?;
/// assert_eq!(epd.board.san(epd.moves("bm")[0]), "Ra8#");
/// assert_eq!(epd.text("id"), Some("back rank"));
/// assert_eq!(epd.number("acd"), Some(3));
/// assert_eq!(epd.to_string(), line);
/// # Ok::<(), tabiya_chess::EpdError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position. Its counters come from the opcodes `hmvc` and `fmvn` or from FEN counters and
    /// are written as opcodes unless they are 0 and 1.
    pub board: Board,
    /// The other operations in the order of the line: opcode and operand.
    pub operations: Vec<(String, Operand)>,
}

/// What follows an opcode.
///
/// ```
/// use tabiya_chess::{Epd, Operand};
/// let epd = Epd::parse("4k3/8/8/8/8/8/8/4K3 w - - ce 0; c0 \"dead drawn\";", false)?;
/// assert_eq!(epd.operations[0], ("ce".to_owned(), Operand::Number(0)));
/// assert_eq!(epd.operations[1].1, Operand::Text(vec!["dead drawn".to_owned()]));
/// # Ok::<(), tabiya_chess::EpdError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Legal moves: `bm` (best), `am` (to avoid).
    Moves(Vec<Move>),
    /// A number: `ce` (centipawns), `acd` (depth), `acn` (nodes), `acs` (seconds), `dm` (mate in),
    /// `D1` to `D9` (perft).
    Number(i64),
    /// Words and quoted strings: `id`, `c0` to `c9`, and every opcode not known here.
    Text(Vec<String>),
}

/// What is wrong with an EPD line.
///
/// ```
/// use tabiya_chess::Epd;
/// let error = Epd::parse("4k3/8/8/8/8/8/8/4K3 w - - bm Qd4;", false).unwrap_err();
/// assert_eq!(error.to_string(), "bm: no legal move is Qd4");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EpdError {
    /// The position cannot be read.
    Position(FenError),
    /// A move of this opcode cannot be read.
    Move(String, SanError),
    /// The opcode needs one number.
    Number(String),
    /// A quoted string of this opcode does not end.
    Quote(String),
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Position(error) => error.fmt(f),
            Self::Move(opcode, error) => write!(f, "{opcode}: {error}"),
            Self::Number(opcode) => write!(f, "{opcode}: needs one number"),
            Self::Quote(opcode) => write!(f, "{opcode}: closing quote missing"),
        }
    }
}

impl std::error::Error for EpdError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Position(error) => Some(error),
            Self::Move(_, error) => Some(error),
            Self::Number(_) | Self::Quote(_) => None,
        }
    }
}

impl From<FenError> for EpdError {
    fn from(error: FenError) -> Self {
        Self::Position(error)
    }
}

impl Epd {
    /// Reads a line; with `chess960` the castling letters K and Q mean the outermost rooks.
    ///
    /// ```
    /// use tabiya_chess::Epd;
    /// let epd = Epd::parse("1k6/8/8/8/8/8/8/1K4R1 w K - bm O-O;", true)?;
    /// assert!(epd.moves("bm")[0].is_castling());
    /// # Ok::<(), tabiya_chess::EpdError>(())
    /// ```
    pub fn parse(line: &str, chess960: bool) -> Result<Self, EpdError> {
        Self::parse_with(line, |setup| setup.to_board(chess960).map_err(FenError::from))
    }

    /// Reads a line whose position may contain what makes no sense, and says what was left out, as
    /// [`Board::from_fen_lenient`] does.
    ///
    /// ```
    /// use tabiya_chess::Epd;
    /// let (epd, repairs) = Epd::parse_lenient("4k3/8/8/8/8/8/8/4K3 w KQ - id \"kings\";", false)?;
    /// assert_eq!((epd.text("id"), repairs.len()), (Some("kings"), 2));
    /// # Ok::<(), tabiya_chess::EpdError>(())
    /// ```
    pub fn parse_lenient(line: &str, chess960: bool) -> Result<(Self, Vec<SetupError>), EpdError> {
        let mut repairs = Vec::new();
        let epd = Self::parse_with(line, |setup| {
            let (board, faults) = setup.to_board_lenient(chess960)?;
            repairs = faults;
            Ok(board)
        })?;
        Ok((epd, repairs))
    }

    fn parse_with(
        line: &str,
        to_board: impl FnOnce(&Setup) -> Result<Board, FenError>,
    ) -> Result<Self, EpdError> {
        let (position, rest) = split_position(line);
        let mut setup = Setup::from_fen(position)?;
        let mut others = Vec::new();
        for (opcode, words) in split_operations(rest)? {
            match opcode.as_str() {
                "hmvc" => setup.halfmove_clock = parse_number(&opcode, &words)?,
                "fmvn" => setup.fullmove_number = parse_number(&opcode, &words)?,
                _ => others.push((opcode, words)),
            }
        }
        let board = to_board(&setup)?;
        let mut operations = Vec::new();
        for (opcode, words) in others {
            let operand = parse_operand(&board, &opcode, words)?;
            operations.push((opcode, operand));
        }
        Ok(Self { board, operations })
    }

    fn operand(&self, opcode: &str) -> Option<&Operand> {
        self.operations.iter().find(|(name, _)| name == opcode).map(|(_, operand)| operand)
    }

    /// The moves of an opcode, none if it is absent: `bm` are the best moves, `am` moves to avoid.
    ///
    /// ```
    /// use tabiya_chess::Epd;
    /// let epd = Epd::parse("4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+ O-O;", false)?;
    /// assert_eq!((epd.moves("bm").len(), epd.moves("am").len()), (2, 0));
    /// # Ok::<(), tabiya_chess::EpdError>(())
    /// ```
    pub fn moves(&self, opcode: &str) -> &[Move] {
        match self.operand(opcode) {
            Some(Operand::Moves(moves)) => moves,
            _ => &[],
        }
    }

    /// The number of an opcode such as `ce` or `acd`.
    ///
    /// ```
    /// use tabiya_chess::Epd;
    /// let epd = Epd::parse("4k3/8/8/8/8/8/8/4K2R w K - ce 550;", false)?;
    /// assert_eq!((epd.number("ce"), epd.number("acd")), (Some(550), None));
    /// # Ok::<(), tabiya_chess::EpdError>(())
    /// ```
    pub fn number(&self, opcode: &str) -> Option<i64> {
        match self.operand(opcode)? {
            Operand::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// The first word or string of an opcode such as `id` or `c0`.
    ///
    /// ```
    /// use tabiya_chess::Epd;
    /// let epd = Epd::parse("4k3/8/8/8/8/8/8/4K2R w K - id \"rook\";", false)?;
    /// assert_eq!(epd.text("id"), Some("rook"));
    /// # Ok::<(), tabiya_chess::EpdError>(())
    /// ```
    pub fn text(&self, opcode: &str) -> Option<&str> {
        match self.operand(opcode)? {
            Operand::Text(words) => words.first().map(String::as_str),
            _ => None,
        }
    }

    /// The perft counts of the line: depth and number of leaves.
    ///
    /// ```
    /// use tabiya_chess::{Epd, START_FEN};
    /// let epd = Epd::parse(&format!("{START_FEN} ;D1 20 ;D2 400"), false).unwrap();
    /// assert_eq!(epd.perft_counts().collect::<Vec<_>>(), [(1, 20), (2, 400)]);
    /// ```
    pub fn perft_counts(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.operations.iter().filter_map(|(opcode, operand)| match operand {
            Operand::Number(count) => Some((perft_depth(opcode)?, u64::try_from(*count).ok()?)),
            _ => None,
        })
    }
}

/// Splits a line after the fourth FEN field, or after the counters if there are any.
fn split_position(line: &str) -> (&str, &str) {
    let mut rest = line;
    for field in 0..6 {
        let start = rest.trim_ascii_start();
        let end = start.find(|c: char| c.is_ascii_whitespace() || c == ';').unwrap_or(start.len());
        let is_counter = start[..end].bytes().all(|byte| byte.is_ascii_digit());
        if end == 0 || field >= 4 && !is_counter {
            break;
        }
        rest = &start[end..];
    }
    line.split_at(line.len() - rest.len())
}

/// Splits at semicolons into opcodes and their words, minding quoted strings.
fn split_operations(text: &str) -> Result<Vec<(String, Vec<String>)>, EpdError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut letters = text.chars().peekable();
    let mut finish = |words: Vec<String>| {
        let mut words = words.into_iter();
        operations.extend(words.next().map(|opcode| (opcode, words.collect())));
    };
    while let Some(letter) = letters.next() {
        match letter {
            ';' => finish(std::mem::take(&mut words)),
            '"' => {
                let Some(string) = read_string(&mut letters) else {
                    let opcode = words.first().map_or("", String::as_str);
                    return Err(EpdError::Quote(quote(opcode)));
                };
                words.push(string);
            }
            _ if letter.is_ascii_whitespace() => {}
            _ => {
                let mut word = String::from(letter);
                while let Some(next) =
                    letters.next_if(|next| !next.is_ascii_whitespace() && *next != ';')
                {
                    word.push(next);
                }
                words.push(word);
            }
        }
    }
    finish(words);
    Ok(operations)
}

/// Reads up to the closing quote; a backslash takes the next character as it is.
fn read_string(letters: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut string = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(string),
            '\\' => string.push(letters.next()?),
            letter => string.push(letter),
        }
    }
}

fn parse_operand(board: &Board, opcode: &str, words: Vec<String>) -> Result<Operand, EpdError> {
    match opcode {
        // Mate suites write `bm #3`: a distance, not a move.
        "bm" | "am" if !words.iter().any(|word| word.starts_with('#')) => {
            let moves: Result<_, _> = words.iter().map(|word| parse_move(board, word)).collect();
            moves.map(Operand::Moves).map_err(|error| EpdError::Move(opcode.to_owned(), error))
        }
        "ce" | "acd" | "acn" | "acs" | "dm" => parse_number(opcode, &words).map(Operand::Number),
        _ if perft_depth(opcode).is_some() => parse_number(opcode, &words).map(Operand::Number),
        _ => Ok(Operand::Text(words)),
    }
}

/// Standard notation, or coordinates as some suites have them.
fn parse_move(board: &Board, word: &str) -> Result<Move, SanError> {
    board.parse_san(word).or_else(|error| board.parse_uci(word).map_err(|_| error))
}

fn parse_number<T: FromStr>(opcode: &str, words: &[String]) -> Result<T, EpdError> {
    let value = match words {
        [word] => word.parse().ok(),
        _ => None,
    };
    value.ok_or_else(|| EpdError::Number(opcode.to_owned()))
}

/// The depth an opcode from `D1` to `D9` stands for.
fn perft_depth(opcode: &str) -> Option<u32> {
    match opcode.as_bytes() {
        [b'D', digit @ b'1'..=b'9'] => Some(u32::from(digit - b'0')),
        _ => None,
    }
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.board.to_epd())?;
        for (opcode, operand) in &self.operations {
            // In quotes, an opcode like `12` is not mistaken for a counter.
            write_word(f, opcode, !opcode.starts_with(|c: char| c.is_ascii_alphabetic()))?;
            match operand {
                Operand::Moves(moves) => {
                    for mv in moves {
                        write!(f, " {}", self.board.san(*mv))?;
                    }
                }
                Operand::Number(value) => write!(f, " {value}")?,
                Operand::Text(words) => {
                    for word in words {
                        write_word(f, word, is_comment(opcode))?;
                    }
                }
            }
            f.write_str(";")?;
        }
        if self.board.halfmove_clock() != 0 {
            write!(f, " hmvc {};", self.board.halfmove_clock())?;
        }
        if self.board.fullmove_number() != 1 {
            write!(f, " fmvn {};", self.board.fullmove_number())?;
        }
        Ok(())
    }
}

/// Whether the operand is free text, which the standard wants in quotes.
fn is_comment(opcode: &str) -> bool {
    opcode == "id" || matches!(opcode.as_bytes(), [b'c', b'0'..=b'9'])
}

fn write_word(f: &mut fmt::Formatter, word: &str, quoted: bool) -> fmt::Result {
    let special = |c: char| c.is_ascii_whitespace() || matches!(c, ';' | '"');
    if quoted || word.is_empty() || word.contains(special) {
        let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, " \"{escaped}\"")
    } else {
        write!(f, " {word}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - -";

    fn parse(operations: &str) -> Result<Epd, EpdError> {
        Epd::parse(&format!("{KINGS} {operations}"), false)
    }

    #[test]
    fn quoted_strings_may_hold_semicolons_and_quotes() {
        let epd = parse(r#"id "a; \"b\" \\"; c0 "";"#).unwrap();
        assert_eq!(epd.text("id"), Some(r#"a; "b" \"#));
        assert_eq!(epd.text("c0"), Some(""));
        assert_eq!(parse(&epd.to_string()[KINGS.len()..]), Ok(epd));
    }

    #[test]
    fn unknown_opcodes_are_kept() {
        let text = r#"pv Ke2 Kd7; noop; eco B00; "12" x;"#;
        assert_eq!(parse(text).unwrap().to_string(), format!("{KINGS} {text}"));
    }

    #[test]
    fn counters_come_from_opcodes_or_from_the_fen() {
        let epd = parse("hmvc 12; fmvn 60; am Kd1 e1e2;").unwrap();
        assert_eq!((epd.board.halfmove_clock(), epd.board.fullmove_number()), (12, 60));
        assert_eq!(epd.moves("am").len(), 2);
        assert_eq!(parse("12 60 am Kd1 Ke2;"), Ok(epd));
    }

    #[test]
    fn a_mate_distance_is_no_move() {
        assert_eq!(parse("bm #-2;").unwrap().text("bm"), Some("#-2"));
    }

    #[test]
    fn errors_name_the_opcode() {
        for (operations, message) in [
            ("bm Kd2 Ke3;", "bm: no legal move is Ke3"),
            ("ce;", "ce: needs one number"),
            ("D1 many;", "D1: needs one number"),
            ("hmvc 70000;", "hmvc: needs one number"),
            ("hmvc -1;", "hmvc: needs one number"),
            ("c3 \"open", "c3: closing quote missing"),
        ] {
            assert_eq!(parse(operations).unwrap_err().to_string(), message);
        }
        assert_eq!(Epd::parse("8/8", false).unwrap_err().to_string(), "pieces: 2 ranks, not 8");
    }
}
