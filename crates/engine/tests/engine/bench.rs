//! The fingerprint of search and evaluation at a small depth, compared with the one on file.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;
use tabiya_nn::simd::Kernels;

/// Deep enough that every rule of the search takes part.
const DEPTH: u32 = 7;

fn bench_text(name: &str, evaluation: &Evaluation) -> String {
    let mut text = String::new();
    let result = bench::run(DEPTH, evaluation, |number, fen, nodes| {
        let _ = writeln!(text, "{number:>2} {nodes:>8}  {fen}");
    });
    format!("{name}: {} nodes at depth {DEPTH}\n{text}", result.unwrap().nodes)
}

fn golden_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/bench.txt")
}

#[test]
fn the_fingerprint_is_the_one_on_file() {
    let path = golden_path();
    let mut text = bench_text("classical evaluation", &Evaluation::Classical);
    if let network @ Evaluation::Network(..) = Evaluation::embedded() {
        text += &bench_text("embedded network", &network);
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    let (depth, nodes) = bench::CLASSICAL;
    let first = format!("classical evaluation: {nodes} nodes at depth {depth}");
    assert_eq!(golden.lines().next(), Some(&*first), "bench::CLASSICAL is out of date");
    assert!(
        text == golden,
        "search or evaluation behave differently; if that is meant, run\n\
         UPDATE_GOLDEN=1 cargo test -p tabiya-engine --test engine bench\n\n{text}"
    );
}

#[test]
fn every_kernel_gives_the_same_fingerprint() {
    let Evaluation::Network(net, _) = Evaluation::embedded() else { return };
    let golden = std::fs::read_to_string(golden_path()).unwrap();
    for kernels in Kernels::available() {
        let text = bench_text("embedded network", &Evaluation::Network(net.clone(), kernels));
        assert!(golden.ends_with(&text), "{kernels:?} differs:\n{text}");
    }
}
