//! The engine as a library: a position, options, threads, and searches over them.

use crate::book::{Book, BookError, BookPolicy};
use crate::eval::{EvalFileError, Evaluation};
use crate::info::{Info, Reporter, SearchResult};
use crate::level::{Dice, Level, Strength};
use crate::limits::Limits;
use crate::options::Settings;
use crate::policy::Line;
use crate::policy::advisor::Advisor;
use crate::pool::Pool;
use crate::search::params::Params;
use crate::search::root::Job;
use crate::shared::Shared;
use crate::tablebase::{Probing, Tablebase, TablebaseError};
use crate::tt::{Table, TableError};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use tabiya_chess::{Board, Game};

/// A chess engine.
///
/// ```
/// use tabiya_engine::{Engine, Limits};
/// let mut engine = Engine::new(16)?;
/// let board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse()?;
/// engine.set_position(board, &[]);
/// let result = engine.go(Limits::depth(4), |_info| {});
/// assert_eq!(result.score.to_string(), "mate 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    board: Board,
    keys: Vec<u64>,
    /// How the position came about, as far as is known.
    line: Line,
    tt: Arc<Table>,
    hash_mb: usize,
    pool: Pool,
    shared: Arc<Shared>,
    params: Params,
    use_network: bool,
    /// The network in use or, where there is none, the classical evaluation.
    network: Evaluation,
    probing: Probing,
    pub(crate) book: BookPolicy,
    pub(crate) advisor: Advisor,
    /// Things worth telling the user that happened outside of searches.
    notes: Vec<String>,
    /// What the engine keeps for whoever talks to the user.
    pub settings: Settings,
    /// Lines to report.
    pub multi_pv: usize,
    pub(crate) strength: Strength,
    dice: Dice,
    /// The mate that the last search looked for.
    last_mate: Option<u32>,
    /// What a draw costs us, in centipawns; zero or more means to avoid draws.
    pub contempt: i32,
    /// Time lost between our answer and the opponent's clock.
    pub move_overhead: Duration,
}

impl Engine {
    /// An engine with one thread and a hash table of this size in megabytes.
    pub fn new(hash_mb: usize) -> Result<Self, TableError> {
        let tt = Arc::new(Table::new(hash_mb)?);
        let shared = Arc::new(Shared::idle(&tt));
        let network = Evaluation::embedded();
        let pool = Pool::new(1, &shared, &network)
            .map_err(|error| TableError::new(hash_mb, error.to_string()))?;
        Ok(Self {
            board: Board::default(),
            keys: Vec::new(),
            line: Line::default(),
            tt,
            hash_mb,
            pool,
            shared,
            params: Params::default(),
            use_network: true,
            network,
            probing: Probing::default(),
            book: BookPolicy::default(),
            advisor: Advisor::default(),
            notes: Vec::new(),
            settings: Settings::default(),
            multi_pv: 1,
            strength: Strength::default(),
            dice: Dice::new(),
            last_mate: None,
            contempt: 0,
            move_overhead: Duration::from_millis(10),
        })
    }

    /// The position to be searched.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Sets the position; `earlier` are the keys of the positions before it in the game, oldest
    /// first, by which repetitions are seen.
    pub fn set_position(&mut self, board: Board, earlier: &[u64]) {
        self.board = board;
        self.line = Line::from_board(&board);
        self.keys.clear();
        self.keys.extend_from_slice(earlier);
    }

    /// Sets the position to the current one of a game.
    pub fn set_game(&mut self, game: &Game) {
        self.set_position(*game.board(), game.keys());
        self.line = Line::from_game(game);
    }

    /// Searches and returns the result, reporting progress on the way.
    pub fn go(
        &mut self,
        limits: Limits,
        on_info: impl FnMut(&Info) + Send + 'static,
    ) -> SearchResult {
        let (sender, receiver) = channel();
        self.start(limits, Box::new(Collect { on_info, sender }));
        receiver.recv().expect("every search ends with a result")
    }

    /// Starts a search and returns at once. A search still running is stopped first.
    pub fn start(&mut self, mut limits: Limits, mut reporter: Box<dyn Reporter>) {
        self.stop();
        self.wait();
        // What was learned under the roof of a search for mate is no good without it.
        if limits.mate != self.last_mate {
            self.tt.clear(self.pool.len());
            self.last_mate = limits.mate;
        }
        self.tt.age();
        let playing = !self.settings.analyse_mode;
        let level = self.strength.level().filter(|_| playing);
        let contempt = if playing { self.contempt } else { 0 };
        limits.nodes = limits.nodes.into_iter().chain(level.map(Level::nodes)).min();
        let threads = if level.is_some() { 1 } else { self.pool.len() };
        self.shared = Arc::new(Shared::new(
            Arc::clone(&self.tt),
            threads,
            Instant::now(),
            limits.ponder,
            limits.nodes,
        ));
        let book_moves = if playing {
            self.book.candidates(&self.board, &limits, self.multi_pv)
        } else {
            Vec::new()
        };
        let advice = self.advisor.advice(&self.line, &self.board, &limits);
        if let Some(advice) = advice.as_ref().filter(|_| self.advisor.is_shown) {
            let chess960 = self.settings.chess960;
            reporter.message(&advice.proposal.describe(&self.board, chess960));
        }
        let human = level.and_then(|level| {
            self.advisor.human(&self.line, level.elo(), &mut self.dice).map(Arc::new)
        });
        let job = Job {
            board: self.board,
            keys: self.keys.clone(),
            limits: Arc::new(limits),
            multi_pv: self.multi_pv,
            level: level.map(|level| (level, self.dice.roll())),
            contempt: crate::wdl::from_centipawns(contempt, &self.board),
            overhead: self.move_overhead,
            probing: self.probing.clone(),
            book_moves,
            // The nodes of a level are its strength: none are spent on questions.
            advice: advice.filter(|_| self.advisor.is_on && level.is_none()),
            human,
            shared: Arc::clone(&self.shared),
        };
        self.pool.start(&job, reporter);
    }

    /// Asks a running search to end; it answers within milliseconds.
    pub fn stop(&self) {
        self.shared.stop.store(true, Relaxed);
    }

    /// A handle by which the search started last can be stopped from anywhere.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.shared))
    }

    /// The opponent played the move that was pondered on: the clock starts now.
    pub fn ponder_hit(&self) {
        self.shared.ponder_hit();
    }

    /// Whether a search still owes its result. Once the result is told, changes of settings take
    /// effect at once, even if threads need another moment to rest.
    pub fn is_searching(&self) -> bool {
        self.pool.is_busy() && !self.shared.answered.load(Relaxed)
    }

    /// Waits for the running search to end.
    pub fn wait(&self) {
        self.pool.wait();
    }

    /// Forgets everything learned: for a new game.
    pub fn new_game(&mut self) {
        self.stop();
        self.wait();
        self.tt.clear(self.pool.len());
        self.pool.clear();
        self.advisor.new_game();
    }

    /// Empties the hash table.
    pub fn clear_hash(&mut self) {
        self.stop();
        self.wait();
        self.tt.clear(self.pool.len());
    }

    /// The size of the hash table in megabytes.
    pub fn hash_mb(&self) -> usize {
        self.hash_mb
    }

    /// Changes the size of the hash table. On failure the old one stays.
    pub fn set_hash(&mut self, mb: usize) -> Result<(), TableError> {
        self.stop();
        self.wait();
        if mb != self.hash_mb {
            self.tt = Arc::new(Table::new(mb)?);
            self.hash_mb = mb;
            // Whoever still holds the last search holds the old table.
            self.shared = Arc::new(Shared::idle(&self.tt));
            self.pool.share(&self.shared);
        }
        Ok(())
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// Changes the number of threads; the hash table stays. Returns how many there are now, which
    /// may be fewer than wanted if the system refuses more.
    pub fn set_threads(&mut self, threads: usize) -> usize {
        self.stop();
        self.wait();
        if threads != self.pool.len()
            && let Ok(pool) = Pool::new(threads.max(1), &self.shared, &self.evaluation())
        {
            pool.set_params(&self.params);
            self.pool = pool;
        }
        self.pool.len()
    }

    /// What judges positions now.
    pub fn evaluation(&self) -> Evaluation {
        if self.use_network { self.network.clone() } else { Evaluation::Classical }
    }

    /// Judges by another evaluation from now on.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.use_network = matches!(evaluation, Evaluation::Network(..));
        if self.use_network {
            self.network = evaluation;
        }
        self.apply_evaluation();
    }

    /// Loads a network file; an empty path means the embedded network. On failure the old one stays.
    pub fn set_eval_file(&mut self, path: &Path) -> Result<(), EvalFileError> {
        let embedded = path.as_os_str().is_empty();
        self.network = if embedded { Evaluation::embedded() } else { Evaluation::from_file(path)? };
        self.apply_evaluation();
        Ok(())
    }

    /// Chooses between the network and the classical evaluation.
    pub fn set_use_network(&mut self, on: bool) {
        self.use_network = on;
        self.apply_evaluation();
    }

    /// Values of different evaluations do not mix, so that what was learned is forgotten.
    fn apply_evaluation(&mut self) {
        self.new_game();
        self.pool.set_evaluation(&self.evaluation());
    }

    /// Opens the Syzygy tables in these folders, separated as in `PATH`; empty for none. On failure
    /// the old ones stay.
    pub fn set_tables(&mut self, folders: &OsStr) -> Result<(), TablebaseError> {
        self.stop();
        self.wait();
        if folders.is_empty() {
            self.probing.tables = None;
            return Ok(());
        }
        let tables = Tablebase::open(folders)?;
        self.notes.push(format!("found {tables:?}"));
        self.notes.extend(tables.take_faults());
        self.probing.tables = Some(Arc::new(tables));
        Ok(())
    }

    /// Says how the search uses endgame tables: from which depth on at the limit, up to how many
    /// pieces, and whether wins that come too late for the fifty-move rule are draws.
    pub(crate) fn adjust_probing(&mut self, change: impl FnOnce(&mut Probing)) {
        self.stop();
        self.wait();
        let before = self.probing.rules();
        change(&mut self.probing);
        // Values by the other rules may be in the hash table.
        if before != self.probing.rules() {
            self.clear_hash();
        }
    }

    /// Plays from this Polyglot book if `OwnBook` is on; an empty path means the embedded one. On
    /// failure the old one stays.
    pub fn set_book_file(&mut self, path: &Path) -> Result<(), BookError> {
        let embedded = path.as_os_str().is_empty();
        let book = if embedded { Book::embedded() } else { Book::open(path)? };
        self.book.book = Arc::new(book);
        Ok(())
    }

    /// Lets the search use the policy net, or no longer.
    pub(crate) fn set_use_policy(&mut self, on: bool) {
        self.advisor.is_on = on;
        if on && !self.advisor.has_net() {
            self.notes
                .push("no policy net is embedded: UsePolicy waits for a PolicyFile".to_owned());
        }
    }

    /// What there is to tell the user since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Makes the choices of a limited strength repeatable.
    pub fn seed_level(&mut self, seed: u64) {
        self.dice = Dice::seeded(seed);
    }

    /// Sets a tunable (only in builds with the `tune` feature). `false` if that is not possible.
    pub fn set_param(&mut self, name: &str, value: i32) -> bool {
        self.stop();
        self.wait();
        let known = self.params.set(name, value);
        if known {
            self.pool.set_params(&self.params);
        }
        known
    }
}

/// Stops one search, without access to the engine. Later searches do not notice.
#[derive(Clone)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Asks the search to end; it answers within milliseconds.
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Hands the result of a search to the thread that waits for it.
struct Collect<F> {
    on_info: F,
    sender: Sender<SearchResult>,
}

impl<F: FnMut(&Info) + Send> Reporter for Collect<F> {
    fn info(&mut self, info: &Info) {
        (self.on_info)(info);
    }

    fn message(&mut self, _: &str) {}

    fn finished(&mut self, result: &SearchResult) {
        let _ = self.sender.send(result.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopper_ends_its_own_search_and_no_other() {
        let mut engine = Engine::new(1).unwrap();
        let (sender, receiver) = channel();
        let infinite = Limits { infinite: true, ..Limits::default() };
        engine.start(infinite, Box::new(Collect { on_info: |_: &Info| {}, sender }));
        let stopper = engine.stopper();
        stopper.stop();
        assert!(receiver.recv().unwrap().best.is_some());
        stopper.stop();
        assert_eq!(engine.go(Limits::depth(5), |_| {}).depth, 5);
    }

    #[test]
    fn a_new_hash_size_frees_the_old_table() {
        let mut engine = Engine::new(1).unwrap();
        engine.set_threads(2);
        engine.go(Limits::depth(3), |_| {});
        let old = Arc::downgrade(&engine.tt);
        engine.set_hash(2).unwrap();
        assert!(old.upgrade().is_none());
    }
}
