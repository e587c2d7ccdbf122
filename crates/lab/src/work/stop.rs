//! The wish to end a run early.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tabiya_engine::StopHandle;

/// Shared by whoever may end a run (a signal handler, a decided test) and those who work on it.
#[derive(Debug, Default)]
pub struct StopSignal {
    level: AtomicU8,
    /// Searches that are cut short when games are abandoned; an empty place is free.
    searches: Mutex<Vec<Option<StopHandle>>>,
}

impl StopSignal {
    /// A signal nobody has given yet.
    pub const fn new() -> Self {
        Self { level: AtomicU8::new(0), searches: Mutex::new(Vec::new()) }
    }

    /// Asks for the end: at first running games are finished, when asked again they are abandoned.
    pub fn raise(&self) {
        // Saturates, so that an impatient user cannot wrap it around.
        let _ = self.level.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |level| {
            (level < 2).then_some(level + 1)
        });
        if self.is_abandoned() {
            self.end_searches();
        }
    }

    /// Asks for the end at once.
    pub fn abandon(&self) {
        self.level.store(2, Ordering::Relaxed);
        self.end_searches();
    }

    /// Whether no further game shall start.
    pub fn is_raised(&self) -> bool {
        self.level.load(Ordering::Relaxed) > 0
    }

    /// Whether running games shall be abandoned.
    pub fn is_abandoned(&self) -> bool {
        self.level.load(Ordering::Relaxed) > 1
    }

    /// Ends a search when games are abandoned, for as long as the value that is returned lives.
    #[cfg(feature = "native")]
    pub(crate) fn watch(&self, search: StopHandle) -> Watched<'_> {
        let mut searches = self.searches();
        // Under the lock: whoever abandons the games now finds it in the list, or has been here before.
        if self.is_abandoned() {
            search.stop();
        }
        let place = searches.iter().position(Option::is_none).unwrap_or(searches.len());
        if place == searches.len() {
            searches.push(None);
        }
        searches[place] = Some(search);
        Watched { signal: self, place }
    }

    fn end_searches(&self) {
        self.searches().iter().flatten().for_each(StopHandle::stop);
    }

    fn searches(&self) -> MutexGuard<'_, Vec<Option<StopHandle>>> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`StopSignal::watch`].
#[cfg(feature = "native")]
#[derive(Debug)]
pub(crate) struct Watched<'a> {
    signal: &'a StopSignal,
    place: usize,
}

#[cfg(feature = "native")]
impl Drop for Watched<'_> {
    fn drop(&mut self) {
        // The next search of the same player is not the one that was meant.
        if let Some(search) = self.signal.searches()[self.place].take() {
            search.release();
        }
    }
}
