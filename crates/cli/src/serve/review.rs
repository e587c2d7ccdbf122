//! The report on a whole game: `tabiya annotate` for the page.

use super::protocol::Reply;
use super::session::Outbox;
use super::share::Share;
use std::sync::Arc;
use tabiya_chess::Game;
use tabiya_chess::pgn::PgnGame;
use tabiya_engine::StopHandle;
use tabiya_lab::analyst::annotate;
use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::work::StopSignal;

/// The hash table of a review in megabytes.
const HASH_MB: usize = 16;
/// Nodes a position may cost.
const NODES: std::ops::RangeInclusive<u64> = 1_000..=5_000_000;

/// A review under way in a thread of its own; dropping it ends it, in the middle of a position.
pub(crate) struct Review {
    stop: Arc<StopSignal>,
    search: StopHandle,
}

impl Review {
    /// Starts a review, whose report goes to the page.
    pub(crate) fn start(
        id: u32,
        game: &Game,
        nodes: u64,
        share: &Share,
        out: Outbox,
    ) -> Result<Self, String> {
        let budget = Budget::Nodes(nodes.clamp(*NODES.start(), *NODES.end()));
        let mut thinker = Thinker::new(HASH_MB, budget).map_err(|error| error.to_string())?;
        let pgn = PgnGame::from(game);
        let search = thinker.stop_handle();
        let stop = Arc::new(StopSignal::new());
        let signal = Arc::clone(&stop);
        let place = share.join();
        let work = move || {
            let tell = |done, total| {
                let _ = out.send(Reply::Progress { id, done, total });
            };
            if let Some(game) = annotate::analyse_with(&mut thinker, 1, &pgn, &signal, tell) {
                let _ = out.send(Reply::Report { id, game: Box::new(game) });
            }
            drop(place);
        };
        std::thread::Builder::new()
            .name("review".to_owned())
            .spawn(work)
            .map_err(|_| "no thread for a review".to_owned())?;
        Ok(Self { stop, search })
    }
}

impl Drop for Review {
    fn drop(&mut self) {
        self.stop.abandon();
        self.search.stop();
    }
}
