//! Values and tensors to bytes.

use super::{ALIGNMENT, Kind, Value};
use crate::nnue::fnv1a;

/// A file in the making.
///
/// ```
/// use tabiya_nn::policy::gguf::{Gguf, Kind, Value, Writer};
/// let mut writer = Writer::new("example");
/// writer.value("example.answer", Value::U32(42));
/// writer.tensor("numbers", &[2], Kind::F32, &[0; 8]);
/// let bytes = writer.finish();
/// let file = Gguf::read(&bytes).unwrap();
/// assert_eq!(file.count("example.answer", 0..=99), Ok(42));
/// ```
pub struct Writer {
    architecture: String,
    values: Vec<u8>,
    value_count: u64,
    infos: Vec<u8>,
    tensor_count: u64,
    data: Vec<u8>,
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn push_value(out: &mut Vec<u8>, value: Value) {
    match value {
        Value::U8(x) => out.push(x),
        Value::I8(x) => out.extend(x.to_le_bytes()),
        Value::U16(x) => out.extend(x.to_le_bytes()),
        Value::I16(x) => out.extend(x.to_le_bytes()),
        Value::U32(x) => out.extend(x.to_le_bytes()),
        Value::I32(x) => out.extend(x.to_le_bytes()),
        Value::F32(x) => out.extend(x.to_le_bytes()),
        Value::Bool(x) => out.push(u8::from(x)),
        Value::Text(x) => push_text(out, x),
        Value::Array { kind, count, bytes } => {
            out.extend(kind.to_le_bytes());
            out.extend(count.to_le_bytes());
            out.extend(bytes);
        }
        Value::U64(x) => out.extend(x.to_le_bytes()),
        Value::I64(x) => out.extend(x.to_le_bytes()),
        Value::F64(x) => out.extend(x.to_le_bytes()),
    }
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(ALIGNMENT as usize), 0);
}

impl Writer {
    /// A file of this architecture.
    pub fn new(architecture: &str) -> Self {
        let mut writer = Self {
            architecture: architecture.to_owned(),
            values: Vec::new(),
            value_count: 0,
            infos: Vec::new(),
            tensor_count: 0,
            data: Vec::new(),
        };
        writer.value("general.architecture", Value::Text(architecture));
        writer
    }

    /// Adds an entry to the metadata.
    pub fn value(&mut self, key: &str, value: Value) {
        push_text(&mut self.values, key);
        self.values.extend(value.code().to_le_bytes());
        push_value(&mut self.values, value);
        self.value_count += 1;
    }

    /// Adds a tensor, its fastest dimension first.
    ///
    /// # Panics
    /// If the bytes are not as many as type and dimensions say.
    pub fn tensor(&mut self, name: &str, dims: &[usize], kind: Kind, bytes: &[u8]) {
        let (block, block_bytes) = kind.block();
        let numbers: usize = dims.iter().product();
        assert_eq!(bytes.len(), numbers / block * block_bytes, "the bytes of {name}");
        push_text(&mut self.infos, name);
        self.infos.extend((dims.len() as u32).to_le_bytes());
        for dim in dims {
            self.infos.extend((*dim as u64).to_le_bytes());
        }
        self.infos.extend(kind.code().to_le_bytes());
        self.infos.extend((self.data.len() as u64).to_le_bytes());
        self.data.extend(bytes);
        pad(&mut self.data);
        self.tensor_count += 1;
    }

    /// The file, with a checksum of its tensors under `<architecture>.checksum`.
    pub fn finish(mut self) -> Vec<u8> {
        self.value(&format!("{}.checksum", self.architecture), Value::U64(fnv1a(&self.data)));
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend(self.tensor_count.to_le_bytes());
        out.extend(self.value_count.to_le_bytes());
        out.extend(self.values);
        out.extend(self.infos);
        pad(&mut out);
        out.extend(self.data);
        out
    }
}
