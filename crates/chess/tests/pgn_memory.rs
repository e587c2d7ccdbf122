//! Reading PGN takes the same memory however much comes in. One test, because the peak is that of
//! the whole process.

use std::io::{self, BufReader, Read};
use tabiya_chess::pgn::{MAX_GAME_BYTES, PgnErrorKind, PgnGame, PgnReader};

/// A text, the next one, … each repeated so many times, without ever being whole in memory.
struct Repeated {
    parts: Vec<(&'static [u8], usize)>,
    offset: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((text, times)) = self.parts.first_mut() else { return Ok(0) };
        let length = (text.len() - self.offset).min(buffer.len());
        buffer[..length].copy_from_slice(&text[self.offset..self.offset + length]);
        self.offset += length;
        if self.offset == text.len() {
            self.offset = 0;
            *times -= 1;
            if *times == 0 {
                self.parts.remove(0);
            }
        }
        Ok(length)
    }
}

fn games(parts: Vec<(&'static [u8], usize)>) -> impl Iterator<Item = PgnGame> {
    let reader = PgnReader::new(BufReader::new(Repeated { parts, offset: 0 }));
    reader.map(|game| game.expect("no input error"))
}

/// The most memory the process ever had, in kilobytes; `None` where the system does not tell.
fn peak_kb() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

const GAME: &[u8] =
    b"[Event \"a\"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 $1 Nc6 3. Bb5 a6 1-0\n\n";

static MEGABYTE: [u8; 1 << 20] = [b'x'; 1 << 20];
/// Not UTF-8, so it takes twice the space once it is decoded.
static LATIN: [u8; 1 << 20] = [0xE9; 1 << 20];
static BLANKS: [u8; 1 << 20] = [b' '; 1 << 20];

#[test]
fn memory_is_bounded_whatever_comes_in() {
    let start = peak_kb();
    assert_eq!(games(vec![(GAME, 5_000)]).filter(|game| game.error.is_none()).count(), 5_000);
    let short = peak_kb();
    assert_eq!(games(vec![(GAME, 30_000)]).filter(|game| game.error.is_none()).count(), 30_000);
    let long = peak_kb();

    let check = |parts, expected: Option<PgnErrorKind>| {
        let read: Vec<_> = games(parts).map(|game| game.error.map(|error| error.kind)).collect();
        assert_eq!(read, [expected, None]);
    };
    let too_large = Some(PgnErrorKind::TooLarge);
    check(vec![(b"1. e4 {", 1), (&MEGABYTE, 100), (b"} *\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"1. e4 {", 1), (&BLANKS, 20), (b"} *\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"1. e4 {", 1), (&LATIN, 20), (b"} *\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"[Event \"", 1), (&LATIN, 7), (b"\"]\n\n*\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"1. e4 ;", 1), (&MEGABYTE, 20), (b"\n*\n", 1), (GAME, 1)], too_large.clone());
    check(
        vec![(b"1. e4 ", 1), (b"(", 1_000_000), (b"\n", 1), (GAME, 1)],
        Some(PgnErrorKind::TooDeep),
    );
    check(vec![(b"1. e4 ", 1), (b"(1. d4)", 1_000_000), (b"*\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"1. e4 ", 1), (b"$1 ", 5_000_000), (b"*\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"[Event \"", 1), (&MEGABYTE, 1), (b"\"]\n\n*\n", 1), (GAME, 1)], None);
    check(
        vec![(b"[Event \"", 1), (&MEGABYTE, 20), (b"\"]\n\n*\n", 1), (GAME, 1)],
        too_large.clone(),
    );
    check(vec![(b"[A \"b\"]\n", 1_000_000), (b"*\n", 1), (GAME, 1)], too_large.clone());
    check(vec![(b"Nf3 Nf6 Ng1 Ng8 ", 25_000), (b"*\n", 1), (GAME, 1)], None);
    check(vec![(b"Nf3 Nf6 Ng1 Ng8 ", 100_000), (b"*\n", 1), (GAME, 1)], too_large);

    let (Some(start), Some(short), Some(long), Some(peak)) = (start, short, long, peak_kb()) else {
        return eprintln!("skipped: the system does not tell the peak memory");
    };
    assert!(long - start < short - start + 2048, "{start} {short} {long} kB");
    assert!(peak - start < 8 * MAX_GAME_BYTES / 1024, "{start} {peak} kB");
    eprintln!(
        "peak memory: start {start}, 5,000 games {short}, 30,000 games {long}, limits {peak} kB"
    );
}
