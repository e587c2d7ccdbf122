//! A policy net, checked and packed, shared by all who ask it.

use super::config::{ActQuant, Config, Input};
use super::linear::Ternary;
use super::math;
use super::weights::{self, Weights};
use super::{PolicyError, Token};
use crate::nnue::fnv1a;
use crate::simd::ternary::Kernels;

/// A net that is ready to run.
///
/// It never changes; what a game needs besides is in a [`Session`](super::Session).
pub struct PolicyNet {
    pub(super) config: Config,
    pub(super) kernels: &'static Kernels,
    id: u64,
    piece: Vec<f32>,
    state: Vec<f32>,
    last_move: Vec<f32>,
    position: Vec<f32>,
    embd_norm: Vec<f32>,
    pub(super) blocks: Vec<Block>,
    pub(super) output_norm: Vec<f32>,
    pub(super) policy: Head,
    pub(super) value: [Head; 2],
    pub(super) frequencies: Vec<f64>,
}

/// A ternary matrix and, where it has them, the gains of its own input norm.
pub(super) struct Linear {
    pub(super) norm: Option<Vec<f32>>,
    pub(super) matrix: Ternary,
}

pub(super) struct Block {
    pub(super) attn_norm: Vec<f32>,
    pub(super) q: Linear,
    pub(super) k: Linear,
    pub(super) v: Linear,
    pub(super) o: Linear,
    pub(super) attn_scale: Vec<f32>,
    pub(super) ffn_norm: Vec<f32>,
    pub(super) gate: Linear,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) ffn_scale: Vec<f32>,
}

/// A layer of a head.
pub(super) enum Head {
    Dense { weights: Vec<f32>, bias: Vec<f32> },
    Ternary { linear: Linear, rows: usize },
}

impl PolicyNet {
    /// Reads a net from the bytes of a GGUF file. Nothing in it is trusted before it is checked.
    pub fn load(bytes: &[u8]) -> Result<Self, PolicyError> {
        let (config, weights) = Weights::from_gguf(bytes)?;
        Ok(Self { id: fnv1a(bytes), ..Self::new(&config, weights, Kernels::best()) })
    }

    /// Packs weights of this shape for some kernels.
    pub fn new(config: &Config, weights: Weights, kernels: &'static Kernels) -> Self {
        let act_quant = config.act_quant;
        Self {
            kernels,
            id: 0,
            piece: weights.piece,
            state: weights.state,
            last_move: weights.last_move,
            position: weights.position,
            embd_norm: weights.embd_norm,
            blocks: weights.blocks.into_iter().map(|block| Block::new(block, act_quant)).collect(),
            output_norm: weights.output_norm,
            policy: Head::new(weights.policy, config.ternary_heads, act_quant),
            value: weights.value.map(|head| Head::new(head, config.ternary_heads, act_quant)),
            frequencies: math::rope_frequencies(config.rope_base, config.head_dim),
            config: config.clone(),
        }
    }

    /// The shape of the net.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A number that tells nets apart: the hash of the file.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Bytes of the packed block weights: what one token reads.
    pub fn packed_bytes(&self) -> usize {
        let matrices = |block: &Block| {
            let Block { q, k, v, o, gate, up, down, .. } = block;
            [q, k, v, o, gate, up, down]
                .map(|linear| linear.matrix.bytes())
                .into_iter()
                .sum::<usize>()
        };
        self.blocks.iter().map(matrices).sum()
    }

    /// The most tokens that are looked at, counted from the end, when there are so many.
    ///
    /// Learned positions end somewhere. When they are used up, the older half is forgotten, so that
    /// only every so many plies costs a full pass; how many is a matter of the length alone.
    pub(super) fn first_visible(&self, tokens: usize) -> usize {
        let context = self.config.context;
        if context == 0 || tokens <= context {
            return 0;
        }
        let half = context / 2;
        (tokens - context).div_ceil(half) * half
    }

    /// Writes the input of one ply: the sum of its rows, normalised.
    pub(super) fn embed(&self, token: &Token, position: usize, sum: &mut [f32], out: &mut [f32]) {
        let width = self.config.width;
        sum.fill(0.0);
        let mut add = |table: &[f32], row: usize| {
            for (sum, x) in sum.iter_mut().zip(&table[row * width..][..width]) {
                *sum += x;
            }
        };
        if self.config.input == Input::PlyBoard {
            token.pieces().iter().for_each(|row| add(&self.piece, *row as usize));
            token.states().iter().for_each(|row| add(&self.state, *row as usize));
        }
        add(&self.last_move, token.last_move() as usize);
        if self.config.context > 0 {
            add(&self.position, position);
        }
        math::rms_norm(sum, &self.embd_norm, self.config.epsilon, out);
    }
}

impl Linear {
    fn new(linear: weights::Linear, act_quant: ActQuant) -> Self {
        let norm = Some(linear.norm).filter(|gains| !gains.is_empty());
        Self { norm, matrix: Ternary::new(&linear.matrix, act_quant) }
    }
}

impl Block {
    fn new(block: weights::Block, act_quant: ActQuant) -> Self {
        let linear = |linear| Linear::new(linear, act_quant);
        let after = |norm, matrix| Linear::new(weights::Linear { norm, matrix }, act_quant);
        Self {
            attn_norm: block.attn_norm,
            q: linear(block.q),
            k: linear(block.k),
            v: linear(block.v),
            o: after(block.attn_sub_norm, block.o),
            attn_scale: block.attn_scale,
            ffn_norm: block.ffn_norm,
            gate: linear(block.gate),
            up: linear(block.up),
            down: after(block.ffn_sub_norm, block.down),
            ffn_scale: block.ffn_scale,
        }
    }
}

impl Head {
    fn new(head: weights::Head, is_ternary: bool, act_quant: ActQuant) -> Self {
        if is_ternary {
            let rows = head.ternary.matrix.rows;
            return Self::Ternary { linear: Linear::new(head.ternary, act_quant), rows };
        }
        Self::Dense { weights: head.dense, bias: head.bias }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Dense { bias, .. } => bias.len(),
            Self::Ternary { rows, .. } => *rows,
        }
    }
}
