//! Speed of evaluations and updates for every kernel this machine can run.
//!
//! The update kernels are held against the read bandwidth of the second-level cache, measured in
//! the same run by summing a buffer of the size the weights are taken from. "rows" counts the
//! weights read, "all reads" the parent's numbers too; both leave out what is written.
//! The machine may be noisy: every figure is the best of several rounds.
//! Run with `cargo bench -p tabiya-nn`, or add `-- avx2` to see one kernel only.

#[path = "../tests/nnue/random.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod random;
mod timing;

use std::hint::black_box;
use std::sync::Arc;
use tabiya_chess::Board;
use tabiya_nn::simd::Kernels;
use tabiya_nn::{Accumulators, Delta, Network, Shape, WordLine};
use timing::{rate, read_bandwidth};

/// Weights that fit a second-level cache of 1 MiB and more, but no first-level cache.
const WORKING_SET: usize = 640 * 1024;
/// Row numbers in no order a prefetcher could guess.
fn scattered_rows(rows: usize) -> Vec<u32> {
    let mut state = 1_u64;
    let next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as usize % rows) as u32
    };
    std::iter::repeat_with(next).take(1 << 12).collect()
}

fn updates(kernels: &Kernels, hidden: usize, bandwidth: f64) {
    let lines = hidden / WordLine::LANES;
    let rows = WORKING_SET / (2 * hidden);
    let weights = vec![WordLine([3; WordLine::LANES]); rows * lines];
    let order = scattered_rows(rows);
    let pick = |turn: usize, i: usize| order[(8 * turn + i) % order.len()] as usize;
    // A line of positions: each is computed from the one before.
    let mut stack = vec![vec![WordLine::ZERO; lines]; 8];
    let mut step = |turn: usize, update: &mut dyn FnMut(&mut [WordLine], &[WordLine])| {
        let (parent, child) = (turn % 7, turn % 7 + 1);
        let (before, after) = stack.split_at_mut(child);
        update(&mut after[0], &before[parent]);
    };
    let report = |name: &str, count: usize, per_second: f64| {
        let rows = per_second * (count * 2 * hidden) as f64;
        let reads = per_second * ((count + 1) * 2 * hidden) as f64;
        println!(
            "  {name:<22} {:8.2} M/s   rows {:6.1} GB/s = {:3.0} %   all reads {:6.1} GB/s = {:3.0} %",
            per_second / 1e6,
            rows / 1e9,
            100.0 * rows / bandwidth,
            reads / 1e9,
            100.0 * reads / bandwidth,
        );
    };
    let quiet = rate(|turn| {
        step(turn, &mut |dst, src| {
            kernels.add1_sub1(dst, src, &weights, [pick(turn, 0)], [pick(turn, 1)]);
        });
    });
    report("quiet (+1 -1)", 2, quiet);
    let capture = rate(|turn| {
        step(turn, &mut |dst, src| {
            let subs = [pick(turn, 1), pick(turn, 2)];
            kernels.add1_sub2(dst, src, &weights, [pick(turn, 0)], subs);
        });
    });
    report("capture (+1 -2)", 3, capture);
    let castling = rate(|turn| {
        step(turn, &mut |dst, src| {
            let [adds, subs] = [[0, 1], [2, 3]].map(|pair| pair.map(|i| pick(turn, i)));
            kernels.add2_sub2(dst, src, &weights, adds, subs);
        });
    });
    report("castling (+2 -2)", 4, castling);
    let mut cached = vec![WordLine::ZERO; lines];
    let mut dst = vec![WordLine::ZERO; lines];
    let refresh = rate(|turn| {
        let start = 8 * turn % (order.len() - 8);
        let (adds, subs) = order[start..start + 8].split_at(4);
        kernels.refresh(&mut cached, &mut dst, &weights, adds, subs);
    });
    report("refresh (+4 -4)", 8, refresh);
}

fn evaluations(kernels: &'static Kernels, hidden: usize) {
    let net = Network::material(Shape::new(hidden, 1, 8).expect("a known shape"));
    evaluation(kernels, "evaluate", &Arc::new(net));
    // Activations of a random net are sparse like those of a trained one, or less so.
    let shape: Shape = format!("768x1-{hidden}p-16d-32s-1x8").parse().expect("a known shape");
    let net = random::net(&mut random::Random(1), shape, random::Flavor::Mild);
    evaluation(kernels, "evaluate with dense layers", &net);
}

fn evaluation(kernels: &'static Kernels, name: &str, net: &Arc<Network>) {
    let mut accumulators = Accumulators::with_kernels(net, kernels);
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let board: Board = fen.parse().expect("a legal position");
    accumulators.reset(&board);
    let warm = rate(|_| {
        black_box(accumulators.evaluate(black_box(&board)));
    });
    let children: Vec<_> = board
        .legal_moves()
        .iter()
        .map(|mv| {
            let mut child = board;
            child.play(mv);
            (Delta::new(&board, mv), child)
        })
        .collect();
    let moved = rate(|turn| {
        let (delta, child) = &children[turn % children.len()];
        accumulators.push(*delta);
        black_box(accumulators.evaluate(child));
        accumulators.pop();
    });
    println!(
        "  {name}: warm {:.2} M/s ({:.0} ns), after a move {:.2} M/s ({:.0} ns)",
        warm / 1e6,
        1e9 / warm,
        moved / 1e6,
        1e9 / moved
    );
}

fn main() {
    let bandwidth = read_bandwidth(WORKING_SET);
    println!("read bandwidth over {} KiB: {:.1} GB/s", WORKING_SET / 1024, bandwidth / 1e9);
    // Names of kernels on the command line restrict the run to them.
    let names: Vec<_> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    for kernels in Kernels::available() {
        if !names.is_empty() && !names.iter().any(|name| name == kernels.name()) {
            continue;
        }
        for hidden in [256, 512, 1024] {
            println!("{}, hidden {hidden}", kernels.name());
            updates(kernels, hidden, bandwidth);
            evaluations(kernels, hidden);
        }
    }
    let again = read_bandwidth(WORKING_SET);
    println!("read bandwidth measured again: {:.1} GB/s", again / 1e9);
}
