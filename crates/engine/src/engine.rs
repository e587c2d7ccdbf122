//! The engine as a library: a position, options, threads, and searches over them.

use crate::clock::Instant;
use crate::config::Config;
use crate::eval::Evaluation;
use crate::info::{Info, Reporter, SearchResult};
use crate::limits::Limits;
use crate::options::{OptionError, Requires};
use crate::policy::GameHistory;
use crate::pool::Pool;
use crate::resources::{Question, Resources};
use crate::search::stats::Stats;
use crate::shared::Shared;
use crate::tablebase::Tablebase;
use crate::tt::TableError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
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
    line: GameHistory,
    resources: Resources,
    pool: Pool,
    shared: Arc<Shared>,
}

impl Engine {
    /// An engine with one thread and a hash table of this size in megabytes.
    pub fn new(hash_mb: usize) -> Result<Self, TableError> {
        let resources = Resources::new(hash_mb)?;
        let shared = Arc::new(Shared::idle(&resources.tt));
        let pool = Pool::new(1, &shared, &resources.evaluation())
            .map_err(|error| TableError::new(hash_mb, error.to_string()))?;
        let (board, line) = (Board::default(), GameHistory::default());
        Ok(Self { board, keys: Vec::new(), line, resources, pool, shared })
    }

    /// What is set.
    pub fn config(&self) -> &Config {
        &self.resources.config
    }

    /// Changes the configuration; if that fails, everything stays as it was. A search still running
    /// is stopped where the change requires it.
    ///
    /// ```
    /// use tabiya_engine::{Engine, Limits};
    /// let mut engine = Engine::new(16)?;
    /// engine.configure(|config| config.multi_pv = 2)?;
    /// engine.go(Limits::depth(4), |info| assert!(info.multi_pv <= 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), OptionError> {
        let (wanted, requires) = self.config().changed(change);
        self.adopt(wanted, &requires)
    }

    /// Sets an option by name, as `setoption` does. Names compare without case.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let mut wanted = self.config().clone();
        let requires = wanted.set(name, value)?;
        self.adopt(wanted, &[requires])
    }

    fn adopt(&mut self, wanted: Config, requires: &[Requires]) -> Result<(), OptionError> {
        let loaded = self.resources.load(&wanted, requires)?;
        if requires.iter().any(|requires| requires.rest()) {
            self.stop();
            self.wait();
        }
        if requires.contains(&Requires::NewTable) {
            self.replace_table(wanted.hash_mb)?;
        }
        self.resources.adopt(wanted, loaded, requires);
        for requirement in requires {
            match requirement {
                Requires::EmptyTable => self.clear_hash(),
                Requires::Network | Requires::Evaluation => self.renew_evaluation(),
                Requires::Params => self.pool.set_params(&self.resources.config.params),
                _ => {}
            }
        }
        if requires.contains(&Requires::Threads) { self.replace_threads() } else { Ok(()) }
    }

    /// The old table is given back before the new one is asked for: both may not fit.
    fn replace_table(&mut self, mb: usize) -> Result<(), OptionError> {
        self.resources.drop_table();
        self.share_table();
        let made = self.resources.make_table(mb);
        self.share_table();
        made
    }

    /// Whoever still holds the last search holds the old table.
    fn share_table(&mut self) {
        self.shared = Arc::new(Shared::idle(&self.resources.tt));
        self.pool.share(&self.shared);
    }

    /// The system may refuse threads; then there are as many as it allows.
    fn replace_threads(&mut self) -> Result<(), OptionError> {
        let wanted = self.config().threads.max(1);
        if wanted != self.pool.len()
            && let Ok(pool) = Pool::new(wanted, &self.shared, &self.evaluation())
        {
            pool.set_params(&self.config().params);
            self.pool = pool;
        }
        let allowed = self.pool.len();
        self.resources.config.threads = allowed;
        if allowed == wanted {
            return Ok(());
        }
        Err(OptionError::Failed("Threads", format!("the system allows {allowed} threads")))
    }

    /// The position to be searched.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Sets the position; `earlier` are the keys of the positions before it in the game, oldest
    /// first, by which repetitions are seen.
    pub fn set_position(&mut self, board: Board, earlier: &[u64]) {
        self.board = board;
        self.line = GameHistory::from_board(&board);
        self.keys.clear();
        self.keys.extend_from_slice(earlier);
    }

    /// Sets the position to the current one of a game.
    pub fn set_game(&mut self, game: &Game) {
        self.set_position(*game.board(), game.keys());
        self.line = GameHistory::from_game(game);
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
    pub fn start(&mut self, limits: Limits, mut reporter: Box<dyn Reporter>) {
        self.stop();
        self.wait();
        let threads = self.pool.len();
        let (board, earlier, line) = (&self.board, &self.keys, &self.line);
        let question = Question { board, earlier, line, is_new: true };
        let (job, proposal) =
            self.resources.job(&question, limits, threads, Instant::now(), Arc::default());
        if let Some(text) = proposal {
            reporter.message(&text);
        }
        self.shared = Arc::clone(&job.shared);
        self.pool.start(&job, reporter);
    }

    /// Asks a running search to end; it answers within milliseconds.
    pub fn stop(&self) {
        self.shared.told().store(true, Relaxed);
    }

    /// A handle by which the search started last can be stopped from anywhere.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(self.shared.told()))
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
        self.resources.tt.clear(self.pool.len());
        self.pool.clear();
        self.resources.advisor.new_game();
    }

    /// Empties the hash table.
    pub fn clear_hash(&mut self) {
        self.stop();
        self.wait();
        self.resources.tt.clear(self.pool.len());
    }

    /// The size of the hash table in megabytes.
    pub fn hash_mb(&self) -> usize {
        self.config().hash_mb
    }

    /// Changes the size of the hash table, whose content is lost. On failure the size stays.
    pub fn set_hash(&mut self, mb: usize) -> Result<(), OptionError> {
        self.configure(|config| config.hash_mb = mb)
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// Changes the number of threads; the hash table stays. Returns how many there are now, which
    /// may be fewer than wanted if the system refuses more.
    pub fn set_threads(&mut self, threads: usize) -> usize {
        // A refusal shows in the number.
        let _ = self.configure(|config| config.threads = threads.max(1));
        self.pool.len()
    }

    /// What judges positions now.
    pub fn evaluation(&self) -> Evaluation {
        self.resources.evaluation()
    }

    /// Judges by another evaluation from now on.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.resources.set_evaluation(evaluation);
        self.renew_evaluation();
    }

    /// Values of different evaluations do not mix, so that what was learned is forgotten.
    fn renew_evaluation(&mut self) {
        self.new_game();
        self.pool.set_evaluation(&self.evaluation());
    }

    /// Whether there is a policy net, without which nobody plays like people.
    pub fn has_policy(&self) -> bool {
        self.resources.advisor.has_net()
    }

    /// The endgame tables in use.
    pub fn tables(&self) -> Option<&Arc<Tablebase>> {
        self.resources.tables()
    }

    /// Lets searches look into endgame tables that others use, too.
    pub fn set_tables(&mut self, tables: Option<Arc<Tablebase>>) {
        self.resources.set_tables(tables);
    }

    /// Starts to count anew what searches do, or stops counting. Counting costs some speed and changes
    /// nothing else.
    pub fn set_counting(&mut self, counting: bool) {
        self.stop();
        self.wait();
        self.pool.set_counting(counting);
    }

    /// What was counted since [`Self::set_counting`], by all threads together.
    pub fn stats(&self) -> Stats {
        self.wait();
        self.pool.stats()
    }

    /// What there is to tell the user since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.resources.notes)
    }

    /// Makes the choices of a limited strength repeatable.
    pub fn seed_level(&mut self, seed: u64) {
        self.resources.dice.seed(seed);
    }
}

/// Stops one search, without access to the engine. Later searches do not notice.
#[derive(Clone)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// Asks the search to end; it answers within milliseconds.
    pub fn stop(&self) {
        self.0.store(true, Relaxed);
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
    use crate::tt::tests::BEFORE_NEW;
    use std::cell::Cell;
    use std::rc::Rc;
    use tabiya_nn::{Network, Shape};

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
    fn a_new_hash_size_frees_the_old_table_before_it_takes_the_new_one() {
        let mut engine = Engine::new(1).unwrap();
        engine.set_threads(2);
        engine.go(Limits::depth(3), |_| {});
        // Python keeps such a handle for as long as its engine lives.
        let _stopper = engine.stopper();
        let old = Arc::downgrade(&engine.resources.tt);
        let gone = Rc::new(Cell::new(None));
        let seen = Rc::clone(&gone);
        let watch = move || seen.set(Some(old.upgrade().is_none()));
        BEFORE_NEW.set(Some(Box::new(watch)));
        engine.set_hash(2).unwrap();
        BEFORE_NEW.set(None);
        assert_eq!((gone.get(), engine.hash_mb()), (Some(true), 2));
    }

    #[test]
    fn a_table_that_does_not_fit_leaves_one_of_the_old_size() {
        let mut engine = Engine::new(1).unwrap();
        let error = engine.set_hash(1 << 40).unwrap_err().to_string();
        assert!(error.contains("1099511627776 MB"), "{error}");
        assert_eq!(engine.hash_mb(), 1);
        assert_eq!(engine.go(Limits::depth(5), |_| {}).depth, 5);
    }

    #[test]
    fn a_failed_change_leaves_the_configuration() {
        let mut engine = Engine::new(1).unwrap();
        engine.set_option("Contempt", Some("10")).unwrap();
        let before = engine.config().clone();
        let change = engine.configure(|config| {
            config.contempt = 20;
            config.hash_mb = 2;
            config.eval_file = "no/such/net".into();
        });
        let error = change.unwrap_err().to_string();
        assert!(error.starts_with("option EvalFile unchanged: no/such/net: "), "{error}");
        assert_eq!(*engine.config(), before);
    }

    #[test]
    fn switching_the_network_off_and_on_keeps_its_file() {
        let net = Network::material(Shape::new(128, 1, 1).unwrap());
        let path = std::env::temp_dir().join(format!("tabiya-switch-{}.nnue", std::process::id()));
        std::fs::write(&path, net.save()).unwrap();
        let mut engine = Engine::new(1).unwrap();
        engine.set_option("EvalFile", path.to_str()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let with_file = engine.evaluation().to_string();
        for on in ["false", "true"] {
            engine.set_option("Use NNUE", Some(on)).unwrap();
        }
        assert_eq!(engine.evaluation().to_string(), with_file);
        engine.set_option("EvalFile", Some("")).unwrap();
        assert_eq!(engine.evaluation().to_string(), Evaluation::embedded().to_string());
    }
}
