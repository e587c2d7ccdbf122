//! The numbers of a net: what a trainer fills in, what a file holds, what the runtime packs.
//!
//! `Weights::walk` is the one list of tensors: names, types and dimensions. Reading, writing and
//! making up a random net are three visitors of it.

mod file;
mod random;
mod tq2;

use super::config::{Config, Input, RopeStyle};
use super::gguf::Kind;
use super::input::STATE_ROWS;
use super::quant;

/// A ternary matrix: a scale and a code of -1, 0 or 1 for each weight.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Matrix {
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// The scale, a half-precision number above zero.
    pub gamma: f32,
    /// The codes, row by row.
    pub codes: Vec<i8>,
}

impl Matrix {
    /// Quantises latent weights, given row by row.
    pub fn from_latent(rows: usize, cols: usize, latent: &[f32]) -> Self {
        assert_eq!(latent.len(), rows * cols, "a full matrix");
        let gamma = quant::absmean(latent);
        let codes = latent.iter().map(|w| quant::ternary(*w, gamma)).collect();
        Self { rows, cols, gamma, codes }
    }
}

/// A ternary matrix and, in nets that have them, the gains of its own input norm.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Linear {
    /// Gains of the norm before the matrix; empty where it has none.
    pub norm: Vec<f32>,
    /// The matrix.
    pub matrix: Matrix,
}

impl From<Matrix> for Linear {
    fn from(matrix: Matrix) -> Self {
        Self { norm: Vec::new(), matrix }
    }
}

/// One transformer block.
#[derive(Clone, Default, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names are those of the tensors")]
pub struct Block {
    pub attn_norm: Vec<f32>,
    pub q: Linear,
    pub k: Linear,
    pub v: Linear,
    pub attn_sub_norm: Vec<f32>,
    pub o: Matrix,
    pub attn_scale: Vec<f32>,
    pub ffn_norm: Vec<f32>,
    pub gate: Linear,
    pub up: Linear,
    pub ffn_sub_norm: Vec<f32>,
    pub down: Matrix,
    pub ffn_scale: Vec<f32>,
}

/// A layer of the policy or value head: dense with a bias, or ternary with an input norm.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Head {
    /// Dense weights, row by row.
    pub dense: Vec<f32>,
    /// Biases of the dense layer.
    pub bias: Vec<f32>,
    /// The ternary layer.
    pub ternary: Linear,
}

/// All numbers of a net.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Weights {
    /// Embedding of pieces, row by row.
    pub piece: Vec<f32>,
    /// Embedding of the last move.
    pub last_move: Vec<f32>,
    /// Embedding of castling rights, en passant, clocks, check and skill.
    pub state: Vec<f32>,
    /// Embedding of the place in the game, in nets that learn it.
    pub position: Vec<f32>,
    /// Gains of the norm after the embedding.
    pub embd_norm: Vec<f32>,
    /// The transformer.
    pub blocks: Vec<Block>,
    /// Gains of the norm before the heads.
    pub output_norm: Vec<f32>,
    /// One row for each move.
    pub policy: Head,
    /// The two layers of the value head.
    pub value: [Head; 2],
}

/// What a file says about a tensor: its name, the type of its numbers, its dimensions.
#[derive(Clone, Copy)]
struct Spec<'a> {
    name: &'a str,
    kind: Kind,
    dims: &'a [usize],
}

impl<'a> Spec<'a> {
    /// A table or the weights of a head, in half precision.
    fn half(name: &'a str, dims: &'a [usize; 2]) -> Self {
        Self { name, kind: Kind::F16, dims }
    }

    /// Gains or biases.
    fn single(name: &'a str, dims: &'a [usize; 1]) -> Self {
        Self { name, kind: Kind::F32, dims }
    }

    /// A ternary matrix of `dims[1]` rows and `dims[0]` columns.
    fn ternary(name: &'a str, dims: &'a [usize; 2]) -> Self {
        Self { name, kind: Kind::Tq2, dims }
    }
}

/// What is done with each tensor of a net.
trait Visitor {
    type Error;

    fn dense(&mut self, spec: Spec, numbers: &mut Vec<f32>) -> Result<(), Self::Error>;

    fn ternary(&mut self, spec: Spec, matrix: &mut Matrix) -> Result<(), Self::Error>;

    fn gains(&mut self, name: &str, count: usize, gains: &mut Vec<f32>) -> Result<(), Self::Error> {
        self.dense(Spec::single(&format!("{name}.weight"), &[count]), gains)
    }

    fn linear(
        &mut self,
        name: &str,
        dims: [usize; 2],
        has_norm: bool,
        linear: &mut Linear,
    ) -> Result<(), Self::Error> {
        if has_norm {
            self.gains(&format!("{name}.norm"), dims[0], &mut linear.norm)?;
        }
        self.ternary(Spec::ternary(&format!("{name}.weight"), &dims), &mut linear.matrix)
    }

    fn head(
        &mut self,
        name: &str,
        dims: [usize; 2],
        is_ternary: bool,
        head: &mut Head,
    ) -> Result<(), Self::Error> {
        if is_ternary {
            return self.linear(name, dims, true, &mut head.ternary);
        }
        self.dense(Spec::half(&format!("{name}.weight"), &dims), &mut head.dense)?;
        self.dense(Spec::single(&format!("{name}.bias"), &[dims[1]]), &mut head.bias)
    }
}

impl Weights {
    /// Shows every tensor of a net of this shape to the visitor.
    fn walk<V: Visitor>(&mut self, config: &Config, visitor: &mut V) -> Result<(), V::Error> {
        let width = config.width;
        if config.input == Input::PlyBoard {
            let dims = [width, config.features];
            visitor.dense(Spec::half("embd.piece.weight", &dims), &mut self.piece)?;
            let dims = [width, STATE_ROWS];
            visitor.dense(Spec::half("embd.state.weight", &dims), &mut self.state)?;
        }
        let dims = [width, config.move_rows()];
        visitor.dense(Spec::half("embd.move.weight", &dims), &mut self.last_move)?;
        if config.context > 0 {
            let dims = [width, config.context];
            visitor.dense(Spec::half("embd.position.weight", &dims), &mut self.position)?;
        }
        visitor.gains("embd.norm", width, &mut self.embd_norm)?;
        self.blocks.resize_with(config.blocks, Block::default);
        for (n, block) in self.blocks.iter_mut().enumerate() {
            walk_block(n, block, config, visitor)?;
        }
        visitor.gains("output_norm", width, &mut self.output_norm)?;
        let ternary = config.ternary_heads;
        visitor.head("policy", [width, config.policy_rows()], ternary, &mut self.policy)?;
        let hidden = config.value_hidden;
        visitor.head("value.0", [width, hidden], ternary, &mut self.value[0])?;
        let dims = [hidden, config.value_outputs()];
        visitor.head("value.1", dims, ternary, &mut self.value[1])
    }
}

fn walk_block<V: Visitor>(
    n: usize,
    block: &mut Block,
    config: &Config,
    visitor: &mut V,
) -> Result<(), V::Error> {
    let (width, kv, ffn) = (config.width, config.kv_width(), config.ffn);
    let own = config.linear_norm;
    let name = |part: &str| format!("blk.{n}.{part}");
    visitor.gains(&name("attn_norm"), width, &mut block.attn_norm)?;
    visitor.linear(&name("attn_q"), [width, width], own, &mut block.q)?;
    visitor.linear(&name("attn_k"), [width, kv], own, &mut block.k)?;
    visitor.linear(&name("attn_v"), [width, kv], own, &mut block.v)?;
    visitor.gains(&name("attn_sub_norm"), width, &mut block.attn_sub_norm)?;
    let output = name("attn_output.weight");
    visitor.ternary(Spec::ternary(&output, &[width, width]), &mut block.o)?;
    visitor.gains(&name("attn_scale"), width, &mut block.attn_scale)?;
    visitor.gains(&name("ffn_norm"), width, &mut block.ffn_norm)?;
    visitor.linear(&name("ffn_gate"), [width, ffn], own, &mut block.gate)?;
    visitor.linear(&name("ffn_up"), [width, ffn], own, &mut block.up)?;
    visitor.gains(&name("ffn_sub_norm"), ffn, &mut block.ffn_sub_norm)?;
    let down = name("ffn_down.weight");
    visitor.ternary(Spec::ternary(&down, &[ffn, width]), &mut block.down)?;
    visitor.gains(&name("ffn_scale"), width, &mut block.ffn_scale)
}

impl Config {
    /// Whether keys and queries are turned by their place in the game.
    pub fn has_rope(&self) -> bool {
        self.rope_style != RopeStyle::None
    }
}
