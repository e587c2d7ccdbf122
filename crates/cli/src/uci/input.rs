//! What the session hears. A thread of its own reads standard input, so that the session also hears
//! of other things, and nothing it does keeps `stop` and `quit` waiting.

use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Longer lines are dropped: no sensible game needs 4 MB.
const LINE_LIMIT: u64 = 4 << 20;
/// Reading ahead without bound would fill the memory with what a fast sender has to say.
const EVENTS_AHEAD: usize = 64;

/// Something the session reacts to.
pub(super) enum Event {
    /// A line of input.
    Line(Vec<u8>),
    /// The start of a line that is too long to be read.
    LongLine(Vec<u8>),
    /// The end of the input.
    End,
    /// The work beside the session has ended.
    Done,
}

/// Events in the order in which they happen.
pub(super) struct Events {
    receiver: Receiver<Event>,
    sender: SyncSender<Event>,
}

impl Events {
    /// Starts to listen.
    pub(super) fn listen() -> std::io::Result<Self> {
        let (sender, receiver) = sync_channel(EVENTS_AHEAD);
        let lines = sender.clone();
        let read = move || {
            let mut stdin = std::io::stdin().lock();
            while let Some(event) = next_line(&mut stdin) {
                if lines.send(event).is_err() {
                    return;
                }
            }
            let _ = lines.send(Event::End);
        };
        std::thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(Self { receiver, sender })
    }

    /// Waits for the next event.
    pub(super) fn next(&self) -> Event {
        // Cannot fail: `self` has a sender.
        self.receiver.recv().unwrap_or(Event::End)
    }

    /// Waits for the next event for a while.
    pub(super) fn next_within(&self, time: Duration) -> Result<Event, RecvTimeoutError> {
        self.receiver.recv_timeout(time)
    }

    /// Tells of [`Event::Done`] when it is dropped, whatever happens to the work.
    pub(super) fn completion(&self) -> Completion {
        Completion(self.sender.clone())
    }
}

/// See [`Events::completion`].
pub(super) struct Completion(SyncSender<Event>);

impl Drop for Completion {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Done);
    }
}

/// The next line; `None` at the end, to which an input that fails has come as well.
fn next_line(input: &mut impl BufRead) -> Option<Event> {
    let mut bytes = Vec::new();
    let count = input.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes).ok()?;
    if count as u64 == LINE_LIMIT && bytes.last() != Some(&b'\n') {
        skip_line(input);
        return Some(Event::LongLine(bytes));
    }
    (count > 0).then_some(Event::Line(bytes))
}

fn skip_line(input: &mut impl BufRead) {
    while let Ok(buffer) = input.fill_buf()
        && !buffer.is_empty()
    {
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return;
        }
    }
}
