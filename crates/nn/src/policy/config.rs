//! The shape of a policy net, and the metadata that tells it.

use super::gguf::{Gguf, Value, Writer, wrong};
use super::input::PIECE_ROWS;
use super::{PolicyError, vocab};

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
            Self::Ft1880 => vocab::MOVES,
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
    /// Whether the net is one for the engine: it is asked about positions, and answers in its moves.
    pub fn reads_positions(&self) -> bool {
        self.input == Input::PlyBoard && self.vocab == MoveVocab::Ft1880
    }

    /// The recommended size: 6 million block weights.
    pub fn small() -> Self {
        Self {
            input: Input::PlyBoard,
            features: PIECE_ROWS,
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

/// Gives each value of an enum its word in the metadata.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word for it in the metadata of a file.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            fn read(file: &Gguf, key: &str) -> Result<Self, PolicyError> {
                let text = file.text(key)?;
                let found = Self::ALL.iter().copied().find(|value| value.word() == text);
                found.ok_or_else(|| wrong(key, Some(Value::Text(text))))
            }
        }
    };
}

words!(Input { PlyBoard = "ply_board", MoveTokens = "move_tokens" });
words!(MoveVocab { Ft1880 = "ft1880", Az4672 = "az4672", Kiy4608 = "kiy4608" });
words!(RopeStyle { Half = "half", Interleaved = "interleaved", None = "none" });
words!(Activation { Relu2 = "relu2_glu", Silu = "silu_glu" });
words!(ActQuant { Int8 = "i8_token_absmax", None = "none" });
words!(ValueKind { Wdl3 = "wdl3", Tanh = "tanh" });

/// The architecture that our files name.
pub const ARCHITECTURE: &str = "policynet";
/// The version of our metadata.
const FORMAT: u32 = 1;
/// The name of the piece features.
const FEATURES: &str = "pst_threat_3072";

fn flag(file: &Gguf, key: &str) -> Result<bool, PolicyError> {
    match file.get(key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        other => Err(wrong(key, other)),
    }
}

fn number(file: &Gguf, key: &str, limits: std::ops::Range<f32>) -> Result<f32, PolicyError> {
    match file.get(key) {
        Some(Value::F32(x)) if limits.contains(&x) => Ok(x),
        other => Err(wrong(key, other)),
    }
}

impl Config {
    /// Reads the shape from the metadata of a file and checks it.
    pub fn read(file: &Gguf) -> Result<Self, PolicyError> {
        if file.text("general.architecture")? != ARCHITECTURE {
            return Err(wrong("general.architecture", file.get("general.architecture")));
        }
        file.count("policynet.format", FORMAT as u64..=FORMAT as u64)?;
        let input = Input::read(file, "policynet.input.kind")?;
        let features = match input {
            Input::MoveTokens => 0,
            Input::PlyBoard if file.text("policynet.input.features")? == FEATURES => PIECE_ROWS,
            Input::PlyBoard => {
                let key = "policynet.input.features";
                return Err(wrong(key, file.get(key)));
            }
        };
        let optional = |key: &str, limit: u64| match file.get(key) {
            None => Ok(0),
            Some(_) => file.count(key, 0..=limit),
        };
        let config = Self {
            input,
            features,
            vocab: MoveVocab::read(file, "policynet.move_vocab")?,
            see_split: flag(file, "policynet.policy.see_split")?,
            width: file.count("policynet.embedding_length", 64..=1024)?,
            blocks: file.count("policynet.block_count", 1..=32)?,
            ffn: file.count("policynet.feed_forward_length", 256..=4096)?,
            heads: file.count("policynet.attention.head_count", 1..=64)?,
            kv_heads: file.count("policynet.attention.head_count_kv", 1..=64)?,
            head_dim: file.count("policynet.attention.key_length", 16..=256)?,
            window: file.count("policynet.attention.window", 1..=1024)?,
            context: optional("policynet.context_length", 4096)?,
            epsilon: number(file, "policynet.attention.layer_norm_rms_epsilon", 1e-12..1e-1)?,
            rope_base: number(file, "policynet.rope.freq_base", 1.0..1e9)?,
            rope_style: RopeStyle::read(file, "policynet.rope.style")?,
            activation: Activation::read(file, "policynet.ffn.act")?,
            act_quant: ActQuant::read(file, "policynet.act_quant")?,
            linear_norm: flag(file, "policynet.linear_norm")?,
            skill_buckets: optional("policynet.skill_buckets", 32)?,
            value: ValueKind::read(file, "policynet.value.kind")?,
            value_hidden: file.count("policynet.value.length", 1..=1024)?,
            ternary_heads: flag(file, "policynet.ternary_heads")?,
        };
        config.check()
    }

    /// The shape, if the numbers fit each other.
    pub fn check(self) -> Result<Self, PolicyError> {
        let wrong = |key: &str, number: usize| {
            Err(wrong(&format!("{ARCHITECTURE}.{key}"), Some(Value::U64(number as u64))))
        };
        // Ternary blocks in files have 256 weights, and so have the lines of the kernels.
        if !self.width.is_multiple_of(256) {
            return wrong("embedding_length", self.width);
        }
        if !self.ffn.is_multiple_of(256) {
            return wrong("feed_forward_length", self.ffn);
        }
        if self.heads * self.head_dim != self.width {
            return wrong("attention.head_count", self.heads);
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return wrong("attention.head_count_kv", self.kv_heads);
        }
        if !self.head_dim.is_multiple_of(16) {
            return wrong("attention.key_length", self.head_dim);
        }
        let step = if self.ternary_heads { 256 } else { 16 };
        if !self.value_hidden.is_multiple_of(step) {
            return wrong("value.length", self.value_hidden);
        }
        if self.context == 1 {
            return wrong("context_length", self.context);
        }
        Ok(self)
    }

    /// Writes the shape into the metadata of a file.
    pub fn write(&self, writer: &mut Writer) {
        let count = |n: usize| Value::U32(n as u32);
        for (key, value) in [
            ("format", Value::U32(FORMAT)),
            ("input.kind", Value::Text(self.input.word())),
            ("input.features", Value::Text(if self.features > 0 { FEATURES } else { "none" })),
            ("move_vocab", Value::Text(self.vocab.word())),
            ("policy.see_split", Value::Bool(self.see_split)),
            ("embedding_length", count(self.width)),
            ("block_count", count(self.blocks)),
            ("feed_forward_length", count(self.ffn)),
            ("attention.head_count", count(self.heads)),
            ("attention.head_count_kv", count(self.kv_heads)),
            ("attention.key_length", count(self.head_dim)),
            ("attention.window", count(self.window)),
            ("context_length", count(self.context)),
            ("attention.layer_norm_rms_epsilon", Value::F32(self.epsilon)),
            ("rope.freq_base", Value::F32(self.rope_base)),
            ("rope.style", Value::Text(self.rope_style.word())),
            ("ffn.act", Value::Text(self.activation.word())),
            ("act_quant", Value::Text(self.act_quant.word())),
            ("linear_norm", Value::Bool(self.linear_norm)),
            ("skill_buckets", count(self.skill_buckets)),
            ("value.kind", Value::Text(self.value.word())),
            ("value.length", count(self.value_hidden)),
            ("ternary_heads", Value::Bool(self.ternary_heads)),
        ] {
            writer.value(&format!("{ARCHITECTURE}.{key}"), value);
        }
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
