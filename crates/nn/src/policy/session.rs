//! The net following a game: what it computed for earlier plies is kept.
//!
//! Keys and values of all plies of the line are stored. A request that starts like the line before
//! costs only its new plies; a take-back or another branch drops what no longer holds. What "starts
//! like" means is exact: tokens are compared, which hold all that the net sees, the start position
//! included. Results equal those of a full pass bit by bit, since every token's arithmetic is its own.

use super::forward::{Memory, Scratch};
use super::math;
use super::net::{Head, Linear, PolicyNet};
use super::{Token, config::ValueKind, linear::Activations};
use std::sync::Arc;

/// Tokens that go through the blocks together: enough to share the unpacking of weights.
const CHUNK: usize = 32;

/// What the value head tells, from the side to move's view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Chances to win, draw and lose.
    Wdl([f32; 3]),
    /// A number from -1 to 1.
    Score(f32),
}

/// The memory of one game and the buffers of its passes.
pub struct Session {
    net: Arc<PolicyNet>,
    line: Vec<Token>,
    blocks: Vec<Memory>,
    /// The input of the heads, for every ply of the line.
    hidden: Vec<f32>,
    scratch: Scratch,
    computed: u64,
}

impl Session {
    /// A session without a past.
    pub fn new(net: Arc<PolicyNet>) -> Self {
        let blocks = net.blocks.iter().map(|_| Memory::default()).collect();
        let (line, hidden) = (Vec::new(), Vec::new());
        Self { net, line, blocks, hidden, scratch: Scratch::default(), computed: 0 }
    }

    /// The net that is asked.
    pub fn net(&self) -> &Arc<PolicyNet> {
        &self.net
    }

    /// How many tokens went through the net so far.
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// Forgets the game.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    fn truncate(&mut self, plies: usize) {
        let kv_width = self.net.config.kv_width();
        self.line.truncate(plies);
        self.hidden.truncate(plies * self.net.config.width);
        for memory in &mut self.blocks {
            memory.keys.truncate(plies * kv_width);
            memory.values.truncate(plies * kv_width);
        }
    }

    /// Follows a line of plies; the last token is the one that [`Session::policy`] and
    /// [`Session::value`] are about.
    ///
    /// # Panics
    /// If the line is empty, or a token has a row that the net has not.
    pub fn follow(&mut self, tokens: &[Token]) {
        assert!(!tokens.is_empty(), "at least the position itself");
        let net = Arc::clone(&self.net);
        let tokens = &tokens[net.first_visible(tokens.len())..];
        let known = self.line.iter().zip(tokens).take_while(|(old, new)| old == new).count();
        self.truncate(known);
        let width = net.config.width;
        let mut sum = vec![0.0; width];
        for chunk in tokens[known..].chunks(CHUNK) {
            let first = self.line.len();
            let mut x = vec![0.0; chunk.len() * width];
            for (i, (token, x)) in chunk.iter().zip(x.chunks_exact_mut(width)).enumerate() {
                net.embed(token, first + i, &mut sum, x);
            }
            for (block, memory) in net.blocks.iter().zip(&mut self.blocks) {
                self.scratch.block(&net, block, memory, first, &mut x);
            }
            for x in x.chunks_exact(width) {
                math::rms_norm(x, &net.output_norm, net.config.epsilon, &mut sum);
                self.hidden.extend(&sum);
            }
            self.line.extend(chunk);
            self.computed += chunk.len() as u64;
        }
    }

    /// The numbers that the heads see of the last token; empty before the first line.
    pub fn hidden(&self) -> &[f32] {
        &self.hidden[self.hidden.len().saturating_sub(self.net.config.width)..]
    }

    /// The logits of some rows of the policy head; `None` if one is not finite.
    ///
    /// # Panics
    /// If no line was followed yet, or a row is not in the head.
    pub fn logits(&self, rows: &[usize]) -> Option<Vec<f32>> {
        let mut logits = vec![0.0; rows.len()];
        self.head(&self.net.policy, self.hidden(), rows, &mut logits);
        logits.iter().all(|x| x.is_finite()).then_some(logits)
    }

    /// The chances of some rows of the policy head, which add up to one; `None` if a logit is not finite.
    ///
    /// # Panics
    /// As [`Session::logits`].
    pub fn policy(&self, rows: &[usize]) -> Option<Vec<f32>> {
        let mut chances = self.logits(rows)?;
        math::softmax(&mut chances);
        Some(chances)
    }

    /// What the net thinks of the last position.
    ///
    /// # Panics
    /// If no line was followed yet.
    pub fn value(&self) -> Option<Value> {
        let all = |head: &Head| (0..head.rows()).collect::<Vec<_>>();
        let [first, second] = &self.net.value;
        let mut inner = vec![0.0; first.rows()];
        self.head(first, self.hidden(), &all(first), &mut inner);
        let mut out = vec![0.0; second.rows()];
        for x in &mut inner {
            *x = if self.net.config.ternary_heads { math::silu(*x) } else { x.max(0.0) };
        }
        self.head(second, &inner, &all(second), &mut out);
        // A neuron that is not a number may end as zero: the input is looked at, too.
        if self.hidden().iter().chain(&out).any(|x| !x.is_finite()) {
            return None;
        }
        match (self.net.config.value, &mut out[..]) {
            (ValueKind::Tanh, [score]) => Some(Value::Score(math::tanh(*score))),
            (ValueKind::Wdl3, chances) => {
                math::softmax(chances);
                chances.try_into().ok().map(Value::Wdl)
            }
            _ => None,
        }
    }

    fn head(&self, head: &Head, x: &[f32], rows: &[usize], out: &mut [f32]) {
        let net = &*self.net;
        match head {
            Head::Dense { weights, bias } => {
                let columns = x.len();
                for (row, out) in rows.iter().zip(out) {
                    *out = math::dot(x, &weights[row * columns..][..columns]) + bias[*row];
                }
            }
            Head::Ternary { linear: Linear { norm, matrix }, .. } => {
                let mut normed = x.to_vec();
                if let Some(gains) = norm {
                    math::rms_norm(x, gains, net.config.epsilon, &mut normed);
                }
                let mut input = Activations::default();
                input.load(&normed, x.len(), net.config.act_quant);
                matrix.apply_rows(net.kernels, &input, rows, out);
            }
        }
    }
}
