//! The layers after the first dense one: its biases, the second dense layer and the output.

use super::first::{NEURONS, Sums};
use super::loss::squared_error;
use super::param::{LANES, Param, Row};
use crate::work::SplitMix;
use tabiya_nn::{DenseActivation, Shape, Tail};

/// Far beyond what training reaches, far inside what a net file may hold.
const CLIP: f32 = 100.0;
const START_BIAS: f32 = 0.1;
/// Numbers the second layer reads.
const INPUTS: usize = Tail::MOST_INPUTS;
const _: () = assert!(INPUTS == LANES, "weights fill rows either way");

/// The weights of all output buckets; each row belongs to one bucket, lanes that the shape lacks stay
/// zero.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TailModel {
    tail: Tail,
    /// A lane per neuron of the first layer.
    pub(crate) first_bias: Param,
    /// Row `bucket * 32 + input`, a lane per neuron.
    pub(crate) second: Param,
    /// The same as row `bucket * 32 + neuron`, a lane per input: the backward pass sums rows instead of lanes.
    transposed: Vec<Row>,
    pub(crate) second_bias: Param,
    /// A lane per neuron of the second layer.
    pub(crate) output: Param,
    /// One row; the lane is the bucket.
    pub(crate) output_bias: Param,
}

/// Sums of gradients of a micro-batch, in the order of [`TailModel::params_mut`].
pub(crate) type TailGradients = [Vec<Row>; 5];

impl TailModel {
    pub(crate) fn new(shape: Shape, tail: Tail, random: &mut SplitMix) -> Self {
        let buckets = shape.output_buckets();
        let width = tail.second.outputs;
        let mut first_bias = Param::zeros(buckets, CLIP);
        first_bias.fill(START_BIAS, NEURONS);
        let mut second = Param::zeros(buckets * INPUTS, CLIP);
        let deviation = (1.0 / tail.second_inputs() as f32).sqrt();
        for inputs in 0..buckets * INPUTS {
            if inputs % INPUTS < tail.second_inputs() {
                for number in &mut second.value[inputs].0[..width] {
                    *number = ((random.unit() * 2.0 - 1.0) * 3.0_f64.sqrt()) as f32 * deviation;
                }
            }
        }
        let mut second_bias = Param::zeros(buckets, CLIP);
        second_bias.fill(START_BIAS, width);
        let mut output = Param::zeros(buckets, CLIP);
        output.randomise(random, (1.0 / width as f32).sqrt(), width);
        let output_bias = Param::zeros(1, CLIP);
        let transposed = vec![Row::ZERO; buckets * LANES];
        let mut model =
            Self { tail, first_bias, second, transposed, second_bias, output, output_bias };
        model.refresh();
        model
    }

    /// Brings the transposed weights up to date after a change.
    pub(crate) fn refresh(&mut self) {
        for (index, row) in self.second.value.iter().enumerate() {
            let (bucket, input) = (index / INPUTS, index % INPUTS);
            for (column, weight) in self.transposed[bucket * LANES..].iter_mut().zip(row.0) {
                column.0[input] = weight;
            }
        }
    }

    pub(crate) fn params(&self) -> [&Param; 5] {
        let Self { tail: _, transposed: _, first_bias, second, second_bias, output, output_bias } =
            self;
        [first_bias, second, second_bias, output, output_bias]
    }

    pub(crate) fn params_mut(&mut self) -> [&mut Param; 5] {
        let Self { tail: _, transposed: _, first_bias, second, second_bias, output, output_bias } =
            self;
        [first_bias, second, second_bias, output, output_bias]
    }

    /// Room for gradients, all zero.
    pub(crate) fn gradients(&self) -> TailGradients {
        self.params().map(|param| vec![Row::ZERO; param.value.len()])
    }

    /// Adds the gradients of a micro-batch.
    pub(crate) fn add_gradients(&mut self, gradients: &TailGradients) {
        for (param, gradients) in self.params_mut().into_iter().zip(gradients) {
            for (sum, gradient) in param.gradient.iter_mut().zip(gradients) {
                sum.add(gradient);
            }
        }
    }

    /// The output from the sums of the first layer, without its biases.
    #[inline]
    pub(crate) fn output(&self, bucket: usize, sums: &Sums) -> f32 {
        self.forward(bucket, sums).output
    }

    #[inline]
    fn forward(&self, bucket: usize, sums: &Sums) -> Forward {
        let mut x = *sums;
        for (x, bias) in x.iter_mut().zip(&self.first_bias.value[bucket].0) {
            *x += bias;
        }
        let mut inputs = [0.0; INPUTS];
        for (neuron, x) in x.into_iter().enumerate() {
            inputs[neuron] = activate(self.tail.first.activation, x);
            if self.tail.first.activation == DenseActivation::Dual {
                inputs[NEURONS + neuron] = (x * x).min(1.0);
            }
        }
        let mut hidden = self.second_bias.value[bucket];
        let rows = &self.second.value[bucket * INPUTS..][..INPUTS];
        for (x, row) in inputs.iter().zip(rows) {
            hidden.add_scaled(*x, row);
        }
        let active = Row(hidden.0.map(|x| activate(self.tail.second.activation, x)));
        let output =
            active.dot(&self.output.value[bucket]) + self.output_bias.value[0].0[bucket % LANES];
        Forward { x, inputs, hidden, active, output }
    }

    /// Adds the gradients of one position; returns its loss and the gradient of the sums of the first
    /// layer. `share` is one over the size of the batch.
    #[inline]
    pub(crate) fn backward(
        &self,
        bucket: usize,
        sums: &Sums,
        target: f32,
        share: f32,
        gradients: &mut TailGradients,
    ) -> (f32, Sums) {
        let forward = self.forward(bucket, sums);
        let (loss, gradient) = squared_error(forward.output, target);
        let gradient = gradient * share;
        let [first_bias, second, second_bias, output, output_bias] = gradients;
        output_bias[0].0[bucket % LANES] += gradient;
        output[bucket].add_scaled(gradient, &forward.active);
        let mut hidden = self.output.value[bucket];
        for (lane, number) in hidden.0.iter_mut().enumerate() {
            *number *= gradient * derivative(self.tail.second.activation, forward.hidden.0[lane]);
        }
        second_bias[bucket].add(&hidden);
        let mut inputs = Row::ZERO;
        for (gradient, column) in hidden.0.iter().zip(&self.transposed[bucket * LANES..]) {
            inputs.add_scaled(*gradient, column);
        }
        let inputs = inputs.0;
        for (x, sum) in forward.inputs.iter().zip(&mut second[bucket * INPUTS..][..INPUTS]) {
            sum.add_scaled(*x, &hidden);
        }
        let back: Sums = std::array::from_fn(|neuron| {
            let x = forward.x[neuron];
            let mut sum = inputs[neuron] * derivative(self.tail.first.activation, x);
            if self.tail.first.activation == DenseActivation::Dual && x * x < 1.0 {
                sum += inputs[NEURONS + neuron] * 2.0 * x;
            }
            sum
        });
        for (sum, gradient) in first_bias[bucket].0.iter_mut().zip(back) {
            *sum += gradient;
        }
        (loss, back)
    }
}

/// What one position is on its way through the layers.
struct Forward {
    /// Sums of the first layer with biases.
    x: Sums,
    /// What the second layer reads.
    inputs: [f32; INPUTS],
    /// Sums of the second layer.
    hidden: Row,
    /// What the output reads.
    active: Row,
    output: f32,
}

/// The first number of an activation; [`DenseActivation::Dual`] has a second one.
#[inline]
fn activate(activation: DenseActivation, x: f32) -> f32 {
    let clipped = x.clamp(0.0, 1.0);
    match activation {
        DenseActivation::Squared => clipped * clipped,
        DenseActivation::Clipped | DenseActivation::Dual => clipped,
    }
}

/// The derivative of [`activate`].
#[inline]
fn derivative(activation: DenseActivation, x: f32) -> f32 {
    match activation {
        _ if x <= 0.0 || x >= 1.0 => 0.0,
        DenseActivation::Squared => 2.0 * x,
        DenseActivation::Clipped | DenseActivation::Dual => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares every kind of gradient with finite differences of the loss.
    #[test]
    fn gradients_match_finite_differences() {
        for text in ["768x1-128p-16d-32s-1x8", "768x1-128p-16c-8c-1x8", "768x1-128p-16s-16c-1x8"] {
            let shape: Shape = text.parse().unwrap();
            let mut random = SplitMix::new(4);
            let tail = shape.tail().unwrap();
            let model = TailModel::new(shape, tail, &mut random);
            let bucket = 5;
            let sums: Sums = std::array::from_fn(|_| random.unit() as f32 * 1.4 - 0.5);
            let loss = |model: &TailModel, sums: &Sums| {
                f64::from(squared_error(model.output(bucket, sums), 0.9).0)
            };
            let mut gradients = model.gradients();
            let (_, back) = model.backward(bucket, &sums, 0.9, 1.0, &mut gradients);
            let step = 1.0 / 256.0;
            let compare = |found: f32, moved: &dyn Fn(f32) -> f64, what: &str| {
                let difference = (moved(step) - moved(-step)) / f64::from(2.0 * step);
                let error = (difference - f64::from(found)).abs();
                assert!(error < 2e-3, "{text} {what}: {error}, {found}");
            };
            for neuron in 0..NEURONS {
                let moved = |step: f32| {
                    let mut sums = sums;
                    sums[neuron] += step;
                    loss(&model, &sums)
                };
                compare(back[neuron], &moved, "sum");
            }
            for (which, gradients) in gradients.iter().enumerate() {
                for (row, gradient) in gradients.iter().enumerate() {
                    let lane = random.below(LANES);
                    let moved = |step: f32| {
                        let mut model = model.clone();
                        model.params_mut()[which].value[row].0[lane] += step;
                        loss(&model, &sums)
                    };
                    compare(gradient.0[lane], &moved, &format!("{which} {row} {lane}"));
                }
            }
        }
    }
}
