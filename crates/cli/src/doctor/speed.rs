//! Does the search do what it did when it was made, and how fast?
//!
//! Speeds of machines cannot be known, so the search is compared with something else that this machine
//! does at the same moment: counting moves (perft), which needs neither network nor memory. How many
//! nodes the search does for each position counted is known from elsewhere.

use super::Finding;
use std::time::Instant;
use tabiya_chess::{Board, perft};
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;
use tabiya_nn::simd::Kernels;

/// Iterations of the comparison between kernels: all rules of the search take part, in a moment.
const SMALL_DEPTH: u32 = 5;
/// The faster of so many runs counts: what disturbs a run only makes it slower.
const RUNS: usize = 3;
/// Below this share of the expected speed something is wrong, not merely different.
const SUSPICIOUS: f64 = 0.5;

/// Nodes of the search for a thousand leaves of perft, by the kernels, and where that was measured: in
/// processor time, on a busy machine, where two runs of perft differed by a third. A rough figure, which
/// is why only half of it is [`SUSPICIOUS`]. The default net has no dense layers, for which `avx512vnni`
/// and `avx512` are the same.
const EXPECTED: [(&str, f64); 3] = [("avx512vnni", 1.3), ("avx512", 1.3), ("avx2", 1.2)];
const SOURCE: &str = "an optimised build on a Xeon with AVX-512";

/// Whether the classical search visits the nodes on file, and all kernels the same ones.
pub(super) fn fingerprint() -> anyhow::Result<Finding> {
    const SUBJECT: &str = "fingerprint";
    let advice = "this program does not play as it should: report it with this output";
    let (depth, expected) = bench::CLASSICAL;
    let classical = bench::run(depth, &Evaluation::Classical, |_, _, _| {})?.nodes;
    if classical != expected {
        let text = format!("classical search: {classical} nodes instead of {expected}");
        return Ok(Finding::bad(SUBJECT, text, advice));
    }
    let Evaluation::Network(net, _) = Evaluation::embedded() else {
        return Ok(Finding::good(
            SUBJECT,
            format!("classical search: {classical} nodes, as on file"),
        ));
    };
    let mut counts = Vec::new();
    for kernels in Kernels::available() {
        let evaluation = Evaluation::Network(net.clone(), kernels);
        counts.push((kernels.name(), bench::run(SMALL_DEPTH, &evaluation, |_, _, _| {})?.nodes));
    }
    let text: Vec<_> = counts.iter().map(|(name, nodes)| format!("{name} {nodes}")).collect();
    let text = text.join(", ");
    if counts.iter().any(|(_, nodes)| *nodes != counts[0].1) {
        return Ok(Finding::bad(SUBJECT, format!("kernels disagree: {text} nodes"), advice));
    }
    let text = format!("classical search as on file; all kernels agree ({text} nodes)");
    Ok(Finding::good(SUBJECT, text))
}

/// The speed of the search, next to that of counting moves.
pub(super) fn measure() -> anyhow::Result<Finding> {
    const SUBJECT: &str = "speed";
    let evaluation = Evaluation::embedded();
    let (mut search, mut count) = (0f64, 0f64);
    for _ in 0..RUNS {
        search =
            search.max(bench::run(bench::DEFAULT_DEPTH, &evaluation, |_, _, _| {})?.nps() as f64);
        count = count.max(leaves_per_second());
    }
    let ratio = 1000.0 * search / count;
    let text = format!("{search:.0} nodes a second, {ratio:.2} for 1000 leaves of perft");
    let kernels = match &evaluation {
        Evaluation::Network(_, kernels) => kernels.name(),
        Evaluation::Classical | Evaluation::Other(_) => "classical",
    };
    let known = EXPECTED.iter().find(|(name, _)| *name == kernels);
    let Some((_, expected)) = known.filter(|_| !cfg!(debug_assertions)) else {
        return Ok(Finding::good(SUBJECT, format!("{text}; nothing to compare it with")));
    };
    let share = ratio / expected;
    let text = format!("{text}: {share:.2} of what {SOURCE} does ({expected:.2})");
    Ok(if share < SUSPICIOUS {
        Finding::note(SUBJECT, text, "run it again on a quiet machine; if it stays, report it")
    } else {
        Finding::good(SUBJECT, text)
    })
}

/// Counting moves, in a middlegame.
fn leaves_per_second() -> f64 {
    const DEPTH: u32 = 5;
    let board: Board = bench::POSITIONS[1].parse().expect("the bench positions are legal");
    let start = Instant::now();
    let leaves = perft::count(&board, DEPTH);
    leaves as f64 / start.elapsed().as_secs_f64().max(1e-6)
}
