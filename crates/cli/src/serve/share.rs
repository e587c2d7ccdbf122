//! The machine's threads, divided among the searches of all tabs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts the searches that run. With more searches than threads each gets one, and the system
/// divides the time.
#[derive(Clone)]
pub(crate) struct Share {
    threads: usize,
    searches: Arc<AtomicUsize>,
}

impl Share {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads: threads.max(1), searches: Arc::default() }
    }

    /// All there is.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Takes part; ends when the value is dropped.
    pub(crate) fn join(&self) -> Place {
        self.searches.fetch_add(1, Relaxed);
        Place(Arc::clone(&self.searches))
    }

    /// What one of the present searches may use.
    pub(crate) fn part(&self) -> usize {
        (self.threads / self.searches.load(Relaxed).max(1)).max(1)
    }
}

/// The place of a running search.
pub(crate) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_share_and_the_last_one_gets_everything() {
        let share = Share::new(8);
        let first = share.join();
        assert_eq!(share.part(), 8);
        let others: Vec<_> = (0..2).map(|_| share.join()).collect();
        assert_eq!(share.part(), 2);
        let crowd: Vec<_> = (0..20).map(|_| share.join()).collect();
        assert_eq!(share.part(), 1);
        drop((others, crowd));
        assert_eq!(share.part(), 8);
        drop(first);
        assert_eq!(share.part(), 8);
    }
}
