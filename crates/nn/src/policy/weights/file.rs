//! Weights to a file and back.

use super::{Matrix, Spec, Visitor, Weights, tq2};
use crate::nnue::fnv1a;
use crate::policy::config::ARCHITECTURE;
use crate::policy::gguf::{Gguf, Kind, Tensor, Value, Writer, describe, wrong};
use crate::policy::quant::{f16_bits, f16_value};
use crate::policy::{Config, PolicyError};
use std::convert::Infallible;

/// Gains beyond this are a sign of a broken file.
const GAIN_LIMIT: f32 = 1e3;

impl Weights {
    /// The file of a net. `about` is added to the metadata: name, version, provenance.
    ///
    /// # Panics
    /// If a list of weights has another length than the shape asks for.
    pub fn to_gguf(&self, config: &Config, about: &[(&str, Value)]) -> Vec<u8> {
        let mut writer = Writer::new(ARCHITECTURE);
        writer.value("general.quantization_version", Value::U32(2));
        for (key, value) in about {
            writer.value(key, *value);
        }
        config.write(&mut writer);
        // The walk hands out mutable parts, which a reader needs; a file is written from a copy.
        let Ok(()) = self.clone().walk(config, &mut Encoder(&mut writer));
        writer.finish()
    }

    /// Reads shape and weights from the bytes of a file. Nothing is trusted before it is checked.
    pub fn from_gguf(bytes: &[u8]) -> Result<(Config, Self), PolicyError> {
        let file = Gguf::read(bytes)?;
        let config = Config::read(&file)?;
        let key = format!("{ARCHITECTURE}.checksum");
        match file.get(&key) {
            Some(Value::U64(sum)) if sum == fnv1a(file.data) => {}
            Some(Value::U64(_)) => return Err(PolicyError::Checksum),
            other => return Err(wrong(&key, other)),
        }
        // All shapes first: only then is memory for weights taken.
        let mut checker = Checker { file: &file, seen: Vec::new() };
        Self::default().walk(&config, &mut checker)?;
        let seen = checker.seen;
        if let Some(tensor) = file.tensors.iter().find(|t| !seen.iter().any(|n| n == t.name)) {
            return Err(PolicyError::UnknownTensor(tensor.name.to_owned()));
        }
        let mut weights = Self::default();
        weights.walk(&config, &mut Decoder(&file))?;
        Ok((config, weights))
    }
}

struct Encoder<'a>(&'a mut Writer);

impl Visitor for Encoder<'_> {
    type Error = Infallible;

    fn dense(&mut self, spec: Spec, numbers: &mut Vec<f32>) -> Result<(), Infallible> {
        let bytes: Vec<u8> = match spec.kind {
            Kind::F16 => numbers.iter().flat_map(|x| f16_bits(*x).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        self.0.tensor(spec.name, spec.dims, spec.kind, &bytes);
        Ok(())
    }

    fn ternary(&mut self, spec: Spec, matrix: &mut Matrix) -> Result<(), Infallible> {
        assert_eq!(spec.dims, [matrix.cols, matrix.rows], "the shape of {}", spec.name);
        self.0.tensor(spec.name, spec.dims, spec.kind, &tq2::encode(matrix));
        Ok(())
    }
}

/// The tensor of this name, if it has the type and the dimensions that the shape asks for.
fn find<'a, 'b>(file: &'b Gguf<'a>, spec: Spec) -> Result<&'b Tensor<'a>, PolicyError> {
    let Spec { name, kind, dims } = spec;
    let missing = || PolicyError::MissingTensor(name.to_owned());
    let tensor = file.tensor(name).ok_or_else(missing)?;
    if tensor.kind == kind && tensor.dims == dims {
        return Ok(tensor);
    }
    Err(PolicyError::Shape {
        name: name.to_owned(),
        found: tensor.describe(),
        expected: describe(kind, dims),
    })
}

/// Looks whether all tensors are there.
struct Checker<'a, 'b> {
    file: &'b Gguf<'a>,
    seen: Vec<String>,
}

impl Visitor for Checker<'_, '_> {
    type Error = PolicyError;

    fn dense(&mut self, spec: Spec, _: &mut Vec<f32>) -> Result<(), PolicyError> {
        find(self.file, spec)?;
        self.seen.push(spec.name.to_owned());
        Ok(())
    }

    fn ternary(&mut self, spec: Spec, _: &mut Matrix) -> Result<(), PolicyError> {
        self.dense(spec, &mut Vec::new())
    }
}

struct Decoder<'a, 'b>(&'b Gguf<'a>);

impl Visitor for Decoder<'_, '_> {
    type Error = PolicyError;

    fn dense(&mut self, spec: Spec, numbers: &mut Vec<f32>) -> Result<(), PolicyError> {
        let bytes = find(self.0, spec)?.bytes;
        *numbers = match spec.kind {
            Kind::F16 => {
                bytes.as_chunks().0.iter().map(|b| f16_value(u16::from_le_bytes(*b))).collect()
            }
            _ => bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        };
        let is_good = |x: &f32| x.is_finite() && (spec.kind != Kind::F32 || x.abs() < GAIN_LIMIT);
        match numbers.iter().position(|x| !is_good(x)) {
            Some(index) => Err(PolicyError::Number { name: spec.name.to_owned(), index }),
            None => Ok(()),
        }
    }

    fn ternary(&mut self, spec: Spec, matrix: &mut Matrix) -> Result<(), PolicyError> {
        let bytes = find(self.0, spec)?.bytes;
        *matrix = tq2::decode(spec.name, spec.dims[1], spec.dims[0], bytes)?;
        Ok(())
    }
}
