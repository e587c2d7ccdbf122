//! What a configuration stands for: the hash table, the network, the book, the endgame tables.
//!
//! `Engine` and `Searcher` differ in who searches, a pool of threads or the caller. Everything else
//! they have in common is here: how a configuration takes effect, and what a search is given.

use crate::book::{self, Book};
use crate::clock::Instant;
use crate::config::Config;
use crate::eval::Evaluation;
use crate::level::{Dice, Level};
use crate::limits::Limits;
use crate::options::{OptionError, Requires};
use crate::policy::advisor::Advisor;
use crate::policy::{GameHistory, Policy};
use crate::search::root::Job;
use crate::shared::Shared;
use crate::tablebase::{Probing, Tablebase};
use crate::tt::{Table, TableError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tabiya_chess::Board;

/// The resources of an engine and the configuration they follow.
pub(crate) struct Resources {
    pub(crate) config: Config,
    pub(crate) tt: Arc<Table>,
    /// The network in use or, where there is none, the classical evaluation.
    network: Evaluation,
    tables: Option<Arc<Tablebase>>,
    book: Arc<Book>,
    pub(crate) advisor: Advisor,
    pub(crate) dice: Dice,
    /// The mate that the last search looked for.
    last_mate: Option<u32>,
    /// Things worth telling the user that happened outside of searches.
    pub(crate) notes: Vec<String>,
}

/// What a change of the configuration needs and what may fail: made before anything is changed.
pub(crate) struct Loaded {
    network: Option<Evaluation>,
    book: Option<Book>,
    tables: Option<Tablebase>,
    /// The net of `PolicyFile`; `None` stands for the embedded one.
    policy: Option<Policy>,
}

/// What a search is about.
pub(crate) struct Question<'a> {
    pub(crate) board: &'a Board,
    /// Keys of the positions before it.
    pub(crate) earlier: &'a [u64],
    /// How the position came about, as far as is known.
    pub(crate) line: &'a GameHistory,
    /// Whether it is asked for the first time, not taken up once more.
    pub(crate) is_new: bool,
}

impl Resources {
    /// The defaults with a hash table of this size in megabytes.
    pub(crate) fn new(hash_mb: usize) -> Result<Self, TableError> {
        Ok(Self {
            config: Config::with_hash(hash_mb),
            tt: Arc::new(Table::new(hash_mb)?),
            network: Evaluation::embedded(),
            tables: None,
            book: Arc::new(Book::embedded()),
            advisor: Advisor::default(),
            dice: Dice::new(),
            last_mate: None,
            notes: Vec::new(),
        })
    }

    /// What judges positions.
    pub(crate) fn evaluation(&self) -> Evaluation {
        if self.config.use_network { self.network.clone() } else { Evaluation::Classical }
    }

    /// Judges by something that no option names.
    pub(crate) fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.config.use_network = !matches!(evaluation, Evaluation::Classical);
        if self.config.use_network {
            self.network = evaluation;
        }
    }

    pub(crate) fn tables(&self) -> Option<&Arc<Tablebase>> {
        self.tables.as_ref()
    }

    pub(crate) fn set_tables(&mut self, tables: Option<Arc<Tablebase>>) {
        self.tables = tables;
    }

    /// Reads the files that a new configuration needs.
    pub(crate) fn load(
        &self,
        wanted: &Config,
        requires: &[Requires],
    ) -> Result<Loaded, OptionError> {
        let failed =
            |name, error: &dyn std::fmt::Display| OptionError::Failed(name, error.to_string());
        let in_file =
            |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut loaded = Loaded { network: None, book: None, tables: None, policy: None };
        if requires.contains(&Requires::Network) {
            let path = &wanted.eval_file;
            loaded.network = Some(if path.as_os_str().is_empty() {
                Evaluation::embedded()
            } else {
                Evaluation::from_file(path).map_err(|error| failed("EvalFile", &error))?
            });
        }
        if requires.contains(&Requires::Evaluation)
            && let Some(kernel) = &wanted.kernel
        {
            let network = loaded.network.as_ref().unwrap_or(&self.network).with_kernels(kernel);
            let network =
                network.ok_or_else(|| failed("Kernel", &format!("no '{kernel}' here")))?;
            loaded.network = Some(network);
        }
        if requires.contains(&Requires::Book) {
            let path = &wanted.book_file;
            loaded.book = Some(if path.as_os_str().is_empty() {
                Book::embedded()
            } else {
                Book::open(path).map_err(|error| failed("BookFile", &in_file(path, &error)))?
            });
        }
        let policy_file = &wanted.policy_file;
        if requires.contains(&Requires::Policy) && !policy_file.as_os_str().is_empty() {
            let net = Policy::from_file(policy_file)
                .map_err(|error| failed("PolicyFile", &in_file(policy_file, &error)))?;
            loaded.policy = Some(Policy::new(net));
        }
        if requires.contains(&Requires::Tablebases) && !wanted.syzygy_path.is_empty() {
            let tables = Tablebase::open(&wanted.syzygy_path);
            loaded.tables = Some(tables.map_err(|error| failed("SyzygyPath", &error))?);
        }
        Ok(loaded)
    }

    /// Takes over a configuration and what was loaded for it. Hash table, threads and what they have
    /// learned are the caller's business.
    pub(crate) fn adopt(&mut self, wanted: Config, loaded: Loaded, requires: &[Requires]) {
        let newly_used = wanted.use_policy && !self.config.use_policy;
        let newly_human = wanted.human_style && !self.config.human_style;
        self.config = wanted;
        if requires.contains(&Requires::Policy) {
            self.advisor.set_policy(loaded.policy);
        }
        if newly_used && !self.advisor.has_net() {
            let text = "no policy net is embedded: UsePolicy waits for a PolicyFile";
            self.notes.push(text.to_owned());
        }
        if newly_human && !self.advisor.has_net() {
            let text = "no policy net is embedded: Style human waits for a PolicyFile";
            self.notes.push(text.to_owned());
        }
        if let Some(network) = loaded.network {
            self.network = network;
        }
        if let Some(book) = loaded.book {
            self.book = Arc::new(book);
        }
        if let Some(tables) = &loaded.tables {
            self.notes.push(format!("found {tables:?}"));
            self.notes.extend(tables.take_faults());
        }
        if requires.contains(&Requires::Tablebases) {
            self.tables = loaded.tables.map(Arc::new);
        }
    }

    /// Gives the hash table back; a stand-in of one page takes its place.
    pub(crate) fn drop_table(&mut self) {
        self.tt = Arc::new(Table::stand_in());
    }

    /// Makes the hash table after [`Self::drop_table`]. On failure one of the old size is made.
    pub(crate) fn make_table(&mut self, mb: usize) -> Result<(), OptionError> {
        let (table, result) = match Table::new(mb) {
            Ok(table) => (Ok(table), Ok(())),
            Err(error) => {
                let failed = OptionError::Failed("Hash", error.to_string());
                (Table::new(self.config.hash_mb), Err(failed))
            }
        };
        // Where even the old size is refused now, the stand-in stays: the search is slow but right.
        if let Ok(table) = table {
            self.tt = Arc::new(table);
        }
        result
    }

    /// The search of a position: what is asked, by which rules, and what its threads share. Beside it
    /// what the policy net proposes, if that is to be shown.
    pub(crate) fn job(
        &mut self,
        question: &Question,
        mut limits: Limits,
        threads: usize,
        started: Instant,
        told: Arc<AtomicBool>,
    ) -> (Job, Option<String>) {
        let Question { board, earlier, line, is_new } = *question;
        // What was learned under the roof of a search for mate is no good without it.
        if limits.mate != self.last_mate {
            self.tt.clear(threads);
            self.last_mate = limits.mate;
        }
        if is_new {
            self.tt.age();
        }
        let config = &self.config;
        let level = config.level();
        limits.nodes = limits.nodes.into_iter().chain(level.map(Level::nodes)).min();
        let threads = if level.is_some() { 1 } else { threads };
        let shared =
            Shared::new(Arc::clone(&self.tt), threads, started, limits.ponder, limits.nodes, told);
        let contempt = if config.analyse_mode { 0 } else { config.contempt };
        let advice = self.advisor.advice(config, line, board, &limits);
        let shown = advice.as_ref().filter(|_| config.show_policy);
        let shown = shown.map(|advice| advice.proposal.describe(board, config.chess960));
        let human = level
            .filter(|_| config.human_style)
            .and_then(|level| self.advisor.human(line, level.elo(), &mut self.dice).map(Arc::new));
        let job = Job {
            board: *board,
            keys: earlier.to_vec(),
            multi_pv: config.multi_pv,
            level: level.map(|level| (level, self.dice.roll())),
            contempt: crate::wdl::from_centipawns(contempt, board),
            overhead: config.move_overhead,
            resumed: 0,
            probing: Probing {
                tables: self.tables.clone(),
                min_depth: config.syzygy_probe_depth,
                limit: config.syzygy_probe_limit,
                fifty_moves: config.syzygy_fifty_moves,
            },
            book_moves: book::candidates(&self.book, config, board, &limits),
            limits: Arc::new(limits),
            // The nodes of a level are its strength: none are spent on questions.
            advice: advice.filter(|_| config.use_policy && level.is_none()),
            human,
            shared: Arc::new(shared),
        };
        (job, shown)
    }
}
