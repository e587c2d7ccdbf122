//! A last look at a move from the book: books are made of games, and games contain blunders.

use crate::clock::Instant;
use crate::info::{Info, SearchResult};
use crate::limits::Limits;
use crate::score::{DRAW, Value};
use crate::search::Worker;
use crate::search::root::Job;
use crate::shared::Shared;
use std::sync::Arc;
use tabiya_chess::Move;

/// Nodes for each look.
const NODES: u64 = 8192;
/// A move that is worse than the best one by more than this (about half a pawn) is not played.
const MARGIN: Value = 65;
/// When so many moves have been refused, the position is one to think about.
const TRIES: usize = 3;

/// What a short search found.
pub(crate) struct Look {
    value: Value,
    /// The line to show.
    pub(crate) info: Option<Info>,
    pub(crate) result: SearchResult,
}

/// The first of the book's moves that a short search finds hardly worse than its own choice.
pub(crate) fn confirm(worker: &mut Worker, job: &Job) -> Option<Look> {
    if job.book_moves.is_empty() {
        return None;
    }
    let best = look(worker, job, Vec::new()).value;
    let mut looks = job.book_moves.iter().take(TRIES).map(|mv| look(worker, job, vec![*mv]));
    looks.find(|look| look.value >= best - MARGIN)
}

/// A short search of its own: neither clock nor node limit of the search to come hold.
fn look(worker: &mut Worker, job: &Job, only: Vec<Move>) -> Look {
    let limits = Limits { search_moves: only, ..Limits::nodes(NODES) };
    let tt = Arc::clone(&job.shared.tt);
    let told = Arc::clone(job.shared.told());
    let shared = Shared::new(tt, 1, Instant::now(), false, limits.nodes, told);
    let job =
        Job { limits: Arc::new(limits), multi_pv: 1, shared: Arc::new(shared), ..job.clone() };
    worker.run(&job, &mut |_| {});
    let mut info = None;
    worker.report_final(&job, &mut |line| info = Some(line.clone()));
    let best = worker.root_moves.first();
    let value = best.map_or(DRAW, |root| root.value);
    Look { value, info, result: job.result(best, worker.completed_depth) }
}
