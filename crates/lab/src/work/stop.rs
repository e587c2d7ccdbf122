//! The wish to end a run early.

use std::sync::atomic::{AtomicU8, Ordering};

/// Shared by whoever may end a run (a signal handler, a decided test) and those who work on it.
#[derive(Debug, Default)]
pub struct StopSignal(AtomicU8);

impl StopSignal {
    /// A signal nobody has given yet.
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Asks for the end: at first running games are finished, when asked again they are abandoned.
    pub fn raise(&self) {
        // Saturates, so that an impatient user cannot wrap it around.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |level| {
            (level < 2).then_some(level + 1)
        });
    }

    /// Asks for the end at once.
    pub fn abandon(&self) {
        self.0.store(2, Ordering::Relaxed);
    }

    /// Whether no further game shall start.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether running games shall be abandoned.
    pub fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
