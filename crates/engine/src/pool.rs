//! The search threads: made once, parked between searches, voting at the end (Lazy SMP).

use crate::book;
use crate::eval::Evaluation;
use crate::info::Reporter;
use crate::score::{Value, is_decisive, is_win};
use crate::search::Worker;
use crate::search::params::Params;
use crate::search::root::{Job, RootMove};
use crate::search::stats::Stats;
use crate::shared::Shared;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use tabiya_chess::Move;

enum Assignment {
    Search(Box<Job>, Option<Box<dyn Reporter>>),
    Configure(Box<dyn FnOnce(&mut Worker) + Send>),
}

/// How many threads are still at work.
#[derive(Default)]
struct Busy {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Busy {
    fn add(&self, threads: usize) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += threads;
    }

    fn done(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.changed.notify_all();
    }

    fn is_any(&self) -> bool {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) > 0
    }

    /// Waits until no more than `left` threads are at work.
    fn wait(&self, left: usize) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        while *count > left {
            count = self.changed.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What a helper thread found, for the vote.
#[derive(Clone)]
struct Opinion {
    thread: usize,
    depth: i32,
    best: RootMove,
}

struct Thread {
    assignments: Sender<Assignment>,
    handle: Option<JoinHandle<()>>,
}

/// Stack of a search thread: 250 plies of frames with a board each, with room to spare.
const STACK_BYTES: usize = 16 << 20;

/// The threads of an engine.
pub(crate) struct Pool {
    threads: Vec<Thread>,
    busy: Arc<Busy>,
    opinions: Arc<Mutex<Vec<Opinion>>>,
}

impl Pool {
    /// Starts the threads. Fewer than wanted if the system refuses more, but at least one.
    pub(crate) fn new(
        threads: usize,
        shared: &Arc<Shared>,
        evaluation: &Evaluation,
    ) -> std::io::Result<Self> {
        let mut pool = Self { threads: Vec::new(), busy: Arc::default(), opinions: Arc::default() };
        for id in 0..threads {
            let (sender, assignments) = channel();
            let worker = Worker::new(id, Arc::clone(shared), evaluation);
            let (busy, opinions) = (Arc::clone(&pool.busy), Arc::clone(&pool.opinions));
            let spawned = std::thread::Builder::new()
                .name(format!("search-{id}"))
                .stack_size(STACK_BYTES)
                .spawn(move || serve(worker, &assignments, &busy, &opinions));
            match spawned {
                Ok(handle) => {
                    pool.threads.push(Thread { assignments: sender, handle: Some(handle) });
                }
                Err(error) if id == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(pool)
    }

    pub(crate) fn len(&self) -> usize {
        self.threads.len()
    }

    /// Starts a search on all threads and returns at once. The pool must be idle.
    pub(crate) fn start(&self, job: &Job, reporter: Box<dyn Reporter>) {
        self.opinions.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.busy.add(self.threads.len());
        let mut reporter = Some(reporter);
        for thread in &self.threads {
            // A search thread ends only with the pool, so that sending cannot fail.
            let _ =
                thread.assignments.send(Assignment::Search(Box::new(job.clone()), reporter.take()));
        }
    }

    /// Runs something on every worker and waits for it. The pool must be idle.
    pub(crate) fn configure(&self, change: impl Fn(&mut Worker) + Clone + Send + 'static) {
        self.busy.add(self.threads.len());
        for thread in &self.threads {
            let _ = thread.assignments.send(Assignment::Configure(Box::new(change.clone())));
        }
        self.wait();
    }

    /// Replaces what the threads share while they rest.
    pub(crate) fn share(&self, shared: &Arc<Shared>) {
        let shared = Arc::clone(shared);
        self.configure(move |worker| worker.shared = Arc::clone(&shared));
    }

    pub(crate) fn clear(&self) {
        self.configure(Worker::clear);
    }

    pub(crate) fn set_evaluation(&self, evaluation: &Evaluation) {
        let evaluation = evaluation.clone();
        self.configure(move |worker| worker.set_evaluation(&evaluation));
    }

    pub(crate) fn set_params(&self, params: &Params) {
        let params = params.clone();
        self.configure(move |worker| worker.set_params(&params));
    }

    /// Starts to count anew what searches do, or stops counting.
    pub(crate) fn set_counting(&self, counting: bool) {
        self.configure(move |worker| worker.stats = counting.then(Box::default));
    }

    /// What all threads have counted together.
    pub(crate) fn stats(&self) -> Stats {
        let sum = Arc::new(Mutex::new(Stats::default()));
        let to = Arc::clone(&sum);
        self.configure(move |worker| {
            if let Some(stats) = &worker.stats {
                to.lock().unwrap_or_else(PoisonError::into_inner).merge(stats);
            }
        });
        sum.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.is_any()
    }

    pub(crate) fn wait(&self) {
        self.busy.wait(0);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for thread in &mut self.threads {
            // Dropping the sender ends the thread's loop.
            thread.assignments = channel().0;
        }
        for thread in &mut self.threads {
            if let Some(handle) = thread.handle.take() {
                let _ = handle.join();
            }
        }
    }
}

/// The life of a search thread.
fn serve(
    mut worker: Worker,
    assignments: &Receiver<Assignment>,
    busy: &Busy,
    opinions: &Mutex<Vec<Opinion>>,
) {
    while let Ok(assignment) = assignments.recv() {
        match assignment {
            Assignment::Configure(change) => change(&mut worker),
            // A level's strength must not depend on the number of threads.
            Assignment::Search(job, None) if job.level.is_some() => {}
            Assignment::Search(job, None) => {
                // A helper that panics is missed only in the vote.
                let run = catch_unwind(AssertUnwindSafe(|| worker.run(&job, &mut |_| {})));
                if run.is_ok() && worker.completed_depth > 0 {
                    push_opinion(&worker, opinions);
                }
            }
            Assignment::Search(job, Some(mut reporter)) => {
                // A reporter that panics gets no result, but the thread lives on.
                let led = catch_unwind(AssertUnwindSafe(|| {
                    lead(&mut worker, &job, reporter.as_mut(), busy, opinions);
                }));
                if led.is_err() {
                    job.shared.end();
                }
            }
        }
        busy.done();
    }
}

fn push_opinion(worker: &Worker, opinions: &Mutex<Vec<Opinion>>) {
    if let Some(best) = worker.root_moves.first() {
        let opinion =
            Opinion { thread: worker.id, depth: worker.completed_depth, best: best.clone() };
        opinions.lock().unwrap_or_else(PoisonError::into_inner).push(opinion);
    }
}

/// Thread 0: searches, ends the search for all, takes the vote, reports.
fn lead(
    worker: &mut Worker,
    job: &Job,
    reporter: &mut dyn Reporter,
    busy: &Busy,
    opinions: &Mutex<Vec<Opinion>>,
) {
    let from_book = catch_unwind(AssertUnwindSafe(|| book::confirm(worker, job)));
    if let Ok(Some(look)) = from_book {
        job.shared.end();
        busy.wait(1);
        look.info.iter().for_each(|info| reporter.info(info));
        job.shared.answered.store(true, Relaxed);
        reporter.finished(&look.result);
        return;
    }
    let mut last_reported = None;
    let run = catch_unwind(AssertUnwindSafe(|| {
        worker.run(job, &mut |info| {
            if info.multi_pv == 1 {
                last_reported = Some((info.line.first().copied(), info.bound));
            }
            reporter.info(info);
        });
    }));
    if run.is_err() {
        reporter.message("a search thread failed; playing the best move found so far");
    }
    wait_for_permission(job);
    job.shared.end();
    busy.wait(1);
    push_opinion(worker, opinions);
    let opinions = opinions.lock().unwrap_or_else(PoisonError::into_inner);
    let vote = job.multi_pv == 1 && job.limits.depth.is_none();
    let chosen = elect(&opinions, vote);
    if let Some(opinion) = chosen {
        if let Some(own) = worker.root_moves.first_mut()
            && opinion.thread != worker.id
        {
            own.clone_from(&opinion.best);
        }
        // The last line shown must be the exact one that backs the move played.
        if last_reported != Some((Some(opinion.best.mv), None))
            || opinion.thread != worker.id
            || job.has_table_lines()
        {
            worker.report_final(job, &mut |info| reporter.info(info));
        }
    }
    if let Some(tables) = &job.probing.tables {
        tables.take_faults().iter().for_each(|fault| reporter.message(fault));
    }
    let depth = chosen.map_or(0, |opinion| opinion.depth);
    let result = job.result(chosen.map(|opinion| &opinion.best), depth);
    job.shared.answered.store(true, Relaxed);
    reporter.finished(&result);
}

/// A ponder or infinite search may be done early but must not answer before it is told to.
fn wait_for_permission(job: &Job) {
    let waiting = || {
        let shared = &job.shared;
        !shared.told().load(Relaxed) && (job.limits.infinite || shared.is_pondering())
    };
    while waiting() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Thread voting: every thread gives its move a weight by value and depth. A proven win beats the
/// vote, and nobody votes for a loss while another way is known.
fn elect(opinions: &[Opinion], vote: bool) -> Option<&Opinion> {
    let leader = opinions.iter().find(|opinion| opinion.thread == 0)?;
    if !vote || leader.depth == 0 {
        return Some(leader);
    }
    let lowest = opinions.iter().map(|opinion| opinion.best.value).min()?;
    let votes_for = |mv: Move| -> i64 {
        opinions
            .iter()
            .filter(|opinion| opinion.best.mv == mv)
            .map(|opinion| i64::from(opinion.best.value - lowest + 10) * i64::from(opinion.depth))
            .sum()
    };
    let rank = |opinion: &Opinion| -> (Value, i64, i32, bool) {
        let value = opinion.best.value;
        let proven = if is_win(value) {
            value
        } else if is_decisive(value) {
            value.min(-1)
        } else {
            0
        };
        (proven, votes_for(opinion.best.mv), opinion.depth, opinion.thread == 0)
    };
    opinions.iter().filter(|opinion| opinion.depth > 0).max_by_key(|opinion| rank(opinion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::mate_in;
    use tabiya_chess::Board;

    fn opinion(thread: usize, uci: &str, value: Value, depth: i32) -> Opinion {
        let mut best = RootMove::new(Board::default().parse_uci(uci).unwrap());
        best.value = value;
        Opinion { thread, depth, best }
    }

    fn elected(opinions: &[Opinion]) -> usize {
        elect(opinions, true).unwrap().thread
    }

    /// The exercise of chapter 12 of the book: 225 votes against 420.
    #[test]
    fn two_threads_that_agree_outvote_a_deeper_one() {
        let mut opinions = vec![
            opinion(0, "a2a4", 20, 15),
            opinion(1, "g1f3", 15, 14),
            opinion(2, "g1f3", 25, 14),
        ];
        let mv = elect(&opinions, true).unwrap().best.mv;
        assert_eq!(mv, opinions[1].best.mv);
        assert_eq!(elect(&opinions, false).unwrap().thread, 0);
        opinions.pop();
        assert_eq!(elected(&opinions), 0);
    }

    #[test]
    fn a_proven_win_beats_the_vote_and_a_proven_loss_loses_it() {
        let (win, loss) = (mate_in(5), -mate_in(4));
        let crowd = [opinion(0, "a2a4", 200, 20), opinion(1, "a2a4", 210, 20)];
        let with = |last: Opinion| [crowd[0].clone(), crowd[1].clone(), last];
        assert_eq!(elected(&with(opinion(2, "g1f3", win, 9))), 2);
        assert_ne!(elected(&with(opinion(2, "g1f3", loss, 30))), 2);
    }
}
