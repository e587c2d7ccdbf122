//! Why a policy file was refused.

use std::fmt;

/// Why a policy file was refused.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum PolicyError {
    /// The file ends inside this part.
    Truncated(&'static str),
    /// The file does not start like a GGUF file.
    Magic,
    /// The numbers in the file are big endian.
    BigEndian,
    /// A version of GGUF this build does not know.
    Version(u32),
    /// A count or length beyond what a policy file may have.
    Limit {
        /// What is counted.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The largest number allowed.
        limit: u64,
    },
    /// Text that is not UTF-8, empty, or has a NUL in it.
    Text(&'static str),
    /// A kind of metadata value that GGUF does not define.
    ValueType(u32),
    /// A truth value that is neither 0 nor 1.
    Bool(u8),
    /// The same name twice.
    Duplicate(String),
    /// An alignment that is no power of two from 8 to 4096.
    Alignment(u64),
    /// A tensor of a type this build does not read.
    TensorType {
        /// The tensor.
        name: String,
        /// The number of its type.
        found: u32,
    },
    /// A tensor whose rows do not consist of whole blocks.
    Blocks(String),
    /// A tensor that lies outside the file, off its alignment or over another one.
    Place(String),
    /// There are bytes after the last tensor.
    TrailingBytes(u64),
    /// This key is missing.
    MissingKey(String),
    /// This key has a value that no policy net may have.
    Key {
        /// The key.
        key: String,
        /// Its value as text.
        value: String,
    },
    /// This tensor is missing.
    MissingTensor(String),
    /// A tensor that does not belong into a net of this shape.
    UnknownTensor(String),
    /// A tensor with other dimensions or of another type than the shape asks for.
    Shape {
        /// The tensor.
        name: String,
        /// What was found.
        found: String,
        /// What the shape asks for.
        expected: String,
    },
    /// A number that is not finite, or out of range.
    Number {
        /// The tensor.
        name: String,
        /// Which number of it.
        index: usize,
    },
    /// The file was damaged.
    Checksum,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("policy net: ")?;
        match self {
            Self::Truncated(part) => write!(f, "file ends inside the {part}"),
            Self::Magic => f.write_str("not a GGUF file"),
            Self::BigEndian => {
                f.write_str("big-endian GGUF file, only little-endian ones are read")
            }
            Self::Version(found) => write!(f, "GGUF version {found}, this build knows 2 and 3"),
            Self::Limit { what, found, limit } => {
                write!(f, "{what}: {found}, the limit is {limit}")
            }
            Self::Text(what) => write!(f, "{what} is not text"),
            Self::ValueType(found) => write!(f, "unknown type {found} of a metadata value"),
            Self::Bool(found) => write!(f, "truth value {found}"),
            Self::Duplicate(name) => write!(f, "'{name}' appears twice"),
            Self::Alignment(found) => {
                write!(f, "alignment {found}, expected a power of two from 8 to 4096")
            }
            Self::TensorType { name, found } => {
                write!(f, "tensor '{name}' has unknown type {found}")
            }
            Self::Blocks(name) => write!(f, "rows of tensor '{name}' are not whole blocks"),
            Self::Place(name) => {
                write!(
                    f,
                    "tensor '{name}' lies outside the file, misaligned or over another tensor"
                )
            }
            Self::TrailingBytes(count) => write!(f, "{count} bytes after the last tensor"),
            Self::MissingKey(key) => write!(f, "key '{key}' is missing"),
            Self::Key { key, value } => write!(f, "key '{key}' has the unusable value {value}"),
            Self::MissingTensor(name) => write!(f, "tensor '{name}' is missing"),
            Self::UnknownTensor(name) => write!(f, "tensor '{name}' does not belong to this shape"),
            Self::Shape { name, found, expected } => {
                write!(f, "tensor '{name}' is {found}, the shape asks for {expected}")
            }
            Self::Number { name, index } => {
                write!(f, "number {index} of tensor '{name}' is out of range")
            }
            Self::Checksum => f.write_str("checksum mismatch"),
        }
    }
}

impl std::error::Error for PolicyError {}
