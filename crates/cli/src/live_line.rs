//! The progress of something long on standard error: one line that is renewed in a terminal, a line
//! now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line.
pub(crate) struct LiveLine {
    is_terminal: bool,
    /// Width of the line to be overwritten.
    shown: usize,
    last: Option<Instant>,
}

impl LiveLine {
    /// A line that shows nothing yet.
    pub(crate) fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), shown: 0, last: None }
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
            self.shown = line.chars().count();
            eprint!("{line}");
            let _ = std::io::stderr().flush();
        } else {
            eprintln!("{line}");
        }
    }

    /// Removes the line.
    pub(crate) fn clear(&mut self) {
        if self.shown > 0 {
            eprint!("\r{:width$}\r", "", width = self.shown);
            self.shown = 0;
        }
    }
}
