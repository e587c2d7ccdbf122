//! One transformer block: attention, then the gated feed-forward part, each a branch of the residual
//! stream with a norm before it and one inside it.

use super::attention::{self, Heads, Rotations};
use super::layout::{BlockPlaces, Place};
use super::{gate, matrix, norm, residual, ternary};
use tabiya_nn::policy::Config;

/// What a block needs besides its parameters.
pub(crate) struct Setting<'a> {
    pub(crate) config: &'a Config,
    pub(crate) heads: Heads,
    pub(crate) rotations: &'a Rotations,
    /// Lengths of the crops.
    pub(crate) crops: &'a [usize],
    /// How much activations are rounded, from 0 to 1.
    pub(crate) lambda: f32,
}

/// What the forward pass leaves for the backward pass.
#[derive(Default)]
pub(crate) struct Trace {
    /// The stream before the block.
    pub(crate) stream: Vec<f32>,
    attn_factors: Vec<f32>,
    attn_input: Vec<f32>,
    qkv: Vec<f32>,
    weights: Vec<f32>,
    attended: Vec<f32>,
    sub_factors: Vec<f32>,
    attn_inner: Vec<f32>,
    attn_branch: Vec<f32>,
    /// The stream between the branches.
    middle: Vec<f32>,
    ffn_factors: Vec<f32>,
    ffn_input: Vec<f32>,
    gate_up: Vec<f32>,
    gated: Vec<f32>,
    inner_factors: Vec<f32>,
    ffn_inner: Vec<f32>,
    ffn_branch: Vec<f32>,
}

/// Buffers of the backward pass, shared by all blocks.
#[derive(Default)]
pub(crate) struct Scratch {
    branch: Vec<f32>,
    normed: Vec<f32>,
    inner: Vec<f32>,
    wide: Vec<f32>,
}

impl Trace {
    /// Makes room for a number of tokens.
    pub(crate) fn resize(&mut self, config: &Config, tokens: usize) {
        let heads = Heads::new(config);
        let (width, ffn) = (config.width, config.ffn);
        for (buffer, size) in [
            (&mut self.stream, width),
            (&mut self.attn_factors, 1),
            (&mut self.attn_input, width),
            (&mut self.qkv, heads.row()),
            (&mut self.weights, heads.weights()),
            (&mut self.attended, heads.output()),
            (&mut self.sub_factors, 1),
            (&mut self.attn_inner, heads.output()),
            (&mut self.attn_branch, width),
            (&mut self.middle, width),
            (&mut self.ffn_factors, 1),
            (&mut self.ffn_input, width),
            (&mut self.gate_up, 2 * ffn),
            (&mut self.gated, ffn),
            (&mut self.inner_factors, 1),
            (&mut self.ffn_inner, ffn),
            (&mut self.ffn_branch, width),
        ] {
            buffer.resize(size * tokens, 0.0);
        }
    }

    /// From `stream` to the stream after the block.
    pub(crate) fn forward(
        &mut self,
        setting: &Setting,
        (places, weights): (&BlockPlaces, &[f32]),
        out: &mut [f32],
    ) {
        let config = setting.config;
        let (width, ffn) = (config.width, config.ffn);
        let heads = setting.heads;
        let at = |place: &Place| &weights[place.clone()];
        let normed = |x: &[f32], gain: &Place, y: &mut [f32], factors: &mut [f32]| {
            norm::forward(x, at(gain), config.epsilon, y, factors);
            ternary::round_activations(y, gain.len(), setting.lambda);
        };
        normed(&self.stream, &places.attn_norm, &mut self.attn_input, &mut self.attn_factors);
        matrix::forward(&self.attn_input, at(&places.qkv), &mut self.qkv, (heads.row(), width));
        attention::forward(
            heads,
            setting.rotations,
            setting.crops,
            &mut self.qkv,
            &mut self.weights,
            &mut self.attended,
        );
        normed(&self.attended, &places.attn_sub_norm, &mut self.attn_inner, &mut self.sub_factors);
        let shape = (width, heads.output());
        matrix::forward(&self.attn_inner, at(&places.output), &mut self.attn_branch, shape);
        let scale = at(&places.attn_scale);
        residual::forward(&self.stream, scale, &self.attn_branch, &mut self.middle);
        normed(&self.middle, &places.ffn_norm, &mut self.ffn_input, &mut self.ffn_factors);
        matrix::forward(&self.ffn_input, at(&places.gate_up), &mut self.gate_up, (2 * ffn, width));
        gate::forward(config.activation, &self.gate_up, &mut self.gated, ffn);
        normed(&self.gated, &places.ffn_sub_norm, &mut self.ffn_inner, &mut self.inner_factors);
        matrix::forward(&self.ffn_inner, at(&places.down), &mut self.ffn_branch, (width, ffn));
        residual::forward(&self.middle, at(&places.ffn_scale), &self.ffn_branch, out);
    }

    /// From the gradient after the block to the one before it, in place; adds those of the parameters.
    pub(crate) fn backward(
        &self,
        setting: &Setting,
        (places, weights): (&BlockPlaces, &[f32]),
        dstream: &mut [f32],
        gradient: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let config = setting.config;
        let (width, ffn) = (config.width, config.ffn);
        let heads = setting.heads;
        let tokens = dstream.len() / width;
        let at = |place: &Place| &weights[place.clone()];
        let Scratch { branch, normed, inner, wide } = scratch;
        let room = |buffer: &mut Vec<f32>, size: usize| {
            buffer.clear();
            buffer.resize(size * tokens, 0.0);
        };

        room(branch, width);
        let dscale = &mut gradient[places.ffn_scale.clone()];
        residual::backward(at(&places.ffn_scale), &self.ffn_branch, dstream, branch, dscale);
        room(normed, ffn);
        matrix::by_input(branch, at(&places.down), normed, (width, ffn));
        let dweight = &mut gradient[places.down.clone()];
        matrix::by_weight(branch, &self.ffn_inner, dweight, (width, ffn));
        room(inner, ffn);
        let trace = (&self.gated[..], at(&places.ffn_sub_norm), &self.inner_factors[..]);
        norm::backward(trace, normed, inner, &mut gradient[places.ffn_sub_norm.clone()]);
        room(wide, 2 * ffn);
        gate::backward(config.activation, &self.gate_up, inner, wide, ffn);
        room(normed, width);
        matrix::by_input(wide, at(&places.gate_up), normed, (2 * ffn, width));
        let dweight = &mut gradient[places.gate_up.clone()];
        matrix::by_weight(wide, &self.ffn_input, dweight, (2 * ffn, width));
        let trace = (&self.middle[..], at(&places.ffn_norm), &self.ffn_factors[..]);
        norm::backward(trace, normed, dstream, &mut gradient[places.ffn_norm.clone()]);

        room(branch, width);
        let dscale = &mut gradient[places.attn_scale.clone()];
        residual::backward(at(&places.attn_scale), &self.attn_branch, dstream, branch, dscale);
        room(normed, heads.output());
        matrix::by_input(branch, at(&places.output), normed, (width, heads.output()));
        let dweight = &mut gradient[places.output.clone()];
        matrix::by_weight(branch, &self.attn_inner, dweight, (width, heads.output()));
        room(inner, heads.output());
        let trace = (&self.attended[..], at(&places.attn_sub_norm), &self.sub_factors[..]);
        norm::backward(trace, normed, inner, &mut gradient[places.attn_sub_norm.clone()]);
        room(wide, heads.row());
        let trace = (&self.qkv[..], &self.weights[..]);
        attention::backward(heads, setting.rotations, setting.crops, trace, inner, wide);
        room(normed, width);
        matrix::by_input(wide, at(&places.qkv), normed, (heads.row(), width));
        let dweight = &mut gradient[places.qkv.clone()];
        matrix::by_weight(wide, &self.attn_input, dweight, (heads.row(), width));
        let trace = (&self.stream[..], at(&places.attn_norm), &self.attn_factors[..]);
        norm::backward(trace, normed, dstream, &mut gradient[places.attn_norm.clone()]);
    }
}
