//! The forward pass in double precision, written from the definition and nothing else: no packing, no
//! cache, every ply from the beginning, attention with one key head for every query head.

use tabiya_nn::policy::config::{ActQuant, Activation, Config, Input, RopeStyle, ValueKind};
use tabiya_nn::policy::weights::{Head, Linear, Matrix};
use tabiya_nn::policy::{Token, Weights, quant};

type Vector = Vec<f64>;

fn norm(x: &[f64], gains: &[f32], epsilon: f32) -> Vector {
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let scale = 1.0 / (mean + epsilon as f64).sqrt();
    x.iter().zip(gains).map(|(x, gain)| x * scale * *gain as f64).collect()
}

fn multiply(matrix: &Matrix, x: &[f64], act_quant: ActQuant) -> Vector {
    let x: Vector = match act_quant {
        ActQuant::None => x.to_vec(),
        ActQuant::Int8 => {
            let x: Vec<f32> = x.iter().map(|x| *x as f32).collect();
            let mut bytes = vec![0; x.len()];
            let step = quant::quantise(&x, &mut bytes);
            bytes.iter().map(|x| *x as f64 * step as f64).collect()
        }
    };
    let row = |row: &[i8]| row.iter().zip(&x).map(|(w, x)| *w as f64 * x).sum::<f64>();
    matrix.codes.chunks(matrix.cols).map(|codes| row(codes) * matrix.gamma as f64).collect()
}

fn linear(config: &Config, linear: &Linear, x: &[f64]) -> Vector {
    if linear.norm.is_empty() {
        return multiply(&linear.matrix, x, config.act_quant);
    }
    multiply(&linear.matrix, &norm(x, &linear.norm, config.epsilon), config.act_quant)
}

fn softmax(x: &[f64]) -> Vector {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| x.exp() / sum).collect()
}

fn rotate(config: &Config, head: &[f64], ply: usize) -> Vector {
    let dim = head.len();
    let mut out = head.to_vec();
    for i in 0..dim / 2 {
        let angle = ply as f64 * (config.rope_base as f64).powf(-2.0 * i as f64 / dim as f64);
        let (a, b) = match config.rope_style {
            RopeStyle::Half => (i, i + dim / 2),
            RopeStyle::Interleaved => (2 * i, 2 * i + 1),
            RopeStyle::None => continue,
        };
        out[a] = head[a] * angle.cos() - head[b] * angle.sin();
        out[b] = head[a] * angle.sin() + head[b] * angle.cos();
    }
    out
}

fn embed(config: &Config, weights: &Weights, token: &Token, ply: usize) -> Vector {
    let mut sum = vec![0.0; config.width];
    let mut add = |table: &[f32], row: usize| {
        for (sum, x) in sum.iter_mut().zip(&table[row * config.width..]) {
            *sum += *x as f64;
        }
    };
    if config.input == Input::PlyBoard {
        token.pieces().iter().for_each(|row| add(&weights.piece, *row as usize));
        token.states().iter().for_each(|row| add(&weights.state, *row as usize));
    }
    add(&weights.last_move, token.last_move() as usize);
    if config.context > 0 {
        add(&weights.position, ply);
    }
    norm(&sum, &weights.embd_norm, config.epsilon)
}

/// The input of the heads for every token.
pub(crate) fn hidden(config: &Config, weights: &Weights, tokens: &[Token]) -> Vec<Vector> {
    let (dim, group) = (config.head_dim, config.heads / config.kv_heads);
    let mut stream: Vec<Vector> =
        tokens.iter().enumerate().map(|(ply, token)| embed(config, weights, token, ply)).collect();
    for block in &weights.blocks {
        let mut queries = Vec::new();
        let mut keys = Vec::new();
        let mut values = Vec::new();
        for (ply, x) in stream.iter().enumerate() {
            let x = norm(x, &block.attn_norm, config.epsilon);
            let heads = |x: Vector| -> Vec<Vector> { x.chunks(dim).map(<[f64]>::to_vec).collect() };
            // Every query head gets a key and a value head of its own: plain multi-head attention.
            let expand = |x: Vec<Vector>| -> Vec<Vector> {
                x.into_iter().flat_map(|head| vec![head; group]).collect()
            };
            let turn = |x: Vec<Vector>| -> Vec<Vector> {
                x.iter().map(|head| rotate(config, head, ply)).collect()
            };
            queries.push(turn(heads(linear(config, &block.q, &x))));
            keys.push(expand(turn(heads(linear(config, &block.k, &x)))));
            values.push(expand(heads(linear(config, &block.v, &x))));
        }
        for ply in 0..stream.len() {
            let seen = (ply + 1).saturating_sub(config.window)..ply + 1;
            let mut gathered = Vec::new();
            for head in 0..config.heads {
                let query = &queries[ply][head];
                let score = |other: usize| {
                    let dot: f64 = query.iter().zip(&keys[other][head]).map(|(q, k)| q * k).sum();
                    dot / (dim as f64).sqrt()
                };
                let chances = softmax(&seen.clone().map(score).collect::<Vector>());
                let place = gathered.len();
                gathered.resize(place + dim, 0.0);
                for (other, p) in seen.clone().zip(&chances) {
                    let values = &values[other][head];
                    gathered[place..].iter_mut().zip(values).for_each(|(out, v)| *out += p * v);
                }
            }
            let x = &mut stream[ply];
            let gathered = norm(&gathered, &block.attn_sub_norm, config.epsilon);
            let out = multiply(&block.o, &gathered, config.act_quant);
            for i in 0..config.width {
                x[i] += block.attn_scale[i] as f64 * out[i];
            }
            let inner = norm(x, &block.ffn_norm, config.epsilon);
            let gate = linear(config, &block.gate, &inner);
            let up = linear(config, &block.up, &inner);
            let act = |gate: f64| match config.activation {
                Activation::Relu2 => gate.max(0.0).powi(2),
                Activation::Silu => gate / (1.0 + (-gate).exp()),
            };
            let inner: Vector = gate.into_iter().zip(up).map(|(gate, up)| act(gate) * up).collect();
            let inner = norm(&inner, &block.ffn_sub_norm, config.epsilon);
            let out = multiply(&block.down, &inner, config.act_quant);
            for i in 0..config.width {
                x[i] += block.ffn_scale[i] as f64 * out[i];
            }
        }
    }
    stream.iter().map(|x| norm(x, &weights.output_norm, config.epsilon)).collect()
}

pub(crate) fn head(config: &Config, head: &Head, x: &[f64]) -> Vector {
    if config.ternary_heads {
        return linear(config, &head.ternary, x);
    }
    let row = |row: &[f32]| row.iter().zip(x).map(|(w, x)| *w as f64 * x).sum::<f64>();
    let rows = head.dense.chunks(x.len()).zip(&head.bias);
    rows.map(|(weights, bias)| row(weights) + *bias as f64).collect()
}

pub(crate) fn value(config: &Config, weights: &Weights, hidden: &[f64]) -> Vector {
    let act = |x: f64| if config.ternary_heads { x / (1.0 + (-x).exp()) } else { x.max(0.0) };
    let inner: Vector = head(config, &weights.value[0], hidden).into_iter().map(act).collect();
    let out = head(config, &weights.value[1], &inner);
    match config.value {
        ValueKind::Tanh => vec![out[0].tanh()],
        ValueKind::Wdl3 => softmax(&out),
    }
}
