//! A network whose weights have been checked.

use super::NetError;
use super::file;
use super::head::Head;
use super::parts::Parts;
use super::shape::Shape;
use crate::line::{SmallLine, WordLine};
use std::fmt;

/// A network ready to evaluate: every weight inside the limits that keep integer sums exact.
#[derive(Clone, PartialEq)]
pub struct Network {
    shape: Shape,
    ft_weights: Vec<WordLine>,
    ft_bias: Vec<WordLine>,
    threat_weights: Vec<SmallLine>,
    head: Head,
    parameters: usize,
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
        parts.check(shape)?;
        Ok(Self {
            shape,
            ft_weights: WordLine::pack(&parts.ft_weights),
            ft_bias: WordLine::pack(&parts.ft_bias),
            threat_weights: SmallLine::pack(&parts.threat_weights),
            head: Head::new(shape, parts),
            parameters: parts.parameters(),
            provenance: provenance.to_owned(),
            checksum,
        })
    }

    /// The weights in canonical order, as given to [`Network::from_parts`].
    pub fn to_parts(&self) -> Parts {
        let unpack = |lines: &[WordLine]| lines.iter().flat_map(|line| line.0).collect();
        Parts {
            ft_weights: unpack(&self.ft_weights),
            ft_bias: unpack(&self.ft_bias),
            threat_weights: self.threat_weights.iter().flat_map(|line| line.0).collect(),
            head: self.head.to_parts(self.shape),
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
        NetInfo {
            shape: self.shape,
            parameters: self.parameters,
            checksum: self.checksum,
            provenance: self.provenance.clone(),
        }
    }

    /// All rows of the hidden layer, `hidden / 32` lines each.
    #[inline]
    pub(super) fn ft_weights(&self) -> &[WordLine] {
        &self.ft_weights
    }

    #[inline]
    pub(super) fn ft_bias(&self) -> &[WordLine] {
        &self.ft_bias
    }

    /// All rows of threats, `hidden / 32` lines each; none if the net sees no threats.
    #[inline]
    pub(super) fn threat_weights(&self) -> &[SmallLine] {
        &self.threat_weights
    }

    /// The layers after the hidden one.
    #[inline]
    pub(super) fn head(&self) -> &Head {
        &self.head
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
        let shape = self.shape;
        let threats = if shape.sees_threats() { " + threats" } else { "" };
        write!(f, "(768x{}hm{threats} -> {})x2 -> ", shape.king_buckets(), shape.hidden())?;
        if let Some(tail) = shape.tail() {
            let (first, second) = (tail.first.outputs, tail.second.outputs);
            write!(f, "{:?} -> {first} -> {second} -> ", shape.activation())?;
        }
        write!(
            f,
            "1x{}, {} parameters, checksum {:016x}, {}",
            shape.output_buckets(),
            self.parameters,
            self.checksum,
            self.provenance
        )
    }
}
