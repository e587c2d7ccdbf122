//! Time that a player was ready to think but had no core.
//!
//! On a busy machine the clock runs on while other processes have the cores. The scheduler of Linux
//! counts that waiting per thread (the second number of `schedstat`); elsewhere nothing is known and
//! nothing is claimed. The count excuses nothing, it tells a slow player from a crowded machine.

use std::path::Path;
use std::time::Duration;

/// Waiting of the calling thread since it started.
pub(super) fn of_this_thread() -> Option<Duration> {
    waiting(Path::new("/proc/thread-self/schedstat"))
}

/// Waiting of all living threads of a process since they started.
pub(super) fn of_process(id: u32) -> Option<Duration> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).ok()?;
    Some(tasks.flatten().filter_map(|task| waiting(&task.path().join("schedstat"))).sum())
}

fn waiting(path: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// Waiting between two readings; nothing if either is not known.
pub(super) fn between(before: Option<Duration>, after: Option<Duration>) -> Duration {
    before.zip(after).map_or(Duration::ZERO, |(before, after)| after.saturating_sub(before))
}
