//! A network whose weights have been checked.

use super::arch::{
    FT_LIMIT, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT, OUTPUT_SUM_LIMIT, QA, QB, SCALE, Shape,
};
use super::file::{self, NetError};
use crate::line::Line;
use std::fmt;

/// Quantised weights in their canonical order: what a trainer exports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// `[feature][hidden]`, 1.0 is [`QA`].
    pub ft_weights: Vec<i16>,
    /// `[hidden]`, 1.0 is [`QA`].
    pub ft_bias: Vec<i16>,
    /// `[output][side to move's hidden, then the other side's]`, 1.0 is [`QB`].
    pub output_weights: Vec<i16>,
    /// `[output]`, 1.0 is `QA * QB`.
    pub output_bias: Vec<i32>,
}

/// A network ready to evaluate: every weight inside the limits that keep integer sums exact.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    shape: Shape,
    ft_weights: Vec<Line>,
    ft_bias: Vec<Line>,
    output_weights: Vec<Line>,
    output_bias: Vec<i32>,
    provenance: String,
    checksum: u64,
}

impl Network {
    /// Checks sizes and limits and makes a network.
    ///
    /// `provenance` says in plain text where the weights come from; it is stored in the file.
    pub fn from_parts(shape: Shape, parts: &Parts, provenance: &str) -> Result<Self, NetError> {
        let mut net = Self::checked(shape, parts, provenance, 0)?;
        net.checksum = file::checksum(&net)?;
        Ok(net)
    }

    /// Checks sizes and limits; the checksum is taken on trust.
    pub(super) fn checked(
        shape: Shape,
        parts: &Parts,
        provenance: &str,
        checksum: u64,
    ) -> Result<Self, NetError> {
        check(shape, parts)?;
        Ok(Self {
            shape,
            ft_weights: Line::pack(&parts.ft_weights),
            ft_bias: Line::pack(&parts.ft_bias),
            output_weights: Line::pack(&parts.output_weights),
            output_bias: parts.output_bias.clone(),
            provenance: provenance.to_owned(),
            checksum,
        })
    }

    /// The weights in canonical order, as given to [`Network::from_parts`].
    pub fn to_parts(&self) -> Parts {
        let unpack = |lines: &[Line]| lines.iter().flat_map(|line| line.0).collect();
        Parts {
            ft_weights: unpack(&self.ft_weights),
            ft_bias: unpack(&self.ft_bias),
            output_weights: unpack(&self.output_weights),
            output_bias: self.output_bias.clone(),
        }
    }

    /// The sizes of this net.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Where the weights come from.
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// The checksum of the net's file; it identifies the net.
    #[inline]
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// What there is to say about the net in a few words.
    pub fn info(&self) -> NetInfo {
        let shape = self.shape;
        let hidden = shape.hidden();
        NetInfo {
            shape,
            parameters: (shape.features() + 1) * hidden + (2 * hidden + 1) * shape.output_buckets(),
            checksum: self.checksum,
            provenance: self.provenance.clone(),
        }
    }

    /// All rows of the hidden layer, `hidden / 32` lines each.
    #[inline]
    pub(super) fn ft_weights(&self) -> &[Line] {
        &self.ft_weights
    }

    #[inline]
    pub(super) fn ft_bias(&self) -> &[Line] {
        &self.ft_bias
    }

    /// The weights of one output.
    #[inline]
    pub(super) fn output_weights(&self, bucket: usize) -> &[Line] {
        let lines = 2 * self.ft_bias.len();
        &self.output_weights[bucket * lines..][..lines]
    }

    /// Centipawns from the sum of `activation^2 * weight`. Divisions round towards zero.
    #[inline]
    pub(super) fn centipawns(&self, bucket: usize, sum: i32) -> i32 {
        let output = (sum / QA) as i64 + self.output_bias[bucket] as i64;
        (output * SCALE as i64 / (QA * QB) as i64) as i32
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Network({})", self.info())
    }
}

/// A summary of a net for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetInfo {
    /// The sizes.
    pub shape: Shape,
    /// How many weights and biases.
    pub parameters: usize,
    /// The checksum of the file.
    pub checksum: u64,
    /// Where the weights come from.
    pub provenance: String,
}

impl fmt::Display for NetInfo {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "(768x{}hm -> {})x2 -> 1x{}, {} parameters, checksum {:016x}, {}",
            self.shape.king_buckets(),
            self.shape.hidden(),
            self.shape.output_buckets(),
            self.parameters,
            self.checksum,
            self.provenance
        )
    }
}

/// Refuses weights of the wrong number, or so large that a sum of any position could overflow.
fn check(shape: Shape, parts: &Parts) -> Result<(), NetError> {
    let hidden = shape.hidden();
    for (part, found, expected) in [
        ("hidden weights", parts.ft_weights.len(), shape.features() * hidden),
        ("hidden biases", parts.ft_bias.len(), hidden),
        ("output weights", parts.output_weights.len(), shape.output_buckets() * 2 * hidden),
        ("output biases", parts.output_bias.len(), shape.output_buckets()),
    ] {
        if found != expected {
            return Err(NetError::PartLength { part, found, expected });
        }
    }
    check_limit("hidden weight", parts.ft_weights.iter().map(|w| *w as i32), FT_LIMIT as i32)?;
    check_limit("hidden bias", parts.ft_bias.iter().map(|w| *w as i32), FT_LIMIT as i32)?;
    let output_weights = parts.output_weights.iter().map(|w| *w as i32);
    check_limit("output weight", output_weights, OUTPUT_LIMIT as i32)?;
    check_limit("output bias", parts.output_bias.iter().copied(), OUTPUT_BIAS_LIMIT)?;
    for (bucket, weights) in parts.output_weights.chunks(2 * hidden).enumerate() {
        let positive: i32 = weights.iter().map(|w| i32::from(*w).max(0)).sum();
        let negative: i32 = weights.iter().map(|w| i32::from(*w).min(0)).sum();
        for sum in [positive, negative] {
            if sum.abs() > OUTPUT_SUM_LIMIT {
                return Err(NetError::OutputSum { bucket, sum });
            }
        }
    }
    Ok(())
}

fn check_limit(
    part: &'static str,
    values: impl Iterator<Item = i32>,
    limit: i32,
) -> Result<(), NetError> {
    for (index, value) in values.enumerate() {
        if value.unsigned_abs() > limit.unsigned_abs() {
            return Err(NetError::Limit { part, index, value, limit });
        }
    }
    Ok(())
}
