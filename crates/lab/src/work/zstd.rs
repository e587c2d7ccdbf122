//! Zstandard files of any number of frames, which is what parallel packers and `cat` make; the decoder of
//! `ruzstd` knows a single one.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, Read};

/// The content of all frames, one after the other.
pub(crate) struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    /// Whether the decoder is inside a frame.
    within: bool,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), within: false }
    }

    /// Begins the next frame that has content; `false` at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(invalid(error)),
            }
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.within {
                self.within = self.begin()?;
                if !self.within {
                    return Ok(0);
                }
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(invalid)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.within = false;
        }
    }
}

fn invalid(error: FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn unpacked(packed: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        Frames::new(packed).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn all_frames_are_read_and_those_without_content_skipped() {
        let frame = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        let long = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 ".repeat(20_000);
        let note = [&0x184D_2A53_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), b"abc"].concat();
        let file = [frame("first\n"), note.clone(), frame(""), frame(&long), note].concat();
        assert_eq!(unpacked(&file).unwrap(), format!("first\n{long}"));
        assert_eq!(unpacked(b"").unwrap(), "");
        for damaged in [&file[..file.len() - 1], &[&file[..], b"more"].concat()] {
            assert!(unpacked(damaged).is_err());
        }
    }
}
