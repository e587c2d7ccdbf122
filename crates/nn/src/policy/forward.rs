//! The forward pass: some new tokens through all blocks, after those that went before.

use super::config::{Activation, Config, RopeStyle};
use super::linear::Activations;
use super::math;
use super::net::{Block, Linear, PolicyNet};

/// Keys and values of all plies in one block.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
}

/// Buffers of a pass, kept between passes.
#[derive(Default)]
pub(super) struct Scratch {
    normed: Vec<f32>,
    own_normed: Vec<f32>,
    input: Activations,
    sums: Vec<i32>,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    gate: Vec<f32>,
    out: Vec<f32>,
    rotation: Vec<(f32, f32)>,
    scores: Vec<f32>,
}

/// Normalises every token.
fn norm(x: &[f32], gains: &[f32], epsilon: f32, out: &mut Vec<f32>) {
    out.resize(x.len(), 0.0);
    let width = gains.len();
    for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        math::rms_norm(x, gains, epsilon, out);
    }
}

/// Loads the activations for a matrix that has an input norm of its own.
fn load(net: &PolicyNet, x: &[f32], gains: &[f32], normed: &mut Vec<f32>, input: &mut Activations) {
    norm(x, gains, net.config.epsilon, normed);
    input.load(normed, gains.len(), net.config.act_quant);
}

/// Adds the outputs of a half block to the residual stream, each times its gain.
fn add_scaled(x: &mut [f32], out: &[f32], gains: &[f32]) {
    let width = gains.len();
    for (x, out) in x.chunks_exact_mut(width).zip(out.chunks_exact(width)) {
        for ((x, out), gain) in x.iter_mut().zip(out).zip(gains) {
            *x += gain * out;
        }
    }
}

impl Scratch {
    /// Multiplies the block's shared activations, or the matrix's own, and writes to `out`.
    fn linear(&mut self, net: &PolicyNet, linear: &Linear, out: fn(&mut Self) -> &mut Vec<f32>) {
        if let Some(gains) = &linear.norm {
            load(net, &self.normed, gains, &mut self.own_normed, &mut self.input);
        }
        let mut result = std::mem::take(out(self));
        linear.matrix.apply(net.kernels, &self.input, &mut self.sums, &mut result);
        *out(self) = result;
    }

    /// Sends the residual streams `x` of new tokens through a block.
    ///
    /// The first of them is ply `first` of the line; `memory` holds the plies before it, and the new
    /// ones afterwards.
    pub(super) fn block(
        &mut self,
        net: &PolicyNet,
        block: &Block,
        memory: &mut Memory,
        first: usize,
        x: &mut [f32],
    ) {
        let config = &net.config;
        norm(x, &block.attn_norm, config.epsilon, &mut self.normed);
        self.input.load(&self.normed, config.width, config.act_quant);
        self.linear(net, &block.q, |scratch| &mut scratch.q);
        self.linear(net, &block.k, |scratch| &mut scratch.k);
        self.linear(net, &block.v, |scratch| &mut scratch.v);
        self.rotate(net, first);
        memory.keys.extend(&self.k);
        memory.values.extend(&self.v);
        self.attend(config, memory, first);
        self.linear(net, &block.o, |scratch| &mut scratch.out);
        add_scaled(x, &self.out, &block.attn_scale);

        norm(x, &block.ffn_norm, config.epsilon, &mut self.normed);
        self.input.load(&self.normed, config.width, config.act_quant);
        self.linear(net, &block.gate, |scratch| &mut scratch.gate);
        self.linear(net, &block.up, |scratch| &mut scratch.out);
        self.normed.clear();
        let pairs = self.gate.iter().zip(&self.out);
        self.normed.extend(pairs.map(|(gate, up)| match config.activation {
            Activation::Relu2 => {
                let gate = gate.max(0.0);
                gate * gate * up
            }
            Activation::Silu => math::silu(*gate) * up,
        }));
        self.linear(net, &block.down, |scratch| &mut scratch.out);
        add_scaled(x, &self.out, &block.ffn_scale);
    }

    /// Turns queries and keys by their ply (rotary embedding, Su et al. 2021).
    fn rotate(&mut self, net: &PolicyNet, first: usize) {
        let config = &net.config;
        if !config.has_rope() {
            return;
        }
        let queries = self.q.chunks_exact_mut(config.width);
        for (i, (q, k)) in queries.zip(self.k.chunks_exact_mut(config.kv_width())).enumerate() {
            let angle = |frequency: &f64| math::sin_cos((first + i) as f64 * frequency);
            self.rotation.clear();
            self.rotation.extend(net.frequencies.iter().map(angle));
            for head in [q, k].into_iter().flat_map(|x| x.chunks_exact_mut(config.head_dim)) {
                rotate_head(head, &self.rotation, config.rope_style);
            }
        }
    }

    /// Writes what each new token gathers from the plies it sees to `normed`.
    fn attend(&mut self, config: &Config, memory: &Memory, first: usize) {
        let (dim, kv_width) = (config.head_dim, config.kv_width());
        let group = config.heads / config.kv_heads;
        let scale = 1.0 / (dim as f32).sqrt();
        self.normed.clear();
        self.normed.resize(self.q.len(), 0.0);
        let heads = self.q.chunks_exact(dim).zip(self.normed.chunks_exact_mut(dim));
        for (i, (q, out)) in heads.enumerate() {
            let (ply, head) = (first + i / config.heads, i % config.heads);
            let start = (ply + 1).saturating_sub(config.window);
            let place = |ply: usize| ply * kv_width + head / group * dim;
            self.scores.clear();
            let score = |ply| math::dot(q, &memory.keys[place(ply)..][..dim]) * scale;
            self.scores.extend((start..=ply).map(score));
            math::softmax(&mut self.scores);
            for (ply, weight) in (start..).zip(&self.scores) {
                for (out, value) in out.iter_mut().zip(&memory.values[place(ply)..][..dim]) {
                    *out += weight * value;
                }
            }
        }
    }
}

fn rotate_head(head: &mut [f32], rotation: &[(f32, f32)], style: RopeStyle) {
    let half = head.len() / 2;
    for (i, (sin, cos)) in rotation.iter().enumerate() {
        let (a, b) = match style {
            RopeStyle::Interleaved => (2 * i, 2 * i + 1),
            _ => (i, i + half),
        };
        let (x, y) = (head[a], head[b]);
        head[a] = x * cos - y * sin;
        head[b] = x * sin + y * cos;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_turned_as_the_style_says() {
        // A quarter turn of the first pair, none of the second.
        let rotation = [(1.0, 0.0), (0.0, 1.0)];
        let mut head = [1.0, 2.0, 3.0, 4.0];
        rotate_head(&mut head, &rotation, RopeStyle::Half);
        assert_eq!(head, [-3.0, 2.0, 1.0, 4.0]);
        let mut head = [1.0, 2.0, 3.0, 4.0];
        rotate_head(&mut head, &rotation, RopeStyle::Interleaved);
        assert_eq!(head, [-2.0, 1.0, 3.0, 4.0]);
    }
}
