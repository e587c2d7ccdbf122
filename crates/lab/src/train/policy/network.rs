//! A micro-batch through the whole net, forward and backward.

use super::attention::{Heads, Rotations};
use super::batch::MicroBatch;
use super::block::{Scratch, Setting, Trace};
use super::embedding::{self, Tables};
use super::layout::Layout;
use super::policy_head::{self, Head};
use super::value_head::{self, Layers};
use super::{block, norm};

/// Weight of the value's loss beside the policy's.
const VALUE_WEIGHT: f32 = 0.25;
/// No crop is longer.
pub(crate) const LONGEST_CROP: usize = 512;

/// Sums over the tokens of some batches.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(crate) struct Totals {
    /// Tokens.
    pub(crate) tokens: usize,
    /// Tokens with a choice between moves.
    pub(crate) choices: usize,
    pub(crate) policy_loss: f64,
    pub(crate) value_loss: f64,
    /// Choices whose move has the highest logit.
    pub(crate) first: usize,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        self.tokens += other.tokens;
        self.choices += other.choices;
        self.policy_loss += other.policy_loss;
        self.value_loss += other.value_loss;
        self.first += other.first;
    }

    /// Mean policy loss of a choice.
    pub(crate) fn policy(&self) -> f64 {
        self.policy_loss / self.choices.max(1) as f64
    }

    /// Mean value loss of a token.
    pub(crate) fn value(&self) -> f64 {
        self.value_loss / self.tokens.max(1) as f64
    }

    /// Share of choices predicted.
    pub(crate) fn top1(&self) -> f64 {
        self.first as f64 / self.choices.max(1) as f64
    }
}

/// Buffers for one micro-batch.
pub(crate) struct Network<'a> {
    layout: &'a Layout,
    heads: Heads,
    rotations: Rotations,
    /// Sum of the embedding rows.
    embedded: Vec<f32>,
    embedded_factors: Vec<f32>,
    traces: Vec<Trace>,
    /// The stream after the last block.
    last: Vec<f32>,
    last_factors: Vec<f32>,
    /// What the heads see.
    pub(crate) hidden: Vec<f32>,
    neurons: Vec<f32>,
    dhidden: Vec<f32>,
    dstream: Vec<f32>,
    scratch: Scratch,
}

impl<'a> Network<'a> {
    pub(crate) fn new(layout: &'a Layout) -> Self {
        let heads = Heads::new(&layout.config);
        Self {
            layout,
            heads,
            rotations: Rotations::new(heads, LONGEST_CROP),
            embedded: Vec::new(),
            embedded_factors: Vec::new(),
            traces: layout.blocks.iter().map(|_| Trace::default()).collect(),
            last: Vec::new(),
            last_factors: Vec::new(),
            hidden: Vec::new(),
            neurons: Vec::new(),
            dhidden: Vec::new(),
            dstream: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    fn resize(&mut self, tokens: usize) {
        let config = &self.layout.config;
        let width = config.width;
        for (buffer, size) in [
            (&mut self.embedded, width),
            (&mut self.embedded_factors, 1),
            (&mut self.last, width),
            (&mut self.last_factors, 1),
            (&mut self.hidden, width),
            (&mut self.neurons, config.value_hidden),
            (&mut self.dhidden, width),
            (&mut self.dstream, width),
        ] {
            buffer.resize(size * tokens, 0.0);
        }
        self.traces.iter_mut().for_each(|trace| trace.resize(config, tokens));
    }

    /// Computes what the heads see.
    pub(crate) fn forward(&mut self, weights: &[f32], lambda: f32, batch: &MicroBatch) {
        self.resize(batch.tokens.len());
        let layout = self.layout;
        let config = &layout.config;
        let tables = Tables {
            piece: &weights[layout.piece.clone()],
            state: &weights[layout.state.clone()],
            last_move: &weights[layout.last_move.clone()],
        };
        embedding::forward(&tables, &batch.tokens, &mut self.embedded, config.width);
        let gain = &weights[layout.embd_norm.clone()];
        let first = &mut self.traces[0].stream;
        norm::forward(&self.embedded, gain, config.epsilon, first, &mut self.embedded_factors);
        let (heads, rotations, crops) = (self.heads, &self.rotations, &batch.crops);
        let setting = Setting { config, heads, rotations, crops, lambda };
        for (index, places) in layout.blocks.iter().enumerate() {
            let (now, later) = self.traces.split_at_mut(index + 1);
            let out = later.first_mut().map_or(&mut self.last, |trace| &mut trace.stream);
            now[index].forward(&setting, (places, weights), out);
        }
        let gain = &weights[layout.output_norm.clone()];
        let factors = &mut self.last_factors;
        norm::forward(&self.last, gain, config.epsilon, &mut self.hidden, factors);
    }

    /// The policy head.
    pub(crate) fn policy<'w>(&self, weights: &'w [f32]) -> Head<&'w [f32]> {
        Head {
            weight: &weights[self.layout.policy.clone()],
            bias: &weights[self.layout.policy_bias.clone()],
        }
    }

    fn value<'w>(&self, weights: &'w [f32]) -> Layers<&'w [f32]> {
        Layers {
            hidden_weight: &weights[self.layout.value_hidden.clone()],
            hidden_bias: &weights[self.layout.value_hidden_bias.clone()],
            output_weight: &weights[self.layout.value_output.clone()],
            output_bias: &weights[self.layout.value_output_bias.clone()],
        }
    }

    /// The losses of a batch that went forward. With `gradient`, adds the gradients of the loss times the
    /// share that a token has in its step.
    pub(crate) fn losses(
        &mut self,
        weights: &[f32],
        lambda: f32,
        batch: &MicroBatch,
        gradient: Option<(&mut [f32], f32)>,
    ) -> Totals {
        let config = &self.layout.config;
        let width = config.width;
        let (policy, value) = (self.policy(weights), self.value(weights));
        value_head::hidden(&value, &self.hidden, &mut self.neurons, width);
        let mut totals = Totals { tokens: batch.tokens.len(), ..Totals::default() };
        let mut value_dlogits = Vec::with_capacity(batch.tokens.len());
        let neurons = self.neurons.chunks_exact(config.value_hidden);
        for (neurons, target) in neurons.zip(&batch.chances) {
            let (loss, dlogits) = value_head::loss(value_head::chances(&value, neurons), *target);
            totals.value_loss += f64::from(loss);
            value_dlogits.push(dlogits);
        }
        let mut gradient = gradient;
        self.dhidden.fill(0.0);
        let mut logits = Vec::new();
        let hidden = self.hidden.chunks_exact(width).zip(self.dhidden.chunks_exact_mut(width));
        for ((h, dh), choice) in hidden.zip(batch.choices()) {
            if choice.rows.len() < 2 {
                continue;
            }
            policy_head::logits(&policy, h, choice.rows, &mut logits);
            totals.choices += 1;
            let played = logits[choice.played];
            totals.first += usize::from(logits.iter().all(|logit| *logit <= played));
            totals.policy_loss += f64::from(policy_head::loss(&mut logits, choice.played));
            if let Some((gradient, share)) = &mut gradient {
                let places = [self.layout.policy.clone(), self.layout.policy_bias.clone()];
                if let Ok([weight, bias]) = gradient.get_disjoint_mut(places) {
                    let dlogits = (&logits[..], *share);
                    let gradients = &mut Head { weight, bias };
                    policy_head::backward(&policy, (h, choice.rows), dlogits, dh, gradients);
                }
            }
        }
        if let Some((gradient, share)) = gradient {
            let factor = VALUE_WEIGHT * share;
            value_dlogits.iter_mut().flatten().for_each(|dlogit| *dlogit *= factor);
            self.backward(weights, lambda, batch, &value_dlogits, gradient);
        }
        totals
    }

    /// From the gradients of the heads to those of everything.
    fn backward(
        &mut self,
        weights: &[f32],
        lambda: f32,
        batch: &MicroBatch,
        value_dlogits: &[[f32; 3]],
        gradient: &mut [f32],
    ) {
        let layout = self.layout;
        let config = &layout.config;
        let places = [
            layout.value_hidden.clone(),
            layout.value_hidden_bias.clone(),
            layout.value_output.clone(),
            layout.value_output_bias.clone(),
        ];
        let value = self.value(weights);
        if let Ok([hidden_weight, hidden_bias, output_weight, output_bias]) =
            gradient.get_disjoint_mut(places)
        {
            let mut gradients = Layers { hidden_weight, hidden_bias, output_weight, output_bias };
            let (hidden, neurons) = (&self.hidden, &mut self.neurons);
            let dhidden = &mut self.dhidden;
            value_head::backward(&value, hidden, neurons, value_dlogits, dhidden, &mut gradients);
        }
        self.dstream.fill(0.0);
        let gain = &weights[layout.output_norm.clone()];
        let dgain = &mut gradient[layout.output_norm.clone()];
        let trace = (&self.last[..], gain, &self.last_factors[..]);
        norm::backward(trace, &self.dhidden, &mut self.dstream, dgain);
        let (heads, rotations, crops) = (self.heads, &self.rotations, &batch.crops);
        let setting = Setting { config, heads, rotations, crops, lambda };
        for (places, trace) in layout.blocks.iter().zip(&self.traces).rev() {
            let parameters = (places, weights);
            let scratch: &mut block::Scratch = &mut self.scratch;
            trace.backward(&setting, parameters, &mut self.dstream, gradient, scratch);
        }
        self.dhidden.fill(0.0);
        let gain = &weights[layout.embd_norm.clone()];
        let dgain = &mut gradient[layout.embd_norm.clone()];
        let trace = (&self.embedded[..], gain, &self.embedded_factors[..]);
        norm::backward(trace, &self.dstream, &mut self.dhidden, dgain);
        let places = [layout.piece.clone(), layout.state.clone(), layout.last_move.clone()];
        if let Ok([piece, state, last_move]) = gradient.get_disjoint_mut(places) {
            let mut gradients = Tables { piece, state, last_move };
            embedding::backward(&mut gradients, &batch.tokens, &self.dhidden, config.width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_gradient;
    use super::*;
    use tabiya_nn::policy::{Config, Token};

    fn tiny() -> Config {
        Config {
            features: 12,
            width: 16,
            blocks: 2,
            ffn: 24,
            heads: 4,
            kv_heads: 2,
            head_dim: 4,
            window: 2,
            value_hidden: 8,
            ..Config::small()
        }
    }

    fn batch() -> MicroBatch {
        let mut batch = MicroBatch::default();
        for index in 0..5_u16 {
            batch.tokens.push(Token::new(&[index, index + 3, 11], &[index as u8, 20], index));
            batch.push_choice(&[index, 1880 + index, 30, 50], index as usize % 4);
            batch.chances.push([0.5, 0.3, 0.2]);
        }
        batch.crops = vec![3, 2];
        batch
    }

    #[test]
    fn the_gradient_of_every_tensor_agrees_with_differences() {
        let layout = Layout::new(&tiny());
        let batch = batch();
        let weights = layout.first_parameters(3);
        let mut network = Network::new(&layout);
        let mut gradient = vec![0.0; layout.len()];
        network.forward(&weights, 0.0, &batch);
        network.losses(&weights, 0.0, &batch, Some((&mut gradient, 1.0)));
        for tensor in &layout.tensors {
            let place = tensor.place.clone();
            let loss = |part: &[f32]| {
                let mut weights = weights.clone();
                weights[place.clone()].copy_from_slice(part);
                let mut network = Network::new(&layout);
                network.forward(&weights, 0.0, &batch);
                let totals = network.losses(&weights, 0.0, &batch, None);
                totals.policy_loss + f64::from(VALUE_WEIGHT) * totals.value_loss
            };
            println!("{}", tensor.name);
            check_gradient(&weights[place.clone()], &gradient[place.clone()], loss);
        }
    }

    /// With rounding on, no norm may swallow the gradient of what lies before it.
    #[test]
    fn every_tensor_has_a_gradient_through_the_rounding() {
        let layout = Layout::new(&tiny());
        let batch = batch();
        let latent = layout.first_parameters(4);
        let mut weights = latent.clone();
        layout.round(&latent, &mut weights, 1.0);
        let mut network = Network::new(&layout);
        let mut gradient = vec![0.0; layout.len()];
        network.forward(&weights, 1.0, &batch);
        network.losses(&weights, 1.0, &batch, Some((&mut gradient, 1.0)));
        for tensor in &layout.tensors {
            assert!(gradient[tensor.place.clone()].iter().any(|g| *g != 0.0), "{}", tensor.name);
        }
    }
}
