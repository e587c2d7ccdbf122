//! A chess program as a child process: lines in, lines out, and a certain end.
//!
//! The program runs in its own process group, so that it and whatever it started can be ended
//! together. A thread reads its output, cuts lines that are too long and stamps each with the time
//! of its arrival; the queue between is short, so that a flood stops in the program's own pipe and
//! not in our memory.

use super::player::{Answer, Fault, Question};
use super::{spawn, starvation};
use crate::work::StopSignal;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tabiya_chess::Move;

/// Longest line kept; principal variations of deep searches stay well below.
const LONGEST_LINE: usize = 16 * 1024;
/// Lines waiting to be looked at.
const QUEUE: usize = 256;
/// Most bytes accepted while waiting for one answer.
const FLOOD: usize = 32 << 20;
/// Time to leave after `quit`.
const QUIT_PATIENCE: Duration = Duration::from_millis(500);
/// Time to answer when told to answer at once.
const URGENT_PATIENCE: Duration = Duration::from_secs(3);
/// Silence after which a search without a time limit is given up.
pub(super) const SILENCE_PATIENCE: Duration = Duration::from_mins(2);
/// How often a waiting thread looks whether the run was abandoned.
const STOP_POLL: Duration = Duration::from_millis(50);

/// A line of output.
pub(super) struct OutputLine {
    pub(super) text: String,
    /// When it was complete.
    pub(super) at: Instant,
    /// Its length before it was cut.
    bytes: usize,
}

/// A running program.
pub(super) struct ChildProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<OutputLine>,
    /// Bytes received since the last command that expects an answer.
    received: usize,
}

impl ChildProgram {
    /// Starts a program; `words` are its name and arguments and never pass through a shell.
    pub(super) fn spawn(words: &[String], dir: Option<&Path>) -> Result<Self, Fault> {
        let (program, args) =
            words.split_first().ok_or_else(|| Fault::Start("no program given".to_string()))?;
        // A relative path means the folder we are in, also when the program runs in another.
        let path = Path::new(program);
        let path = match path.components().nth(1) {
            Some(_) => path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
            None => path.to_path_buf(),
        };
        let mut command = Command::new(path);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            spawn::spawn(command).map_err(|error| Fault::Start(format!("{program}: {error}")))?;
        let input = child.stdin.take();
        let (sender, output) = sync_channel(QUEUE);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_lines(stdout, &sender));
        }
        Ok(Self { child, input, output, received: 0 })
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.received = 0;
        let text = format!("{line}\n");
        match self.input.as_mut().map(|input| input.write_all(text.as_bytes())) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.gone()),
        }
    }

    /// The next line of output; `None` when the deadline has passed first.
    pub(super) fn receive(
        &mut self,
        deadline: Option<Instant>,
        stop: &StopSignal,
    ) -> Result<Option<OutputLine>, Fault> {
        loop {
            if stop.is_abandoned() {
                return Err(Fault::Abandoned);
            }
            let left = deadline.map_or(STOP_POLL, |d| d.saturating_duration_since(Instant::now()));
            match self.output.recv_timeout(left.min(STOP_POLL)) {
                Ok(line) => {
                    self.received += line.bytes + 1;
                    return if self.received > FLOOD {
                        Err(Fault::Flooded)
                    } else {
                        Ok(Some(line))
                    };
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) if left <= STOP_POLL && deadline.is_some() => {
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Sends the command that starts a search and hands each line to `read` until that finds the
    /// move. A program past its deadline is sent `urge` and given a moment.
    pub(super) fn ask(
        &mut self,
        command: &str,
        urge: &str,
        question: &Question,
        mut read: impl FnMut(&str) -> Result<Option<Move>, Fault>,
    ) -> Result<Answer, Fault> {
        let is_timed = question.deadline.is_some();
        let id = self.child.id();
        let waiting = || is_timed.then(|| starvation::of_process(id)).flatten();
        let waited = waiting();
        let started = Instant::now();
        self.send(command)?;
        let mut deadline = started + question.deadline.unwrap_or(SILENCE_PATIENCE);
        let mut is_urged = false;
        loop {
            let Some(line) = self.receive(Some(deadline), question.stop)? else {
                if is_urged {
                    return Err(Fault::Stalled(started.elapsed()));
                }
                is_urged = true;
                self.send(urge)?;
                deadline = Instant::now() + URGENT_PATIENCE;
                continue;
            };
            if let Some(mv) = read(&line.text)? {
                let elapsed = line.at.saturating_duration_since(started);
                let starved = starvation::between(waited, waiting());
                return Ok(Answer { mv, elapsed, starved });
            }
            if !is_timed && !is_urged {
                deadline = Instant::now() + SILENCE_PATIENCE;
            }
        }
    }

    /// What became of a program that no longer reads or writes.
    fn gone(&mut self) -> Fault {
        match self.wait(QUIT_PATIENCE) {
            Some(status) => Fault::Exited(status),
            None => Fault::Disconnected,
        }
    }

    /// Waits for the end of the program and returns its exit status.
    fn wait(&mut self, patience: Duration) -> Option<String> {
        let deadline = Instant::now() + patience;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status.to_string());
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends the program's whole process group.
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            use nix::unistd::Pid;
            // Nobody left in the group is as good as everybody killed.
            let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ChildProgram {
    /// Asks the program to quit, gives it a moment, then ends it and its children.
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            // The program may be stuck with a full input pipe; only a thread may wait for that.
            if let Some(mut input) = self.input.take() {
                thread::spawn(move || input.write_all(b"stop\nquit\n"));
            }
            self.wait(QUIT_PATIENCE);
        }
        self.kill();
    }
}

/// Reads lines until the output ends or nobody listens any more.
fn read_lines(stdout: impl Read, lines: &SyncSender<OutputLine>) {
    let mut reader = BufReader::new(stdout);
    let mut buffer = Vec::new();
    while let Ok(Some(bytes)) = read_line(&mut reader, &mut buffer) {
        let text = String::from_utf8_lossy(&buffer).trim().to_string();
        if lines.send(OutputLine { text, at: Instant::now(), bytes }).is_err() {
            return;
        }
    }
}

/// Reads one line into `buffer`, without its end and cut to the longest length. Returns its length
/// before cutting, `None` at the end of the stream.
fn read_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<Option<usize>> {
    buffer.clear();
    let mut length = 0;
    loop {
        let chunk = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if chunk.is_empty() {
            return Ok((length > 0).then_some(length));
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = LONGEST_LINE.saturating_sub(buffer.len());
        buffer.extend_from_slice(&part[..part.len().min(room)]);
        length += part.len();
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        // An endless line is handed over in pieces, so that its length is noticed.
        if end.is_some() || length > FLOOD / 8 {
            return Ok(Some(length));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_the_next_is_whole() {
        let text = format!("{}\nnext\r\nlast", "x".repeat(LONGEST_LINE + 9));
        let mut reader = text.as_bytes();
        let mut buffer = Vec::new();
        assert_eq!(read_line(&mut reader, &mut buffer).unwrap(), Some(LONGEST_LINE + 9));
        assert_eq!(buffer.len(), LONGEST_LINE);
        assert_eq!(read_line(&mut reader, &mut buffer).unwrap(), Some(5));
        assert_eq!(buffer, b"next\r");
        assert_eq!(read_line(&mut reader, &mut buffer).unwrap(), Some(4));
        assert_eq!(read_line(&mut reader, &mut buffer).unwrap(), None);
    }
}
