//! The option table: every UCI option in one row, from which the `uci` reply, `setoption`, and
//! docs/UCI.md follow.

use crate::engine::Engine;
use crate::level;
use crate::search::params::Params;
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
    apply: fn(&mut Engine, OptionValue<'_>) -> Result<(), String>,
}

/// Settings that the engine merely keeps for whoever talks to the user.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// The user analyses: no book, no contempt, full strength.
    pub analyse_mode: bool,
    /// Lines carry win, draw and loss chances.
    pub show_wdl: bool,
    /// A file that receives everything said and heard.
    pub log_file: Option<PathBuf>,
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

/// Nothing to do: the option only tells GUIs what the engine can do.
#[expect(clippy::unnecessary_wraps, reason = "an effect may fail, this one does not")]
fn nothing(_: &mut Engine, _: OptionValue<'_>) -> Result<(), String> {
    Ok(())
}

/// All options in the order they are announced.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "Hash",
        kind: OptionKind::Spin { default: 16, min: 1, max: MAX_HASH_MB },
        help: "Size of the hash table in megabytes.",
        apply: |engine, value| {
            engine.set_hash(take!(Spin, value) as usize).map_err(|error| error.to_string())
        },
    },
    OptionSpec {
        name: "Clear Hash",
        kind: OptionKind::Button,
        help: "Empties the hash table.",
        apply: |engine, _| {
            engine.clear_hash();
            Ok(())
        },
    },
    OptionSpec {
        name: "Threads",
        kind: OptionKind::Spin { default: 1, min: 1, max: MAX_THREADS },
        help: "Number of search threads.",
        apply: |engine, value| {
            let wanted = take!(Spin, value) as usize;
            let got = engine.set_threads(wanted);
            if got == wanted { Ok(()) } else { Err(format!("the system allows {got} threads")) }
        },
    },
    OptionSpec {
        name: "MultiPV",
        kind: OptionKind::Spin { default: 1, min: 1, max: 256 },
        help: "Number of best lines to show.",
        apply: |engine, value| {
            engine.multi_pv = take!(Spin, value) as usize;
            Ok(())
        },
    },
    OptionSpec {
        name: "Ponder",
        kind: OptionKind::Check(false),
        help: "Tells that the engine can think on the opponent's time; `go ponder` does it.",
        apply: nothing,
    },
    OptionSpec {
        name: "Move Overhead",
        kind: OptionKind::Spin { default: 10, min: 0, max: 5000 },
        help: "Milliseconds lost with every move between engine and clock.",
        apply: |engine, value| {
            engine.move_overhead = Duration::from_millis(take!(Spin, value) as u64);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_Chess960",
        kind: OptionKind::Check(false),
        help: "Chess960 rules of notation: castling is written as king takes own rook.",
        apply: |engine, value| {
            engine.settings.chess960 = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_AnalyseMode",
        kind: OptionKind::Check(false),
        help: "Set by GUIs that analyse rather than play: full strength, no contempt, no book.",
        apply: |engine, value| {
            engine.settings.analyse_mode = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_LimitStrength",
        kind: OptionKind::Check(false),
        help: "Plays with the strength of UCI_Elo, see docs/LEVELS.md.",
        apply: |engine, value| {
            engine.strength.is_limited = take!(Check, value);
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
        apply: |engine, value| {
            engine.strength.elo = take!(Spin, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Skill Level",
        kind: OptionKind::Spin { default: level::MAX_SKILL, min: 0, max: level::MAX_SKILL },
        help: "The same scale in 20 steps; 20 is full strength. UCI_LimitStrength goes before it.",
        apply: |engine, value| {
            engine.strength.skill = take!(Spin, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Contempt",
        kind: OptionKind::Spin { default: 0, min: -100, max: 100 },
        help: "Centipawns that a draw costs us: above 0 to play on, below 0 to be glad of a draw.",
        apply: |engine, value| {
            engine.contempt = take!(Spin, value) as i32;
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_ShowWDL",
        kind: OptionKind::Check(false),
        help: "Adds the chances to win, draw and lose to each line, in thousandths.",
        apply: |engine, value| {
            engine.settings.show_wdl = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Use NNUE",
        kind: OptionKind::Check(true),
        help: "Judges positions by the neural network; off, by the hand-crafted evaluation.",
        apply: |engine, value| {
            engine.set_use_network(take!(Check, value));
            Ok(())
        },
    },
    OptionSpec {
        name: "EvalFile",
        kind: OptionKind::Text(""),
        help: "A network file to use instead of the embedded one; empty for the embedded one.",
        apply: |engine, value| {
            let path = take!(Text, value);
            engine.set_eval_file(path.as_ref()).map_err(|error| error.to_string())
        },
    },
    OptionSpec {
        name: "UsePolicy",
        kind: OptionKind::Check(false),
        help: "Lets the policy net help the search, see docs/POLICY.md.",
        apply: |engine, value| {
            engine.set_use_policy(take!(Check, value));
            Ok(())
        },
    },
    OptionSpec {
        name: "PolicyFile",
        kind: OptionKind::Text(""),
        help: "A policy net (GGUF) to use instead of the embedded one; empty for the embedded one.",
        apply: |engine, value| {
            let path = take!(Text, value);
            engine.advisor.set_file(path.as_ref()).map_err(|error| error.to_string())
        },
    },
    OptionSpec {
        name: "PolicyUses",
        kind: OptionKind::Text("order"),
        help: "What the policy helps with: any of order, history, reduce, time, deep, threads.",
        apply: |engine, value| {
            engine.advisor.uses = take!(Text, value).parse()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "PolicyInfo",
        kind: OptionKind::Check(false),
        help: "Shows the policy's moves with their chances before each search.",
        apply: |engine, value| {
            engine.advisor.is_shown = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "Style",
        kind: OptionKind::Combo("engine", &["engine", "human"]),
        help: "How a limited strength plays: as an engine that errs, or as people of that rating.",
        apply: |engine, value| engine.advisor.set_style(take!(Text, value)),
    },
    OptionSpec {
        name: "OwnBook",
        kind: OptionKind::Check(false),
        help: "Plays from an opening book, after a short look at the move.",
        apply: |engine, value| {
            engine.book.own_book = take!(Check, value);
            Ok(())
        },
    },
    OptionSpec {
        name: "BookFile",
        kind: OptionKind::Text(""),
        help: "A Polyglot book to use instead of the embedded one; empty for the embedded one.",
        apply: |engine, value| {
            engine.set_book_file(take!(Text, value).as_ref()).map_err(|error| error.to_string())
        },
    },
    OptionSpec {
        name: "BookDepth",
        kind: OptionKind::Spin { default: 20, min: 0, max: 255 },
        help: "The last move of the game that may come from the book.",
        apply: |engine, value| {
            engine.book.last_move = take!(Spin, value) as u16;
            Ok(())
        },
    },
    OptionSpec {
        name: "BookVariety",
        kind: OptionKind::Spin { default: 100, min: 0, max: 100 },
        help: "0 plays the best move of the book, 100 each as often as its weight says.",
        apply: |engine, value| {
            engine.book.variety = take!(Spin, value) as u32;
            Ok(())
        },
    },
    OptionSpec {
        name: "SyzygyPath",
        kind: OptionKind::Text(""),
        help: "Folders with Syzygy endgame tables, separated by `:` (`;` on Windows); empty for none.",
        apply: |engine, value| {
            engine.set_tables(take!(Text, value).as_ref()).map_err(|error| error.to_string())
        },
    },
    OptionSpec {
        name: "SyzygyProbeDepth",
        kind: OptionKind::Spin { default: 1, min: 1, max: 100 },
        help: "Tables of the most pieces are asked from this depth on only: for slow disks.",
        apply: |engine, value| {
            let depth = take!(Spin, value) as i32;
            engine.adjust_probing(|probing| probing.min_depth = depth);
            Ok(())
        },
    },
    OptionSpec {
        name: "Syzygy50MoveRule",
        kind: OptionKind::Check(true),
        help: "Endings that the fifty-move rule saves count as draws; off, as wins and losses.",
        apply: |engine, value| {
            let on = take!(Check, value);
            engine.adjust_probing(|probing| probing.fifty_moves = on);
            Ok(())
        },
    },
    OptionSpec {
        name: "SyzygyProbeLimit",
        kind: OptionKind::Spin { default: 7, min: 0, max: 7 },
        help: "Positions with more pieces, kings included, are not looked up in tables.",
        apply: |engine, value| {
            let limit = take!(Spin, value) as u32;
            engine.adjust_probing(|probing| probing.limit = limit);
            Ok(())
        },
    },
    OptionSpec {
        name: "UCI_EngineAbout",
        kind: OptionKind::Text(
            "Tabiya, a chess engine, analyst and training lab; GPL-3.0-or-later",
        ),
        help: "Says what the engine is; setting it has no effect.",
        apply: nothing,
    },
    OptionSpec {
        name: "Debug Log File",
        kind: OptionKind::Text(""),
        help: "A file to which everything said and heard is written; empty for none.",
        apply: |engine, value| {
            let path = take!(Text, value);
            engine.settings.log_file = (!path.is_empty()).then(|| PathBuf::from(path));
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

impl Engine {
    /// Sets an option by name, as `setoption` does. Names compare without case.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        if let Some(spec) = OPTIONS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name)) {
            let parsed = spec.kind.parse(value).map_err(|expected| OptionError::Value {
                name: spec.name,
                value: value.unwrap_or("").to_owned(),
                expected,
            })?;
            return (spec.apply)(self, parsed)
                .map_err(|reason| OptionError::Failed(spec.name, reason));
        }
        // Not announced: forces the kernels of an instruction set, to compare them.
        if name.eq_ignore_ascii_case("Kernel") {
            let kernel = value.unwrap_or("").trim();
            let evaluation = self.evaluation().with_kernels(kernel);
            let missing = || OptionError::Failed("Kernel", format!("no '{kernel}' here"));
            self.set_evaluation(evaluation.ok_or_else(missing)?);
            return Ok(());
        }
        let tunable = Params::ALL.iter().find(|spec| spec.name == name);
        let number = value.and_then(|value| value.trim().parse().ok());
        match (tunable, number) {
            (Some(spec), Some(number)) if self.set_param(spec.name, number) => Ok(()),
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
        let mut engine = Engine::new(1).unwrap();
        for (name, value, reason) in [
            ("Hash", "many", "a whole number from 1 to 33554432 expected"),
            ("Hash", "0", "a whole number"),
            ("Threads", "99999999999999999999", "a whole number from 1 to 1024"),
            ("UCI_ShowWDL", "perhaps", "true or false"),
            ("Nonsense", "1", "there is no option 'Nonsense'"),
        ] {
            let error = engine.set_option(name, Some(value)).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(engine.hash_mb(), 1);
        engine.set_option("move overhead", Some("25")).unwrap();
        assert_eq!(engine.move_overhead, Duration::from_millis(25));
    }
}
