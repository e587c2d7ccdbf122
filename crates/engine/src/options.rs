//! The option table: every option in one row, from which the `uci` reply, `setoption`, the options of
//! `self` players and of Python, the settings of the web board, and docs/UCI.md follow.
//!
//! Text becomes a value in one place, [`Config::set`]; whoever knows the value sets the field.

use crate::config::Config;
use crate::level::{self, Level};
use std::fmt::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The type of an option with its default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// On or off.
    Check(bool),
    /// A whole number.
    Spin {
        /// The value at the start.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// An action without a value.
    Button,
    /// Free text.
    Text(&'static str),
    /// One of some words: the default, and all of them.
    Combo(&'static str, &'static [&'static str]),
}

/// A value that fits an option's kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OptionValue<'a> {
    Check(bool),
    Spin(i64),
    Button,
    Text(&'a str),
}

/// One option.
pub struct OptionSpec {
    /// The name as GUIs show it.
    pub name: &'static str,
    /// Type, default and range.
    pub kind: OptionKind,
    /// What it does, in one sentence.
    pub help: &'static str,
    /// What a change of it needs to take effect.
    pub requires: Requires,
    set: fn(&mut Config, OptionValue<'_>) -> Result<(), String>,
}

/// What a change of the configuration needs to take effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Requires {
    /// Nothing: the next search reads the new value.
    Nothing,
    /// A new hash table.
    NewTable,
    /// An empty hash table: what is in it was found by other rules.
    EmptyTable,
    /// Another number of threads.
    Threads,
    /// To read the network, and to forget what was learned with the old one.
    Network,
    /// Another use of the network, and to forget what was learned before.
    Evaluation,
    /// To read the policy net.
    Policy,
    /// To open the book.
    Book,
    /// To open the endgame tables.
    Tablebases,
    /// To tell the threads their tunables.
    Params,
}

impl Requires {
    /// Whether no search may run meanwhile.
    pub fn rest(self) -> bool {
        !matches!(self, Self::Nothing | Self::Book | Self::Policy)
    }
}

/// Most threads anyone may ask for.
pub const MAX_THREADS: i64 = 1024;
/// The largest hash table in megabytes (32 TB, as other engines allow).
pub const MAX_HASH_MB: i64 = 33_554_432;

macro_rules! take {
    ($kind:ident, $value:expr) => {
        match $value {
            OptionValue::$kind(inner) => inner,
            _ => unreachable!("values are parsed by the option's kind"),
        }
    };
}

/// Nothing to set: the option is a button, or only tells GUIs what the engine can do.
#[expect(clippy::unnecessary_wraps, reason = "other options can refuse a value")]
fn nothing(_: &mut Config, _: OptionValue<'_>) -> Result<(), String> {
    Ok(())
}

/// Text that starts as empty and stands for a path.
fn path(text: &str) -> PathBuf {
    PathBuf::from(text)
}

/// All options in the order they are announced.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "Hash",
        kind: OptionKind::Spin { default: 16, min: 1, max: MAX_HASH_MB },
        help: "Size of the hash table in megabytes.",
        requires: Requires::NewTable,
        set: |config, value| {
            config.hash_mb = take!(Spin, value) as usize;
            Ok(())
        },
    },
    OptionSpec {
        name: "Clear Hash",
        kind: OptionKind::Button,
        help: "Empties the hash table.",
        requires: Requires::EmptyTable,
        set: nothing,
    },
    OptionSpec {
        name: "Threads",
        kind: OptionKind::Spin { default: 1, min: 1, max: MAX_THREADS },
        help: "Number of search threads.",
        requires: Requires::Threads,
        set: |config, value| {
            config.threads = take!(Spin, value) as usize;
            Ok(())
        },
    },
    OptionSpec {
        name: "MultiPV",
        kind: OptionKind::Spin { default: 1, min: 1, max: 256 },
        help: "Number of best lines to show.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.multi_pv = take!(Spin, value) as usize;
            Ok(())
        },
    },
    OptionSpec {
        name: "Ponder",
        kind: OptionKind::Check(false),
        help: "Tells that the engine can think on the opponent's time; `go ponder` does it.",
        requires: Requires::Nothing,
        set: nothing,
    },
    OptionSpec {
        name: "Move Overhead",
        kind: OptionKind::Spin { default: 10, min: 0, max: 5000 },
        help: "Milliseconds lost with every move between engine and clock.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.move_overhead = Duration::from_millis(take!(Spin, value) as u64);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_Chess960",
        kind: OptionKind::Check(false),
        help: "Chess960 rules of notation: castling is written as king takes own rook.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.chess960 = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_AnalyseMode",
        kind: OptionKind::Check(false),
        help: "Set by GUIs that analyse rather than play: full strength, no contempt, no book.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.analyse_mode = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_LimitStrength",
        kind: OptionKind::Check(false),
        help: "Plays with the strength of UCI_Elo, see docs/LEVELS.md.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.limit_strength = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_Elo",
        kind: OptionKind::Spin {
            default: level::MAX_ELO,
            min: level::MIN_ELO,
            max: level::MAX_ELO,
        },
        help: "The strength under UCI_LimitStrength; the largest value is full strength.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.elo = take!(Spin, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Skill Level",
        kind: OptionKind::Spin { default: level::MAX_SKILL, min: 0, max: level::MAX_SKILL },
        help: "The same scale in 20 steps; 20 is full strength. UCI_LimitStrength goes before it.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.skill_level = take!(Spin, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Contempt",
        kind: OptionKind::Spin { default: 0, min: -100, max: 100 },
        help: "Centipawns that a draw costs us: above 0 to play on, below 0 to be glad of a draw.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.contempt = take!(Spin, value) as i32;
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_ShowWDL",
        kind: OptionKind::Check(false),
        help: "Adds the chances to win, draw and lose to each line, in thousandths.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.show_wdl = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Use NNUE",
        kind: OptionKind::Check(true),
        help: "Judges positions by the neural network; off, by the hand-crafted evaluation.",
        requires: Requires::Evaluation,
        set: |config, value| {
            config.use_network = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "EvalFile",
        kind: OptionKind::Text(""),
        help: "A network file to use instead of the embedded one; empty for the embedded one.",
        requires: Requires::Network,
        set: |config, value| {
            config.eval_file = path(take!(Text, value));
            Ok(())
        },
    },
    OptionSpec {
        name: "UsePolicy",
        kind: OptionKind::Check(false),
        help: "Lets the policy net help the search, see docs/POLICY.md.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.use_policy = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "PolicyFile",
        kind: OptionKind::Text(""),
        help: "A policy net (GGUF) to use instead of the embedded one; empty for the embedded one.",
        requires: Requires::Policy,
        set: |config, value| {
            config.policy_file = path(take!(Text, value));
            Ok(())
        },
    },
    OptionSpec {
        name: "PolicyUses",
        kind: OptionKind::Text("order"),
        help: "What the policy helps with: any of order, history, reduce, time, deep, threads.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.policy_uses = take!(Text, value).parse()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "PolicyInfo",
        kind: OptionKind::Check(false),
        help: "Shows the policy's moves with their chances before each search.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.show_policy = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Style",
        kind: OptionKind::Combo("engine", &["engine", "human"]),
        help: "How a limited strength plays: as an engine that errs, or as people of that rating.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.human_style = take!(Text, value) == "human";
            Ok(())
        },
    },
    OptionSpec {
        name: "OwnBook",
        kind: OptionKind::Check(false),
        help: "Plays from an opening book, after a short look at the move.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.own_book = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "BookFile",
        kind: OptionKind::Text(""),
        help: "A Polyglot book to use instead of the embedded one; empty for the embedded one.",
        requires: Requires::Book,
        set: |config, value| {
            config.book_file = path(take!(Text, value));
            Ok(())
        },
    },
    OptionSpec {
        name: "BookDepth",
        kind: OptionKind::Spin { default: 20, min: 0, max: 255 },
        help: "The last move of the game that may come from the book.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.book_depth = take!(Spin, value) as u16;
            Ok(())
        },
    },
    OptionSpec {
        name: "BookVariety",
        kind: OptionKind::Spin { default: 100, min: 0, max: 100 },
        help: "0 plays the best move of the book, 100 each as often as its weight says.",
        requires: Requires::Nothing,
        set: |config, value| {
            config.book_variety = take!(Spin, value) as u32;
            Ok(())
        },
    },
    OptionSpec {
        name: "SyzygyPath",
        kind: OptionKind::Text(""),
        help: "Folders with Syzygy endgame tables, separated by `:` (`;` on Windows); empty for none.",
        requires: Requires::Tablebases,
        set: |config, value| {
            config.syzygy_path = take!(Text, value).into();
            Ok(())
        },
    },
    OptionSpec {
        name: "SyzygyProbeDepth",
        kind: OptionKind::Spin { default: 1, min: 1, max: 100 },
        help: "Tables of the most pieces are asked from this depth on only: for slow disks.",
        requires: Requires::EmptyTable,
        set: |config, value| {
            config.syzygy_probe_depth = take!(Spin, value) as i32;
            Ok(())
        },
    },
    OptionSpec {
        name: "Syzygy50MoveRule",
        kind: OptionKind::Check(true),
        help: "Endings that the fifty-move rule saves count as draws; off, as wins and losses.",
        requires: Requires::EmptyTable,
        set: |config, value| {
            config.syzygy_fifty_moves = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "SyzygyProbeLimit",
        kind: OptionKind::Spin { default: 7, min: 0, max: 7 },
        help: "Positions with more pieces, kings included, are not looked up in tables.",
        requires: Requires::EmptyTable,
        set: |config, value| {
            config.syzygy_probe_limit = take!(Spin, value) as u32;
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_EngineAbout",
        kind: OptionKind::Text(
            "Tabiya, a chess engine, analyst and training lab; GPL-3.0-or-later",
        ),
        help: "Says what the engine is; setting it has no effect.",
        requires: Requires::Nothing,
        set: nothing,
    },
    OptionSpec {
        name: "Debug Log File",
        kind: OptionKind::Text(""),
        help: "A file to which everything said and heard is written; empty for none.",
        requires: Requires::Nothing,
        set: |config, value| {
            let text = take!(Text, value);
            config.log_file = (!text.is_empty()).then(|| path(text));
            Ok(())
        },
    },
];

/// Options for measurements, which are not announced.
const UNANNOUNCED: &[OptionSpec] = &[
    OptionSpec {
        name: "Kernel",
        kind: OptionKind::Text(""),
        help: "Forces the network's kernels of an instruction set, to compare them.",
        requires: Requires::Evaluation,
        set: |config, value| {
            let name = take!(Text, value);
            config.kernel = (!name.is_empty()).then(|| name.to_owned());
            Ok(())
        },
    },
    OptionSpec {
        name: "Level",
        kind: OptionKind::Text(""),
        help: "Tries out what could stand in the table of levels.",
        requires: Requires::Nothing,
        set: |config, value| {
            let level = Level::parse(take!(Text, value)).ok_or("elo:nodes:temperature")?;
            config.trial_level = Some(level);
            Ok(())
        },
    },
];

/// Why an option could not be set; the old value stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// There is no such option.
    Unknown(String),
    /// The value does not fit.
    Value {
        /// The option's name.
        name: &'static str,
        /// What was given.
        value: String,
        /// What would fit.
        expected: String,
    },
    /// The value fits but could not be put into effect.
    Failed(&'static str, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no option '{name}'"),
            Self::Value { name, value, expected } => {
                write!(f, "option {name} cannot be '{value}': {expected} expected")
            }
            Self::Failed(name, reason) => write!(f, "option {name} unchanged: {reason}"),
        }
    }
}

impl std::error::Error for OptionError {}

impl OptionKind {
    /// Reads a value of this kind, or says what would fit.
    fn parse(self, text: Option<&str>) -> Result<OptionValue<'_>, String> {
        let text = text.unwrap_or("").trim();
        match self {
            Self::Button => Ok(OptionValue::Button),
            Self::Text(_) => Ok(OptionValue::Text(if text == "<empty>" { "" } else { text })),
            Self::Combo(_, words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .map(|word| OptionValue::Text(word))
                .ok_or_else(|| words.join(" or ")),
            Self::Check(_) => match text.to_ascii_lowercase().as_str() {
                "true" => Ok(OptionValue::Check(true)),
                "false" => Ok(OptionValue::Check(false)),
                _ => Err("true or false".to_owned()),
            },
            Self::Spin { min, max, .. } => text
                .parse()
                .ok()
                .filter(|number| (min..=max).contains(number))
                .map(OptionValue::Spin)
                .ok_or_else(|| format!("a whole number from {min} to {max}")),
        }
    }
}

impl fmt::Display for OptionKind {
    /// The part of the `option` line after the name.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Check(default) => write!(f, "type check default {default}"),
            Self::Spin { default, min, max } => {
                write!(f, "type spin default {default} min {min} max {max}")
            }
            Self::Button => write!(f, "type button"),
            Self::Combo(default, words) => {
                write!(f, "type combo default {default}")?;
                words.iter().try_for_each(|word| write!(f, " var {word}"))
            }
            Self::Text("") => write!(f, "type string default <empty>"),
            Self::Text(default) => write!(f, "type string default {default}"),
        }
    }
}

/// The row of an option; names compare without case.
pub fn find(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().chain(UNANNOUNCED).find(|spec| spec.name.eq_ignore_ascii_case(name))
}

impl Config {
    /// Sets an option by name, as `setoption` does, and says what the change requires.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Requires, OptionError> {
        let Some(spec) = find(name) else { return self.set_param(name, value) };
        let refused = |expected: String| OptionError::Value {
            name: spec.name,
            value: value.unwrap_or("").to_owned(),
            expected,
        };
        let parsed = spec.kind.parse(value).map_err(refused)?;
        let before = self.clone();
        (spec.set)(self, parsed).map_err(refused)?;
        // A button acts every time, and a file is read again: it may have changed.
        let acts = matches!(spec.kind, OptionKind::Button | OptionKind::Text(_));
        Ok(if acts || *self != before { spec.requires } else { Requires::Nothing })
    }

    /// Sets a tunable of the search, which only builds with the `tune` feature have.
    fn set_param(&mut self, name: &str, value: Option<&str>) -> Result<Requires, OptionError> {
        let number = value.and_then(|value| value.trim().parse().ok());
        match number {
            Some(number) if self.params.set(name, number) => Ok(Requires::Params),
            _ => Err(OptionError::Unknown(name.to_owned())),
        }
    }
}

/// docs/UCI.md: the options as a table.
pub fn to_markdown() -> String {
    let mut text = String::from(
        "# UCI options\n\n\
         Written from the option table in `crates/engine/src/options.rs`; a test fails when this page\n\
         is stale (`UPDATE_DOCS=1 cargo test -p tabiya-engine` writes it anew).\n\n\
         | Option | Type | Default | Range | Meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for spec in OPTIONS {
        let (kind, default, range) = match spec.kind {
            OptionKind::Check(default) => ("check", default.to_string(), "true, false".to_owned()),
            OptionKind::Spin { default, min, max } => {
                ("spin", default.to_string(), format!("{min} to {max}"))
            }
            OptionKind::Button => ("button", String::new(), String::new()),
            OptionKind::Text(default) => ("string", default.to_owned(), String::new()),
            OptionKind::Combo(default, words) => ("combo", default.to_owned(), words.join(", ")),
        };
        let (name, help) = (spec.name, spec.help);
        let _ = writeln!(text, "| {name} | {kind} | {default} | {range} | {help} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_options_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/UCI.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, to_markdown()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), to_markdown());
    }

    #[test]
    fn bad_values_are_refused_with_what_would_fit() {
        let mut config = Config::default();
        for (name, value, reason) in [
            ("Hash", "many", "a whole number from 1 to 33554432 expected"),
            ("Hash", "0", "a whole number"),
            ("Threads", "99999999999999999999", "a whole number from 1 to 1024"),
            ("UCI_ShowWDL", "perhaps", "true or false"),
            ("Level", "1500", "elo:nodes:temperature expected"),
            ("Nonsense", "1", "there is no option 'Nonsense'"),
        ] {
            let error = config.set(name, Some(value)).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(config, Config::default());
        assert_eq!(config.set("move overhead", Some("25")), Ok(Requires::Nothing));
        assert_eq!(config.move_overhead, Duration::from_millis(25));
    }

    /// What the table announces and what an engine starts with are written in two places.
    #[test]
    fn the_defaults_of_the_table_are_those_of_the_configuration() {
        for spec in OPTIONS {
            let value = match spec.kind {
                OptionKind::Check(default) => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Text(default) | OptionKind::Combo(default, _) => default.to_owned(),
                OptionKind::Button => continue,
            };
            let mut config = Config::default();
            config.set(spec.name, Some(&value)).unwrap();
            assert_eq!(config, Config::default(), "{}", spec.name);
        }
    }

    #[test]
    fn a_change_requires_what_its_row_says() {
        for (name, value) in [
            ("Hash", "17"),
            ("Threads", "2"),
            ("Use NNUE", "false"),
            ("EvalFile", "x"),
            ("BookFile", "x"),
            ("SyzygyPath", "x"),
            ("SyzygyProbeLimit", "5"),
            ("Kernel", "scalar"),
        ] {
            let mut config = Config::default();
            let requires = config.set(name, Some(value)).unwrap();
            assert_eq!(Config::default().requirements(&config), [requires], "{name}");
        }
        let mut config = Config::default();
        for (name, value) in [("MultiPV", "3"), ("UCI_Elo", "1500"), ("OwnBook", "true")] {
            assert_eq!(config.set(name, Some(value)), Ok(Requires::Nothing));
        }
        assert_eq!(Config::default().requirements(&config), []);
    }
}
