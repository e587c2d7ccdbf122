//! A search in the caller's own thread: for games inside the process, data generation, labelling,
//! and wherever there are no threads.
//!
//! Thousands of tiny searches a second leave no time for waking threads and passing messages.

use crate::book;
use crate::clock::Instant;
use crate::config::Config;
use crate::eval::Evaluation;
use crate::info::{Info, SearchResult};
use crate::limits::Limits;
use crate::options::{OptionError, Requires};
use crate::policy::{GameHistory, Policy};
use crate::resources::{Question, Resources};
use crate::search::Worker;
use crate::search::mate::ProofTable;
use crate::search::params::Params;
use crate::search::root::Job;
use crate::shared::Shared;
use crate::tablebase::Tablebase;
use crate::tt::TableError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tabiya_chess::{Board, Game};

/// An engine without threads of its own.
///
/// ```
/// use tabiya_engine::{Limits, Searcher};
/// let mut searcher = Searcher::new(1)?;
/// let result = searcher.search(&Default::default(), &[], &Limits::nodes(1000), |_info| {});
/// assert!(result.best.is_some() && result.nodes <= 1000);
/// # Ok::<(), tabiya_engine::TableError>(())
/// ```
pub struct Searcher {
    worker: Worker,
    resources: Resources,
    told: Arc<AtomicBool>,
}

/// Ends the searches of a [`Searcher`] from another thread.
#[derive(Clone, Debug)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// The running search ends within milliseconds, and every later one after its first iteration,
    /// until [`Self::release`]: a request that comes between two searches is not lost.
    pub fn stop(&self) {
        self.0.store(true, Relaxed);
    }

    /// Lets searches run again.
    pub fn release(&self) {
        self.0.store(false, Relaxed);
    }
}

impl Searcher {
    /// A searcher with a hash table of this size in megabytes.
    pub fn new(hash_mb: usize) -> Result<Self, TableError> {
        let mut resources = Resources::new(hash_mb)?;
        // Nobody's clock runs between it and its caller.
        resources.config.move_overhead = Duration::ZERO;
        let shared = Arc::new(Shared::idle(&resources.tt));
        let worker = Worker::new(0, shared, &resources.evaluation());
        Ok(Self { worker, resources, told: Arc::default() })
    }

    /// A handle that ends searches from another thread.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.told))
    }

    /// What is set.
    pub fn config(&self) -> &Config {
        &self.resources.config
    }

    /// Changes the configuration; if that fails, everything stays as it was.
    pub fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), OptionError> {
        let (wanted, requires) = self.config().changed(change);
        self.adopt(wanted, &requires)
    }

    /// Sets an option by name, as UCI's `setoption` does.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut wanted = self.config().clone();
        let requires = wanted.set(name, Some(value))?;
        self.adopt(wanted, &[requires])
    }

    fn adopt(&mut self, wanted: Config, requires: &[Requires]) -> Result<(), OptionError> {
        if wanted.threads != 1 {
            let reason = "a search in the caller's thread has one".to_owned();
            return Err(OptionError::Failed("Threads", reason));
        }
        if wanted.log_file.is_some() {
            let reason = "there is no UCI session to write down".to_owned();
            return Err(OptionError::Failed("Debug Log File", reason));
        }
        let loaded = self.resources.load(&wanted, requires)?;
        if requires.contains(&Requires::NewTable) {
            self.resources.drop_table();
            self.worker.shared = Arc::new(Shared::idle(&self.resources.tt));
            self.resources.make_table(wanted.hash_mb)?;
        }
        self.resources.adopt(wanted, loaded, requires);
        for requirement in requires {
            match requirement {
                Requires::EmptyTable => self.resources.tt.clear(1),
                Requires::Network | Requires::Evaluation => self.renew_evaluation(),
                Requires::Params => self.worker.set_params(&self.resources.config.params),
                _ => {}
            }
        }
        Ok(())
    }

    /// Values of different evaluations do not mix, so that what was learned is forgotten.
    fn renew_evaluation(&mut self) {
        self.worker.set_evaluation(&self.resources.evaluation());
        self.new_game();
    }

    /// What judges positions now.
    pub fn evaluation(&self) -> Evaluation {
        self.resources.evaluation()
    }

    /// Replaces what judges positions.
    pub fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.resources.set_evaluation(evaluation.clone());
        self.renew_evaluation();
    }

    /// Lets the search look into endgame tables that others use, too.
    pub fn set_tables(&mut self, tables: Option<Arc<Tablebase>>) {
        self.resources.set_tables(tables);
    }

    /// Whether there is a policy net, without which nobody plays like people.
    pub fn has_policy(&self) -> bool {
        self.resources.advisor.has_net()
    }

    /// Asks this policy net from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.resources.advisor.set_policy(Some(policy));
    }

    /// Replaces the values of the tunables.
    pub fn set_params(&mut self, params: &Params) {
        self.resources.config.params = params.clone();
        self.worker.set_params(params);
    }

    /// Forgets everything learned: for a new game.
    pub fn new_game(&mut self) {
        self.resources.tt.clear(1);
        self.worker.clear();
    }

    /// Searches a position; `earlier` are the keys of the positions before it.
    pub fn search(
        &mut self,
        board: &Board,
        earlier: &[u64],
        limits: &Limits,
        mut on_info: impl FnMut(&Info),
    ) -> SearchResult {
        // There is nobody who could tell of a ponder hit.
        let limits = Limits { ponder: false, ..limits.clone() };
        let line = GameHistory::from_board(board);
        let question = Question { board, earlier, line: &line, is_new: true };
        let job = self.job(&question, limits, Instant::now());
        if let Some(look) = book::confirm(&mut self.worker, &job) {
            look.info.iter().for_each(&mut on_info);
            return look.result;
        }
        self.worker.run(&job, &mut on_info);
        job.result(self.worker.root_moves.first(), self.worker.completed_depth)
    }

    fn job(&mut self, question: &Question, limits: Limits, started: Instant) -> Job {
        self.resources.job(question, limits, 1, started, Arc::clone(&self.told)).0
    }

    /// Goes on with a search for a while; see [`SlicedSearch`]. Returns what is known now.
    pub fn search_slice(
        &mut self,
        search: &mut SlicedSearch,
        on_info: impl FnMut(&Info),
    ) -> SearchResult {
        let nodes = search.slice();
        self.search_nodes(search, nodes, on_info)
    }

    /// Ends a search with what it has found. One that has not begun gets the shortest slice there is:
    /// that, too, has a move.
    pub fn finish(&mut self, mut search: SlicedSearch) -> SearchResult {
        let known = search.best.take();
        known.unwrap_or_else(|| self.search_nodes(&mut search, 1, |_| {}))
    }

    /// A slice of about so many nodes.
    fn search_nodes(
        &mut self,
        search: &mut SlicedSearch,
        nodes: u64,
        mut on_info: impl FnMut(&Info),
    ) -> SearchResult {
        let before = search.nodes;
        let is_new = search.best.is_none();
        let (nodes, rest) = search.next(nodes, self.config().level().is_some());
        let soft_nodes = search.limits.soft_nodes.map(|soft| soft.saturating_sub(before));
        let limits = Limits { nodes, soft_nodes, ..search.limits.clone() };
        let SlicedSearch { board, earlier, line, .. } = &*search;
        let mut job = self.job(&Question { board, earlier, line, is_new }, limits, search.started);
        job.shared.start_clock_after(search.pondered);
        if is_new && let Some(look) = book::confirm(&mut self.worker, &job) {
            look.info.iter().for_each(&mut on_info);
            search.is_done = true;
            return search.keep(look.result);
        }
        job.resumed = search.depth();
        self.worker.run_slice(&job, &mut search.proof, &mut |info| {
            if info.depth > job.resumed {
                on_info(&Info { nodes: info.nodes + before, ..info.clone() });
            }
        });
        let result = job.result(self.worker.root_moves.first(), self.worker.completed_depth);
        // It ends by itself, by its clock, by command, or because no nodes are left.
        let in_vain = rest == Some(0) || job.shared.is_stopped();
        search.is_done = in_vain || !self.worker.is_stopped();
        search.keep(SearchResult { nodes: result.nodes + before, ..result })
    }

    /// Makes the choices of a limited strength repeatable.
    pub fn seed_level(&mut self, seed: u64) {
        self.resources.dice.seed(seed);
    }
}

/// Nodes of the first slices: about a tenth of a second in a page.
const FIRST_SLICE: u64 = 30_000;
/// The most nodes of a slice: nobody waits longer for an answer than these take.
const LONGEST_SLICE: u64 = 150_000;
/// A long search has longer slices, so that getting back to where it was costs a small part of each.
const SLICE_PART: u64 = 8;

/// A search taken up slice by slice with [`Searcher::search_slice`]: for callers that have one thread
/// only and must look after other things in between.
///
/// A slice starts from the first iteration, but the hash table knows the way to where the one before
/// ended. Only new depths are reported; nodes, times and limits are those of all slices together. Slices
/// take about a tenth of a second at first and grow with the search.
///
/// ```
/// use tabiya_engine::{Limits, Searcher, SlicedSearch};
/// let mut searcher = Searcher::new(4)?;
/// let mut search = SlicedSearch::new(&Default::default(), &[], Limits::nodes(60_000));
/// while !search.is_done() {
///     let result = searcher.search_slice(&mut search, |_| {});
///     assert!(result.best.is_some() && result.nodes <= 60_000);
/// }
/// # Ok::<(), tabiya_engine::TableError>(())
/// ```
pub struct SlicedSearch {
    board: Board,
    earlier: Vec<u64>,
    line: GameHistory,
    limits: Limits,
    started: Instant,
    /// How long it thought on the opponent's time.
    pondered: Duration,
    nodes: u64,
    /// What a search for mate has proven so far.
    proof: Option<ProofTable>,
    /// What the deepest slice found.
    best: Option<SearchResult>,
    is_done: bool,
}

impl SlicedSearch {
    /// A search of a position; `earlier` are the keys of the positions before it. The clock runs.
    pub fn new(board: &Board, earlier: &[u64], limits: Limits) -> Self {
        Self {
            board: *board,
            earlier: earlier.to_vec(),
            line: GameHistory::from_board(board),
            limits,
            started: Instant::now(),
            pondered: Duration::ZERO,
            nodes: 0,
            proof: None,
            best: None,
            is_done: false,
        }
    }

    /// A search of the last position of a game. The clock runs.
    pub fn of_game(game: &Game, limits: Limits) -> Self {
        let line = GameHistory::from_game(game);
        Self { line, ..Self::new(game.board(), game.keys(), limits) }
    }

    /// Whether another slice would find nothing more: a limit is reached.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether its answer is due: it is done, and does not wait to be told so.
    pub fn owes_answer(&self) -> bool {
        self.is_done && !self.limits.infinite && !self.limits.ponder
    }

    /// The opponent played the move that was pondered on: the clock starts now.
    pub fn ponder_hit(&mut self) {
        if std::mem::take(&mut self.limits.ponder) {
            self.pondered = self.started.elapsed();
        }
    }

    /// What is known so far.
    pub fn result(&self) -> Option<&SearchResult> {
        self.best.as_ref()
    }

    fn depth(&self) -> u32 {
        self.best.as_ref().map_or(0, |best| best.depth)
    }

    /// How many nodes the next slice is meant to have.
    fn slice(&self) -> u64 {
        (self.nodes / SLICE_PART).clamp(FIRST_SLICE, LONGEST_SLICE)
    }

    /// The nodes of the next slice, and how many are left after it. A limited strength is a number of
    /// nodes itself, and a choice at the end: it is not divided.
    fn next(&self, nodes: u64, whole: bool) -> (Option<u64>, Option<u64>) {
        let left = self.limits.nodes.map(|limit| limit.saturating_sub(self.nodes));
        if whole {
            return (left, Some(0));
        }
        let nodes = left.map_or(nodes, |left| left.min(nodes));
        (Some(nodes), left.map(|left| left - nodes))
    }

    /// Keeps the result of a slice unless an earlier one came deeper.
    fn keep(&mut self, result: SearchResult) -> SearchResult {
        self.nodes = result.nodes;
        let best = match self.best.take() {
            Some(best) if best.depth > result.depth => {
                SearchResult { nodes: result.nodes, time: result.time, ..best }
            }
            _ => result,
        };
        self.best = Some(best.clone());
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;

    #[test]
    fn a_stopped_search_ends_within_its_position() {
        let mut searcher = Searcher::new(1).unwrap();
        let handle = searcher.stop_handle();
        let endless = Limits { infinite: true, ..Limits::default() };
        let stopper = handle.clone();
        let result = searcher.search(&Board::default(), &[], &endless, move |info| {
            if info.depth >= 5 {
                stopper.stop();
            }
        });
        assert!(result.best.is_some() && result.depth >= 5);
        // The next one ends at once as well: the flag is looked at every few hundred nodes.
        assert!(searcher.search(&Board::default(), &[], &endless, |_| {}).nodes < 5000);
        handle.release();
        assert_eq!(searcher.search(&Board::default(), &[], &Limits::depth(6), |_| {}).depth, 6);
    }

    #[test]
    fn several_lines_are_told_by_a_searcher_too() {
        let mut searcher = Searcher::new(1).unwrap();
        searcher.set_option("multipv", "3").unwrap();
        let mut ranks = Vec::new();
        searcher
            .search(&Board::default(), &[], &Limits::depth(5), |info| ranks.push(info.multi_pv));
        assert_eq!(ranks.last(), Some(&3));
    }

    #[test]
    fn slices_go_deeper_and_deeper() {
        let mut searcher = Searcher::new(4).unwrap();
        let endless = Limits { infinite: true, ..Limits::default() };
        let mut search = SlicedSearch::new(&Board::default(), &[], endless);
        let mut depths = Vec::new();
        let mut nodes = 0;
        for _ in 0..20 {
            let result = searcher.search_nodes(&mut search, 10_000, |info| {
                // A slow machine is told of bounds, too.
                depths.extend(info.bound.is_none().then_some(info.depth));
            });
            assert!(result.nodes > nodes && result.best.is_some() && !search.is_done());
            nodes = result.nodes;
        }
        assert!(
            depths.is_sorted() && depths.windows(2).all(|pair| pair[0] < pair[1]),
            "{depths:?}"
        );
        assert!(*depths.last().unwrap() >= 8, "{depths:?}");
    }

    #[test]
    fn slices_end_where_their_limits_say() {
        let mut searcher = Searcher::new(4).unwrap();
        let mut run = |limits: Limits| {
            let mut search = SlicedSearch::new(&Board::default(), &[], limits);
            while !search.is_done() {
                searcher.search_nodes(&mut search, 3000, |_| {});
            }
            search.result().unwrap().clone()
        };
        assert_eq!(run(Limits::depth(9)).depth, 9);
        assert_eq!(run(Limits::nodes(10_000)).nodes, 10_000);
        let time = Duration::from_millis(60);
        assert!(run(Limits::move_time(time)).time >= time);
        let clock = Some(crate::Clock { time: 40 * time, increment: Duration::ZERO });
        let result = run(Limits { clocks: [clock; 2], ..Limits::default() });
        assert!(result.best.is_some() && result.depth > 1);
    }

    #[test]
    fn all_slices_fill_the_table_as_one_search() {
        let mut searcher = Searcher::new(1).unwrap();
        let mut search = SlicedSearch::new(&Board::default(), &[], Limits::depth(60));
        searcher.search_nodes(&mut search, 20_000, |_| {});
        let full = searcher.resources.tt.hashfull();
        searcher.search_nodes(&mut search, 1, |_| {});
        assert!(full > 0 && searcher.resources.tt.hashfull() >= full, "{full}");
    }

    #[test]
    fn a_mate_is_proven_over_many_slices() {
        let board: Board = "8/8/8/3k4/8/8/3K4/3Q4 w - - 0 1".parse().unwrap();
        let limits = Limits { mate: Some(7), ..Limits::nodes(1_000_000) };
        let mut searcher = Searcher::new(1).unwrap();
        let whole = searcher.search(&board, &[], &limits, |_| {});
        assert_eq!(whole.score, Score::Mate(7));
        searcher.new_game();
        let mut search = SlicedSearch::new(&board, &[], limits);
        let slice = whole.nodes / 4;
        let mut told = None;
        while !search.is_done() {
            searcher.search_nodes(&mut search, slice, |info| told = Some(info.score));
        }
        let result = search.result().unwrap();
        assert_eq!((result.score, told), (Score::Mate(7), Some(Score::Mate(7))));
        assert!(result.nodes > slice && result.nodes < 2 * whole.nodes, "{}", result.nodes);
    }

    #[test]
    fn soft_nodes_are_those_of_all_slices() {
        let mut searcher = Searcher::new(4).unwrap();
        let limits = Limits { soft_nodes: Some(20_000), ..Limits::nodes(400_000) };
        let mut search = SlicedSearch::new(&Board::default(), &[], limits);
        while !search.is_done() {
            searcher.search_nodes(&mut search, 10_000, |_| {});
        }
        let nodes = search.nodes;
        assert!((20_000..200_000).contains(&nodes), "{nodes}");
    }

    #[test]
    fn a_long_search_has_longer_slices() {
        let mut search = SlicedSearch::new(&Board::default(), &[], Limits::default());
        assert_eq!(search.slice(), FIRST_SLICE);
        search.nodes = 100 * LONGEST_SLICE;
        assert_eq!(search.slice(), LONGEST_SLICE);
    }

    #[test]
    fn a_search_for_mate_that_is_ended_before_it_begins_does_not_look_for_it() {
        let limits = Limits { mate: Some(30), ..Limits::default() };
        let search = SlicedSearch::new(&Board::default(), &[], limits);
        let result = Searcher::new(1).unwrap().finish(search);
        assert!(result.best.is_some() && result.nodes < 1000);
    }

    #[test]
    fn the_clock_of_a_ponder_search_runs_from_its_hit() {
        let mut searcher = Searcher::new(4).unwrap();
        let time = Duration::from_millis(20);
        let limits = Limits { ponder: true, ..Limits::move_time(time) };
        let mut search = SlicedSearch::new(&Board::default(), &[], limits);
        while search.started.elapsed() < 2 * time {
            searcher.search_nodes(&mut search, 3000, |_| {});
            assert!(!search.is_done());
        }
        search.ponder_hit();
        let hit = search.pondered;
        while !search.owes_answer() {
            searcher.search_nodes(&mut search, 3000, |_| {});
        }
        assert!(search.result().unwrap().time >= hit + time);
        // A second one means nothing: time that has passed is not given back.
        search.ponder_hit();
        assert_eq!(search.pondered, hit);
    }

    #[test]
    fn a_level_is_not_sliced() {
        let mut searcher = Searcher::new(1).unwrap();
        searcher.configure(|config| config.set_mode(false, Some(1500))).unwrap();
        searcher.set_option("OwnBook", "false").unwrap();
        let limits = Limits::move_time(Duration::from_mins(1));
        let mut search = SlicedSearch::new(&Board::default(), &[], limits);
        let result = searcher.search_slice(&mut search, |_| {});
        assert!(search.is_done() && result.best.is_some());
    }

    #[test]
    fn options_are_the_engines_own() {
        let mut searcher = Searcher::new(1).unwrap();
        for (name, value, reason) in [
            ("Threads", "2", "one"),
            ("Debug Log File", "x", "no UCI session"),
            ("Contempt", "1000", "a whole number from -100 to 100"),
            ("EvalFile", "no/such/net", "no/such/net: "),
            ("BookFile", "no/such/book", "no/such/book: "),
            ("PolicyFile", "no/such/policy", "no/such/policy: "),
            ("PolicyFile", "/", "not a regular file"),
        ] {
            let error = searcher.set_option(name, value).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        searcher.set_option("threads", "1").unwrap();
        searcher.set_option("use nnue", "false").unwrap();
        assert!(matches!(searcher.evaluation(), Evaluation::Classical));
    }
}
