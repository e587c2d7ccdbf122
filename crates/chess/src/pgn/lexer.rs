//! Bytes to PGN tokens. Knows lines, comments and escapes but neither moves nor legality.
//!
//! Texts land in one buffer that is reused; what does not fit into the limit its reader gives is
//! passed over, so memory stays bounded whatever comes in.

use super::error::PgnErrorKind;
use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind};

/// A symbol longer than any move or result.
const MAX_SYMBOL: usize = 255;

/// A tag that begins after an empty line inside a comment: somebody forgot the closing brace.
const NEXT_GAME: &[u8] = b"\n\n[Event \"";

/// Name and value.
pub(super) type Tag = (String, String);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A tag begins here. Nothing is consumed yet.
    TagStart,
    /// A comment; its text is in the buffer.
    Comment(CommentEnd),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `$n`; large numbers become 255, which has no meaning.
    Nag(u8),
    /// A move, a move number, a result, `!?` or the like; in the buffer.
    Symbol,
    /// Any other character.
    Stray(char),
}

/// How a comment ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CommentEnd {
    Closed,
    Unclosed,
    /// Closed or not, it was longer than allowed.
    TooLong,
}

/// What a line has had up to here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SoFar {
    Blanks,
    /// Blanks and tags: another `[` begins another tag.
    Tags,
    Text,
}

pub(super) struct Lexer<R> {
    input: R,
    /// The current line, from 1.
    line: u64,
    /// What the current line has had so far.
    so_far: SoFar,
    /// An empty line came after the last tag.
    pub(super) saw_blank_line: bool,
    /// `[Event "` was already consumed, as the end of an unclosed comment.
    inside_event_tag: bool,
    text: Vec<u8>,
    token_line: u64,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            line: 1,
            so_far: SoFar::Blanks,
            saw_blank_line: false,
            inside_event_tag: false,
            text: Vec::new(),
            token_line: 1,
        }
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.input
    }

    /// The line on which the last token began.
    pub(super) fn token_line(&self) -> u64 {
        self.token_line
    }

    /// The text of the last token: UTF-8, or Latin-1 if it is not UTF-8.
    pub(super) fn text(&self) -> Cow<'_, str> {
        decode(&self.text)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn next_byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.input.consume(1);
            if byte == b'\n' {
                self.saw_blank_line |= self.so_far == SoFar::Blanks;
                self.line += 1;
                self.so_far = SoFar::Blanks;
            } else if !byte.is_ascii_whitespace() {
                self.so_far = SoFar::Text;
            }
        }
        Ok(byte)
    }

    /// Takes the next byte if it fits.
    fn next_if(&mut self, fits: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        match self.peek()? {
            Some(byte) if fits(byte) => self.next_byte(),
            _ => Ok(None),
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        while self.next_if(|byte| byte != b'\n')?.is_some() {}
        Ok(())
    }

    /// The next token. Comments longer than `limit` bytes are cut.
    pub(super) fn next(&mut self, limit: usize) -> io::Result<Option<Token>> {
        loop {
            let so_far = self.so_far;
            self.token_line = self.line;
            if self.inside_event_tag {
                return Ok(Some(Token::TagStart));
            }
            let Some(byte) = self.peek()? else { return Ok(None) };
            if byte == b'[' && so_far != SoFar::Text {
                return Ok(Some(Token::TagStart));
            }
            self.next_byte()?;
            self.text.clear();
            return Ok(Some(match byte {
                b'%' if so_far == SoFar::Blanks => {
                    self.skip_line()?;
                    continue;
                }
                b'.' => continue,
                byte if byte.is_ascii_whitespace() => continue,
                0xEF if self.skip_byte_order_mark()? => continue,
                b'{' => Token::Comment(self.read_comment(limit)?),
                b';' => Token::Comment(self.read_line_comment(limit)?),
                b'(' => Token::Open,
                b')' => Token::Close,
                b'$' => Token::Nag(self.read_number()?),
                b'*' => {
                    self.text.push(byte);
                    Token::Symbol
                }
                b'!' | b'?' => self.read_symbol(byte, |byte| matches!(byte, b'!' | b'?'))?,
                // A number ends at its dot (`1.e4`), other symbols may contain one (`e.p.`).
                byte if byte.is_ascii_digit() => self.read_symbol(byte, is_symbol)?,
                byte if is_symbol(byte) => {
                    self.read_symbol(byte, |byte| is_symbol(byte) || byte == b'.')?
                }
                byte => Token::Stray(char::from(byte)),
            }));
        }
    }

    /// Whether the rest of a byte-order mark followed its first byte.
    fn skip_byte_order_mark(&mut self) -> io::Result<bool> {
        let found = self.next_if(|byte| byte == 0xBB)?.is_some()
            && self.next_if(|byte| byte == 0xBF)?.is_some();
        if found {
            self.so_far = SoFar::Blanks;
        }
        Ok(found)
    }

    fn read_symbol(&mut self, first: u8, fits: impl Fn(u8) -> bool) -> io::Result<Token> {
        self.text.push(first);
        while let Some(byte) = self.next_if(&fits)? {
            if self.text.len() < MAX_SYMBOL {
                self.text.push(byte);
            }
        }
        Ok(Token::Symbol)
    }

    fn read_number(&mut self) -> io::Result<u8> {
        let mut number = 0_u8;
        while let Some(digit) = self.next_if(|byte| byte.is_ascii_digit())? {
            number = number.saturating_mul(10).saturating_add(digit - b'0');
        }
        Ok(number)
    }

    fn read_line_comment(&mut self, limit: usize) -> io::Result<CommentEnd> {
        let mut end = CommentEnd::Closed;
        while let Some(byte) = self.next_if(|byte| byte != b'\n')? {
            if self.text.len() < limit {
                // A brace is harmless here but could not be written back in braces.
                self.text.push(if byte == b'}' { b')' } else { byte });
            } else {
                end = CommentEnd::TooLong;
            }
        }
        Ok(end)
    }

    fn read_comment(&mut self, limit: usize) -> io::Result<CommentEnd> {
        let mut too_long = false;
        let mut matched = 0;
        while let Some(byte) = self.next_byte()? {
            if byte == b'}' {
                return Ok(if too_long { CommentEnd::TooLong } else { CommentEnd::Closed });
            }
            if byte != b'\r' {
                matched = match byte {
                    byte if byte == NEXT_GAME[matched] => matched + 1,
                    b'\n' if matched == 2 => 2,
                    b'\n' => 1,
                    _ => 0,
                };
            }
            if self.text.len() < limit {
                self.text.push(byte);
            } else {
                too_long = true;
            }
            if matched == NEXT_GAME.len() {
                self.inside_event_tag = true;
                let kept = self.text.len().saturating_sub(NEXT_GAME.len());
                self.text.truncate(kept);
                break;
            }
        }
        Ok(if too_long { CommentEnd::TooLong } else { CommentEnd::Unclosed })
    }

    /// Reads the tag that [`Token::TagStart`] announced; `limit` is the longest allowed.
    ///
    /// A quote inside the value need not be escaped unless `]` follows it.
    pub(super) fn read_tag(&mut self, limit: usize) -> io::Result<Result<Tag, PgnErrorKind>> {
        self.text.clear();
        if std::mem::take(&mut self.inside_event_tag) {
            self.text.extend_from_slice(b"Event \"");
        } else {
            self.next_byte()?;
        }
        let (mut opened, mut escaped) = (self.text.ends_with(b"\""), false);
        // The last byte that is no blank was a quote that may end the value.
        let mut after_quote = false;
        while let Some(byte) = self.next_if(|byte| byte != b'\n')? {
            if self.text.len() < limit {
                self.text.push(byte);
            }
            if byte == b']' && (after_quote || !opened) {
                break;
            }
            if !byte.is_ascii_whitespace() {
                after_quote = byte == b'"' && opened && !escaped;
            }
            opened |= byte == b'"';
            escaped = byte == b'\\' && !escaped;
        }
        self.saw_blank_line = false;
        self.so_far = SoFar::Tags;
        Ok(match parse_tag(&self.text) {
            _ if self.text.len() >= limit => Err(PgnErrorKind::TooLarge),
            Some(tag) => Ok(tag),
            None => Err(PgnErrorKind::Tag(crate::fen::quote(&self.text()))),
        })
    }
}

/// Splits `Name "value"]` and takes the escapes out of the value.
fn parse_tag(text: &[u8]) -> Option<Tag> {
    let text = text.trim_ascii_end().strip_suffix(b"]")?.trim_ascii_end().strip_suffix(b"\"")?;
    let quote = text.iter().position(|byte| *byte == b'"')?;
    let name = text[..quote].trim_ascii();
    if name.is_empty() || name.iter().any(|byte| !is_tag_name(*byte)) {
        return None;
    }
    let mut value = Vec::with_capacity(text.len() - quote);
    let mut bytes = text[quote + 1..].iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|next| byte == b'\\' && matches!(next, b'\\' | b'"'));
        value.push(escaped.unwrap_or(byte));
    }
    Some((decode(name).into_owned(), decode(&value).into_owned()))
}

fn is_tag_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-')
}

fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || !byte.is_ascii()
        || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-' | b'/' | b'@' | b'~')
}

fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}
