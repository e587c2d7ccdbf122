//! Between the trainer's one array and the weights of a file.

use super::layout::{BlockPlaces, Layout, Place};
use std::ops::Range;
use tabiya_nn::policy::weights::{Block, Head, Linear, Matrix};
use tabiya_nn::policy::{Config, Weights, quant};

/// Parts of a merged matrix: rows of queries, keys and values, or of gate and up.
fn rows(place: &Place, columns: usize, rows: Range<usize>) -> Place {
    place.start + rows.start * columns..place.start + rows.end * columns
}

/// The ternary matrices of a block, as places: q, k, v, o, gate, up, down.
fn matrices(config: &Config, places: &BlockPlaces) -> [(Place, usize); 7] {
    let (width, kv, ffn) = (config.width, config.kv_width(), config.ffn);
    let queries = config.heads * config.head_dim;
    [
        (rows(&places.qkv, width, 0..queries), width),
        (rows(&places.qkv, width, queries..queries + kv), width),
        (rows(&places.qkv, width, queries + kv..queries + 2 * kv), width),
        (places.output.clone(), queries),
        (rows(&places.gate_up, width, 0..ffn), width),
        (rows(&places.gate_up, width, ffn..2 * ffn), width),
        (places.down.clone(), ffn),
    ]
}

/// The weights of a file: ternary matrices, embeddings and heads in half precision.
pub(crate) fn weights(layout: &Layout, latent: &[f32]) -> Weights {
    let at = |place: &Place| latent[place.clone()].to_vec();
    let half = |place: &Place| latent[place.clone()].iter().map(|w| quant::round_f16(*w)).collect();
    let block = |places: &BlockPlaces| {
        let [q, k, v, o, gate, up, down] =
            matrices(&layout.config, places).map(|(place, columns)| {
                Matrix::from_latent(place.len() / columns, columns, &latent[place])
            });
        Block {
            attn_norm: at(&places.attn_norm),
            q: q.into(),
            k: k.into(),
            v: v.into(),
            attn_sub_norm: at(&places.attn_sub_norm),
            o,
            attn_scale: at(&places.attn_scale),
            ffn_norm: at(&places.ffn_norm),
            gate: gate.into(),
            up: up.into(),
            ffn_sub_norm: at(&places.ffn_sub_norm),
            down,
            ffn_scale: at(&places.ffn_scale),
        }
    };
    let head = |weight: &Place, bias: &Place| Head {
        dense: half(weight),
        bias: at(bias),
        ternary: Linear::default(),
    };
    Weights {
        piece: half(&layout.piece),
        last_move: half(&layout.last_move),
        state: half(&layout.state),
        position: Vec::new(),
        embd_norm: at(&layout.embd_norm),
        blocks: layout.blocks.iter().map(block).collect(),
        output_norm: at(&layout.output_norm),
        policy: head(&layout.policy, &layout.policy_bias),
        value: [
            head(&layout.value_hidden, &layout.value_hidden_bias),
            head(&layout.value_output, &layout.value_output_bias),
        ],
    }
}

/// The parameters that a forward pass with full rounding uses, from the weights of a file.
pub(crate) fn parameters(layout: &Layout, weights: &Weights) -> Vec<f32> {
    let mut parameters = vec![0.0; layout.len()];
    let mut put = |place: &Place, numbers: &[f32]| {
        parameters[place.clone()].copy_from_slice(numbers);
    };
    put(&layout.piece, &weights.piece);
    put(&layout.last_move, &weights.last_move);
    put(&layout.state, &weights.state);
    put(&layout.embd_norm, &weights.embd_norm);
    put(&layout.output_norm, &weights.output_norm);
    put(&layout.policy, &weights.policy.dense);
    put(&layout.policy_bias, &weights.policy.bias);
    put(&layout.value_hidden, &weights.value[0].dense);
    put(&layout.value_hidden_bias, &weights.value[0].bias);
    put(&layout.value_output, &weights.value[1].dense);
    put(&layout.value_output_bias, &weights.value[1].bias);
    for (places, block) in layout.blocks.iter().zip(&weights.blocks) {
        put(&places.attn_norm, &block.attn_norm);
        put(&places.attn_sub_norm, &block.attn_sub_norm);
        put(&places.attn_scale, &block.attn_scale);
        put(&places.ffn_norm, &block.ffn_norm);
        put(&places.ffn_sub_norm, &block.ffn_sub_norm);
        put(&places.ffn_scale, &block.ffn_scale);
        let stored = [
            &block.q.matrix,
            &block.k.matrix,
            &block.v.matrix,
            &block.o,
            &block.gate.matrix,
            &block.up.matrix,
            &block.down,
        ];
        for ((place, _), matrix) in matrices(&layout.config, places).into_iter().zip(stored) {
            let numbers: Vec<_> =
                matrix.codes.iter().map(|code| matrix.gamma * f32::from(*code)).collect();
            put(&place, &numbers);
        }
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_what_the_trainer_rounds() {
        let config = Config { blocks: 2, ..Config::extra_small() };
        let layout = Layout::new(&config);
        let mut latent = layout.first_parameters(5);
        for place in [&layout.piece, &layout.state, &layout.last_move] {
            latent[place.clone()].iter_mut().for_each(|w| *w = quant::round_f16(*w));
        }
        for place in [&layout.policy, &layout.value_hidden, &layout.value_output] {
            latent[place.clone()].iter_mut().for_each(|w| *w = quant::round_f16(*w));
        }
        let mut used = latent.clone();
        layout.round(&latent, &mut used, 1.0);
        let file = weights(&layout, &latent).to_gguf(&config, &[]);
        let (read, weights) = Weights::from_gguf(&file).unwrap();
        assert_eq!(read, config);
        assert_eq!(parameters(&layout, &weights), used);
    }
}
