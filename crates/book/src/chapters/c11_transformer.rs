//! Ternary weights and attention by hand, and what the real ones do.

use super::row;
use crate::Output;
use crate::draw::chart::Heat;
use crate::draw::thousands;
use crate::lesson::neural::{attention, pack, packed_dot, softmax, ternary_dot};
use std::sync::Arc;
use tabiya_chess::Board;
use tabiya_lab::work::SplitMix;
use tabiya_nn::policy::input::{self, Skill};
use tabiya_nn::policy::{Config, PolicyNet, Session, Token, Weights, quant};
use tabiya_nn::simd::ternary::Kernels;

/// A row of latent weights.
const LATENT: [f32; 8] = [0.9, -0.1, 0.4, -0.7, 0.05, 0.6, -0.3, -0.95];
/// Activations in 8 bits.
const VALUES: [i32; 8] = [12, 7, -3, 5, 9, -8, 4, 2];

pub(super) fn write(out: &mut Output) {
    // The functions of trainer and runtime themselves.
    let scale = quant::absmean(&LATENT);
    let weights = LATENT.map(|latent| i32::from(quant::ternary(latent, scale)));
    let list =
        |values: &[i32]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut rows = vec![row!["latent weight", "divided by the scale", "ternary"]];
    for (latent, weight) in LATENT.iter().zip(&weights) {
        rows.push(row![latent, format!("{:.2}", latent / scale), weight]);
    }
    out.table("ternary", &rows);
    out.fact("ternary.scale", format!("{scale:.2}"));
    let packed = pack(&weights);
    let bits = format!("{packed:016b}");
    out.fact("ternary.packed", format!("{} {}", &bits[..8], &bits[8..]));
    out.fact("ternary.codes", list(&weights.map(|weight| weight + 1)));
    out.fact("ternary.values", list(&VALUES));
    let dot = ternary_dot(&weights, &VALUES);
    assert_eq!(dot, packed_dot(packed, &VALUES), "both ways to the product agree");
    let sum: i32 = VALUES.iter().sum();
    out.fact("ternary.sum", sum);
    out.fact("ternary.code-dot", dot + sum);
    out.fact("ternary.dot", dot);
    let exact: f32 = LATENT.iter().zip(VALUES).map(|(w, v)| w * v as f32).sum();
    out.fact("ternary.scaled", format!("{:.2}", dot as f32 * scale));
    out.fact("ternary.exact", format!("{exact:.2}"));
    out.fact("ternary.bits", format!("{:.3}", 3f64.log2()));
    heads(out);
    policy(out);
    rounding(out);
    sizes(out);
    memory(out);
}

/// Random numbers of a normal distribution: twelve of a flat one add up to nearly that.
fn normal(random: &mut SplitMix) -> f32 {
    (0..12).map(|_| (random.next() >> 40) as f32 / (1 << 24) as f32).sum::<f32>() - 6.0
}

/// What rounding does to products of random weights and activations.
fn rounding(out: &mut Output) {
    let mut random = SplitMix::new(11);
    let mut rows = vec![row![
        "inputs",
        "weights that become 0",
        "error of ternary weights",
        "error of 8-bit activations"
    ]];
    for width in [8_usize, 64, 256, 1024] {
        let runs = 16_384 / width;
        let (mut zeros, mut power, mut by_weights, mut by_values) = (0, 0.0, 0.0, 0.0);
        for _ in 0..runs {
            let weights: Vec<f32> = (0..width).map(|_| normal(&mut random)).collect();
            let values: Vec<f32> = (0..width).map(|_| normal(&mut random)).collect();
            let gamma = quant::absmean(&weights);
            let codes: Vec<f32> =
                weights.iter().map(|weight| f32::from(quant::ternary(*weight, gamma))).collect();
            zeros += codes.iter().filter(|code| **code == 0.0).count();
            let mut bytes = vec![0; width];
            let step = quant::quantise(&values, &mut bytes);
            let product =
                |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
            let rounded: Vec<f32> = bytes.iter().map(|byte| f32::from(*byte) * step).collect();
            let ternary: Vec<f32> = codes.iter().map(|code| code * gamma).collect();
            let exact = product(&weights, &values);
            power += exact * exact;
            by_weights += (product(&ternary, &values) - exact).powi(2);
            by_values += (product(&weights, &rounded) - exact).powi(2);
        }
        let per_cent = |part: f64| format!("{:.1} %", 100.0 * part);
        rows.push(row![
            width,
            per_cent(zeros as f64 / (runs * width) as f64),
            per_cent((by_weights / power).sqrt()),
            per_cent((by_values / power).sqrt())
        ]);
    }
    out.table("rounding", &rows);
}

/// What the weights of the blocks take in memory.
fn sizes(out: &mut Output) {
    let mut rows =
        vec![row!["net", "weights in blocks", "as 32-bit numbers", "as 8 bits", "packed, 2 bits"]];
    for (name, config) in [
        ("XS", Config::extra_small()),
        ("S", Config::small()),
        ("the shape of KiyEngine's document", Config::original()),
    ] {
        let weights = config.block_weights() as f64;
        let megabytes = |bytes: f64| format!("{:.1} MB", weights * bytes / 1e6);
        rows.push(row![
            name,
            thousands(config.block_weights() as u64),
            megabytes(4.0),
            megabytes(1.0),
            megabytes(0.25)
        ]);
    }
    out.table("policy-sizes", &rows);
}

/// Tokens of a game of no merit; `detour` changes its last move.
fn tokens(count: usize, detour: usize) -> Vec<Token> {
    let mut board = Board::default();
    let mut tokens = vec![input::token(&board, None, 0, Skill::ENGINE)];
    for ply in 1..count {
        let moves = board.legal_moves();
        let pick = 7 * ply + if ply + 1 == count { detour } else { 0 };
        let mv = moves.iter().nth(pick % moves.len()).expect("the game goes on");
        board.play(mv);
        tokens.push(input::token(&board, Some(mv), 0, Skill::ENGINE));
    }
    tokens
}

/// What a session computes as a game goes on: with any weights, so random ones do.
fn memory(out: &mut Output) {
    let config = Config::extra_small();
    let net = PolicyNet::new(&config, Weights::random(&config, 1), Kernels::best());
    let mut session = Session::new(Arc::new(net));
    let mut rows = vec![row!["asked about", "tokens of the line", "tokens computed"]];
    for (name, line) in [
        ("a line of 40 tokens", tokens(40, 0)),
        ("the next ply", tokens(41, 0)),
        ("the same again", tokens(41, 0)),
        ("two plies taken back and another one played", tokens(40, 1)),
    ] {
        let before = session.computed();
        session.follow(&line);
        rows.push(row![name, line.len(), session.computed() - before]);
    }
    out.table("kv-cache", &rows);
    session.clear();
    session.follow(&tokens(40, 0));
    let (before, line) = (session.computed(), tokens(39, 1));
    session.follow(&line);
    out.fact("kv.exercise", session.computed() - before);
    out.fact("kv.exercise.line", line.len());
}

/// Three tokens with keys, values and queries of two numbers.
fn heads(out: &mut Output) {
    let keys = [vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]];
    let values = [vec![4.0, 0.0], vec![0.0, 4.0], vec![2.0, 2.0]];
    let queries = [vec![2.0, 0.0], vec![0.0, 2.0], vec![2.0, -2.0]];
    let mut rows = vec![row!["token", "query", "shares of tokens 1 to 3", "what it takes"]];
    let mut field = Vec::new();
    for (index, query) in queries.iter().enumerate() {
        // Causal: a token sees itself and those before it.
        let seen = index + 1;
        let (shares, mixed) = attention(query, &keys[..seen], &values[..seen]);
        let mut all = shares.clone();
        all.resize(3, 0.0);
        let cells: Vec<_> = all.iter().map(|share| (*share, format!("{share:.2}"))).collect();
        let texts: Vec<_> = cells.iter().map(|cell| cell.1.clone()).collect();
        let mixed: Vec<_> = mixed.iter().map(|value| format!("{value:.2}")).collect();
        rows.push(row![
            index + 1,
            format!("({}, {})", query[0], query[1]),
            texts.join(", "),
            format!("({})", mixed.join(", "))
        ]);
        field.push((format!("token {}", index + 1), cells));
    }
    out.table("attention", &rows);
    out.figure(
        "attention",
        Heat {
            title: "Causal attention: how much each token takes from those before it",
            x: "takes from token",
            y: "",
            columns: vec!["1".into(), "2".into(), "3".into()],
            rows: field,
        }
        .draw(),
    );
}

fn policy(out: &mut Output) {
    let logits = [2.0, 1.0, 0.5, -1.0];
    let mut rows = vec![row!["move", "logit", "share", "share at temperature 0.5", "at 2"]];
    let at = |temperature: f64| softmax(&logits.map(|logit| logit / temperature));
    let (cold, plain, warm) = (at(0.5), at(1.0), at(2.0));
    for (index, name) in ["e4", "d4", "Nf3", "a3"].iter().enumerate() {
        rows.push(row![
            name,
            logits[index],
            format!("{:.3}", plain[index]),
            format!("{:.3}", cold[index]),
            format!("{:.3}", warm[index])
        ]);
    }
    out.table("policy", &rows);
}
