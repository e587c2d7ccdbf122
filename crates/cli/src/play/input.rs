//! What the player says: lines, the end of them, Ctrl-C.

use super::PATIENCE;
use crate::interrupt;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

/// No line that means something is longer.
const LONGEST_LINE: u64 = 4096;

pub(super) enum Said {
    Line(String),
    /// There will be no more.
    Nothing,
    Interrupt,
}

/// Listens in a thread of its own, so that Ctrl-C is heard while nobody types.
pub(super) struct Input {
    lines: Receiver<String>,
    interrupted: &'static AtomicBool,
}

impl Input {
    pub(super) fn open() -> anyhow::Result<Self> {
        let interrupted = interrupt::flag()?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            while let Some(line) = read_line(&mut std::io::stdin().lock()) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { lines, interrupted })
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    pub(super) fn next(&self) -> Said {
        loop {
            if self.is_interrupted() {
                return Said::Interrupt;
            }
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => return Said::Line(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Said::Nothing,
            }
        }
    }
}

/// The next line, whatever bytes it has; the rest of one that is too long counts as another.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let read = std::io::Read::take(input, LONGEST_LINE).read_until(b'\n', &mut bytes).ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_lines() {
        let mut input: &[u8] = b"e4\n\xff\n";
        assert_eq!(read_line(&mut input).as_deref(), Some("e4\n"));
        assert_eq!(read_line(&mut input).as_deref(), Some("\u{fffd}\n"));
        assert_eq!(read_line(&mut input), None);
        let long = vec![b'x'; 10_000];
        assert_eq!(read_line(&mut &long[..]).unwrap().len(), 4096);
    }
}
