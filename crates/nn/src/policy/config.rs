//! The shape of a policy net.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// A whole position for each ply: piece, state and last-move rows.
    PlyBoard,
    /// The move played, and nothing of the board.
    MoveTokens,
}

/// How moves are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveVocab {
    /// 1,792 pairs of squares and 88 promotions, seen by the side to move.
    Ft1880,
    /// 73 planes of 64 squares (`AlphaZero`).
    Az4672,
    /// 72 planes of 64 squares (`KiyEngine`).
    Kiy4608,
}

impl MoveVocab {
    /// The number of moves.
    pub fn size(self) -> usize {
        match self {
            Self::Ft1880 => 1880,
            Self::Az4672 => 4672,
            Self::Kiy4608 => 4608,
        }
    }
}

/// Which numbers of a head rotary embedding turns together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RopeStyle {
    /// `i` and `i + head_dim / 2`.
    Half,
    /// `2 i` and `2 i + 1`.
    Interleaved,
    /// No rotation.
    None,
}

/// The gate of the feed-forward part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// `relu(gate)^2 * up`.
    Relu2,
    /// `silu(gate) * up`.
    Silu,
}

/// What the ternary products take as their input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActQuant {
    /// 8-bit numbers, scaled by the largest of a token.
    Int8,
    /// Single-precision numbers.
    None,
}

/// What the value head tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// Chances to win, draw and lose.
    Wdl3,
    /// One number from -1 to 1.
    Tanh,
}

/// The shape of a net, as its file tells it.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// What a token is.
    pub input: Input,
    /// Rows of the piece embedding (none for move tokens).
    pub features: usize,
    /// How moves are numbered.
    pub vocab: MoveVocab,
    /// Whether moves that lose material by exchange have policy rows of their own.
    pub see_split: bool,
    /// Numbers in the residual stream.
    pub width: usize,
    /// Transformer blocks.
    pub blocks: usize,
    /// Neurons of the feed-forward part.
    pub ffn: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; query heads share them in groups.
    pub kv_heads: usize,
    /// Numbers in a head.
    pub head_dim: usize,
    /// How many plies a ply sees, itself included.
    pub window: usize,
    /// Learned positions; 0 for none.
    pub context: usize,
    /// What keeps the root mean square above zero.
    pub epsilon: f32,
    /// Base of the rotation frequencies.
    pub rope_base: f32,
    /// What rotary embedding turns together.
    pub rope_style: RopeStyle,
    /// The gate of the feed-forward part.
    pub activation: Activation,
    /// The input of ternary products.
    pub act_quant: ActQuant,
    /// Whether each matrix has an input norm of its own, on top of the block's.
    pub linear_norm: bool,
    /// Rating buckets of the state embedding, 0 being the engine.
    pub skill_buckets: usize,
    /// What the value head tells.
    pub value: ValueKind,
    /// Neurons of the value head.
    pub value_hidden: usize,
    /// Whether policy and value head are ternary, too.
    pub ternary_heads: bool,
}

impl Config {
    /// Rows of the state embedding.
    pub const STATES: usize = 64;

    /// The recommended size: 6 million block weights.
    pub fn small() -> Self {
        Self {
            input: Input::PlyBoard,
            features: 3072,
            vocab: MoveVocab::Ft1880,
            see_split: true,
            width: 256,
            blocks: 8,
            ffn: 768,
            heads: 8,
            kv_heads: 2,
            head_dim: 32,
            window: 16,
            context: 0,
            epsilon: 1e-5,
            rope_base: 10_000.0,
            rope_style: RopeStyle::Half,
            activation: Activation::Relu2,
            act_quant: ActQuant::Int8,
            linear_norm: false,
            skill_buckets: 16,
            value: ValueKind::Wdl3,
            value_hidden: 64,
            ternary_heads: false,
        }
    }

    /// The size for first experiments: 2.2 million block weights.
    pub fn extra_small() -> Self {
        Self { blocks: 4, ffn: 512, ..Self::small() }
    }

    /// The shape of `KiyEngine` 6, with the learned positions of its version 5 on top.
    pub fn original() -> Self {
        Self {
            input: Input::MoveTokens,
            features: 0,
            vocab: MoveVocab::Kiy4608,
            see_split: false,
            width: 512,
            blocks: 12,
            ffn: 1536,
            heads: 8,
            kv_heads: 2,
            head_dim: 64,
            window: 256,
            context: 256,
            activation: Activation::Silu,
            linear_norm: true,
            skill_buckets: 0,
            value: ValueKind::Tanh,
            value_hidden: 256,
            ternary_heads: true,
            ..Self::small()
        }
    }

    /// Rows of the policy head.
    pub fn policy_rows(&self) -> usize {
        self.vocab.size() * if self.see_split { 2 } else { 1 }
    }

    /// Rows of the move embedding: all moves, and "none" where a token is more than a move.
    pub fn move_rows(&self) -> usize {
        self.vocab.size() + usize::from(self.input == Input::PlyBoard)
    }

    /// Numbers in the keys (or values) of one ply and block.
    pub fn kv_width(&self) -> usize {
        self.kv_heads * self.head_dim
    }

    /// Outputs of the value head.
    pub fn value_outputs(&self) -> usize {
        match self.value {
            ValueKind::Wdl3 => 3,
            ValueKind::Tanh => 1,
        }
    }

    /// Weights in the matrices of all blocks.
    pub fn block_weights(&self) -> usize {
        let attention = 2 * self.width * (self.width + self.kv_width());
        self.blocks * (attention + 3 * self.width * self.ffn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_shapes_have_the_weights_of_the_design() {
        assert_eq!(Config::small().block_weights(), 6_029_312);
        assert_eq!(Config::extra_small().block_weights(), 2_228_224);
        assert_eq!(Config::original().block_weights(), 36_175_872);
        assert_eq!(Config::small().policy_rows(), 3760);
    }
}
