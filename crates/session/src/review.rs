//! The report on a whole game: `tabiya annotate` for the page.

use crate::protocol::Reply;
use tabiya_chess::Game;
use tabiya_chess::pgn::PgnGame;
use tabiya_engine::StopHandle;
use tabiya_engine::eval::Evaluation;
use tabiya_lab::analyst::annotate;
use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::work::StopSignal;

/// The hash table of a review in megabytes.
const HASH_MB: usize = 16;
/// Nodes a position may cost.
const NODES: std::ops::RangeInclusive<u64> = 1_000..=5_000_000;

/// A report to be made.
pub struct Review {
    id: u32,
    game: PgnGame,
    /// Each has a thread and a part of the game.
    thinkers: Vec<Thinker>,
}

impl Review {
    /// A review of a game with so many nodes for each position, in so many threads.
    pub fn new(
        id: u32,
        game: &Game,
        nodes: u64,
        evaluation: &Evaluation,
        threads: usize,
    ) -> Result<Self, String> {
        let budget = Budget::Nodes(nodes.clamp(*NODES.start(), *NODES.end()));
        let thinker = || {
            let mut thinker = Thinker::new(HASH_MB, budget).map_err(|error| error.to_string())?;
            thinker.set_evaluation(evaluation);
            Ok(thinker)
        };
        let thinkers = (0..threads.max(1)).map(|_| thinker()).collect::<Result<_, String>>()?;
        Ok(Self { id, game: PgnGame::from(game), thinkers })
    }

    /// End the searches of positions.
    pub fn stop_handles(&self) -> Vec<StopHandle> {
        self.thinkers.iter().map(Thinker::stop_handle).collect()
    }

    /// Makes the report; nothing is said after `stop` was raised.
    pub fn run(&mut self, stop: &StopSignal, mut tell: impl FnMut(Reply)) {
        let id = self.id;
        let progress = |done, total| tell(Reply::Progress { id, done, total });
        let analysis =
            annotate::analyse_in_parts(&mut self.thinkers, 1, &self.game, stop, progress);
        if let Some(game) = analysis {
            tell(Reply::Report { id, game: Box::new(game) });
        }
    }
}
