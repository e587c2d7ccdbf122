//! Bytes to a [`Gguf`].

use super::{ALIGNMENT, COUNT_LIMIT, FILE_LIMIT, Gguf, Kind, Tensor, Value};
use crate::policy::PolicyError;

/// Bytes of a key at most.
const KEY_LIMIT: u64 = 256;
/// Bytes of the name of a tensor at most.
const NAME_LIMIT: u64 = 64;
/// Bytes of a text at most.
const TEXT_LIMIT: u64 = 1 << 20;
/// Elements of an array at most.
const ARRAY_LIMIT: u64 = 65_536;
/// How deep arrays may lie in arrays.
const DEPTH_LIMIT: u32 = 2;
const DIM_LIMIT: u64 = 1 << 24;
/// Numbers in a tensor at most.
const SIZE_LIMIT: u64 = 1 << 28;

fn within(what: &'static str, found: u64, limit: u64) -> Result<u64, PolicyError> {
    if found <= limit { Ok(found) } else { Err(PolicyError::Limit { what, found, limit }) }
}

/// Takes little-endian numbers off the front of a file.
struct Cursor<'a> {
    rest: &'a [u8],
    part: &'static str,
}

impl<'a> Cursor<'a> {
    fn bytes(&mut self, count: u64) -> Result<&'a [u8], PolicyError> {
        let count = usize::try_from(count).map_err(|_| PolicyError::Truncated(self.part))?;
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or(PolicyError::Truncated(self.part))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PolicyError> {
        let (taken, rest) =
            self.rest.split_first_chunk().ok_or(PolicyError::Truncated(self.part))?;
        self.rest = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, PolicyError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, PolicyError> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self, what: &'static str, limit: u64) -> Result<&'a str, PolicyError> {
        let length = within(what, self.u64()?, limit)?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| PolicyError::Text(what))
    }

    /// Text that something is called by.
    fn name(&mut self, what: &'static str, limit: u64) -> Result<&'a str, PolicyError> {
        let name = self.text(what, limit)?;
        let is_plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic());
        if is_plain { Ok(name) } else { Err(PolicyError::Text(what)) }
    }

    fn value(&mut self, kind: u32, depth: u32) -> Result<Value<'a>, PolicyError> {
        Ok(match kind {
            0 => Value::U8(self.array::<1>()?[0]),
            1 => Value::I8(i8::from_le_bytes(self.array()?)),
            2 => Value::U16(u16::from_le_bytes(self.array()?)),
            3 => Value::I16(i16::from_le_bytes(self.array()?)),
            4 => Value::U32(self.u32()?),
            5 => Value::I32(i32::from_le_bytes(self.array()?)),
            6 => Value::F32(f32::from_le_bytes(self.array()?)),
            7 => match self.array()? {
                [0] => Value::Bool(false),
                [1] => Value::Bool(true),
                [other] => return Err(PolicyError::Bool(other)),
            },
            8 => Value::Text(self.text("metadata text", TEXT_LIMIT)?),
            9 => self.elements(depth + 1)?,
            10 => Value::U64(self.u64()?),
            11 => Value::I64(i64::from_le_bytes(self.array()?)),
            12 => Value::F64(f64::from_le_bytes(self.array()?)),
            other => return Err(PolicyError::ValueType(other)),
        })
    }

    fn elements(&mut self, depth: u32) -> Result<Value<'a>, PolicyError> {
        within("arrays in arrays", depth as u64, DEPTH_LIMIT as u64)?;
        let kind = self.u32()?;
        let count = within("array elements", self.u64()?, ARRAY_LIMIT)?;
        let start = self.rest;
        for _ in 0..count {
            self.value(kind, depth)?;
        }
        if count == 0 && kind > 12 {
            return Err(PolicyError::ValueType(kind));
        }
        let bytes = &start[..start.len() - self.rest.len()];
        Ok(Value::Array { kind, count, bytes })
    }

    fn tensor(&mut self) -> Result<Info<'a>, PolicyError> {
        let name = self.name("name of a tensor", NAME_LIMIT)?;
        let count = self.u32()?;
        if !(1..=4).contains(&count) {
            return Err(PolicyError::Limit { what: "dimensions", found: count as u64, limit: 4 });
        }
        let mut dims = Vec::with_capacity(4);
        let mut size = 1_u64;
        for _ in 0..count {
            let dim = within("dimension", self.u64()?, DIM_LIMIT)?;
            // At most 2^28 * 2^24: no overflow before the check.
            size = within("numbers in a tensor", size * dim, SIZE_LIMIT)?;
            dims.push(dim as usize);
        }
        if size == 0 {
            return Err(PolicyError::Limit { what: "empty dimension", found: 0, limit: DIM_LIMIT });
        }
        let code = self.u32()?;
        let kind = Kind::from_code(code)
            .ok_or_else(|| PolicyError::TensorType { name: name.to_owned(), found: code })?;
        let (block, bytes) = kind.block();
        if !dims[0].is_multiple_of(block) {
            return Err(PolicyError::Blocks(name.to_owned()));
        }
        let length = size / block as u64 * bytes as u64;
        Ok(Info { name, dims, kind, offset: self.u64()?, length })
    }
}

/// A tensor before its place was checked.
struct Info<'a> {
    name: &'a str,
    dims: Vec<usize>,
    kind: Kind,
    offset: u64,
    length: u64,
}

/// The first name that appears twice.
fn reject_duplicates<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), PolicyError> {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(PolicyError::Duplicate(pair[0].to_owned())),
        None => Ok(()),
    }
}

impl<'a> Gguf<'a> {
    /// Reads a file. Nothing in it is trusted before it is checked.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PolicyError> {
        within("bytes of the file", bytes.len() as u64, FILE_LIMIT)?;
        let mut cursor = Cursor { rest: bytes, part: "header" };
        if cursor.array()? != *b"GGUF" {
            return Err(PolicyError::Magic);
        }
        let version = cursor.u32()?;
        if version.trailing_zeros() >= 16 {
            return Err(PolicyError::BigEndian);
        }
        if !(2..=3).contains(&version) {
            return Err(PolicyError::Version(version));
        }
        let tensor_count = within("tensors", cursor.u64()?, COUNT_LIMIT)?;
        let value_count = within("metadata entries", cursor.u64()?, COUNT_LIMIT)?;

        cursor.part = "metadata";
        let mut metadata = Vec::new();
        for _ in 0..value_count {
            let key = cursor.name("key", KEY_LIMIT)?;
            let kind = cursor.u32()?;
            metadata.push((key, cursor.value(kind, 0)?));
        }
        reject_duplicates(metadata.iter().map(|(key, _)| *key))?;

        cursor.part = "list of tensors";
        let mut infos = Vec::new();
        for _ in 0..tensor_count {
            infos.push(cursor.tensor()?);
        }
        reject_duplicates(infos.iter().map(|info| info.name))?;

        let alignment = match metadata.iter().find(|(key, _)| *key == "general.alignment") {
            None => ALIGNMENT,
            Some((key, value)) => {
                value.as_count().ok_or_else(|| super::wrong(key, Some(*value)))?
            }
        };
        if !alignment.is_power_of_two() || !(8..=4096).contains(&alignment) {
            return Err(PolicyError::Alignment(alignment));
        }
        cursor.part = "padding before the tensors";
        let read = (bytes.len() - cursor.rest.len()) as u64;
        cursor.bytes(read.next_multiple_of(alignment) - read)?;
        let data = cursor.rest;
        Ok(Self { version, metadata, tensors: place(infos, data, alignment)?, data })
    }
}

/// Cuts the tensors out of the data: each on its alignment, none over another, nothing left over.
fn place<'a>(
    infos: Vec<Info<'a>>,
    data: &'a [u8],
    alignment: u64,
) -> Result<Vec<Tensor<'a>>, PolicyError> {
    let mut order: Vec<_> = infos.iter().collect();
    order.sort_by_key(|info| info.offset);
    let mut end = 0;
    for info in order {
        let is_free = info.offset >= end && info.offset.is_multiple_of(alignment);
        end = info
            .offset
            .checked_add(info.length)
            .filter(|end| is_free && *end <= data.len() as u64)
            .ok_or_else(|| PolicyError::Place(info.name.to_owned()))?;
    }
    let left = data.len() as u64 - end;
    if left >= alignment {
        return Err(PolicyError::TrailingBytes(left));
    }
    let cut = |info: Info<'a>| Tensor {
        name: info.name,
        dims: info.dims,
        kind: info.kind,
        bytes: &data[info.offset as usize..][..info.length as usize],
    };
    Ok(infos.into_iter().map(cut).collect())
}
