//! What the session says: one whole line at a time, from whichever thread.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tabiya_engine::uci::{self, SearchLines};
use tabiya_engine::{Info, Reporter, SearchResult};

/// Where answers go: standard output, and the log file if there is one.
#[derive(Clone, Default)]
pub(super) struct Output(Arc<Mutex<Option<File>>>);

impl Output {
    /// Prints one whole line. Without anybody to read it there is no point in going on.
    pub(super) fn say(&self, line: &str) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stdout = std::io::stdout().lock();
        if writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_err() {
            std::process::exit(1);
        }
        write_log(log.as_mut(), "<", line);
    }

    /// Prints a remark.
    pub(super) fn remark(&self, text: &str) {
        self.say(&uci::remark(text));
    }

    /// Prints lines one by one.
    pub(super) fn say_all(&self, lines: &[String]) {
        for line in lines {
            self.say(line);
        }
    }

    /// Writes down what was heard.
    pub(super) fn heard(&self, line: &str) {
        write_log(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut(), ">", line);
    }

    /// Writes everything to another file from now on, or to none.
    pub(super) fn set_log(&self, path: Option<&Path>) -> std::io::Result<()> {
        let file = path.map(File::create).transpose()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = file;
        Ok(())
    }
}

fn write_log(log: Option<&mut File>, direction: &str, line: &str) {
    if let Some(log) = log {
        let _ = writeln!(log, "{direction} {line}");
    }
}

/// Prints what a search reports.
pub(super) struct Printer {
    pub(super) output: Output,
    pub(super) lines: SearchLines,
}

impl Reporter for Printer {
    fn info(&mut self, info: &Info) {
        self.output.say(&self.lines.info(info));
    }

    fn message(&mut self, text: &str) {
        self.output.remark(text);
    }

    fn finished(&mut self, result: &SearchResult) {
        self.output.say_all(&self.lines.answer(result));
    }
}
