//! The progress of something long on standard error: one line that is renewed in a terminal, a line
//! now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line.
pub(crate) struct LiveLine {
    is_terminal: bool,
    /// Width of the line to be overwritten.
    shown: usize,
    start: Instant,
    last: Option<Instant>,
}

impl LiveLine {
    /// A line that shows nothing yet.
    pub(crate) fn new() -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { is_terminal, shown: 0, start: Instant::now(), last: None }
    }

    /// Seconds since the line was made.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Shows the text if the last one has been there for long enough.
    pub(crate) fn renew(&mut self, text: impl FnOnce() -> String) {
        let period = Duration::from_secs(if self.is_terminal { 1 } else { 30 });
        if self.last.is_some_and(|last| last.elapsed() < period) {
            return;
        }
        self.last = Some(Instant::now());
        let line = text();
        if self.is_terminal {
            self.clear();
            // A longer line would fill the next one, which cannot be taken back.
            let width = terminal_size::terminal_size_of(std::io::stderr());
            let room =
                width.map_or(usize::MAX, |(width, _)| usize::from(width.0).saturating_sub(1));
            let line: String = line.chars().take(room).collect();
            self.shown = line.chars().count();
            eprint!("{line}");
            let _ = std::io::stderr().flush();
        } else {
            eprintln!("{line}");
        }
    }

    /// [`Self::renew`] with the time so far.
    pub(crate) fn renew_timed(&mut self, text: impl FnOnce() -> String) {
        let seconds = self.seconds();
        self.renew(|| format!("{}, {seconds:.0} s", text()));
    }

    /// Shows a text that stays.
    #[cfg(feature = "lab")]
    pub(crate) fn keep(&mut self, text: &str) {
        self.clear();
        eprintln!("{text}");
    }

    /// Removes the line.
    pub(crate) fn clear(&mut self) {
        if self.shown > 0 {
            eprint!("\r{:width$}\r", "", width = self.shown);
            self.shown = 0;
        }
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.clear();
    }
}
