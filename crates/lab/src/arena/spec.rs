//! Descriptions of players as text: `cmd=stockfish name=sf option.Hash=16 tc=3+0.03`.
//!
//! A description is a list of words `key=value`, quoted as in a shell where a value has blanks. The
//! word `self` stands for the engine of this program. Settings for all players are read first, so
//! that each player's own words override them.

use super::clock::{TimeControl, seconds_of};
use std::fmt;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// What plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// The engine of this program, running inside the process.
    Own,
    /// A UCI program with its arguments.
    Command(Vec<String>),
    /// A program that speaks xboard's protocol, with its arguments.
    Xboard(Vec<String>),
}

/// How long a player may think. At least one limit is set; all that are set hold together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// A chess clock.
    pub clock: Option<TimeControl>,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration starts; for the own engine only.
    pub soft_nodes: Option<u64>,
    /// Depth of each search.
    pub depth: Option<u32>,
    /// Ends a search when a mate in this many moves is proven; for suites of mates.
    pub mate: Option<u32>,
}

impl Limits {
    /// Whether nothing limits the search.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.clock.map(|clock| format!("tc={clock}")));
        words.extend(self.move_time.map(|time| format!("movetime={}", time.as_secs_f64())));
        words.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        words.extend(self.soft_nodes.map(|nodes| format!("softnodes={nodes}")));
        words.extend(self.depth.map(|depth| format!("depth={depth}")));
        f.write_str(&words.join(" "))
    }
}

/// A player as described by the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Name in tables and games.
    pub name: String,
    /// What plays.
    pub program: Program,
    /// Folder the program runs in.
    pub dir: Option<PathBuf>,
    /// A net of Stockfish in the seat of the own engine's net.
    pub teacher: Option<PathBuf>,
    /// UCI options in the order given.
    pub options: Vec<(String, String)>,
    /// How long it may think.
    pub limits: Limits,
    /// How far it may overrun its clock or move time.
    pub margin: Duration,
}

/// Why a description is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// A quote that is not closed.
    #[error("quote not closed in: {0}")]
    OpenQuote(String),
    /// A word that is not `key=value`.
    #[error("expected key=value or self, found {0}")]
    NotAPair(String),
    /// A key that is not known.
    #[error(
        "unknown key {0} (known: cmd proto name dir arg option.NAME evalfile teacher tc movetime nodes \
         softnodes depth timemargin)"
    )]
    UnknownKey(String),
    /// A value that does not fit its key.
    #[error("{key}: expected {expected}, found {found}")]
    Value {
        /// The key.
        key: String,
        /// What was found.
        found: String,
        /// What would have been right.
        expected: &'static str,
    },
    /// Neither `self` nor `cmd=`.
    #[error("give cmd=PROGRAM or self")]
    NoProgram,
    /// Both `self` and `cmd=`, or one of them twice.
    #[error("give cmd=PROGRAM or self once")]
    TwoPrograms,
    /// No limit at all.
    #[error("{0}: no limit (give tc=, movetime=, nodes= or depth=)")]
    NoLimit(String),
    /// Something that only the own engine knows.
    #[error("{0}: only a self player knows this")]
    OwnOnly(&'static str),
    /// A teacher judges slowly: on a clock it would say nothing.
    #[error("teacher: plays by nodes or depth only, without a clock")]
    TeacherOnClock,
}

impl EngineSpec {
    /// Reads a player's description after the settings shared by all players.
    pub fn parse(text: &str, shared: &str) -> Result<Self, SpecError> {
        let mut draft = Draft::default();
        for word in split_words(shared)?.iter().chain(&split_words(text)?) {
            draft.read(word)?;
        }
        draft.finish()
    }

    /// The description in one canonical form, as recorded with the results.
    pub fn canonical(&self) -> String {
        let mut text = match &self.program {
            Program::Own => "self".to_string(),
            Program::Command(words) => format!("cmd={words:?}"),
            Program::Xboard(words) => format!("cmd={words:?} proto=xboard"),
        };
        if let Some(dir) = &self.dir {
            let _ = write!(text, " dir={}", dir.display());
        }
        if let Some(teacher) = &self.teacher {
            let _ = write!(text, " teacher={}", teacher.display());
        }
        for (name, value) in &self.options {
            let _ = write!(text, " option.{name}={value}");
        }
        let _ = write!(text, " {} timemargin={}", self.limits, self.margin.as_millis());
        text
    }
}

/// A description while its words are read.
#[derive(Default)]
struct Draft {
    name: Option<String>,
    program: Option<Program>,
    args: Vec<String>,
    is_xboard: bool,
    dir: Option<PathBuf>,
    teacher: Option<PathBuf>,
    options: Vec<(String, String)>,
    limits: Limits,
    margin: Option<Duration>,
}

impl Draft {
    fn read(&mut self, word: &str) -> Result<(), SpecError> {
        if word == "self" {
            return self.set_program(Program::Own);
        }
        let (key, value) =
            word.split_once('=').ok_or_else(|| SpecError::NotAPair(word.to_string()))?;
        let refuse = |expected| SpecError::Value {
            key: key.to_string(),
            found: if value.is_empty() { "nothing".to_string() } else { value.to_string() },
            expected,
        };
        if value.chars().any(char::is_control) {
            return Err(refuse("no control characters"));
        }
        match key {
            "cmd" => {
                let words = split_words(value)?;
                if words.is_empty() {
                    return Err(refuse("a program"));
                }
                self.set_program(Program::Command(words))?;
            }
            "proto" if ["uci", "xboard"].contains(&value) => self.is_xboard = value == "xboard",
            "proto" => return Err(refuse("uci or xboard")),
            "name" if value.is_empty() => return Err(refuse("a name")),
            "name" => self.name = Some(value.to_string()),
            "dir" => self.dir = Some(PathBuf::from(value)),
            "arg" => self.args.push(value.to_string()),
            "teacher" if value.is_empty() => return Err(refuse("a file")),
            "teacher" => self.teacher = Some(PathBuf::from(value)),
            "evalfile" => self.set_option("EvalFile", value),
            "tc" => {
                let clock = value.parse().map_err(|_| refuse("a time control like 3+0.03"))?;
                self.limits.clock = Some(clock);
            }
            "movetime" => {
                let time = seconds_of(value).filter(|time| !time.is_zero());
                self.limits.move_time = Some(time.ok_or_else(|| refuse("seconds above 0"))?);
            }
            "nodes" | "softnodes" => {
                let nodes = value.parse().ok().filter(|&nodes| nodes > 0);
                let nodes = Some(nodes.ok_or_else(|| refuse("a number above 0"))?);
                if key == "nodes" {
                    self.limits.nodes = nodes;
                } else {
                    self.limits.soft_nodes = nodes;
                }
            }
            "depth" => {
                let depth = value.parse().ok().filter(|depth| (1..=255).contains(depth));
                self.limits.depth = Some(depth.ok_or_else(|| refuse("a number from 1 to 255"))?);
            }
            "timemargin" => {
                let margin = value.parse().ok().filter(|&margin| margin <= 60_000);
                let margin = margin.ok_or_else(|| refuse("milliseconds up to 60000"))?;
                self.margin = Some(Duration::from_millis(margin));
            }
            _ => match key.strip_prefix("option.").filter(|name| !name.is_empty()) {
                Some(name) => self.set_option(name, value),
                None => return Err(SpecError::UnknownKey(key.to_string())),
            },
        }
        Ok(())
    }

    fn set_program(&mut self, program: Program) -> Result<(), SpecError> {
        if self.program.replace(program).is_some() {
            return Err(SpecError::TwoPrograms);
        }
        Ok(())
    }

    /// Sets an option; a later value replaces an earlier one of the same name.
    fn set_option(&mut self, name: &str, value: &str) {
        self.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.options.push((name.to_string(), value.to_string()));
    }

    fn finish(self) -> Result<EngineSpec, SpecError> {
        let mut program = self.program.ok_or(SpecError::NoProgram)?;
        if let Program::Command(words) = &mut program {
            words.extend(self.args);
            if self.is_xboard {
                program = Program::Xboard(std::mem::take(words));
            }
        }
        let name = self.name.unwrap_or_else(|| match &program {
            Program::Own => "self".to_string(),
            Program::Command(words) | Program::Xboard(words) => base_name(&words[0]),
        });
        if self.limits.is_empty() {
            return Err(SpecError::NoLimit(name));
        }
        if program != Program::Own && self.limits.soft_nodes.is_some() {
            return Err(SpecError::OwnOnly("softnodes"));
        }
        if self.teacher.is_some() && program != Program::Own {
            return Err(SpecError::OwnOnly("teacher"));
        }
        let is_timed = self.limits.clock.is_some() || self.limits.move_time.is_some();
        if self.teacher.is_some() && is_timed {
            return Err(SpecError::TeacherOnClock);
        }
        // A clock is strict unless the user says otherwise. A move time is met by stopping as late
        // as possible, so that the time of the answer in the pipe must not count.
        let strict = self.limits.move_time.is_none();
        let margin = Duration::from_millis(if strict { 0 } else { 100 });
        Ok(EngineSpec {
            name,
            program,
            dir: self.dir,
            teacher: self.teacher,
            options: self.options,
            limits: self.limits,
            margin: self.margin.unwrap_or(margin),
        })
    }
}

/// The last part of a path that is not empty.
fn base_name(path: &str) -> String {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("engine").to_string()
}

/// Splits a text into words at blanks; single and double quotes keep blanks, and a backslash
/// outside single quotes keeps the next character.
pub fn split_words(text: &str) -> Result<Vec<String>, SpecError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => {
                let kept = letters.next().ok_or_else(|| SpecError::OpenQuote(text.to_string()))?;
                word.get_or_insert_default().push(kept);
            }
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(SpecError::OpenQuote(text.to_string()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        EngineSpec::parse(text, "").unwrap_err().to_string()
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        let words = split_words(r#"a  "b c" d'e f'g \" "x\"y" '' "#).unwrap();
        assert_eq!(words, ["a", "b c", "de fg", "\"", "x\"y", ""]);
        assert!(split_words("a 'b").is_err());
        assert!(split_words("a\\").is_err());
    }

    #[test]
    fn a_full_description_is_read() {
        let text = r#"cmd="/opt/my engine/sf --flag" arg=x name=new dir=/opt option.Hash=16
                      option.hash=32 "option.Book File=a b.bin" tc=40/3+0.03 nodes=5 timemargin=7"#;
        // The quotes belong to the outer word, so the command itself is split once more.
        let spec = EngineSpec::parse(&text.replace("my engine", "engine"), "").unwrap();
        let words = ["/opt/engine/sf", "--flag", "x"].map(String::from).to_vec();
        assert_eq!(spec.program, Program::Command(words));
        assert_eq!(spec.name, "new");
        let options = [("hash", "32"), ("Book File", "a b.bin")];
        assert_eq!(spec.options, options.map(|(n, v)| (n.to_string(), v.to_string())));
        assert_eq!(spec.limits.to_string(), "tc=40/3+0.03 nodes=5");
        assert_eq!(spec.margin, Duration::from_millis(7));
        let old = EngineSpec::parse("cmd=phalanx proto=xboard arg=-b- tc=1", "").unwrap();
        assert_eq!(old.program, Program::Xboard(vec!["phalanx".to_string(), "-b-".to_string()]));
        assert!(old.canonical().starts_with("cmd=[\"phalanx\", \"-b-\"] proto=xboard tc=1"));
    }

    #[test]
    fn own_words_override_shared_ones() {
        let shared = "tc=1+0.1 option.Hash=16";
        let spec = EngineSpec::parse("self evalfile=a.nnue tc=2 option.Hash=1", shared).unwrap();
        assert_eq!(spec.program, Program::Own);
        assert_eq!(spec.name, "self");
        assert_eq!(spec.limits.to_string(), "tc=2");
        assert!(spec.options.contains(&("EvalFile".to_string(), "a.nnue".to_string())));
        assert!(spec.options.contains(&("Hash".to_string(), "1".to_string())));
        assert_eq!(spec.margin, Duration::ZERO);
    }

    #[test]
    fn errors_name_the_word_and_the_remedy() {
        assert_eq!(error("name=x tc=1"), "give cmd=PROGRAM or self");
        assert_eq!(error("self cmd=x tc=1"), "give cmd=PROGRAM or self once");
        assert!(error("self").contains("no limit (give tc="));
        assert!(error("self tc=abc").starts_with("tc: expected a time control"));
        assert_eq!(error("self nodes="), "nodes: expected a number above 0, found nothing");
        assert!(error("self hash=16 tc=1").starts_with("unknown key hash (known: cmd proto name"));
        assert_eq!(error("stockfish"), "expected key=value or self, found stockfish");
        assert!(error("cmd=x softnodes=5").starts_with("softnodes: only a self player"));
        assert!(error("cmd=x nodes=5 teacher=t.nnue").starts_with("teacher: only a self player"));
        assert!(error("self tc=1 teacher=t.nnue").starts_with("teacher: plays by nodes"));
        let seated = EngineSpec::parse("self teacher=t.nnue nodes=5", "").unwrap();
        assert!(seated.canonical().contains(" teacher=t.nnue nodes=5"));
        assert!(error("cmd=x tc=1 'option.X=a\nquit'").contains("no control characters"));
        assert!(error("cmd=x proto=cecp tc=1").starts_with("proto: expected uci or xboard"));
        assert!(error("cmd= tc=1").starts_with("cmd: expected a program"));
    }
}
