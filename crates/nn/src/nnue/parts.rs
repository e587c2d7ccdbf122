//! Quantised weights in their canonical order: what a trainer exports and a file stores.

use super::NetError;
use super::arch::{
    DENSE_LIMIT, FLOAT_LIMIT, FT_LIMIT, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT, OUTPUT_SUM_LIMIT,
    THREAT_LIMIT,
};
use super::shape::{Shape, Tail};

/// All weights of a net.
#[derive(Clone, PartialEq, Debug)]
pub struct Parts {
    /// `[feature][hidden]`, 1.0 is [`QA`](super::QA).
    pub ft_weights: Vec<i16>,
    /// `[hidden]`, 1.0 is [`QA`](super::QA).
    pub ft_bias: Vec<i16>,
    /// `[threat][hidden]`, 1.0 is [`QA`](super::QA); empty if the net sees none.
    pub threat_weights: Vec<i8>,
    /// What comes after the hidden layer.
    pub head: HeadParts,
}

/// The weights after the hidden layer.
#[derive(Clone, PartialEq, Debug)]
pub enum HeadParts {
    /// Straight to the output.
    Single(SingleParts),
    /// Through two dense layers.
    Deep(DeepParts),
}

/// Output weights of a net with one hidden layer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SingleParts {
    /// `[output][side to move's hidden, then the other side's]`, 1.0 is [`QB`](super::QB).
    pub output_weights: Vec<i16>,
    /// `[output]`, 1.0 is `QA * QB`.
    pub output_bias: Vec<i32>,
}

/// Dense layers, one set per output bucket.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeepParts {
    /// `[bucket][neuron][side to move's activations, then the other side's]`, 1.0 is
    /// [`QB`](super::QB).
    pub first_weights: Vec<i8>,
    /// `[bucket][neuron]`.
    pub first_bias: Vec<f32>,
    /// `[bucket][input][neuron]`.
    pub second_weights: Vec<f32>,
    /// `[bucket][neuron]`.
    pub second_bias: Vec<f32>,
    /// `[bucket][input]`.
    pub output_weights: Vec<f32>,
    /// `[bucket]`.
    pub output_bias: Vec<f32>,
}

impl Parts {
    /// Weights of this shape, all of them zero.
    pub fn zeros(shape: Shape) -> Self {
        let outputs = shape.output_buckets();
        let head = match shape.tail() {
            None => HeadParts::Single(SingleParts {
                output_weights: vec![0; outputs * 2 * shape.hidden()],
                output_bias: vec![0; outputs],
            }),
            Some(tail) => {
                let [first_bias, second_weights, second_bias, output_weights, output_bias] =
                    DeepParts::float_lengths(tail).map(|length| vec![0.0; outputs * length]);
                HeadParts::Deep(DeepParts {
                    first_weights: vec![0; outputs * DeepParts::first_length(shape, tail)],
                    first_bias,
                    second_weights,
                    second_bias,
                    output_weights,
                    output_bias,
                })
            }
        };
        Self {
            ft_weights: vec![0; shape.features() * shape.hidden()],
            ft_bias: vec![0; shape.hidden()],
            threat_weights: vec![0; shape.threats() * shape.hidden()],
            head,
        }
    }

    /// The output weights, if there is one hidden layer only.
    pub fn single(&self) -> Option<&SingleParts> {
        match &self.head {
            HeadParts::Single(single) => Some(single),
            HeadParts::Deep(_) => None,
        }
    }

    /// The dense layers, if there are any.
    pub fn deep(&self) -> Option<&DeepParts> {
        match &self.head {
            HeadParts::Single(_) => None,
            HeadParts::Deep(deep) => Some(deep),
        }
    }

    /// How many weights and biases.
    pub fn parameters(&self) -> usize {
        let head = match &self.head {
            HeadParts::Single(single) => single.output_weights.len() + single.output_bias.len(),
            HeadParts::Deep(deep) => {
                let floats = deep.floats().map(<[f32]>::len);
                deep.first_weights.len() + floats.iter().sum::<usize>()
            }
        };
        self.ft_weights.len() + self.ft_bias.len() + self.threat_weights.len() + head
    }

    /// Refuses weights of the wrong number, or so large that a sum of any position could overflow.
    pub(super) fn check(&self, shape: Shape) -> Result<(), NetError> {
        let expected = Self::wanted_lengths(shape);
        let found = self.lengths();
        if found.len() != expected.len() {
            return Err(NetError::Head);
        }
        for ((part, found), expected) in found.into_iter().zip(expected) {
            if found != expected {
                return Err(NetError::PartLength { part, found, expected });
            }
        }
        check_limit("hidden weight", self.ft_weights.iter().map(|w| *w as i32), FT_LIMIT as i32)?;
        check_limit("hidden bias", self.ft_bias.iter().map(|w| *w as i32), FT_LIMIT as i32)?;
        let threats = self.threat_weights.iter().map(|w| *w as i32);
        check_limit("weight of a threat", threats, THREAT_LIMIT as i32)?;
        match &self.head {
            HeadParts::Single(single) => single.check(shape),
            HeadParts::Deep(deep) => deep.check(),
        }
    }

    /// The lengths a shape asks for, as [`Self::lengths`] tells those that are there.
    fn wanted_lengths(shape: Shape) -> Vec<usize> {
        let outputs = shape.output_buckets();
        let hidden = shape.hidden();
        let mut lengths = vec![shape.features() * hidden, hidden, shape.threats() * hidden];
        match shape.tail() {
            None => lengths.extend([outputs * 2 * shape.hidden(), outputs]),
            Some(tail) => {
                lengths.push(outputs * DeepParts::first_length(shape, tail));
                lengths.extend(DeepParts::float_lengths(tail).map(|length| outputs * length));
            }
        }
        lengths
    }

    fn lengths(&self) -> Vec<(&'static str, usize)> {
        let mut lengths = vec![
            ("hidden weights", self.ft_weights.len()),
            ("hidden biases", self.ft_bias.len()),
            ("weights of threats", self.threat_weights.len()),
        ];
        match &self.head {
            HeadParts::Single(single) => lengths.extend([
                ("output weights", single.output_weights.len()),
                ("output biases", single.output_bias.len()),
            ]),
            HeadParts::Deep(deep) => {
                lengths.push(("weights of the first layer", deep.first_weights.len()));
                let floats = deep.floats().map(<[f32]>::len);
                lengths.extend(DeepParts::FLOAT_NAMES.into_iter().zip(floats));
            }
        }
        lengths
    }
}

impl SingleParts {
    fn check(&self, shape: Shape) -> Result<(), NetError> {
        let weights = self.output_weights.iter().map(|w| *w as i32);
        check_limit("output weight", weights, OUTPUT_LIMIT as i32)?;
        check_limit("output bias", self.output_bias.iter().copied(), OUTPUT_BIAS_LIMIT)?;
        for (bucket, weights) in self.output_weights.chunks(2 * shape.hidden()).enumerate() {
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
}

impl DeepParts {
    const FLOAT_NAMES: [&'static str; 5] = [
        "biases of the first layer",
        "weights of the second layer",
        "biases of the second layer",
        "output weights",
        "output biases",
    ];

    /// Weights of one bucket's first layer.
    pub(super) fn first_length(shape: Shape, tail: Tail) -> usize {
        tail.first.outputs * 2 * shape.activations()
    }

    /// Lengths of one bucket's part of [`Self::floats`].
    pub(super) fn float_lengths(tail: Tail) -> [usize; 5] {
        let (first, second) = (tail.first.outputs, tail.second.outputs);
        [first, tail.second_inputs() * second, second, second, 1]
    }

    /// The lists of f32 numbers, in the order of the file.
    pub(super) fn floats(&self) -> [&[f32]; 5] {
        let Self { first_weights: _, first_bias, second_weights, second_bias, .. } = self;
        [first_bias, second_weights, second_bias, &self.output_weights, &self.output_bias]
    }

    fn check(&self) -> Result<(), NetError> {
        let weights = self.first_weights.iter().map(|w| *w as i32);
        check_limit("weight of the first layer", weights, DENSE_LIMIT as i32)?;
        for (part, numbers) in Self::FLOAT_NAMES.into_iter().zip(self.floats()) {
            let is_wrong = |x: &f32| x.is_nan() || x.abs() > FLOAT_LIMIT;
            if let Some(index) = numbers.iter().position(is_wrong) {
                return Err(NetError::FloatLimit { part, index });
            }
        }
        Ok(())
    }
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
