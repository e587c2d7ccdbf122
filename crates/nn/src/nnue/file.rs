//! Net files: bytes to a checked [`Network`] and back.
//!
//! All numbers are little endian. Nets with one hidden layer are stored in the first format:
//!
//! ```text
//! magic            8 bytes  "TABIYANN"
//! version          u32      1
//! family           u32      1
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
//! Deeper nets are a list of tensors:
//!
//! ```text
//! magic            8 bytes  "TABIYANN"
//! version          u32      2
//! shape hash       u64      FNV-1a of Shape::descriptor
//! shape            u32 length, text of the Shape
//! provenance       u32 length, UTF-8 text
//! each tensor      u32 length, name; u32 type (8, 16: integers of so many bits; 32: f32);
//!                  u32 number of sizes, sizes as u32; f32 one integer step; numbers
//! checksum         u64      of everything before it, word by word
//! ```
//!
//! Numbers are in canonical order on every machine; nothing in them depends on the kernel.

use super::NetError;
use super::arch::{QA, QB, SCALE, fnv1a};
use super::network::Network;
use super::parts::{DeepParts, HeadParts, Parts, SingleParts};
use super::shape::{Shape, Tail};

const MAGIC: &[u8; 8] = b"TABIYANN";
/// The format of nets with one hidden layer.
const FIRST_VERSION: u32 = 1;
/// The format with named tensors.
const TENSOR_VERSION: u32 = 2;
/// The only family of the first format.
const FAMILY: u32 = 1;
/// The longest provenance text in bytes.
pub(super) const TEXT_LIMIT: usize = 1 << 16;

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

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, NetError> {
        let (quads, _) = self.bytes(4 * count)?.as_chunks();
        Ok(quads.iter().map(|quad| f32::from_le_bytes(*quad)).collect())
    }

    fn small(&mut self, count: usize) -> Result<Vec<i8>, NetError> {
        Ok(self.bytes(count)?.iter().map(|byte| *byte as i8).collect())
    }

    /// A text with its length before it.
    fn text(&mut self) -> Result<&'a str, NetError> {
        let length = self.size()?;
        if length > TEXT_LIMIT {
            return Err(NetError::TextLength(length));
        }
        std::str::from_utf8(self.bytes(length)?).map_err(|_| NetError::Text)
    }
}

impl Network {
    /// Reads a net file. Nothing in it is trusted before it is checked.
    pub fn load(bytes: &[u8]) -> Result<Self, NetError> {
        Self::read(bytes, Seal::Unknown)
    }

    /// Reads a net whose checksum was found right before, as that of a net inside a program. The
    /// checksum takes most of the time of [`Self::load`]; everything else is checked all the same.
    pub fn load_checked(bytes: &[u8]) -> Result<Self, NetError> {
        Self::read(bytes, Seal::Checked)
    }

    fn read(bytes: &[u8], seal: Seal) -> Result<Self, NetError> {
        let mut reader = Reader { rest: bytes, part: "header" };
        if reader.array::<8>()? != *MAGIC {
            return Err(NetError::Magic);
        }
        match reader.u32()? {
            FIRST_VERSION => load_first(bytes, reader, seal),
            TENSOR_VERSION => load_tensors(bytes, reader, seal),
            version => Err(NetError::Version(version)),
        }
    }

    /// The net as a file.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = encode(self);
        bytes.extend(self.checksum().to_le_bytes());
        bytes
    }
}

fn load_first(bytes: &[u8], mut reader: Reader, seal: Seal) -> Result<Network, NetError> {
    let family = reader.u32()?;
    if family != FAMILY {
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
    let (hidden, outputs) = (shape.hidden(), shape.output_buckets());
    let words = [shape.features() * hidden, hidden, outputs * 2 * hidden];
    let found = reader.u64()?;
    let expected = (2 * words.iter().sum::<usize>() + 4 * outputs) as u64;
    if found != expected {
        return Err(NetError::PayloadLength { found, expected });
    }

    reader.part = "provenance text";
    let text = reader.bytes(text_length)?;
    reader.part = "payload";
    let payload = reader.bytes(expected as usize)?;
    let checksum = seal.read(bytes, &mut reader, fnv1a)?;

    let mut reader = Reader { rest: payload, part: "payload" };
    let [ft_weights, ft_bias, output_weights] = words;
    let parts = Parts {
        ft_weights: reader.words(ft_weights)?,
        ft_bias: reader.words(ft_bias)?,
        threat_weights: Vec::new(),
        head: HeadParts::Single(SingleParts {
            output_weights: reader.words(output_weights)?,
            output_bias: reader.longs(outputs)?,
        }),
    };
    let provenance = std::str::from_utf8(text).map_err(|_| NetError::Text)?;
    Network::checked(shape, &parts, provenance, checksum)
}

fn load_tensors(bytes: &[u8], mut reader: Reader, seal: Seal) -> Result<Network, NetError> {
    let hash = reader.u64()?;
    let shape: Shape = reader.text()?.parse()?;
    let Some(tail) = shape.tail() else { return Err(NetError::Tail) };
    if hash != shape.hash() {
        return Err(NetError::ShapeHash);
    }
    reader.part = "provenance text";
    let provenance = reader.text()?;
    reader.part = "tensors";
    let tensors = tensors(shape, tail);
    let [ft_weights, ft_bias, first_weights, ref floats @ ..] = tensors;
    let parts = Parts {
        ft_weights: ft_weights.read(&mut reader, Reader::words)?,
        ft_bias: ft_bias.read(&mut reader, Reader::words)?,
        threat_weights: match threat_tensor(shape) {
            Some(tensor) => tensor.read(&mut reader, Reader::small)?,
            None => Vec::new(),
        },
        head: {
            let first_weights = first_weights.read(&mut reader, Reader::small)?;
            let mut lists = Vec::new();
            for tensor in floats {
                lists.push(tensor.read(&mut reader, Reader::floats)?);
            }
            let mut lists = lists.into_iter();
            let mut next = || lists.next().unwrap_or_default();
            HeadParts::Deep(DeepParts {
                first_weights,
                first_bias: next(),
                second_weights: next(),
                second_bias: next(),
                output_weights: next(),
                output_bias: next(),
            })
        },
    };
    let checksum = seal.read(bytes, &mut reader, word_hash)?;
    Network::checked(shape, &parts, provenance, checksum)
}

/// What is known about the checksum of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seal {
    /// Nothing: it is compared.
    Unknown,
    /// It was found right before.
    Checked,
}

impl Seal {
    /// Reads the checksum, which is the last thing in a file, and compares it.
    fn read(
        self,
        bytes: &[u8],
        reader: &mut Reader,
        hash: fn(&[u8]) -> u64,
    ) -> Result<u64, NetError> {
        let content = &bytes[..bytes.len() - reader.rest.len()];
        reader.part = "checksum";
        let checksum = reader.u64()?;
        if !reader.rest.is_empty() {
            return Err(NetError::TrailingBytes(reader.rest.len()));
        }
        if self == Self::Checked || hash(content) == checksum {
            Ok(checksum)
        } else {
            Err(NetError::Checksum)
        }
    }
}

/// A list of numbers in a file.
struct Tensor {
    name: &'static str,
    /// Bits of an integer, or 32 for f32.
    kind: u32,
    sizes: Vec<usize>,
    /// What one integer step is worth.
    step: f32,
}

/// The weights of threats, if a net sees them. They come after the biases of the hidden layer.
fn threat_tensor(shape: Shape) -> Option<Tensor> {
    shape.sees_threats().then(|| Tensor {
        name: "threats.weight",
        kind: 8,
        sizes: vec![shape.threats(), shape.hidden()],
        step: 1.0 / QA as f32,
    })
}

/// The other tensors of a deep net, in their order.
fn tensors(shape: Shape, tail: Tail) -> [Tensor; 8] {
    let (outputs, hidden) = (shape.output_buckets(), shape.hidden());
    let (first, second) = (tail.first.outputs, tail.second.outputs);
    let tensor =
        |name, kind, sizes: &[usize], step| Tensor { name, kind, sizes: sizes.into(), step };
    let fine = 1.0 / QA as f32;
    [
        tensor("hidden.weight", 16, &[shape.features(), hidden], fine),
        tensor("hidden.bias", 16, &[hidden], fine),
        tensor("first.weight", 8, &[outputs, first, 2 * shape.activations()], 1.0 / QB as f32),
        tensor("first.bias", 32, &[outputs, first], 1.0),
        tensor("second.weight", 32, &[outputs, tail.second_inputs(), second], 1.0),
        tensor("second.bias", 32, &[outputs, second], 1.0),
        tensor("output.weight", 32, &[outputs, second], 1.0),
        tensor("output.bias", 32, &[outputs], 1.0),
    ]
}

impl Tensor {
    /// What is written before the numbers.
    fn header(&self) -> Vec<u8> {
        let mut bytes = (self.name.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.name.as_bytes());
        let sizes = self.sizes.iter().map(|size| *size as u32);
        for number in [self.kind, self.sizes.len() as u32].into_iter().chain(sizes) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.step.to_le_bytes());
        bytes
    }

    /// Reads the numbers of a tensor that must be exactly this one.
    fn read<'a, T>(
        &self,
        reader: &mut Reader<'a>,
        numbers: fn(&mut Reader<'a>, usize) -> Result<T, NetError>,
    ) -> Result<T, NetError> {
        let header = self.header();
        if reader.bytes(header.len())? != header {
            return Err(NetError::Tensor(self.name));
        }
        numbers(reader, self.sizes.iter().product())
    }
}

/// A hash that reads eight bytes at a time, in four chains. Any change of a single byte changes it.
fn word_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let mut chains = [1_u64, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (chain, word) in chains.iter_mut().zip(words) {
            *chain = mix(*chain, u64::from_le_bytes(*word));
        }
    }
    let tail = rest.iter().fold(bytes.len() as u64, |hash, byte| mix(hash, u64::from(*byte)));
    chains.into_iter().fold(tail, mix)
}

/// The checksum of a net's file, or why it cannot be stored.
pub(super) fn checksum(net: &Network) -> Result<u64, NetError> {
    if net.provenance().len() > TEXT_LIMIT {
        return Err(NetError::TextLength(net.provenance().len()));
    }
    let bytes = encode(net);
    Ok(if net.shape().tail().is_some() { word_hash(&bytes) } else { fnv1a(&bytes) })
}

/// Everything but the checksum.
fn encode(net: &Network) -> Vec<u8> {
    let parts = net.to_parts();
    match &parts.head {
        HeadParts::Single(single) => encode_first(net, &parts, single),
        HeadParts::Deep(deep) => encode_tensors(net, &parts, deep),
    }
}

fn encode_first(net: &Network, parts: &Parts, single: &SingleParts) -> Vec<u8> {
    let shape = net.shape();
    let words = [&parts.ft_weights, &parts.ft_bias, &single.output_weights];
    let mut payload: Vec<u8> =
        words.into_iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    payload.extend(single.output_bias.iter().flat_map(|long| long.to_le_bytes()));

    let mut bytes = MAGIC.to_vec();
    for number in [
        FIRST_VERSION,
        FAMILY,
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

fn encode_tensors(net: &Network, parts: &Parts, deep: &DeepParts) -> Vec<u8> {
    let shape = net.shape();
    let Some(tail) = shape.tail() else { unreachable!("deep parts belong to a shape with a tail") };
    let mut bytes = MAGIC.to_vec();
    bytes.extend(TENSOR_VERSION.to_le_bytes());
    bytes.extend(shape.hash().to_le_bytes());
    for text in [&*shape.to_string(), net.provenance()] {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let [ft_weights, ft_bias, first_weights, ref floats @ ..] = tensors(shape, tail);
    for (tensor, words) in [(ft_weights, &parts.ft_weights), (ft_bias, &parts.ft_bias)] {
        bytes.extend(tensor.header());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    for (tensor, weights) in threat_tensor(shape)
        .map(|tensor| (tensor, &parts.threat_weights))
        .into_iter()
        .chain([(first_weights, &deep.first_weights)])
    {
        bytes.extend(tensor.header());
        bytes.extend(weights.iter().map(|weight| weight.cast_unsigned()));
    }
    for (tensor, numbers) in floats.iter().zip(deep.floats()) {
        bytes.extend(tensor.header());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}
