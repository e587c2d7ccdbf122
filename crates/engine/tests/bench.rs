//! The fingerprint of search and evaluation at a small depth, compared with the one on file.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::Path;
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;

/// Deep enough that every rule of the search takes part.
const DEPTH: u32 = 7;

fn bench_text(name: &str, evaluation: &Evaluation) -> String {
    let mut text = String::new();
    let result = bench::run(DEPTH, evaluation, |number, fen, nodes| {
        let _ = writeln!(text, "{number:>2} {nodes:>8}  {fen}");
    });
    format!("{name}: {} nodes at depth {DEPTH}\n{text}", result.unwrap().nodes)
}

#[test]
fn the_fingerprint_is_the_one_on_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/bench.txt");
    let mut text = bench_text("classical evaluation", &Evaluation::Classical);
    if let network @ Evaluation::Network(..) = Evaluation::embedded() {
        text += &bench_text("embedded network", &network);
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    assert!(
        text == golden,
        "search or evaluation behave differently; if that is meant, run\n\
         UPDATE_GOLDEN=1 cargo test -p tabiya-engine --test bench\n\n{text}"
    );
}
