//! Files of records: a header, checksummed blocks of about a megabyte, and an end mark.
//!
//! A block is written whole or not at all as far as a reader is concerned: what a crash leaves
//! behind is found by its checksum. [`Writer::append`] continues such a file after the last good
//! block; [`Reader`] refuses it, naming the block and what is wrong.

use super::{Record, RecordError};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

/// The version of the layout this build reads and writes.
const VERSION: u32 = 1;
/// A block is written once it holds this many bytes.
const BLOCK_TARGET: usize = 1 << 20;
/// No block is larger than this; protects the reader from nonsense lengths.
const BLOCK_LIMIT: u32 = 1 << 24;
/// A crash leaves at most this much behind the last good block; more is damage, and worth saving.
const CRASH_LIMIT: u64 = 4 * BLOCK_TARGET as u64;
/// Longest text of a header.
const TEXT_LIMIT: u32 = 1 << 16;
/// The first bytes of every block.
const BLOCK_MARK: [u8; 4] = *b"TbBk";
/// Mark, record count, payload length, checksum.
const BLOCK_HEADER: usize = 16;

/// What a file of records says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The unit of the scores, in words.
    pub score_unit: String,
    /// Where the records come from: program, teacher, limits, filters, seeds.
    pub description: String,
}

/// Why a file of records cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not begin like a file of these records.
    #[error("magic: not a file of these records")]
    Magic,
    /// A version this build does not know.
    #[error("version: {0} is not {VERSION}")]
    Version(u32),
    /// The header is damaged: which part.
    #[error("header: {0}")]
    Header(&'static str),
    /// A block is damaged.
    #[error("block {block}: {fault}")]
    Block {
        /// Counted from 0.
        block: u64,
        /// What is wrong with it.
        #[source]
        fault: BlockFault,
    },
}

/// What can be wrong with a block.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlockFault {
    /// The file ends inside the block, or before the end mark.
    #[error("the file ends here without an end mark")]
    Truncated,
    /// The block does not begin with its mark.
    #[error("no block mark")]
    Mark,
    /// A length beyond the limit.
    #[error("length {0} is beyond {BLOCK_LIMIT}")]
    Length(u32),
    /// The bytes are not those that were written.
    #[error("checksum does not match")]
    Checksum,
    /// A record makes no sense.
    #[error("record {index}: {error}")]
    Record {
        /// Within the block, counted from 0.
        index: u32,
        /// What is wrong with it.
        #[source]
        error: RecordError,
    },
    /// Bytes left over after the last record.
    #[error("{0} bytes after the last record")]
    Leftover(usize),
    /// The end mark counts other records than there are.
    #[error("end mark after {found} records counts {expected}")]
    Total {
        /// Records in the file.
        found: u64,
        /// Records according to the end mark.
        expected: u64,
    },
    /// Something follows the end mark.
    #[error("something follows the end mark")]
    AfterEnd,
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

impl Header {
    /// The first bytes of a file.
    pub(crate) fn encode(&self, magic: [u8; 8]) -> io::Result<Vec<u8>> {
        let mut bytes = magic.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        for text in [&self.score_unit, &self.description] {
            if text.len() > TEXT_LIMIT as usize {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "header text too long"));
            }
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        let checksum = checksum(&[&bytes]);
        bytes.extend(checksum.to_le_bytes());
        Ok(bytes)
    }
}

/// Reads a header while remembering its bytes for the checksum.
struct HeaderReader<'a, R> {
    inner: &'a mut R,
    seen: Vec<u8>,
}

impl<R: Read> HeaderReader<'_, R> {
    fn bytes(&mut self, count: usize, part: &'static str) -> Result<&[u8], ReadError> {
        let start = self.seen.len();
        self.seen.resize(start + count, 0);
        self.inner.read_exact(&mut self.seen[start..]).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ReadError::Header(part),
            _ => ReadError::Io(error),
        })?;
        Ok(&self.seen[start..])
    }

    fn number(&mut self, part: &'static str) -> Result<u32, ReadError> {
        let bytes = self.bytes(4, part)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | *byte as u32))
    }

    fn text(&mut self, part: &'static str) -> Result<String, ReadError> {
        let length = self.number(part)?;
        if length > TEXT_LIMIT {
            return Err(ReadError::Header("text too long"));
        }
        let bytes = self.bytes(length as usize, part)?.to_vec();
        String::from_utf8(bytes).map_err(|_| ReadError::Header("text is not UTF-8"))
    }
}

fn read_header(inner: &mut impl Read, magic: [u8; 8]) -> Result<Header, ReadError> {
    let mut reader = HeaderReader { inner, seen: Vec::new() };
    if reader.bytes(8, "magic missing")? != magic {
        return Err(ReadError::Magic);
    }
    let version = reader.number("version missing")?;
    if version != VERSION {
        return Err(ReadError::Version(version));
    }
    let header = Header {
        score_unit: reader.text("score unit missing")?,
        description: reader.text("description missing")?,
    };
    let expected = checksum(&[&reader.seen]);
    if reader.number("checksum missing")? != expected {
        return Err(ReadError::Header("checksum does not match"));
    }
    Ok(header)
}

/// The fixed part of a block.
struct BlockHeader {
    /// Zero in the end mark.
    count: u32,
    length: u32,
    checksum: u32,
}

impl BlockHeader {
    fn of(count: u32, payload: &[u8]) -> Self {
        let length = payload.len() as u32;
        let checksum = checksum(&[&count.to_le_bytes(), &length.to_le_bytes(), payload]);
        Self { count, length, checksum }
    }

    fn to_bytes(&self) -> [u8; BLOCK_HEADER] {
        let numbers = [u32::from_le_bytes(BLOCK_MARK), self.count, self.length, self.checksum];
        let mut bytes = [0; BLOCK_HEADER];
        for (chunk, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: [u8; BLOCK_HEADER]) -> Result<Self, BlockFault> {
        let (words, _) = bytes.as_chunks::<4>();
        let number = |index: usize| u32::from_le_bytes(words[index]);
        if words[0] != BLOCK_MARK {
            return Err(BlockFault::Mark);
        }
        let header = Self { count: number(1), length: number(2), checksum: number(3) };
        if header.length > BLOCK_LIMIT {
            return Err(BlockFault::Length(header.length));
        }
        Ok(header)
    }
}

/// Writes records as a stream.
pub struct Writer<R: Record> {
    file: BufWriter<File>,
    payload: Vec<u8>,
    pending: u32,
    total: u64,
    record: PhantomData<R>,
}

impl<R: Record> Writer<R> {
    /// Starts a file, replacing what was there.
    pub fn create(path: &Path, header: &Header) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&header.encode(R::MAGIC)?)?;
        Ok(Self::over(file, 0))
    }

    /// Continues a file after its last good block. What follows that block (an end mark, or what a
    /// crash left) is cut off, unless it is more than a crash leaves.
    pub fn append(path: &Path) -> Result<Self, ReadError> {
        let mut reader = Reader::<R>::open(path)?;
        let mut good = reader.file.stream_position()?;
        let damage = loop {
            match reader.next_block() {
                Ok(Some(_)) => good = reader.file.stream_position()?,
                Ok(None) => break None,
                Err(ReadError::Io(error)) => return Err(ReadError::Io(error)),
                Err(fault) => break Some(fault),
            }
        };
        let mut file = OpenOptions::new().write(true).open(path)?;
        if let Some(fault) = damage
            && file.metadata()?.len() - good > CRASH_LIMIT
        {
            return Err(fault);
        }
        file.set_len(good)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self::over(BufWriter::new(file), reader.total))
    }

    fn over(file: BufWriter<File>, total: u64) -> Self {
        Self { file, payload: Vec::new(), pending: 0, total, record: PhantomData }
    }

    /// Appends a record.
    pub fn push(&mut self, record: &R) -> io::Result<()> {
        record.encode(&mut self.payload);
        self.pending += 1;
        self.total += 1;
        if self.payload.len() >= BLOCK_TARGET { self.flush_block() } else { Ok(()) }
    }

    /// Records in the file so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Writes the records so far as a block and makes them durable.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush_block()?;
        self.file.flush()?;
        self.file.get_ref().sync_data()
    }

    /// Writes what is pending and the end mark.
    pub fn finish(mut self) -> io::Result<u64> {
        self.flush_block()?;
        self.payload = self.total.to_le_bytes().to_vec();
        self.write_block()?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok(self.total)
    }

    fn flush_block(&mut self) -> io::Result<()> {
        if self.pending == 0 { Ok(()) } else { self.write_block() }
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.file.write_all(&BlockHeader::of(self.pending, &self.payload).to_bytes())?;
        self.file.write_all(&self.payload)?;
        self.payload.clear();
        self.pending = 0;
        Ok(())
    }
}

/// Reads a file of records block by block.
pub struct Reader<R: Record> {
    file: BufReader<File>,
    header: Header,
    block: u64,
    total: u64,
    record: PhantomData<R>,
}

impl<R: Record> Reader<R> {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let mut file = BufReader::with_capacity(BLOCK_TARGET, File::open(path)?);
        let header = read_header(&mut file, R::MAGIC)?;
        Ok(Self { file, header, block: 0, total: 0, record: PhantomData })
    }

    /// What the file says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The records of the next block; `None` after the last.
    pub fn next_block(&mut self) -> Result<Option<Vec<R>>, ReadError> {
        let block = self.block;
        self.read_block().map_err(|error| error.in_block(block))
    }

    /// All records, as an iterator that stops at the first error.
    pub fn records(mut self) -> impl Iterator<Item = Result<R, ReadError>> {
        let mut current = Vec::new().into_iter();
        let mut ended = false;
        std::iter::from_fn(move || {
            loop {
                if let Some(record) = current.next() {
                    return Some(Ok(record));
                }
                if ended {
                    return None;
                }
                match self.next_block() {
                    Ok(Some(records)) => current = records.into_iter(),
                    other => {
                        ended = true;
                        return other.err().map(Err);
                    }
                }
            }
        })
    }

    fn read_block(&mut self) -> Result<Option<Vec<R>>, Fault> {
        let (header, payload) = read_payload(&mut self.file)?;
        if header.count == 0 {
            return self.check_end(&payload);
        }
        let records = decode_payload(&header, &payload)?;
        self.block += 1;
        self.total += header.count as u64;
        Ok(Some(records))
    }

    /// Where the blocks of the file are, found without reading what is in them.
    pub(crate) fn index(mut self) -> Result<Vec<BlockPlace>, ReadError> {
        let mut places = Vec::new();
        loop {
            let offset = self.file.stream_position()?;
            let mut step = || -> Result<BlockHeader, Fault> {
                let mut bytes = [0; BLOCK_HEADER];
                read_whole(&mut self.file, &mut bytes)?;
                Ok(BlockHeader::from_bytes(bytes)?)
            };
            let block = places.len() as u64;
            let header = step().map_err(|error| error.in_block(block))?;
            if header.count == 0 {
                return Ok(places);
            }
            self.file.seek_relative(i64::from(header.length))?;
            places.push(BlockPlace { offset, count: header.count, checksum: header.checksum });
        }
    }

    /// The records of the block with this place in a file of which [`Self::index`] told.
    pub(crate) fn read_at(
        file: &mut File,
        place: &BlockPlace,
        block: u64,
    ) -> Result<Vec<R>, ReadError> {
        file.seek(SeekFrom::Start(place.offset))?;
        let mut read = || -> Result<Vec<R>, Fault> {
            let (header, payload) = read_payload(file)?;
            Ok(decode_payload(&header, &payload)?)
        };
        read().map_err(|error| error.in_block(block))
    }

    fn check_end(&mut self, payload: &[u8]) -> Result<Option<Vec<R>>, Fault> {
        let expected = payload.try_into().map_or(u64::MAX, u64::from_le_bytes);
        if expected != self.total {
            return Err(BlockFault::Total { found: self.total, expected }.into());
        }
        match self.file.read(&mut [0])? {
            0 => Ok(None),
            _ => Err(BlockFault::AfterEnd.into()),
        }
    }
}

/// Where a block is, and what its header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockPlace {
    offset: u64,
    /// Records in the block.
    pub(crate) count: u32,
    /// Identifies what they are.
    pub(crate) checksum: u32,
}

/// The header and the checked bytes of the next block.
fn read_payload(file: &mut impl Read) -> Result<(BlockHeader, Vec<u8>), Fault> {
    let mut bytes = [0; BLOCK_HEADER];
    read_whole(file, &mut bytes)?;
    let header = BlockHeader::from_bytes(bytes)?;
    let mut payload = vec![0; header.length as usize];
    read_whole(file, &mut payload)?;
    if BlockHeader::of(header.count, &payload).checksum != header.checksum {
        return Err(BlockFault::Checksum.into());
    }
    Ok((header, payload))
}

fn decode_payload<R: Record>(header: &BlockHeader, payload: &[u8]) -> Result<Vec<R>, BlockFault> {
    let mut rest = payload;
    let mut records = Vec::new();
    for index in 0..header.count {
        let record = R::decode(&mut rest).map_err(|error| BlockFault::Record { index, error })?;
        records.push(record);
    }
    if rest.is_empty() { Ok(records) } else { Err(BlockFault::Leftover(rest.len())) }
}

/// The number of records according to the end mark, for estimates: nothing else is looked at.
pub(crate) fn count(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-8))?;
    let mut total = [0; 8];
    file.read_exact(&mut total)?;
    Ok(u64::from_le_bytes(total))
}

enum Fault {
    Io(io::Error),
    Block(BlockFault),
}

impl Fault {
    fn in_block(self, block: u64) -> ReadError {
        match self {
            Self::Io(error) => ReadError::Io(error),
            Self::Block(fault) => ReadError::Block { block, fault },
        }
    }
}

impl From<BlockFault> for Fault {
    fn from(fault: BlockFault) -> Self {
        Self::Block(fault)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn read_whole(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), Fault> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => BlockFault::Truncated.into(),
        _ => Fault::Io(error),
    })
}
