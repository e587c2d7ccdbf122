//! Net files: bytes to a checked [`Network`] and back.
//!
//! All numbers are little endian:
//!
//! ```text
//! magic            8 bytes  "TABIYANN"
//! version          u32      1
//! family           u32      1 single layer (2 pairwise is reserved)
//! hidden           u32
//! king buckets     u32
//! output buckets   u32
//! QA, QB, scale    3 x u32
//! shape hash       u64      FNV-1a of Shape::descriptor
//! text length      u32
//! payload length   u64
//! provenance       UTF-8 text
//! payload          i16 hidden weights, i16 hidden biases, i16 output weights, i32 output biases
//! checksum         u64      FNV-1a of everything before it
//! ```
//!
//! The payload is in canonical order on every machine; nothing in it depends on the kernel.

use super::arch::{Family, OUTPUT_SUM_LIMIT, QA, QB, SCALE, Shape, fnv1a};
use super::network::{Network, Parts};
use std::fmt;

const MAGIC: &[u8; 8] = b"TABIYANN";
const VERSION: u32 = 1;
/// The longest provenance text in bytes.
const TEXT_LIMIT: usize = 1 << 16;

/// Why a net was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NetError {
    /// The file ends inside this part.
    Truncated(&'static str),
    /// The file does not start like a net.
    Magic,
    /// A version of the format this build does not know.
    Version(u32),
    /// A family of nets this build does not know.
    Family(u32),
    /// An unknown hidden size.
    Hidden(usize),
    /// An unknown number of king buckets.
    KingBuckets(usize),
    /// An unknown number of outputs.
    OutputBuckets(usize),
    /// Another quantisation: QA, QB and scale.
    Quantisation([u32; 3]),
    /// Features, bucket maps or order of weights are defined differently.
    ShapeHash,
    /// The provenance text is longer than a net may have.
    TextLength(usize),
    /// The provenance text is not UTF-8.
    Text,
    /// The payload has not the length that the shape asks for.
    PayloadLength {
        /// The length found.
        found: u64,
        /// The length the shape asks for.
        expected: u64,
    },
    /// There are bytes after the checksum.
    TrailingBytes(usize),
    /// The file was damaged.
    Checksum,
    /// A list of weights has the wrong length.
    PartLength {
        /// Which list.
        part: &'static str,
        /// Its length.
        found: usize,
        /// The length the shape asks for.
        expected: usize,
    },
    /// A number is so large that sums could overflow.
    Limit {
        /// What kind of number.
        part: &'static str,
        /// Its position in its list.
        index: usize,
        /// The number.
        value: i32,
        /// The largest magnitude allowed.
        limit: i32,
    },
    /// The weights of an output add up to so much that the sum could overflow.
    OutputSum {
        /// Which output.
        bucket: usize,
        /// The sum of its positive or of its negative weights.
        sum: i32,
    },
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("net: ")?;
        match self {
            Self::Truncated(part) => write!(f, "file ends inside the {part}"),
            Self::Magic => f.write_str("not a net file"),
            Self::Version(found) => write!(f, "version {found}, this build knows {VERSION}"),
            Self::Family(found) => write!(
                f,
                "family {found}{}, this build knows {}",
                if *found == Family::Pairwise.code() { " (pairwise)" } else { "" },
                Family::SingleLayer.code()
            ),
            Self::Hidden(found) => {
                write!(f, "{found} hidden neurons, this build knows {}", choice(&Shape::HIDDEN))
            }
            Self::KingBuckets(found) => {
                write!(f, "{found} king buckets, this build knows {}", choice(&Shape::KING_BUCKETS))
            }
            Self::OutputBuckets(found) => {
                write!(f, "{found} outputs, this build knows {}", choice(&Shape::OUTPUT_BUCKETS))
            }
            Self::Quantisation([qa, qb, scale]) => write!(
                f,
                "quantisation {qa}, {qb}, scale {scale}, this build knows {QA}, {QB}, {SCALE}"
            ),
            Self::ShapeHash => f.write_str("features or layers are defined differently"),
            Self::TextLength(found) => {
                write!(f, "provenance text of {found} bytes, the limit is {TEXT_LIMIT}")
            }
            Self::Text => f.write_str("provenance text is not UTF-8"),
            Self::PayloadLength { found, expected } => {
                write!(f, "payload of {found} bytes, the shape asks for {expected}")
            }
            Self::TrailingBytes(count) => write!(f, "{count} bytes after the end"),
            Self::Checksum => f.write_str("checksum mismatch"),
            Self::PartLength { part, found, expected } => {
                write!(f, "{found} {part}, the shape asks for {expected}")
            }
            Self::Limit { part, index, value, limit } => {
                write!(f, "{part} {index} is {value}, the limit is {limit}")
            }
            Self::OutputSum { bucket, sum } => write!(
                f,
                "weights of output {bucket} add up to {sum}, the limit is {OUTPUT_SUM_LIMIT}"
            ),
        }
    }
}

impl std::error::Error for NetError {}

/// `1, 4 or 8`.
fn choice(known: &[usize]) -> String {
    let words: Vec<_> = known.iter().map(usize::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// Takes little-endian numbers off the front of a file.
struct Reader<'a> {
    rest: &'a [u8],
    part: &'static str,
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], NetError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or(NetError::Truncated(self.part))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NetError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(NetError::Truncated(self.part))?;
        self.rest = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, NetError> {
        self.array().map(u32::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, NetError> {
        self.u32().map(|size| size as usize)
    }

    fn u64(&mut self) -> Result<u64, NetError> {
        self.array().map(u64::from_le_bytes)
    }

    fn words(&mut self, count: usize) -> Result<Vec<i16>, NetError> {
        let (pairs, _) = self.bytes(2 * count)?.as_chunks();
        Ok(pairs.iter().map(|pair| i16::from_le_bytes(*pair)).collect())
    }

    fn longs(&mut self, count: usize) -> Result<Vec<i32>, NetError> {
        let (quads, _) = self.bytes(4 * count)?.as_chunks();
        Ok(quads.iter().map(|quad| i32::from_le_bytes(*quad)).collect())
    }
}

/// How many numbers of each kind a net of this shape stores: 16-bit lists, then 32-bit.
fn part_lengths(shape: Shape) -> ([usize; 3], usize) {
    let hidden = shape.hidden();
    let outputs = shape.output_buckets();
    ([shape.features() * hidden, hidden, outputs * 2 * hidden], outputs)
}

impl Network {
    /// Reads a net file. Nothing in it is trusted before it is checked.
    pub fn load(bytes: &[u8]) -> Result<Self, NetError> {
        Self::read(bytes, |bytes, checksum| fnv1a(bytes) == checksum)
    }

    /// Reads a net whose checksum was found right before, as that of a net inside a program. The
    /// checksum takes most of the time of [`Self::load`]; everything else is checked all the same.
    pub fn load_checked(bytes: &[u8]) -> Result<Self, NetError> {
        Self::read(bytes, |_, _| true)
    }

    fn read(bytes: &[u8], is_whole: impl FnOnce(&[u8], u64) -> bool) -> Result<Self, NetError> {
        let mut reader = Reader { rest: bytes, part: "header" };
        if reader.array::<8>()? != *MAGIC {
            return Err(NetError::Magic);
        }
        let version = reader.u32()?;
        if version != VERSION {
            return Err(NetError::Version(version));
        }
        let family = reader.u32()?;
        if family != Family::SingleLayer.code() {
            return Err(NetError::Family(family));
        }
        let shape = Shape::new(reader.size()?, reader.size()?, reader.size()?)?;
        let quantisation = [reader.u32()?, reader.u32()?, reader.u32()?];
        if quantisation != [QA as u32, QB as u32, SCALE as u32] {
            return Err(NetError::Quantisation(quantisation));
        }
        if reader.u64()? != shape.hash() {
            return Err(NetError::ShapeHash);
        }
        let text_length = reader.size()?;
        if text_length > TEXT_LIMIT {
            return Err(NetError::TextLength(text_length));
        }
        let (words, longs) = part_lengths(shape);
        let found = reader.u64()?;
        let expected = (2 * words.iter().sum::<usize>() + 4 * longs) as u64;
        if found != expected {
            return Err(NetError::PayloadLength { found, expected });
        }

        reader.part = "provenance text";
        let text = reader.bytes(text_length)?;
        reader.part = "payload";
        let payload = reader.bytes(expected as usize)?;
        let checked = &bytes[..bytes.len() - reader.rest.len()];
        reader.part = "checksum";
        let checksum = reader.u64()?;
        if !reader.rest.is_empty() {
            return Err(NetError::TrailingBytes(reader.rest.len()));
        }
        if !is_whole(checked, checksum) {
            return Err(NetError::Checksum);
        }

        let mut reader = Reader { rest: payload, part: "payload" };
        let [ft_weights, ft_bias, output_weights] = words;
        let parts = Parts {
            ft_weights: reader.words(ft_weights)?,
            ft_bias: reader.words(ft_bias)?,
            output_weights: reader.words(output_weights)?,
            output_bias: reader.longs(longs)?,
        };
        let provenance = std::str::from_utf8(text).map_err(|_| NetError::Text)?;
        Self::checked(shape, &parts, provenance, checksum)
    }

    /// The net as a file.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = encode(self);
        bytes.extend(self.checksum().to_le_bytes());
        bytes
    }
}

/// The checksum of a net's file, or why it cannot be stored.
pub(super) fn checksum(net: &Network) -> Result<u64, NetError> {
    if net.provenance().len() > TEXT_LIMIT {
        return Err(NetError::TextLength(net.provenance().len()));
    }
    Ok(fnv1a(&encode(net)))
}

/// Everything but the checksum.
fn encode(net: &Network) -> Vec<u8> {
    let shape = net.shape();
    let parts = net.to_parts();
    let words = [&parts.ft_weights, &parts.ft_bias, &parts.output_weights];
    let mut payload: Vec<u8> =
        words.into_iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    payload.extend(parts.output_bias.iter().flat_map(|long| long.to_le_bytes()));

    let mut bytes = MAGIC.to_vec();
    for number in [
        VERSION,
        Family::SingleLayer.code(),
        shape.hidden() as u32,
        shape.king_buckets() as u32,
        shape.output_buckets() as u32,
        QA as u32,
        QB as u32,
        SCALE as u32,
    ] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(shape.hash().to_le_bytes());
    bytes.extend((net.provenance().len() as u32).to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(net.provenance().as_bytes());
    bytes.extend(payload);
    bytes
}
