//! Who searches for a tab: an engine with its fair part of the machine's threads, and a thread for
//! reviews.
//!
//! Searches run beside the session's thread and report through the [`Outbox`]. When the tab is closed the
//! channel of orders ends, and with it the thread, the engine and its search.

use super::share::{Place, Share};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use tabiya_engine::eval::Evaluation;
use tabiya_engine::options::OptionError;
use tabiya_engine::{
    Config, Engine, Info, Reporter, SearchResult, StopHandle, TableError, Tablebase,
};
use tabiya_lab::work::StopSignal;
use tabiya_session::protocol::{Lines, Reply, Request};
use tabiya_session::{HASH_MB, LineSet, Player, Review, Search, Session};
use tokio::sync::{mpsc, watch};

/// What the thread is told.
pub(crate) enum Instruction {
    Request(Request),
    /// Other searches may have begun or ended.
    Rebalance,
}

/// Carries out orders until the tab is closed.
pub(crate) fn run(
    share: Share,
    tables: Option<Arc<Tablebase>>,
    out: Outbox,
    orders: &Receiver<Instruction>,
) {
    let Ok(player) = Pooled::new(share, tables, out) else { return };
    let mut session = Session::new(player);
    for order in orders {
        match order {
            Instruction::Rebalance => session.player.rebalance(),
            Instruction::Request(request) => session.receive(request),
        }
    }
}

/// The way to the page. Sending waits for a slow reader; the socket gives up on one too slow.
#[derive(Clone)]
pub(crate) struct Outbox {
    pub(crate) replies: mpsc::Sender<Reply>,
    /// Only the newest lines count: what the page did not take in time is replaced.
    pub(crate) lines: watch::Sender<Option<Lines>>,
}

impl Outbox {
    /// A tab that was closed hears nothing.
    fn send(&self, reply: Reply) {
        let _ = self.replies.blocking_send(reply);
    }
}

/// An analysis that can be started again with another number of threads.
struct Analysis {
    id: u32,
    game: tabiya_chess::Game,
    lines: usize,
}

impl Analysis {
    fn search(&self) -> Search {
        let limits = tabiya_engine::Limits { infinite: true, ..Default::default() };
        Search { id: self.id, game: self.game.clone(), limits, lines: self.lines }
    }
}

/// The engine of a tab.
struct Pooled {
    engine: Engine,
    share: Share,
    /// Threads the user wants at most.
    wanted: usize,
    analysis: Option<Analysis>,
    /// The latest review; a new one ends it.
    review: Option<ReviewThread>,
    out: Outbox,
}

impl Pooled {
    fn new(share: Share, tables: Option<Arc<Tablebase>>, out: Outbox) -> Result<Self, TableError> {
        let wanted = share.threads();
        let mut engine = Engine::new(HASH_MB)?;
        engine.set_tables(tables);
        Ok(Self { engine, share, wanted, analysis: None, review: None, out })
    }

    /// An analysis that has too many or too few threads starts again; the hash table remembers what
    /// it knew.
    fn rebalance(&mut self) {
        let fair = self.share.part().min(self.wanted);
        if self.engine.threads() != fair
            && let Some(analysis) = self.analysis.take()
        {
            self.engine.stop();
            self.engine.wait();
            let id = Some(analysis.id);
            if let Err(reason) = self.start(analysis.search()) {
                self.out.send(Reply::Refused { id, reason });
            }
        }
    }
}

impl Player for Pooled {
    fn threads(&self) -> usize {
        self.share.threads()
    }

    fn review_threads(&self) -> usize {
        let _place = self.share.join();
        self.share.part().min(self.wanted)
    }

    fn set_threads(&mut self, wanted: usize) {
        self.wanted = wanted;
    }

    fn evaluation(&self) -> Evaluation {
        self.engine.evaluation()
    }

    fn has_policy(&self) -> bool {
        self.engine.has_policy()
    }

    fn tables(&self) -> Option<&Tablebase> {
        self.engine.tables().map(Arc::as_ref)
    }

    fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), OptionError> {
        self.engine.configure(change)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.engine.set_option(name, Some(value))
    }

    fn new_game(&mut self) {
        self.engine.new_game();
    }

    fn stop(&mut self) {
        self.analysis = None;
        self.engine.stop();
        self.engine.wait();
    }

    /// Starts a search with its fair part of the threads.
    fn start(&mut self, search: Search) -> Result<(), String> {
        let Search { id, game, limits, lines } = search;
        let place = self.share.join();
        self.engine.set_threads(self.share.part().min(self.wanted));
        self.engine.set_game(&game);
        self.out.lines.send_replace(None);
        let stream = Stream {
            lines: LineSet::new(id, game.board(), lines, self.engine.threads()),
            tells_best: !limits.infinite,
            out: self.out.clone(),
            place,
        };
        self.analysis = limits.infinite.then_some(Analysis { id, game, lines });
        self.engine.start(limits, Box::new(stream));
        Ok(())
    }

    fn review(&mut self, review: Review) -> Result<(), String> {
        self.review = Some(ReviewThread::start(review, self.share.join(), self.out.clone())?);
        Ok(())
    }

    fn cancel_review(&mut self) {
        self.review = None;
    }

    fn send(&mut self, reply: Reply) {
        self.out.send(reply);
    }
}

/// Turns what a search tells into messages.
struct Stream {
    lines: LineSet,
    /// Whether the page waits for a move.
    tells_best: bool,
    out: Outbox,
    /// Kept as long as the search runs.
    #[expect(dead_code, reason = "its end is what counts")]
    place: Place,
}

impl Reporter for Stream {
    fn info(&mut self, info: &Info) {
        if let Some(lines) = self.lines.add(info) {
            self.out.lines.send_replace(Some(lines));
        }
    }

    fn message(&mut self, _: &str) {}

    fn finished(&mut self, result: &SearchResult) {
        if self.tells_best {
            self.out.send(self.lines.best(result));
        }
    }
}

/// A review under way in threads of its own; dropping it ends it, in the middle of a position.
struct ReviewThread {
    stop: Arc<StopSignal>,
    searches: Vec<StopHandle>,
}

impl ReviewThread {
    fn start(mut review: Review, place: Place, out: Outbox) -> Result<Self, String> {
        let searches = review.stop_handles();
        let stop = Arc::new(StopSignal::new());
        let signal = Arc::clone(&stop);
        let work = move || {
            review.run(&signal, |reply| out.send(reply));
            drop(place);
        };
        std::thread::Builder::new()
            .name("review".to_owned())
            .spawn(work)
            .map_err(|_| "no thread for a review".to_owned())?;
        Ok(Self { stop, searches })
    }
}

impl Drop for ReviewThread {
    fn drop(&mut self) {
        self.stop.abandon();
        self.searches.iter().for_each(StopHandle::stop);
    }
}
