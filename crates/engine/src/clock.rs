//! The time that searches live in. The system's clock, unless whoever runs the engine brings another:
//! in a web page the system has none.

use std::sync::OnceLock;
use std::time::Duration;

static HOST: OnceLock<fn() -> Duration> = OnceLock::new();

/// Lets all searches look at this clock, which tells the time since some moment of its own and never
/// goes back. The first call counts: clocks are not changed while they are being looked at.
pub fn set_clock(clock: fn() -> Duration) {
    let _ = HOST.set(clock);
}

/// A moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Instant(Duration);

impl Instant {
    /// This moment.
    pub(crate) fn now() -> Self {
        Self(HOST.get().map_or_else(system, |clock| clock()))
    }

    /// The time since then.
    pub(crate) fn elapsed(self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}

/// The time since this was first asked.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn system() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// There is no clock, and asking for it would panic: without one, time stands still.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn system() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_and_never_goes_back() {
        let (before, start) = (std::time::Instant::now(), Instant::now());
        while start.elapsed() < Duration::from_millis(3) {}
        assert!(before.elapsed() >= Duration::from_millis(3));
        assert!(Instant::now() > start);
    }
}
