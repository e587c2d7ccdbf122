//! GGUF files (ggml-org/ggml, docs/gguf.md): named values, named tensors, and nothing trusted.
//!
//! The reader borrows from the bytes of the file: text, arrays and tensors stay where they are, so
//! no count in a file can make it reserve memory. Every length is compared with what is left before
//! anything is taken, and sizes are computed with overflow checks.

mod read;
mod write;

pub use write::Writer;

use super::PolicyError;
use std::fmt;

/// Bytes of a file at most.
pub const FILE_LIMIT: u64 = 256 << 20;
/// Entries of the metadata, and tensors, at most.
const COUNT_LIMIT: u64 = 4096;
/// Where tensors start by default.
const ALIGNMENT: u64 = 32;

/// A metadata value.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names are the types")]
pub enum Value<'a> {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    Text(&'a str),
    /// A checked array, left as bytes: the type of its elements, their number, and where they lie.
    Array {
        kind: u32,
        count: u64,
        bytes: &'a [u8],
    },
    U64(u64),
    I64(i64),
    F64(f64),
}

impl Value<'_> {
    /// The number of the type in the file.
    fn code(&self) -> u32 {
        match self {
            Self::U8(_) => 0,
            Self::I8(_) => 1,
            Self::U16(_) => 2,
            Self::I16(_) => 3,
            Self::U32(_) => 4,
            Self::I32(_) => 5,
            Self::F32(_) => 6,
            Self::Bool(_) => 7,
            Self::Text(_) => 8,
            Self::Array { .. } => 9,
            Self::U64(_) => 10,
            Self::I64(_) => 11,
            Self::F64(_) => 12,
        }
    }

    /// A number of things, from any unsigned type.
    pub fn as_count(&self) -> Option<u64> {
        match *self {
            Self::U8(x) => Some(x as u64),
            Self::U16(x) => Some(x as u64),
            Self::U32(x) => Some(x as u64),
            Self::U64(x) => Some(x),
            _ => None,
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::U8(x) => write!(f, "{x}"),
            Self::I8(x) => write!(f, "{x}"),
            Self::U16(x) => write!(f, "{x}"),
            Self::I16(x) => write!(f, "{x}"),
            Self::U32(x) => write!(f, "{x}"),
            Self::I32(x) => write!(f, "{x}"),
            Self::F32(x) => write!(f, "{x}"),
            Self::Bool(x) => write!(f, "{x}"),
            // Escaped: the text of a stranger's file must not steer a terminal.
            Self::Text(x) => write!(f, "{}", x.escape_debug()),
            Self::Array { count, .. } => write!(f, "[{count} values]"),
            Self::U64(x) => write!(f, "{x}"),
            Self::I64(x) => write!(f, "{x}"),
            Self::F64(x) => write!(f, "{x}"),
        }
    }
}

/// How the numbers of a tensor are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Single precision.
    F32,
    /// Half precision.
    F16,
    /// Signed bytes.
    I8,
    /// The upper half of single precision.
    Bf16,
    /// 256 ternary weights in base 3 and their scale in 54 bytes.
    Tq1,
    /// 256 ternary weights of two bits and their scale in 66 bytes.
    Tq2,
}

impl Kind {
    const ALL: [Self; 6] = [Self::F32, Self::F16, Self::I8, Self::Bf16, Self::Tq1, Self::Tq2];

    /// The number ggml gives the type.
    pub fn code(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::F16 => 1,
            Self::I8 => 24,
            Self::Bf16 => 30,
            Self::Tq1 => 34,
            Self::Tq2 => 35,
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Numbers in a block, and its bytes.
    pub fn block(self) -> (usize, usize) {
        match self {
            Self::F32 => (1, 4),
            Self::F16 | Self::Bf16 => (1, 2),
            Self::I8 => (1, 1),
            Self::Tq1 => (256, 54),
            Self::Tq2 => (256, 66),
        }
    }

    /// The name ggml gives the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::I8 => "I8",
            Self::Bf16 => "BF16",
            Self::Tq1 => "TQ1_0",
            Self::Tq2 => "TQ2_0",
        }
    }
}

/// A tensor of a file.
#[derive(Clone, Debug)]
pub struct Tensor<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its dimensions, the fastest first: a matrix of `out` rows and `in` columns is `[in, out]`.
    pub dims: Vec<usize>,
    /// How its numbers are stored.
    pub kind: Kind,
    /// The numbers.
    pub bytes: &'a [u8],
}

impl Tensor<'_> {
    /// `TQ2_0 {256, 768}`.
    pub fn describe(&self) -> String {
        describe(self.kind, &self.dims)
    }
}

/// Type and dimensions as text.
pub(super) fn describe(kind: Kind, dims: &[usize]) -> String {
    let dims: Vec<_> = dims.iter().map(usize::to_string).collect();
    format!("{} {{{}}}", kind.name(), dims.join(", "))
}

/// A file that was read and whose every length was checked.
#[derive(Clone, Debug)]
pub struct Gguf<'a> {
    /// Version of the format.
    pub version: u32,
    /// The metadata in the order of the file.
    pub metadata: Vec<(&'a str, Value<'a>)>,
    /// The tensors in the order of the file.
    pub tensors: Vec<Tensor<'a>>,
    /// All bytes from the first tensor on, padding included.
    pub data: &'a [u8],
}

impl<'a> Gguf<'a> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.metadata.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// The value of a key as text.
    pub fn text(&self, key: &str) -> Result<&'a str, PolicyError> {
        match self.get(key) {
            Some(Value::Text(text)) => Ok(text),
            other => Err(wrong(key, other)),
        }
    }

    /// The value of a key as a count within limits.
    pub fn count(
        &self,
        key: &str,
        limits: std::ops::RangeInclusive<u64>,
    ) -> Result<usize, PolicyError> {
        let value = self.get(key);
        let count = value.and_then(|value| value.as_count()).filter(|n| limits.contains(n));
        count.map(|n| n as usize).ok_or_else(|| wrong(key, value))
    }

    /// The tensor with this name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor<'a>> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }
}

/// The error of a key that is missing or unusable.
pub(super) fn wrong(key: &str, value: Option<Value>) -> PolicyError {
    let key = key.to_owned();
    match value {
        None => PolicyError::MissingKey(key),
        Some(value) => PolicyError::Key { key, value: value.to_string() },
    }
}
