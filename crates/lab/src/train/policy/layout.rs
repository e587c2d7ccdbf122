//! Where each tensor lives in the one array that holds all parameters of a net.

use super::ternary;
use crate::work::random::SplitMix;
use std::ops::Range;
use tabiya_nn::policy::Config;
use tabiya_nn::policy::input::STATE_ROWS;

/// Where a tensor lives.
pub(crate) type Place = Range<usize>;

/// The tensors of a transformer block.
#[derive(Clone, Debug)]
pub(crate) struct BlockPlaces {
    pub(crate) attn_norm: Place,
    /// Query, key and value matrices follow one another: one product.
    pub(crate) qkv: Place,
    pub(crate) attn_sub_norm: Place,
    pub(crate) output: Place,
    pub(crate) attn_scale: Place,
    pub(crate) ffn_norm: Place,
    /// Gate and up matrices follow one another.
    pub(crate) gate_up: Place,
    pub(crate) ffn_sub_norm: Place,
    pub(crate) down: Place,
    pub(crate) ffn_scale: Place,
}

/// How a tensor starts and how it is treated.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    /// Latent weights of a ternary matrix; they decay.
    Ternary,
    /// Weights of a head; they decay, too.
    Head,
    Embedding,
    Bias,
    Gain,
    LayerScale,
}

/// First gain of the branches.
const LAYER_SCALE: f32 = 0.2;
/// Spread of the first embeddings.
const EMBEDDING_SPREAD: f64 = 0.1;

/// A named tensor.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) place: Place,
    columns: usize,
    role: Role,
}

impl Tensor {
    pub(crate) fn is_ternary(&self) -> bool {
        self.role == Role::Ternary
    }

    /// Whether weight decay acts on it.
    pub(crate) fn decays(&self) -> bool {
        matches!(self.role, Role::Ternary | Role::Head)
    }
}

/// The places of all tensors of a net.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) config: Config,
    pub(crate) piece: Place,
    pub(crate) state: Place,
    pub(crate) last_move: Place,
    pub(crate) embd_norm: Place,
    pub(crate) blocks: Vec<BlockPlaces>,
    pub(crate) output_norm: Place,
    pub(crate) policy: Place,
    pub(crate) policy_bias: Place,
    pub(crate) value_hidden: Place,
    pub(crate) value_hidden_bias: Place,
    pub(crate) value_output: Place,
    pub(crate) value_output_bias: Place,
    /// All tensors, in order and without gaps.
    pub(crate) tensors: Vec<Tensor>,
}

/// What makes a net one that the trainer cannot run, whatever its size: the passes know one kind only.
pub(crate) fn other_kind(config: &Config) -> Option<&'static str> {
    let own = Config::small();
    let differences = [
        ("input", config.input != own.input),
        ("vocab", config.vocab != own.vocab),
        ("see_split", config.see_split != own.see_split),
        ("context", config.context != own.context),
        ("rope_style", config.rope_style != own.rope_style),
        ("activation", config.activation != own.activation),
        ("act_quant", config.act_quant != own.act_quant),
        ("linear_norm", config.linear_norm != own.linear_norm),
        ("value", config.value != own.value),
        ("ternary_heads", config.ternary_heads != own.ternary_heads),
    ];
    differences.into_iter().find_map(|(name, differs)| differs.then_some(name))
}

struct Builder(Vec<Tensor>);

impl Builder {
    fn add(&mut self, name: String, rows: usize, columns: usize, role: Role) -> Place {
        let start = self.0.last().map_or(0, |tensor| tensor.place.end);
        let place = start..start + rows * columns;
        self.0.push(Tensor { name, place: place.clone(), columns, role });
        place
    }

    fn block(&mut self, config: &Config, index: usize) -> BlockPlaces {
        let (width, kv, ffn) = (config.width, config.kv_width(), config.ffn);
        let queries = config.heads * config.head_dim;
        let mut add = |name: &str, rows: usize, columns: usize, role: Role| {
            self.add(format!("blk.{index}.{name}"), rows, columns, role)
        };
        let attn_norm = add("attn_norm", 1, width, Role::Gain);
        let query = add("attn_q", queries, width, Role::Ternary);
        add("attn_k", kv, width, Role::Ternary);
        let value = add("attn_v", kv, width, Role::Ternary);
        let attn_sub_norm = add("attn_sub_norm", 1, queries, Role::Gain);
        let output = add("attn_output", width, queries, Role::Ternary);
        let attn_scale = add("attn_scale", 1, width, Role::LayerScale);
        let ffn_norm = add("ffn_norm", 1, width, Role::Gain);
        let gate = add("ffn_gate", ffn, width, Role::Ternary);
        let up = add("ffn_up", ffn, width, Role::Ternary);
        let ffn_sub_norm = add("ffn_sub_norm", 1, ffn, Role::Gain);
        let down = add("ffn_down", width, ffn, Role::Ternary);
        let ffn_scale = add("ffn_scale", 1, width, Role::LayerScale);
        BlockPlaces {
            attn_norm,
            qkv: query.start..value.end,
            attn_sub_norm,
            output,
            attn_scale,
            ffn_norm,
            gate_up: gate.start..up.end,
            ffn_sub_norm,
            down,
            ffn_scale,
        }
    }
}

impl Layout {
    pub(crate) fn new(config: &Config) -> Self {
        let mut builder = Builder(Vec::new());
        let (width, hidden) = (config.width, config.value_hidden);
        let mut add = |name: &str, rows: usize, columns: usize, role: Role| {
            builder.add(name.to_owned(), rows, columns, role)
        };
        let piece = add("embd.piece", config.features, width, Role::Embedding);
        let state = add("embd.state", STATE_ROWS, width, Role::Embedding);
        let last_move = add("embd.move", config.move_rows(), width, Role::Embedding);
        let embd_norm = add("embd.norm", 1, width, Role::Gain);
        let blocks = (0..config.blocks).map(|index| builder.block(config, index)).collect();
        let mut add = |name: &str, rows: usize, columns: usize, role: Role| {
            builder.add(name.to_owned(), rows, columns, role)
        };
        let outputs = config.value_outputs();
        Self {
            config: config.clone(),
            piece,
            state,
            last_move,
            embd_norm,
            blocks,
            output_norm: add("output_norm", 1, width, Role::Gain),
            policy: add("policy", config.policy_rows(), width, Role::Head),
            policy_bias: add("policy.bias", 1, config.policy_rows(), Role::Bias),
            value_hidden: add("value.0", hidden, width, Role::Head),
            value_hidden_bias: add("value.0.bias", 1, hidden, Role::Bias),
            value_output: add("value.1", outputs, hidden, Role::Head),
            value_output_bias: add("value.1.bias", 1, outputs, Role::Bias),
            tensors: builder.0,
        }
    }

    /// Number of parameters.
    pub(crate) fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.place.end)
    }

    /// Random first parameters.
    pub(crate) fn first_parameters(&self, seed: u64) -> Vec<f32> {
        let mut random = SplitMix::new(seed);
        let mut parameters = Vec::with_capacity(self.len());
        for tensor in &self.tensors {
            let spread = match tensor.role {
                Role::Ternary | Role::Head => 1.0 / (tensor.columns as f64).sqrt(),
                Role::Embedding => EMBEDDING_SPREAD,
                Role::Bias | Role::Gain | Role::LayerScale => 0.0,
            };
            let middle = match tensor.role {
                Role::Gain => 1.0,
                Role::LayerScale => LAYER_SCALE,
                _ => 0.0,
            };
            let mut number = || middle + (spread * random.normal()) as f32;
            parameters.extend(tensor.place.clone().map(|_| number()));
        }
        parameters
    }

    /// Fills the parameters that the forward pass uses; see [`ternary::round_weights`].
    pub(crate) fn round(&self, latent: &[f32], used: &mut [f32], lambda: f32) {
        used.copy_from_slice(latent);
        for tensor in self.tensors.iter().filter(|tensor| tensor.is_ternary()) {
            let place = tensor.place.clone();
            ternary::round_weights(&latent[place.clone()], &mut used[place], lambda);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_fill_the_array_without_gaps() {
        let layout = Layout::new(&Config::extra_small());
        let mut end = 0;
        for tensor in &layout.tensors {
            assert_eq!(tensor.place.start, end, "{}", tensor.name);
            end = tensor.place.end;
        }
        assert_eq!(end, layout.len());
        let ternary: usize =
            layout.tensors.iter().filter(|t| t.is_ternary()).map(|t| t.place.len()).sum();
        assert_eq!(ternary, Config::extra_small().block_weights());
        let parameters = layout.first_parameters(1);
        assert_eq!(parameters.len(), layout.len());
        assert!(parameters[layout.output_norm].iter().all(|gain| *gain == 1.0));
    }
}
