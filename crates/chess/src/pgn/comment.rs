//! What programs hide in comments: clocks, evaluations, drawings, and the notes of match runners.

use crate::types::Square;
use std::fmt;
use std::time::Duration;

/// A comment taken apart.
///
/// ```
/// use tabiya_chess::pgn::{Comment, Score};
/// let comment = Comment::parse("[%eval 0.35,22] Solid. [%clk 0:01:23.4]");
/// assert_eq!(comment.text, "Solid.");
/// assert_eq!(comment.eval.map(|eval| eval.score), Some(Score::Centipawns(35)));
/// assert_eq!(comment.clock.map(|time| time.as_millis()), Some(83_400));
/// assert_eq!(comment.to_string(), "Solid. [%eval 0.35,22] [%clk 0:01:23.4]");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comment {
    /// The words for people, without any command.
    pub text: String,
    /// `[%eval]`: the value of the position as White sees it.
    pub eval: Option<Eval>,
    /// `[%clk]`: the time left after the move.
    pub clock: Option<Duration>,
    /// `[%emt]`: the time the move took.
    pub elapsed: Option<Duration>,
    /// `[%csl]`: coloured squares.
    pub squares: Vec<(MarkColor, Square)>,
    /// `[%cal]`: coloured arrows.
    pub arrows: Vec<Arrow>,
    /// `+0.31/18 1.2s`: what match runners like cutechess and fastchess write after a move.
    pub engine: Option<EngineNote>,
    /// Commands with another name or an unreadable value: name and value.
    pub other: Vec<(String, String)>,
}

/// An evaluation with the depth it was searched to.
///
/// ```
/// use tabiya_chess::pgn::{Comment, Eval, Score};
/// let eval = Comment::parse("[%eval #-3,12]").eval;
/// assert_eq!(eval, Some(Eval { score: Score::Mate(-3), depth: Some(12) }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Eval {
    /// The value.
    pub score: Score,
    /// The depth, if given.
    pub depth: Option<u32>,
}

/// A value or a distance to mate.
///
/// ```
/// use tabiya_chess::pgn::{Eval, Score};
/// let eval = Eval { score: Score::Centipawns(-125), depth: None };
/// assert_eq!(eval.to_string(), "-1.25");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many; negative if the other side mates.
    Mate(i32),
}

/// A match runner's note about a move.
///
/// ```
/// use tabiya_chess::pgn::Comment;
/// let note = Comment::parse("+0.31/18 1.2s").engine.unwrap();
/// assert_eq!((note.depth, note.to_string()), (18, "+0.31/18 1.2s".to_owned()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineNote {
    /// The value as the side that moved sees it; some programs count mates in plies.
    pub score: Score,
    /// The depth of the search.
    pub depth: u32,
    /// The time it took.
    pub elapsed: Option<Duration>,
}

/// An arrow drawn on the board.
///
/// ```
/// use tabiya_chess::{Square, pgn::{Arrow, Comment, MarkColor}};
/// let arrow = Arrow { color: MarkColor::Green, from: Square::E2, to: Square::E4 };
/// assert_eq!(Comment::parse("[%cal Ge2e4]").arrows, [arrow]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Its colour.
    pub color: MarkColor,
    /// Where it starts.
    pub from: Square,
    /// Where it points.
    pub to: Square,
}

/// The colour of a mark on the board.
///
/// ```
/// use tabiya_chess::{Square, pgn::{Comment, MarkColor}};
/// assert_eq!(Comment::parse("[%csl Rd5]").squares, [(MarkColor::Red, Square::D5)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MarkColor {
    /// R
    Red,
    /// G
    Green,
    /// Y
    Yellow,
    /// B
    Blue,
}

impl Comment {
    /// Takes a comment apart. Never fails: what is not understood stays text or goes to `other`.
    ///
    /// ```
    /// use tabiya_chess::pgn::Comment;
    /// let comment = Comment::parse("Good. [%clk 0:00:07]");
    /// assert_eq!((comment.text.as_str(), comment.clock.unwrap().as_secs()), ("Good.", 7));
    /// ```
    pub fn parse(comment: &str) -> Self {
        let mut parsed = Self::default();
        let mut words = String::new();
        let mut rest = comment;
        while let Some((before, after)) = rest.split_once("[%") {
            let Some((command, after)) = after.split_once(']') else { break };
            words.push_str(before);
            words.push(' ');
            let (name, value) = command.split_once(' ').unwrap_or((command, ""));
            parsed.take_command(name, value.trim());
            rest = after;
        }
        words.push_str(rest);
        parsed.text = words.split_whitespace().collect::<Vec<_>>().join(" ");
        parsed.take_engine_note();
        parsed
    }

    fn take_command(&mut self, name: &str, value: &str) {
        let understood = match name {
            "eval" => store(&mut self.eval, Eval::parse(value)),
            "clk" => store(&mut self.clock, parse_clock(value)),
            "emt" => store(&mut self.elapsed, parse_clock(value)),
            "csl" => extend(&mut self.squares, value, |mark| {
                let (color, square) = MarkColor::split(mark)?;
                Some((color, Square::from_text(square)?))
            }),
            "cal" => extend(&mut self.arrows, value, Arrow::parse),
            _ => false,
        };
        if !understood {
            self.other.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Finds `+0.31/18 1.2s` at the start of the text and takes it out.
    fn take_engine_note(&mut self) {
        let mut words = self.text.splitn(3, ' ');
        let first = words.next().unwrap_or_default();
        let Some((score, depth)) = first.trim_end_matches(',').split_once('/') else { return };
        // Without a sign or decimals it is a fraction, say "1/2 of the board".
        let is_score = score.contains(['+', '-', '.']);
        let parsed = (Score::parse(score, 'M'), depth.parse());
        let ((Some(score), Ok(depth)), true) = (parsed, is_score) else { return };
        let second = words.next().unwrap_or_default();
        let elapsed = second.trim_end_matches(',').strip_suffix('s').and_then(parse_seconds);
        let taken = first.len() + if elapsed.is_some() { 1 + second.len() } else { 0 };
        self.engine = Some(EngineNote { score, depth, elapsed });
        self.text = self.text[taken..].trim_start().to_owned();
    }
}

fn store<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let understood = value.is_some();
    *field = value.or(field.take());
    understood
}

/// Adds all marks of a list, or none if one of them cannot be read.
fn extend<T>(marks: &mut Vec<T>, list: &str, parse: impl Fn(&str) -> Option<T>) -> bool {
    let parsed: Option<Vec<T>> = list.split(',').map(|mark| parse(mark.trim())).collect();
    let understood = parsed.is_some();
    marks.extend(parsed.into_iter().flatten());
    understood
}

fn parse_seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = text.parse().ok().filter(|_| plain)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads `h:mm:ss`, `mm:ss` or seconds; the seconds may have decimals.
fn parse_clock(text: &str) -> Option<Duration> {
    let (minutes, seconds) = text.rsplit_once(':').unwrap_or(("0", text));
    let (hours, minutes) = minutes.split_once(':').unwrap_or(("0", minutes));
    let whole = hours.parse::<u32>().ok()? as u64 * 3600 + minutes.parse::<u32>().ok()? as u64 * 60;
    Duration::from_secs(whole).checked_add(parse_seconds(seconds)?)
}

impl Score {
    /// Reads `0.35` or a mate with its sign before or after the mark: `#-3`, `-M3`.
    fn parse(text: &str, mate_mark: char) -> Option<Self> {
        if let Some((sign, moves)) = text.split_once(mate_mark) {
            let moves: i32 = moves.parse().ok()?;
            return match sign {
                "" | "+" => Some(Self::Mate(moves)),
                "-" => Some(Self::Mate(moves.checked_neg()?)),
                _ => None,
            };
        }
        let pawns: f64 = text.parse().ok()?;
        let in_range = pawns.abs() < 1e6;
        in_range.then(|| Self::Centipawns((100.0 * pawns).round() as i32))
    }
}

impl Eval {
    fn parse(text: &str) -> Option<Self> {
        let (score, depth) = match text.split_once(',') {
            Some((score, depth)) => (score, Some(depth.trim().parse().ok()?)),
            None => (text, None),
        };
        Some(Self { score: Score::parse(score.trim(), '#')?, depth })
    }
}

impl MarkColor {
    const LETTERS: [(char, Self); 4] =
        [('R', Self::Red), ('G', Self::Green), ('Y', Self::Yellow), ('B', Self::Blue)];

    /// Splits the colour letter off.
    fn split(mark: &str) -> Option<(Self, &str)> {
        let find = |(letter, color)| Some((color, mark.strip_prefix(letter)?));
        Self::LETTERS.into_iter().find_map(find)
    }

    fn letter(self) -> char {
        match self {
            Self::Red => 'R',
            Self::Green => 'G',
            Self::Yellow => 'Y',
            Self::Blue => 'B',
        }
    }
}

impl Arrow {
    fn parse(mark: &str) -> Option<Self> {
        let (color, squares) = MarkColor::split(mark)?;
        let (from, to) = squares.split_at_checked(2)?;
        Some(Self { color, from: Square::from_text(from)?, to: Square::from_text(to)? })
    }
}

impl fmt::Display for Comment {
    /// The comment as it is written into a game, without braces.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.engine.map(|note| note.to_string()));
        parts.extend((!self.text.is_empty()).then(|| self.text.clone()));
        parts.extend(self.eval.map(|eval| format!("[%eval {eval}]")));
        parts.extend(self.clock.map(|time| format!("[%clk {}]", Clock(time))));
        parts.extend(self.elapsed.map(|time| format!("[%emt {}]", Clock(time))));
        let square = |(color, square): &(MarkColor, Square)| format!("{}{square}", color.letter());
        let arrow = |mark: &Arrow| format!("{}{}{}", mark.color.letter(), mark.from, mark.to);
        parts.extend(drawing("csl", self.squares.iter().map(square)));
        parts.extend(drawing("cal", self.arrows.iter().map(arrow)));
        parts.extend(self.other.iter().map(|(name, value)| format!("[%{name} {value}]")));
        f.write_str(&parts.join(" "))
    }
}

fn drawing(name: &str, marks: impl Iterator<Item = String>) -> Option<String> {
    let marks: Vec<_> = marks.collect();
    (!marks.is_empty()).then(|| format!("[%{name} {}]", marks.join(",")))
}

impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.score {
            Score::Centipawns(value) => write!(f, "{:.2}", f64::from(value) / 100.0)?,
            Score::Mate(moves) => write!(f, "#{moves}")?,
        }
        self.depth.map_or(Ok(()), |depth| write!(f, ",{depth}"))
    }
}

impl fmt::Display for EngineNote {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.score {
            Score::Centipawns(0) => f.write_str("0.00")?,
            Score::Centipawns(value) => write!(f, "{:+.2}", f64::from(value) / 100.0)?,
            Score::Mate(moves) => {
                write!(f, "{}M{}", if moves < 0 { '-' } else { '+' }, moves.unsigned_abs())?;
            }
        }
        write!(f, "/{}", self.depth)?;
        self.elapsed.map_or(Ok(()), |time| write!(f, " {}s", time.as_secs_f64()))
    }
}

/// A time as `h:mm:ss`, with decimals if it has any.
struct Clock(Duration);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let seconds = self.0.as_secs();
        write!(f, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        let decimals = format!("{:03}", self.0.subsec_millis());
        match decimals.trim_end_matches('0') {
            "" => Ok(()),
            decimals => write!(f, ".{decimals}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_stripped() {
        let comment = Comment::parse(
            "[%csl Ge4,Rd5][%cal Ge2e4] Look [%emt 0:00:05] here [%eval #-3] [%tqu \"x\"] [%clk ?]",
        );
        assert_eq!(comment.text, "Look here");
        assert_eq!(comment.eval, Some(Eval { score: Score::Mate(-3), depth: None }));
        assert_eq!(comment.elapsed, Some(Duration::from_secs(5)));
        assert_eq!(comment.squares, [(MarkColor::Green, Square::E4), (MarkColor::Red, Square::D5)]);
        let arrow = Arrow { color: MarkColor::Green, from: Square::E2, to: Square::E4 };
        assert_eq!(comment.arrows, [arrow]);
        assert_eq!(comment.clock, None);
        assert_eq!(comment.other.len(), 2);
        assert_eq!(Comment::parse(&comment.to_string()), comment);
    }

    #[test]
    fn notes_of_match_runners_are_read() {
        let note = |text: &str| Comment::parse(text);
        let played = note("+0.31/18 1.2s, n=1234");
        let expected = EngineNote {
            score: Score::Centipawns(31),
            depth: 18,
            elapsed: Some(Duration::from_millis(1200)),
        };
        assert_eq!(played.engine, Some(expected));
        assert_eq!(played.text, "n=1234");
        assert_eq!(note("-M5/20 0.1s").engine.map(|note| note.score), Some(Score::Mate(-5)));
        assert_eq!(note("0.00/1 0s").to_string(), "0.00/1 0s");
        for words in ["book", "1/2 of the board", "a/b", "M/3", "+/-", ""] {
            let comment = note(words);
            assert_eq!(comment.to_string(), words);
            assert_eq!(comment.engine, None, "{words}");
        }
    }

    #[test]
    fn nonsense_stays_text() {
        for text in ["[%clk", "[%", "a ] b", "[%eval 1e99]", "[%clk 0:99999999999:1]", "[%clk -1]"]
        {
            let comment = Comment::parse(text);
            assert_eq!((comment.clock, comment.eval), (None, None), "{text}");
            assert_eq!(comment.to_string(), text);
        }
    }
}
