//! Ternary weights and attention by hand.

use super::row;
use crate::Output;
use crate::draw::chart::Heat;
use crate::lesson::neural::{attention, pack, softmax, ternary, ternary_dot};

/// A row of latent weights.
const LATENT: [f64; 8] = [0.9, -0.1, 0.4, -0.7, 0.05, 0.6, -0.3, -0.95];
/// Activations in 8 bits.
const VALUES: [i32; 8] = [12, 7, -3, 5, 9, -8, 4, 2];

pub(super) fn write(out: &mut Output) {
    let (weights, scale) = ternary(&LATENT);
    let list =
        |values: &[i32]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut rows = vec![row!["latent weight", "divided by the scale", "ternary"]];
    for (latent, weight) in LATENT.iter().zip(&weights) {
        rows.push(row![latent, format!("{:.2}", latent / scale), weight]);
    }
    out.table("ternary", &rows);
    out.fact("ternary.scale", format!("{scale:.2}"));
    out.fact("ternary.packed", format!("{:016b}", pack(&weights)));
    out.fact("ternary.values", list(&VALUES));
    out.fact("ternary.weights", list(&weights));
    let dot = ternary_dot(&weights, &VALUES);
    out.fact("ternary.dot", dot);
    let exact: f64 = LATENT.iter().zip(VALUES).map(|(w, v)| w * f64::from(v)).sum();
    out.fact("ternary.scaled", format!("{:.2}", f64::from(dot) * scale));
    out.fact("ternary.exact", format!("{exact:.2}"));
    out.fact("ternary.bits", format!("{:.3}", 3f64.log2()));
    heads(out);
    policy(out);
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
