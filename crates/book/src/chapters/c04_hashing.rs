//! Keys and their collisions.

use super::{board, row};
use crate::Output;
use crate::draw::chart::{Chart, Series};
use crate::draw::thousands;
use crate::lesson::keys;
use std::sync::atomic::AtomicBool;
use tabiya_chess::Board;
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;

/// Positions whose keys are compared.
const COUNT: usize = 200_000;

pub(super) fn write(out: &mut Output) {
    differences(out);
    probes(out);
    let known = keys::distinct_keys(COUNT);
    out.fact("keys.count", thousands(COUNT as u64));
    let mut rows = vec![row!["bits kept", "collisions counted", "expected by chance"]];
    for bits in [16, 20, 24, 28, 32, 40, 64] {
        rows.push(row![
            bits,
            thousands(keys::collisions(&known, bits) as u64),
            format!("{:.1}", keys::expected(COUNT, bits))
        ]);
    }
    out.table("collisions", &rows);

    let chance = |bits: i32| {
        let points = (10..=60).map(|step| f64::from(step) * 0.2);
        points
            .map(|power| {
                let n = 10f64.powf(power);
                (power, 100.0 * (1.0 - (-n * n / 2f64.powi(bits + 1)).exp()))
            })
            .collect()
    };
    out.figure(
        "birthday",
        Chart {
            title: "Chance that any two of n keys are alike",
            x: "positions, as a power of ten",
            y: "chance of a collision in per cent",
            log_y: false,
            series: vec![
                Series::new("32 bits", chance(32)),
                Series::new("48 bits", chance(48)),
                Series::new("64 bits", chance(64)),
            ],
        }
        .draw(),
    );
    out.fact("birthday.64", format!("{:.1}", 2f64.powi(32) * (2.0 * 2f64.ln()).sqrt() / 1e9));
}

fn differences(out: &mut Output) {
    let hex = |key: u64| format!("`{key:016x}`");
    let mut rows = vec![row!["position", "Zobrist key", "Polyglot key"]];
    let mut position = Board::default();
    rows.push(row!["start", hex(position.key()), hex(position.polyglot_key())]);
    for text in ["e2e4", "e7e5"] {
        position.play(position.parse_uci(text).expect("legal"));
        rows.push(row![format!("after {text}"), hex(position.key()), hex(position.polyglot_key())]);
    }
    out.table("keys", &rows);

    // The same knight move in two positions changes the key by the same number.
    let change = |fen: &str| {
        let before = board(fen);
        let mut after = before;
        after.play(before.parse_uci("g1f3").expect("legal"));
        before.key() ^ after.key()
    };
    let (first, second) =
        (change(tabiya_chess::START_FEN), change("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1"));
    assert_eq!(first, second, "the chapter says that both are the same");
    out.fact("key.nf3", format!("{first:016x}"));
}

/// What `tabiya bench --stats --classical` counts: probes for this chapter, cut-offs for the one about
/// ordering. Without a net, so that the numbers are the same for every net.
fn probes(out: &mut Output) {
    let mut found = vec![row!["depth", "nodes", "probes that hit", "probes that ended the node"]];
    let mut cuts = vec![row!["depth", "cut-offs by the first move", "mean number of the move"]];
    for depth in [4, 6, 8, 10] {
        let stop = AtomicBool::new(false);
        let counted = bench::run_counted(depth, &Evaluation::Classical, &stop, |_, _, _| {});
        let (result, stats) = counted.expect("16 MB are there").expect("nobody stops it");
        let text = stats.to_string();
        // The last number of the first line that begins with the name.
        let number = |name: &str| {
            let mut lines = text.lines().map(str::trim);
            let line = lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            let mut numbers = line.split_whitespace().filter(|word| word.parse::<f64>().is_ok());
            numbers.next_back().unwrap_or("?").to_owned()
        };
        found.push(row![
            depth,
            thousands(result.nodes),
            format!("{} %", number("hits")),
            format!("{} %", number("cut-offs"))
        ]);
        cuts.push(row![
            depth,
            format!("{} %", number("by the first move")),
            number("mean number of the move")
        ]);
    }
    out.table("probes", &found);
    out.table("first-cuts", &cuts);
}
