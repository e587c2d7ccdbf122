//! Work that takes long but is no search: `bench` and `perft` run beside the session.

use super::input::Completion;
use super::output::Output;
use crate::bench;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tabiya_chess::{Board, perft};
use tabiya_engine::eval::Evaluation;

/// The work under way; it ends soon after it is dropped.
pub(super) struct Task(Arc<AtomicBool>);

impl Task {
    /// Does `work` in a thread of its own until it ends or the flag that it is given is set.
    fn start(
        completion: Completion,
        output: &Output,
        work: impl FnOnce(&Output, &AtomicBool) + Send + 'static,
    ) -> Option<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, output) = (Arc::clone(&stop), output.clone());
        let say = output.clone();
        let run = move || {
            // Moved here, so that it is dropped at the end, even by a panic.
            let _completion = completion;
            work(&say, &flag);
            if flag.load(Relaxed) {
                say.remark("stopped");
            }
        };
        let thread = std::thread::Builder::new().name("task".to_owned()).spawn(run);
        if let Err(error) = thread {
            output.remark(&format!("no thread for this: {error}"));
            return None;
        }
        Some(Self(stop))
    }

    /// The benchmark.
    pub(super) fn bench(
        completion: Completion,
        output: &Output,
        depth: u32,
        evaluation: Evaluation,
    ) -> Option<Self> {
        Self::start(completion, output, move |output, stop| {
            let say = |line: &str| output.say(line);
            if let Err(error) = bench::print(depth, &evaluation, stop, say) {
                output.remark(&error.to_string());
            }
        })
    }

    /// The count of the move tree, split by the first move.
    pub(super) fn perft(
        completion: Completion,
        output: &Output,
        board: Board,
        depth: u32,
        chess960: bool,
    ) -> Option<Self> {
        Self::start(completion, output, move |output, stop| {
            let mut total = u64::from(depth == 0);
            let first_moves = board.legal_moves();
            for mv in first_moves.iter().filter(|_| depth > 0) {
                let mut child = board;
                child.play(mv);
                let Some(nodes) = perft::count_until(&child, depth - 1, stop) else { return };
                output.say(&format!("{}: {nodes}", board.uci(mv, chess960)));
                total += nodes;
            }
            output.say(&format!("\nNodes searched: {total}"));
        })
    }

    /// Asks the work to end.
    pub(super) fn stop(&self) {
        self.0.store(true, Relaxed);
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.stop();
    }
}
