//! What comes after the hidden layer, laid out for the kernels.

use super::arch::{DEQUANTISE, QA, QB, SCALE};
use super::parts::{DeepParts, HeadParts, Parts, SingleParts};
use super::shape::{Activation, DenseActivation, Shape, Tail};
use crate::line::{Bytes, GroupWeights, WordLine};
use crate::simd::Kernels;

/// The layers after the hidden layer.
#[derive(Clone, PartialEq)]
pub(super) enum Head {
    Single { weights: Vec<WordLine>, bias: Vec<i32> },
    Deep(Vec<DeepHead>),
}

/// Room for what the hidden layers hand on while a deep head is computed.
#[derive(Clone, Default)]
pub(crate) struct Activated {
    /// The activations of the side to move, then those of the other side.
    pub(crate) bytes: Vec<Bytes>,
    /// Which groups of them are not all zero; room for a line more than there are.
    pub(crate) active: Vec<u16>,
}

impl Activated {
    pub(super) fn new(shape: Shape) -> Self {
        let lines = if shape.tail().is_some() { 2 * shape.activations() / Bytes::LANES } else { 0 };
        Self { bytes: vec![Bytes::ZERO; lines], active: vec![0; (lines + 1) * Bytes::GROUPS] }
    }
}

impl Head {
    /// Lays out checked weights.
    pub(super) fn new(shape: Shape, parts: &Parts) -> Self {
        match (&parts.head, shape.tail()) {
            (HeadParts::Deep(deep), Some(tail)) => Self::Deep(
                (0..shape.output_buckets())
                    .map(|bucket| DeepHead::new(shape, tail, deep, bucket))
                    .collect(),
            ),
            (HeadParts::Single(single), _) => Self::Single {
                weights: WordLine::pack(&single.output_weights),
                bias: single.output_bias.clone(),
            },
            (HeadParts::Deep(_), None) => unreachable!("the parts were checked against the shape"),
        }
    }

    /// The weights as they were given.
    pub(super) fn to_parts(&self, shape: Shape) -> HeadParts {
        match (self, shape.tail()) {
            (Self::Single { weights, bias }, _) => HeadParts::Single(SingleParts {
                output_weights: weights.iter().flat_map(|line| line.0).collect(),
                output_bias: bias.clone(),
            }),
            (Self::Deep(heads), tail) => {
                let mut deep = DeepParts::default();
                for head in heads {
                    head.append_to(tail.expect("a deep head has a tail"), &mut deep);
                }
                HeadParts::Deep(deep)
            }
        }
    }

    /// The evaluation from the hidden layers of the side to move and of the other side.
    #[inline]
    pub(super) fn evaluate(
        &self,
        kernels: &Kernels,
        bucket: usize,
        hidden: [&[WordLine]; 2],
        activated: &mut Activated,
    ) -> i32 {
        match self {
            Self::Single { weights, bias } => {
                let lines = 2 * hidden[0].len();
                let sum = kernels.forward(hidden, &weights[bucket * lines..][..lines]);
                // Divisions round towards zero.
                let output = (sum / QA) as i64 + bias[bucket] as i64;
                (output * SCALE as i64 / (QA * QB) as i64) as i32
            }
            Self::Deep(heads) => {
                let head = &heads[bucket];
                let output = kernels.deep(hidden, activated, head);
                (output * SCALE as f32) as i32
            }
        }
    }
}

/// The dense layers of one output bucket. Rows and columns that the shape lacks are zero.
#[derive(Clone, PartialEq)]
pub(crate) struct DeepHead {
    /// What the hidden layer hands on.
    pub(crate) activation: Activation,
    first_activation: DenseActivation,
    second_activation: DenseActivation,
    /// One line per group of four activations.
    pub(crate) first: Vec<GroupWeights>,
    first_bias: [f32; Tail::FIRST],
    pub(crate) second: Box<[[f32; Tail::MOST_OUTPUTS]; Tail::MOST_INPUTS]>,
    pub(crate) second_bias: [f32; Tail::MOST_OUTPUTS],
    output: [f32; Tail::MOST_OUTPUTS],
    output_bias: f32,
}

impl DeepHead {
    fn new(shape: Shape, tail: Tail, parts: &DeepParts, bucket: usize) -> Self {
        let inputs = 2 * shape.activations();
        let rows = &parts.first_weights[bucket * Tail::FIRST * inputs..][..Tail::FIRST * inputs];
        let mut first = vec![GroupWeights([0; 64]); inputs / Bytes::GROUP];
        for (neuron, row) in rows.chunks_exact(inputs).enumerate() {
            for (line, weights) in first.iter_mut().zip(row.chunks_exact(Bytes::GROUP)) {
                line.0[neuron * Bytes::GROUP..][..Bytes::GROUP].copy_from_slice(weights);
            }
        }
        let width = tail.second.outputs;
        let mut second = Box::new([[0.0; Tail::MOST_OUTPUTS]; Tail::MOST_INPUTS]);
        let length = tail.second_inputs() * width;
        let rows = parts.second_weights[bucket * length..][..length].chunks_exact(width);
        for (row, weights) in second.iter_mut().zip(rows) {
            row[..width].copy_from_slice(weights);
        }
        Self {
            activation: shape.activation(),
            first_activation: tail.first.activation,
            second_activation: tail.second.activation,
            first,
            first_bias: padded(&parts.first_bias, bucket, Tail::FIRST),
            second,
            second_bias: padded(&parts.second_bias, bucket, width),
            output: padded(&parts.output_weights, bucket, width),
            output_bias: parts.output_bias[bucket],
        }
    }

    fn append_to(&self, tail: Tail, parts: &mut DeepParts) {
        for neuron in 0..Tail::FIRST {
            for line in &self.first {
                parts.first_weights.extend(&line.0[neuron * Bytes::GROUP..][..Bytes::GROUP]);
            }
        }
        let width = tail.second.outputs;
        parts.first_bias.extend(self.first_bias);
        for row in &self.second[..tail.second_inputs()] {
            parts.second_weights.extend(&row[..width]);
        }
        parts.second_bias.extend(&self.second_bias[..width]);
        parts.output_weights.extend(&self.output[..width]);
        parts.output_bias.push(self.output_bias);
    }

    /// What the second dense layer reads, from the sums of the first.
    ///
    /// Here and in [`Self::output`] plain f32 with one order of operations, none of them fused: the
    /// compiler may use any vectors, the result has the same bits everywhere.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "must be compiled with the kernel's features")]
    pub(crate) fn second_inputs(&self, sums: [i32; Tail::FIRST]) -> [f32; Tail::MOST_INPUTS] {
        let mut x = [0.0; Tail::FIRST];
        for ((x, sum), bias) in x.iter_mut().zip(sums).zip(self.first_bias) {
            *x = sum as f32 * DEQUANTISE + bias;
        }
        let mut inputs = [0.0_f32; Tail::MOST_INPUTS];
        let (low, high) = inputs.split_at_mut(Tail::FIRST);
        for (input, x) in low.iter_mut().zip(x) {
            *input = x.clamp(0.0, 1.0);
        }
        match self.first_activation {
            DenseActivation::Clipped => {}
            DenseActivation::Squared => low.iter_mut().for_each(|input| *input *= *input),
            DenseActivation::Dual => {
                for (input, x) in high.iter_mut().zip(x) {
                    let square = x * x;
                    *input = if square > 1.0 { 1.0 } else { square };
                }
            }
        }
        inputs
    }

    /// The output from the sums of the second dense layer.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "must be compiled with the kernel's features")]
    pub(crate) fn output(&self, neurons: [[f32; 16]; 2]) -> f32 {
        let mut neurons = neurons;
        let neurons = neurons.as_flattened_mut();
        let squared = self.second_activation == DenseActivation::Squared;
        for (neuron, weight) in neurons.iter_mut().zip(self.output) {
            let clipped = neuron.clamp(0.0, 1.0);
            *neuron = if squared { clipped * clipped } else { clipped } * weight;
        }
        let neurons: &mut [f32; Tail::MOST_OUTPUTS] = neurons.as_mut_array().expect("32 neurons");
        let [sum] =
            halved::<2, 1>(&halved::<4, 2>(&halved::<8, 4>(&halved::<16, 8>(&halved(neurons)))));
        sum + self.output_bias
    }
}

/// The sums of each number of the lower half and its partner in the upper half.
#[inline(always)]
#[expect(clippy::inline_always, reason = "must be compiled with the kernel's features")]
fn halved<const FROM: usize, const TO: usize>(numbers: &[f32; FROM]) -> [f32; TO] {
    const { assert!(FROM == 2 * TO) };
    std::array::from_fn(|index| numbers[index] + numbers[index + TO])
}

/// One bucket's numbers, with zeros after them.
fn padded<const N: usize>(numbers: &[f32], bucket: usize, width: usize) -> [f32; N] {
    let mut row = [0.0; N];
    row[..width].copy_from_slice(&numbers[bucket * width..][..width]);
    row
}
