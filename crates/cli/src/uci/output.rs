//! What the session says: one whole line at a time, from whichever thread.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tabiya_chess::Board;
use tabiya_engine::uci::InfoLine;
use tabiya_engine::{Info, Reporter, SearchResult};

/// Letters of a remark at most.
const REMARK_LIMIT: usize = 250;

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

    /// Prints a remark. It may quote the input, so it is kept short and on one line.
    pub(super) fn remark(&self, text: &str) {
        let text: String = text
            .chars()
            .take(REMARK_LIMIT)
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        self.say(&format!("info string {text}"));
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
    pub(super) board: Board,
    pub(super) chess960: bool,
    pub(super) show_wdl: bool,
}

impl Reporter for Printer {
    fn info(&mut self, info: &Info) {
        let (board, chess960, show_wdl) = (&self.board, self.chess960, self.show_wdl);
        self.output.say(&InfoLine { info, board, chess960, show_wdl }.to_string());
    }

    fn message(&mut self, text: &str) {
        self.output.remark(text);
    }

    fn finished(&mut self, result: &SearchResult) {
        let Some(best) = result.best else {
            self.output.say(&format!("info depth 0 score {}", result.score));
            self.output.say("bestmove (none)");
            return;
        };
        let mut line = format!("bestmove {}", self.board.uci(best, self.chess960));
        if let Some(ponder) = result.ponder {
            let mut board = self.board;
            board.play(best);
            line = format!("{line} ponder {}", board.uci(ponder, self.chess960));
        }
        self.output.say(&line);
    }
}
