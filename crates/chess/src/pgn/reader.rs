//! Reading games one after the other from any source.

use super::error::{PgnError, PgnErrorKind};
use super::lexer::{CommentEnd, Lexer, Tag, Token};
use super::{MAX_DEPTH, MAX_GAME_BYTES, PgnGame, PgnMove, Variation, glyph, play};
use crate::board::Board;
use crate::fen::FenError;
use crate::game::GameResult;
use crate::moves::Move;
use std::io::{self, BufRead};

/// Reads games one after the other; an iterator over `io::Result<PgnGame>`.
///
/// A game ends with its result, or where the tags of the next one begin. Memory is bounded by
/// [`MAX_GAME_BYTES`] and [`MAX_DEPTH`], whatever the input. Text that is not UTF-8 is taken as Latin-1.
///
/// ```
/// use tabiya_chess::pgn::PgnReader;
/// let two_games = "[Round \"1\"]\n\n1. e4 e5 1/2-1/2\n\n[Round \"2\"]\n\n1. d4 *";
/// let rounds = PgnReader::new(two_games.as_bytes()).map(|game| Ok(game?.tags[0].1.clone()));
/// assert_eq!(rounds.collect::<std::io::Result<Vec<_>>>()?, ["1", "2"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct PgnReader<R> {
    lexer: Lexer<R>,
    games: u64,
    /// The first tag of the next game, if it was needed to see that the last game was over.
    next_tag: Option<Tag>,
    failed: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads from the start of `input`.
    ///
    /// ```
    /// use tabiya_chess::pgn::PgnReader;
    /// assert_eq!(PgnReader::new(std::io::empty()).count(), 0);
    /// ```
    pub fn new(input: R) -> Self {
        Self { lexer: Lexer::new(input), games: 0, next_tag: None, failed: false }
    }

    /// The input, of which everything up to the end of the last game is consumed and maybe a little more.
    ///
    /// ```
    /// use tabiya_chess::pgn::PgnReader;
    /// let mut games = PgnReader::new("1. e4 * 1. d4 *".as_bytes());
    /// games.next();
    /// assert_eq!(*games.get_ref(), b" 1. d4 *");
    /// ```
    pub fn get_ref(&self) -> &R {
        self.lexer.get_ref()
    }

    fn read_game(&mut self) -> io::Result<Option<PgnGame>> {
        loop {
            let mut parser = Parser::new(self.games + 1);
            parser.tags.extend(self.next_tag.take());
            let more = self.read_into(&mut parser)?;
            if !parser.is_empty() {
                self.games += 1;
                return Ok(Some(parser.finish(self.lexer.token_line())));
            }
            if !more {
                return Ok(None);
            }
        }
    }

    /// Feeds one game to the parser; `false` at the end of the input.
    fn read_into(&mut self, parser: &mut Parser) -> io::Result<bool> {
        loop {
            let Some(token) = self.lexer.next(parser.room)? else { return Ok(false) };
            parser.line = self.lexer.token_line();
            match token {
                Token::TagStart if parser.lines.is_empty() => {
                    let after_blank_line = self.lexer.saw_blank_line;
                    match self.lexer.read_tag(parser.room)? {
                        // A game without moves or result, then the tags of the next one.
                        Ok(tag) if after_blank_line && parser.repeats_first_tag(&tag) => {
                            self.next_tag = Some(tag);
                            return Ok(true);
                        }
                        Ok(tag) => parser.add_tag(tag),
                        Err(kind) => parser.report(kind),
                    }
                }
                Token::TagStart => return Ok(true),
                token => {
                    parser.begin_moves();
                    if token != Token::Symbol {
                        parser.take(token, &self.lexer.text());
                    } else if parser.take_symbol(&self.lexer.text()) {
                        return Ok(true);
                    }
                }
            }
        }
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = io::Result<PgnGame>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.read_game();
        self.failed = game.is_err();
        game.transpose()
    }
}

/// A line that is still being read.
struct OpenLine {
    line: Variation,
    /// Variations that came before the first move, as alternatives to it.
    early: Vec<Variation>,
    /// The position before the last move, where variations start, and after it.
    before: Board,
    after: Board,
    /// Something was wrong: the rest of this line is passed over.
    broken: bool,
}

impl OpenLine {
    fn new(start: Board) -> Self {
        let line = Variation::default();
        Self { line, early: Vec::new(), before: start, after: start, broken: false }
    }
}

/// One game in the making.
struct Parser {
    game: u64,
    line: u64,
    tags: Vec<Tag>,
    /// The main line and the variations that are open, one inside the other. Empty while only tags
    /// were seen.
    lines: Vec<OpenLine>,
    start: Board,
    /// Open parentheses inside a broken line.
    skipped: usize,
    marker: Option<GameResult>,
    error: Option<PgnError>,
    /// How many bytes the game may still take.
    room: usize,
}

impl Parser {
    fn new(game: u64) -> Self {
        Self {
            game,
            line: 1,
            tags: Vec::new(),
            lines: Vec::new(),
            start: Board::default(),
            skipped: 0,
            marker: None,
            error: None,
            room: MAX_GAME_BYTES,
        }
    }

    /// Whether nothing was seen but comments, which belong to no game.
    fn is_empty(&self) -> bool {
        self.tags.is_empty()
            && self.marker.is_none()
            && self.error.is_none()
            && self.lines.first().is_none_or(|open| open.line.moves.is_empty())
    }

    /// Keeps the first error.
    fn report(&mut self, kind: PgnErrorKind) {
        let (game, line) = (self.game, self.line);
        self.error.get_or_insert(PgnError { game, line, kind });
    }

    /// Reports an error and gives up the innermost line.
    fn fail(&mut self, kind: PgnErrorKind) {
        self.report(kind);
        if let Some(open) = self.lines.last_mut() {
            open.broken = true;
        }
    }

    /// Takes room for something; `false` and the end of all lines if the game becomes too large.
    fn reserve(&mut self, bytes: usize) -> bool {
        if let Some(room) = self.room.checked_sub(bytes) {
            self.room = room;
            return true;
        }
        self.stop_growing();
        false
    }

    fn stop_growing(&mut self) {
        self.report(PgnErrorKind::TooLarge);
        self.room = 0;
        for open in &mut self.lines {
            open.broken = true;
        }
    }

    fn repeats_first_tag(&self, (name, _): &Tag) -> bool {
        self.tags.first().is_some_and(|(first, _)| first == name)
    }

    fn add_tag(&mut self, tag: Tag) {
        if self.reserve(size_of::<Tag>() + tag.0.len() + tag.1.len()) {
            self.tags.push(tag);
        }
    }

    /// Sets up the position when the first thing after the tags comes.
    fn begin_moves(&mut self) {
        if !self.lines.is_empty() {
            return;
        }
        let start = starting_position(&self.tags);
        self.start = start.clone().unwrap_or_default();
        self.lines.push(OpenLine::new(self.start));
        if let Some(name) = other_variant(&self.tags) {
            self.fail(PgnErrorKind::Variant(name));
        } else if let Err(error) = start {
            self.fail(PgnErrorKind::Fen(error));
        }
    }

    fn is_skipping(&self) -> bool {
        self.lines.last().is_none_or(|open| open.broken)
    }

    fn take(&mut self, token: Token, text: &str) {
        match token {
            Token::Open => self.open_variation(),
            Token::Close => self.close_variation(),
            _ if self.is_skipping() => {}
            Token::Comment(end) => {
                self.add_comment(text);
                match end {
                    CommentEnd::Closed => {}
                    CommentEnd::Unclosed => self.fail(PgnErrorKind::UnclosedComment),
                    CommentEnd::TooLong => self.stop_growing(),
                }
            }
            Token::Nag(nag) => self.add_nag(nag),
            Token::Stray(c) => self.fail(PgnErrorKind::UnexpectedCharacter(c)),
            Token::Symbol | Token::TagStart => {}
        }
    }

    /// Takes a move, a move number, a glyph or a result; `true` if the game is over.
    fn take_symbol(&mut self, text: &str) -> bool {
        let result = match text {
            "1/2" | "½-½" => Some(GameResult::Draw),
            text => GameResult::from_text(text),
        };
        if result.is_some() {
            let in_mainline = self.lines.len() == 1 && self.skipped == 0;
            if in_mainline {
                self.marker = result;
            }
            return in_mainline;
        }
        let text = text.trim_end_matches('.');
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number || self.is_skipping() || matches!(text, "e.p" | "ep") {
            return false;
        }
        if let Some(nag) = glyph(text) {
            self.add_nag(nag);
        } else if matches!(text, "--" | "Z0") {
            self.add_move(None);
        } else if let Some(open) = self.lines.last() {
            // Some programs write plain coordinates.
            let coordinates = |error| open.after.parse_uci(text).map_err(|_| error);
            match open.after.parse_san(text).or_else(coordinates) {
                Ok(mv) => self.add_move(Some(mv)),
                Err(error) => self.fail(PgnErrorKind::Move(error)),
            }
        }
        false
    }

    fn add_move(&mut self, mv: Option<Move>) {
        if !self.reserve(size_of::<PgnMove>()) {
            return;
        }
        let Some(open) = self.lines.last_mut() else { return };
        let before = open.after;
        if !play(&mut open.after, mv) {
            return self.fail(PgnErrorKind::NullMoveInCheck);
        }
        open.before = before;
        let variations = std::mem::take(&mut open.early);
        open.line.moves.push(PgnMove { mv, variations, ..PgnMove::default() });
    }

    fn add_nag(&mut self, nag: u8) {
        // A glyph has its own small allocation at worst.
        if self.reserve(8)
            && let Some(step) = self.lines.last_mut().and_then(|open| open.line.moves.last_mut())
        {
            step.nags.push(nag);
        }
    }

    fn add_comment(&mut self, text: &str) {
        if !self.reserve(text.len()) {
            return;
        }
        let Some(open) = self.lines.last_mut() else { return };
        let comment = match open.line.moves.last_mut() {
            Some(step) => &mut step.comment,
            None => &mut open.line.comment,
        };
        // Line breaks in the file mean nothing, so all blanks are alike.
        for word in text.split_whitespace() {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(word);
        }
    }

    fn open_variation(&mut self) {
        if self.skipped > 0 || self.is_skipping() {
            self.skipped += 1;
        } else if self.lines.len() > MAX_DEPTH {
            self.fail(PgnErrorKind::TooDeep);
            self.skipped = 1;
        } else if let Some(open) = self.lines.last() {
            let start = open.before;
            if self.reserve(size_of::<Variation>()) {
                self.lines.push(OpenLine::new(start));
            } else {
                self.skipped = 1;
            }
        }
    }

    fn close_variation(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if self.lines.len() > 1 {
            self.pop_line();
        } else if !self.is_skipping() {
            self.fail(PgnErrorKind::UnexpectedClose);
        }
    }

    /// Gives the innermost line to the move it replaces.
    fn pop_line(&mut self) {
        let Some(done) = self.lines.pop() else { return };
        if !done.early.is_empty() {
            self.report(PgnErrorKind::VariationWithoutMove);
        }
        let Some(parent) = self.lines.last_mut() else { return };
        match parent.line.moves.last_mut() {
            Some(step) => step.variations.push(done.line),
            None => parent.early.push(done.line),
        }
    }

    fn finish(mut self, line: u64) -> PgnGame {
        self.begin_moves();
        self.line = line;
        if self.lines.len() > 1 {
            self.report(PgnErrorKind::UnclosedVariation);
        }
        while self.lines.len() > 1 {
            self.pop_line();
        }
        let mainline = self.lines.pop().map(|open| {
            if !open.early.is_empty() {
                self.report(PgnErrorKind::VariationWithoutMove);
            }
            open.line
        });
        let tag = value(&self.tags, "Result").and_then(GameResult::from_text).unwrap_or_default();
        let moves = self.marker.unwrap_or_default();
        if ![tag, moves].contains(&GameResult::Unknown) && tag != moves {
            self.report(PgnErrorKind::Result { tag, moves });
        }
        PgnGame {
            tags: self.tags,
            start: self.start,
            mainline: mainline.unwrap_or_default(),
            result: if moves == GameResult::Unknown { tag } else { moves },
            error: self.error,
        }
    }
}

fn value<'a>(tags: &'a [Tag], name: &str) -> Option<&'a str> {
    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}

/// The position of the tag FEN, read by the rules of the tag Variant.
fn starting_position(tags: &[Tag]) -> Result<Board, FenError> {
    let Some(fen) = value(tags, "FEN") else { return Ok(Board::default()) };
    let chess960 = is_chess960(value(tags, "Variant").unwrap_or_default());
    // Castling letters of Chess960 are understood even where nothing announces them.
    Board::from_fen(fen, chess960).or_else(|error| Board::from_fen(fen, true).map_err(|_| error))
}

fn is_chess960(variant: &str) -> bool {
    let variant = variant.to_ascii_lowercase();
    variant.contains("960") || variant.contains("fischer")
}

/// The name of a game whose moves may look like those of chess but mean something else.
fn other_variant(tags: &[Tag]) -> Option<String> {
    /// What files call chess, and chess from another position.
    const CHESS: [&str; 7] = ["", "?", "chess", "standard", "normal", "orthodox", "from position"];
    let name = value(tags, "Variant")?.trim();
    let is_chess = CHESS.iter().any(|known| name.eq_ignore_ascii_case(known));
    (!is_chess && !is_chess960(name)).then(|| name.to_owned())
}
