//! Writing games in the export format: roster first, lines shorter than 80 characters.

use super::{PgnGame, PgnMove, ROSTER, Variation, play};
use crate::board::Board;
use crate::types::Color;
use std::fmt::{self, Write};

/// The longest line of the export format.
const WIDTH: usize = 79;

impl fmt::Display for PgnGame {
    /// The game as PGN with a line break at its end. An empty line belongs between games, so
    /// `writeln!(file, "{game}")` appends to a file.
    ///
    /// `Result` is written as [`PgnGame::result`] says, and `SetUp`, `FEN` and `Variant` are added
    /// where the starting position needs them. A move that is illegal where it stands (such a game
    /// can be built, but not read) is written as coordinates and ends its line.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", &self.result.to_string())?;
        let in_roster = |name: &str| ROSTER.iter().any(|(known, _)| *known == name);
        for (name, value) in &self.tags {
            if !in_roster(name) && name != "Result" {
                write_tag(f, name, value)?;
            }
        }
        self.write_setup(f)?;
        f.write_char('\n')?;
        let mut text = Wrapped { out: f, column: 0, pending: String::new(), opened: false };
        write_line(&mut text, &self.mainline, self.start)?;
        text.word(&self.result.to_string())?;
        text.flush()?;
        f.write_char('\n')
    }
}

impl PgnGame {
    /// Adds the tags a special starting position needs, unless they are there.
    fn write_setup(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let fen = self.start.to_string();
        let needed = self.start != Board::default() && self.tag("FEN").is_none();
        if !needed {
            return Ok(());
        }
        if self.tag("Variant").is_none() && Board::from_fen(&fen, false) != Ok(self.start) {
            write_tag(f, "Variant", "Chess960")?;
        }
        if self.tag("SetUp").is_none() {
            write_tag(f, "SetUp", "1")?;
        }
        write_tag(f, "FEN", &fen)
    }
}

fn write_tag(f: &mut fmt::Formatter, name: &str, value: &str) -> fmt::Result {
    write!(f, "[{name} \"")?;
    for c in value.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => f.write_char(' ')?,
            c => f.write_char(c)?,
        }
    }
    f.write_str("\"]\n")
}

/// Writes words with blanks or line breaks between them.
struct Wrapped<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
    /// The last word, which may still grow by a closing parenthesis.
    pending: String,
    /// The last word is an opening parenthesis, which the next one joins.
    opened: bool,
}

impl Wrapped<'_, '_> {
    fn word(&mut self, word: &str) -> fmt::Result {
        if !std::mem::take(&mut self.opened) {
            self.flush()?;
        }
        self.pending.push_str(word);
        Ok(())
    }

    fn open(&mut self) -> fmt::Result {
        self.flush()?;
        self.pending.push('(');
        self.opened = true;
        Ok(())
    }

    fn close(&mut self) {
        self.opened = false;
        self.pending.push(')');
    }

    fn flush(&mut self) -> fmt::Result {
        let width = self.pending.chars().count();
        // At the start of a line these would look like a tag or an escaped line.
        let may_start_line = !self.pending.starts_with(['[', '%']);
        if self.column > 0 && self.column + 1 + width > WIDTH && may_start_line {
            self.out.write_char('\n')?;
            self.column = 0;
        } else if self.column > 0 {
            self.out.write_char(' ')?;
            self.column += 1;
        }
        self.column += width;
        self.out.write_str(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// A comment; a closing brace inside it cannot be written and becomes a parenthesis.
    fn comment(&mut self, text: &str) -> fmt::Result {
        let braced = format!("{{{}}}", text.trim().replace('}', ")"));
        units(&braced).iter().try_for_each(|unit| self.word(unit))
    }
}

/// The words of a comment that belong on one line each: a command like `[%clk 0:01:00]` is not broken,
/// because readers look for it on one line, and stays with the word before it, because at the start of a
/// line it would look like a tag.
fn units(comment: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    let mut in_command = false;
    for word in comment.split_whitespace() {
        let joins = in_command || word.starts_with(['[', '%']);
        match units.last_mut().filter(|_| joins) {
            Some(unit) => {
                unit.push(' ');
                unit.push_str(word);
            }
            None => units.push(word.to_owned()),
        }
        let opens = word.contains("[%") || in_command;
        in_command = opens && !word.contains(']');
    }
    units
}

fn write_line(text: &mut Wrapped, line: &Variation, start: Board) -> fmt::Result {
    if !line.comment.is_empty() {
        text.comment(&line.comment)?;
    }
    let mut board = start;
    let first_ply = 2 * usize::from(start.fullmove_number()) + start.side_to_move().index();
    // Black's move needs its number only where something came between it and White's move.
    let mut needs_number = true;
    for (ply, step) in (first_ply..).zip(&line.moves) {
        let before = board;
        match before.side_to_move() {
            Color::White => text.word(&format!("{}.", ply / 2))?,
            Color::Black if needs_number => text.word(&format!("{}...", ply / 2))?,
            Color::Black => {}
        }
        let legal = play(&mut board, step.mv);
        text.word(&match step.mv {
            None => "--".to_owned(),
            Some(mv) if legal => before.san(mv),
            Some(mv) => format!("{mv:?}"),
        })?;
        write_annotations(text, step, before)?;
        if !legal {
            break;
        }
        needs_number = !step.comment.is_empty() || !step.variations.is_empty();
    }
    Ok(())
}

fn write_annotations(text: &mut Wrapped, step: &PgnMove, before: Board) -> fmt::Result {
    for nag in &step.nags {
        text.word(&format!("${nag}"))?;
    }
    if !step.comment.is_empty() {
        text.comment(&step.comment)?;
    }
    for variation in &step.variations {
        text.open()?;
        write_line(text, variation, before)?;
        text.close();
    }
    Ok(())
}
