//! The program as a child process. Nothing here waits for ever: a program that hangs is killed and
//! the test fails with the conversation so far.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Far more than any answer takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long "no answer may come" is watched.
pub(crate) const SILENCE: Duration = Duration::from_millis(150);

/// A running engine.
pub(crate) struct Process {
    child: Arc<Mutex<Child>>,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    /// Everything said and heard, for messages.
    transcript: Vec<String>,
    /// Dropped with the process, which ends the thread that would kill it.
    _watchdog: Sender<()>,
}

impl Process {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(crate::program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || read_lines(stdout, &sender));
        let child = Arc::new(Mutex::new(child));
        let (watchdog, alive) = channel::<()>();
        let watched = Arc::clone(&child);
        // A test may also hang in writing to a program that does not read.
        thread::spawn(move || {
            if alive.recv_timeout(2 * PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = watched.lock().unwrap().kill();
            }
        });
        Self { child, stdin, lines, transcript: Vec::new(), _watchdog: watchdog }
    }

    /// Sends bytes as they are. The program may be gone already: then the next read tells.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.note(">", &String::from_utf8_lossy(bytes));
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Sends lines one after the other.
    pub(crate) fn send_all(&mut self, lines: &[&str]) {
        for line in lines {
            self.send(line);
        }
    }

    /// The next line, or `None` at the end of the output.
    pub(crate) fn line(&mut self) -> Option<String> {
        self.timed_line().map(|(_, line)| line)
    }

    /// The next line and when it came.
    pub(crate) fn timed_line(&mut self) -> Option<(Instant, String)> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok((time, line)) => {
                self.note("<", &line);
                Some((time, line))
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => self.fail("no answer"),
        }
    }

    /// All lines up to and including the first that starts with `word`.
    pub(crate) fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.line() else { self.fail(&format!("ended without '{word}'")) };
            let found = line.split_ascii_whitespace().next() == Some(word);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Asks `isready` and returns what came before the answer.
    pub(crate) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// What comes within a moment in which no `bestmove` may come.
    pub(crate) fn expect_no_bestmove(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let end = Instant::now() + SILENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok((_, line)) => {
                    self.note("<", &line);
                    if line.starts_with("bestmove") {
                        self.fail("an answer too early");
                    }
                    lines.push(line);
                }
                Err(RecvTimeoutError::Timeout) => return lines,
                Err(RecvTimeoutError::Disconnected) => self.fail("the program is gone"),
            }
        }
    }

    /// Bytes of memory that are the program's own, not pages of files.
    #[cfg(target_os = "linux")]
    pub(crate) fn own_memory(&self) -> usize {
        let path = format!("/proc/{}/status", self.child.lock().unwrap().id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }

    /// Closes the program's input.
    pub(crate) fn close_input(&mut self) {
        self.note(">", "(end of input)");
        self.stdin = None;
    }

    /// Waits for the end and returns the last lines and the status.
    pub(crate) fn finish(&mut self) -> (Vec<String>, ExitStatus) {
        let lines = std::iter::from_fn(|| self.line()).collect();
        let end = Instant::now() + PATIENCE;
        loop {
            let status = self.child.lock().unwrap().try_wait().unwrap();
            match status {
                Some(status) => return (lines, status),
                None if Instant::now() > end => self.fail("the program does not end"),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// `quit`, and all that must be true afterwards. Returns what was still said.
    pub(crate) fn quit(&mut self) -> Vec<String> {
        self.send("quit");
        let (lines, status) = self.finish();
        if !status.success() {
            self.fail(&format!("{status}"));
        }
        lines
    }

    /// Ends the test with the conversation so far.
    pub(crate) fn fail(&self, reason: &str) -> ! {
        let from = self.transcript.len().saturating_sub(60);
        panic!("{reason}\n{}", self.transcript[from..].join("\n"));
    }

    fn note(&mut self, direction: &str, text: &str) {
        let text: String = text.trim_end().chars().take(300).collect();
        self.transcript.push(format!("{direction} {text}"));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn read_lines(stdout: impl Read, sender: &Sender<(Instant, String)>) {
    let mut stdout = BufReader::new(stdout);
    let mut bytes = Vec::new();
    while matches!(stdout.read_until(b'\n', &mut bytes), Ok(1..)) {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
        if sender.send((Instant::now(), line)).is_err() {
            return;
        }
        bytes.clear();
    }
}
