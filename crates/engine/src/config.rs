//! The configuration of an engine: plain values, one for each option.
//!
//! [`Config`] says what is wanted; `options` reads it from text and knows what a change requires;
//! `resources` holds what it stands for (hash table, network, book, endgame tables).

use crate::level::{self, Level};
use crate::options::Requires;
use crate::policy::Uses;
use crate::search::params::Params;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be set about an engine.
///
/// ```
/// use tabiya_engine::Config;
/// let mut config = Config::default();
/// config.set("Contempt", Some("20"))?;
/// assert_eq!(config.contempt, 20);
/// assert!(config.set("Contempt", Some("1000")).is_err());
/// # Ok::<(), tabiya_engine::options::OptionError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own to the user")]
pub struct Config {
    /// Size of the hash table in megabytes.
    pub hash_mb: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to report.
    pub multi_pv: usize,
    /// Time lost between our answer and the opponent's clock.
    pub move_overhead: Duration,
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// The user analyses: no book, no contempt, full strength.
    pub analyse_mode: bool,
    /// Plays with the strength of `elo`.
    pub limit_strength: bool,
    /// The strength under `limit_strength`.
    pub elo: i64,
    /// Strength in steps; the highest is full strength.
    pub skill_level: i64,
    /// A level that is not in the table, to be measured.
    pub(crate) trial_level: Option<Level>,
    /// What a draw costs us, in centipawns; above zero means to avoid draws.
    pub contempt: i32,
    /// Lines carry win, draw and loss chances.
    pub show_wdl: bool,
    /// Judges by the network, not by the hand-crafted evaluation.
    pub use_network: bool,
    /// A network file; empty for the embedded one.
    pub eval_file: PathBuf,
    /// The instruction set of the network's kernels; the best one if `None`.
    pub(crate) kernel: Option<String>,
    /// Lets the policy net help the search.
    pub use_policy: bool,
    /// A policy net; empty for the embedded one.
    pub policy_file: PathBuf,
    /// What the policy net helps with.
    pub policy_uses: Uses,
    /// Shows what the policy net proposes before each search.
    pub show_policy: bool,
    /// A limited strength plays as people of that rating do.
    pub human_style: bool,
    /// Plays from the opening book.
    pub own_book: bool,
    /// A Polyglot book; empty for the embedded one.
    pub book_file: PathBuf,
    /// The last full move that may come from the book.
    pub book_depth: u16,
    /// From 0, only the best move of the book, to 100, as often as the weights say.
    pub book_variety: u32,
    /// Folders with Syzygy tables, separated as in `PATH`; empty for none.
    pub syzygy_path: OsString,
    /// Tables of the most pieces are asked from this depth on only.
    pub syzygy_probe_depth: i32,
    /// Whether a win that comes too late for the fifty-move rule is a draw.
    pub syzygy_fifty_moves: bool,
    /// Positions with more pieces are not looked up.
    pub syzygy_probe_limit: u32,
    /// A file that receives everything said and heard in a UCI session.
    pub log_file: Option<PathBuf>,
    /// The tunables of the search.
    pub params: Params,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hash_mb: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            chess960: false,
            analyse_mode: false,
            limit_strength: false,
            elo: level::MAX_ELO,
            skill_level: level::MAX_SKILL,
            trial_level: None,
            contempt: 0,
            show_wdl: false,
            use_network: true,
            eval_file: PathBuf::new(),
            kernel: None,
            use_policy: false,
            policy_file: PathBuf::new(),
            policy_uses: Uses::default(),
            show_policy: false,
            human_style: false,
            own_book: false,
            book_file: PathBuf::new(),
            book_depth: 20,
            book_variety: 100,
            syzygy_path: OsString::new(),
            syzygy_probe_depth: 1,
            syzygy_fifty_moves: true,
            syzygy_probe_limit: 7,
            log_file: None,
            params: Params::default(),
        }
    }
}

impl Config {
    /// The defaults with a hash table of this size.
    pub fn with_hash(hash_mb: usize) -> Self {
        Self { hash_mb, ..Self::default() }
    }

    /// To analyse, or to play: at full strength, or at that of a rating.
    pub fn set_mode(&mut self, analyse: bool, elo: Option<i64>) {
        self.analyse_mode = analyse;
        self.limit_strength = elo.is_some();
        self.elo = elo.map_or(level::MAX_ELO, |elo| elo.clamp(level::MIN_ELO, level::MAX_ELO));
    }

    /// The level to play at; `None` for full strength. `UCI_Elo` goes before `Skill Level`, whose
    /// steps divide the same scale evenly.
    pub(crate) fn level(&self) -> Option<Level> {
        if self.analyse_mode {
            return None;
        }
        let elo =
            if self.limit_strength { self.elo } else { level::elo_of_skill(self.skill_level) };
        self.trial_level.or_else(|| Level::of_elo(elo))
    }

    /// This configuration with a change, and what has to be done to get there.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut Self)) -> (Self, Vec<Requires>) {
        let mut wanted = self.clone();
        change(&mut wanted);
        let requires = self.requirements(&wanted);
        (wanted, requires)
    }

    /// What has to be done to get from this configuration to another.
    pub(crate) fn requirements(&self, wanted: &Self) -> Vec<Requires> {
        let evaluation = |config: &Self| (config.use_network, config.kernel.clone());
        let rules = |config: &Self| {
            (config.syzygy_probe_depth, config.syzygy_fifty_moves, config.syzygy_probe_limit)
        };
        [
            (self.hash_mb != wanted.hash_mb, Requires::NewTable),
            (self.threads != wanted.threads, Requires::Threads),
            (self.eval_file != wanted.eval_file, Requires::Network),
            (evaluation(self) != evaluation(wanted), Requires::Evaluation),
            (self.policy_file != wanted.policy_file, Requires::Policy),
            (self.book_file != wanted.book_file, Requires::Book),
            (self.syzygy_path != wanted.syzygy_path, Requires::Tablebases),
            (rules(self) != rules(wanted), Requires::EmptyTable),
            (self.params != wanted.params, Requires::Params),
        ]
        .into_iter()
        .filter_map(|(differs, requires)| differs.then_some(requires))
        .collect()
    }
}
