//! What all threads of a search share: the hash table, the stop flag, the clock, the node counters.

use crate::clock::Instant;
use crate::tablebase::Ranking;
use crate::tt::Table;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What one thread counts, on a cache line of its own (two, as neighbours are fetched in pairs).
#[repr(align(128))]
#[derive(Default)]
struct Counter {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// Shared by the threads of one search.
pub(crate) struct Shared {
    pub(crate) tt: Arc<Table>,
    /// Set when the threads shall leave the tree: a limit is reached, or the search is over.
    stop: AtomicBool,
    /// Set by whoever ordered the search when he wants its answer now. Apart from `stop`, because a
    /// ponder or infinite search whose limits are reached must go on waiting.
    told: Arc<AtomicBool>,
    /// Set just before the result is told.
    pub(crate) answered: AtomicBool,
    pondering: AtomicBool,
    counters: Box<[Counter]>,
    /// What endgame tables say about the root; asked once for all threads.
    pub(crate) ranking: OnceLock<Option<Ranking>>,
    node_limit: Option<u64>,
    started: Instant,
    /// Microseconds after `started` when our own clock began to run (`ponderhit`).
    clock_offset: AtomicU64,
}

impl Shared {
    pub(crate) fn new(
        tt: Arc<Table>,
        threads: usize,
        started: Instant,
        pondering: bool,
        node_limit: Option<u64>,
        told: Arc<AtomicBool>,
    ) -> Self {
        Self {
            tt,
            stop: AtomicBool::new(false),
            told,
            answered: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            counters: (0..threads).map(|_| Counter::default()).collect(),
            ranking: OnceLock::new(),
            node_limit,
            started,
            clock_offset: AtomicU64::new(0),
        }
    }

    /// What a worker holds before its first search.
    pub(crate) fn idle(tt: &Arc<Table>) -> Self {
        Self::new(Arc::clone(tt), 1, Instant::now(), false, None, Arc::default())
    }

    /// Whether the threads shall leave the tree.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed) || self.told.load(Relaxed)
    }

    /// Calls all threads back; the answer may still have to wait.
    pub(crate) fn end(&self) {
        self.stop.store(true, Relaxed);
    }

    /// By which the search is told to answer.
    pub(crate) fn told(&self) -> &Arc<AtomicBool> {
        &self.told
    }

    /// Nodes of all threads.
    pub(crate) fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.nodes.load(Relaxed)).sum()
    }

    /// Positions found in endgame tables by all threads.
    pub(crate) fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counter| counter.tb_hits.load(Relaxed)).sum()
    }

    pub(crate) fn publish_tb_hits(&self, thread: usize, hits: u64) {
        if let Some(counter) = self.counters.get(thread) {
            counter.tb_hits.store(hits, Relaxed);
        }
    }

    #[inline]
    pub(crate) fn publish_nodes(&self, thread: usize, nodes: u64) {
        if let Some(counter) = self.counters.get(thread) {
            counter.nodes.store(nodes, Relaxed);
        }
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.counters.len()
    }

    pub(crate) fn node_limit(&self) -> Option<u64> {
        self.node_limit
    }

    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Acquire)
    }

    /// The predicted move was played: from now on the clock runs. Without pondering it runs already.
    pub(crate) fn ponder_hit(&self) {
        if !self.is_pondering() {
            return;
        }
        self.start_clock_after(self.started.elapsed());
        // Whoever sees that pondering is over must see the new start of the clock as well.
        self.pondering.store(false, Release);
    }

    /// Our own clock begins to run so long after the search.
    pub(crate) fn start_clock_after(&self, pondered: Duration) {
        self.clock_offset.store(pondered.as_micros() as u64, Relaxed);
    }

    /// Time used of our own clock.
    pub(crate) fn elapsed(&self) -> Duration {
        let offset = Duration::from_micros(self.clock_offset.load(Relaxed));
        self.started.elapsed().saturating_sub(offset)
    }

    /// Time since the search began.
    pub(crate) fn elapsed_total(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    fn shared(pondering: bool) -> Shared {
        let tt = Arc::new(Table::new(1).unwrap());
        Shared::new(tt, 1, Instant::now(), pondering, None, Arc::default())
    }

    #[test]
    fn a_ponderhit_starts_the_clock_once() {
        let shared = shared(true);
        sleep(Duration::from_millis(20));
        shared.ponder_hit();
        assert!(!shared.is_pondering());
        let offset = shared.clock_offset.load(Relaxed);
        assert!(offset >= 20_000, "{offset}");
        shared.ponder_hit();
        assert_eq!(shared.clock_offset.load(Relaxed), offset);
    }

    #[test]
    fn a_stray_ponderhit_gives_no_time_back() {
        let shared = shared(false);
        sleep(Duration::from_millis(5));
        shared.ponder_hit();
        assert!(shared.elapsed() >= Duration::from_millis(5));
    }
}
