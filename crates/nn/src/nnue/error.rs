//! Why a net was refused.

use super::arch::{FLOAT_LIMIT, OUTPUT_SUM_LIMIT, QA, QB, SCALE};
use super::file::TEXT_LIMIT;
use super::shape::{Shape, Tail};
use std::fmt;

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
    /// A family of nets the first format does not know.
    Family(u32),
    /// A text that describes no net.
    ShapeText(String),
    /// Dense layers this build does not know.
    Tail,
    /// Pairwise products or threats without dense layers after them.
    NoTail,
    /// The weights after the hidden layer are those of another kind of net.
    Head,
    /// A tensor of another name, type or size than the shape asks for.
    Tensor(&'static str),
    /// A number of a dense layer is too large or no number.
    FloatLimit {
        /// Which list.
        part: &'static str,
        /// Its position in the list.
        index: usize,
    },
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
            Self::Version(found) => write!(f, "version {found}, this build knows 1 and 2"),
            Self::Family(found) => write!(f, "family {found}, version 1 knows 1"),
            Self::ShapeText(text) => write!(
                f,
                "'{text}' is no shape; one is for example 768x8-1024s-1x8 or 768x8-1024p-16d-32s-1x8"
            ),
            Self::Tail => write!(
                f,
                "unknown dense layers; 16 neurons come first, then {}",
                choice(&Tail::SECOND)
            ),
            Self::NoTail => f.write_str(
                "pairwise products and threats need dense layers after them, for example -16d-32s-",
            ),
            Self::Head => f.write_str("output weights of another kind of net"),
            Self::Tensor(name) => write!(f, "tensor {name} is missing or has another size"),
            Self::FloatLimit { part, index } => {
                write!(f, "number {index} of the {part} is beyond {FLOAT_LIMIT} or no number")
            }
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
