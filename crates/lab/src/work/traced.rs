//! A text with a trace of what was taken from it, by which a later run knows the text again.

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read};

const BUFFER: usize = 1 << 16;

/// How much of a text was taken, and the checksum of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Trace {
    bytes: u64,
    crc32: u32,
}

/// A buffered reader that knows the trace of what was consumed, whatever it has read ahead.
pub(crate) struct TracedReader<R> {
    inner: R,
    buffer: Box<[u8]>,
    /// `buffer[traced..at]` is consumed but not yet in the checksum, `buffer[at..end]` is not consumed.
    traced: usize,
    at: usize,
    end: usize,
    checksum: crc32fast::Hasher,
    bytes: u64,
}

impl<R: Read> TracedReader<R> {
    /// Reads from the start of `inner`.
    pub(crate) fn new(inner: R) -> Self {
        let buffer = vec![0; BUFFER].into_boxed_slice();
        let checksum = crc32fast::Hasher::new();
        Self { inner, buffer, traced: 0, at: 0, end: 0, checksum, bytes: 0 }
    }

    /// The trace of what was consumed.
    pub(crate) fn trace(&self) -> Trace {
        let rest = &self.buffer[self.traced..self.at];
        let mut checksum = self.checksum.clone();
        checksum.update(rest);
        Trace { bytes: self.bytes + rest.len() as u64, crc32: checksum.finalize() }
    }
}

impl<R: Read> Read for TracedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for TracedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end {
            self.checksum.update(&self.buffer[self.traced..self.at]);
            self.bytes += (self.at - self.traced) as u64;
            (self.traced, self.at, self.end) = (0, 0, 0);
            self.end = self.inner.read(&mut self.buffer)?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.at = self.end.min(self.at + count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_depends_on_what_was_consumed_alone() {
        let text: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
        let trace_after = |step: usize, count: usize| {
            let mut reader = TracedReader::new(&text[..]);
            let mut left = count;
            while left > 0 {
                let taken = reader.fill_buf().unwrap().len().min(step).min(left);
                reader.consume(taken);
                left -= taken;
            }
            reader.trace()
        };
        for count in [0, 1, BUFFER - 1, BUFFER, BUFFER + 1, text.len()] {
            let expected = Trace { bytes: count as u64, crc32: crc32fast::hash(&text[..count]) };
            for step in [1, 7, 1000, usize::MAX] {
                assert_eq!(trace_after(step, count), expected, "{count} bytes by {step}");
            }
        }
    }
}
