//! Speed of the ternary kernels and of whole policy nets.
//!
//! Every kernel this machine can run meets both packings in one run: two-bit codes with 8-bit
//! activations, and pairs of bit masks with float activations. Each rate is held against two limits
//! measured in the same run: the same kernel on weights that stay in the first-level cache (no waiting
//! for memory), and a plain sum over as many bytes (no arithmetic). "cold" is a single token after a
//! buffer larger than all caches was read, as after seconds of search; the median of several.
//! Run with `cargo bench -p tabiya-nn --bench policy`.

mod timing;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tabiya_nn::policy::{Config, PolicyNet, Session, Token, Weights};
use tabiya_nn::simd::ternary::{ByteLine, COLUMNS, CodeLine, FloatLine, Kernels, MaskLine};
use timing::read_bandwidth;

/// Long enough for some pass that nothing else on the machine disturbs.
const PATIENCE: Duration = Duration::from_millis(300);
/// Larger than the caches of any machine this is likely to run on.
const FLUSH: usize = 128 << 20;

fn weights(count: usize) -> impl Iterator<Item = [i8; COLUMNS]> {
    let mut state = 1_u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) % 3
    };
    std::iter::repeat_with(move || std::array::from_fn(|_| next() as i8 - 1)).take(count)
}

/// Weights per second of a matrix of this shape, with codes and with masks.
fn products(kernels: &Kernels, rows: usize, columns: usize, tokens: usize) -> [f64; 2] {
    let lines = rows * columns / COLUMNS;
    let codes: Vec<_> = weights(lines).map(|line| CodeLine::pack(&line)).collect();
    let bytes = vec![ByteLine([3; 64]); tokens * columns / 64];
    let mut sums = vec![0; tokens * rows];
    // A small matrix is gone through several times between two looks at the clock.
    let repeats = (1 << 20) / (rows * columns * tokens) + 1;
    let again = |mut product: Box<dyn FnMut() + '_>| {
        repeats as f64 * passes(|_| (0..repeats).for_each(|_| product()))
    };
    let integers = again(Box::new(|| {
        kernels.integers(black_box(&codes), &bytes, tokens, &mut sums);
    }));
    let masks: Vec<_> = weights(lines).map(|line| MaskLine::pack(&line)).collect();
    let lines = vec![FloatLine([0.5; 16]); tokens * columns / 16];
    let mut sums = vec![0.0; tokens * rows];
    let floats = again(Box::new(|| {
        kernels.floats(black_box(&masks), &lines, tokens, &mut sums);
    }));
    [integers, floats].map(|rate| rate * (rows * columns * tokens) as f64)
}

fn kernel(kernels: &Kernels, sizes: &[(&str, usize, usize, f64)]) {
    let limits = [256, 1536].map(|columns| products(kernels, 32768 / columns / 4 * 4, columns, 1));
    for (name, rows, columns, bandwidth) in sizes {
        let limit = limits[usize::from(*columns > 512)];
        for tokens in [1, 16] {
            let rates = products(kernels, *rows, *columns, tokens);
            for (i, packing) in ["2-bit x i8 ", "masks x f32"].into_iter().enumerate() {
                // Two bits a weight, read once for every token or group of tokens.
                let bytes = rates[i] / 4.0 / if tokens > 1 && i == 0 { 4.0 } else { 1.0 };
                println!(
                    "  {name} {packing} {tokens:2} tokens: {:6.1} G weights/s  {:5.1} GB/s  {:3.0} % of first-level  {:3.0} % of bandwidth",
                    rates[i] / 1e9,
                    bytes / 1e9,
                    100.0 * rates[i] / limit[i],
                    100.0 * bytes / bandwidth,
                );
            }
        }
    }
}

/// A line of tokens that differ.
fn line(config: &Config, plies: usize) -> Vec<Token> {
    let token = |ply: usize| match config.features {
        0 => Token::of_move((ply * 37 % config.vocab.size()) as u16),
        rows => {
            let pieces: Vec<u16> = (0..32).map(|i| ((ply * 331 + i * 97) % rows) as u16).collect();
            Token::new(&pieces, &[0, 1, 2, 3, 12, 20, 24], (ply * 37 % 1881) as u16)
        }
    };
    (0..plies).map(token).collect()
}

fn seconds(call: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64()
}

/// Passes per second by the fastest of many: a pass is long enough for the clock.
fn passes(mut pass: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    let mut best = f64::INFINITY;
    for turn in 0.. {
        best = best.min(seconds(|| pass(turn)));
        if turn >= 4 && start.elapsed() > PATIENCE {
            break;
        }
    }
    1.0 / best
}

fn net(name: &str, config: &Config, kernels: &'static Kernels) {
    let net = Arc::new(PolicyNet::new(config, Weights::random(config, 1), kernels));
    let mut session = Session::new(Arc::clone(&net));
    let rows: Vec<usize> = (0..35).map(|i| i * 97 % config.policy_rows()).collect();
    let tokens = line(config, 64);
    let mut other = tokens.clone();
    // The last token changes at every turn, so that one token is computed.
    let further = passes(|turn| {
        other[31] = tokens[32 + turn % 32];
        session.follow(&other[..32]);
        black_box(session.policy(&rows));
        black_box(session.value());
    });
    let full = [1, 4, 16, 32].map(|plies| {
        let rate = passes(|_| {
            session.clear();
            session.follow(&tokens[..plies]);
            black_box(session.policy(&rows));
        });
        (plies, rate)
    });
    let buffer = vec![1_u64; FLUSH / 8];
    let mut cold: Vec<f64> = (0..15)
        .map(|turn| {
            session.follow(&tokens[..31]);
            other[31] = tokens[32 + turn];
            black_box(black_box(&buffer).iter().sum::<u64>());
            1e3 * seconds(|| {
                session.follow(&other[..32]);
                black_box(session.policy(&rows));
            })
        })
        .collect();
    cold.sort_by(f64::total_cmp);
    println!(
        "  {name}: {:.2} M block weights, {:.2} MB; further token {:.3} ms ({:.0}/s), cold {:.3} ms",
        config.block_weights() as f64 / 1e6,
        net.packed_bytes() as f64 / 1e6,
        1e3 / further,
        further,
        cold[cold.len() / 2],
    );
    for (plies, rate) in full {
        println!(
            "    full pass of {plies:2} tokens: {:.3} ms, {:.0} tokens/s, {:.1} times a further token",
            1e3 / rate,
            rate * plies as f64,
            further / rate,
        );
    }
}

fn main() {
    // As many weights as the blocks of S and of the original have.
    let [small, large] = [1 << 20, 9 << 20].map(read_bandwidth);
    println!(
        "read bandwidth: {:.1} GB/s over 1 MiB, {:.1} GB/s over 9 MiB",
        small / 1e9,
        large / 1e9
    );
    let sizes = [
        ("6.3 M weights, rows of  256", 24576, 256, small),
        ("6.3 M weights, rows of  768", 8192, 768, small),
        ("37.7 M weights, rows of  512", 73728, 512, large),
        ("37.7 M weights, rows of 1536", 24576, 1536, large),
    ];
    let float =
        |config: Config| Config { act_quant: tabiya_nn::policy::config::ActQuant::None, ..config };
    // Plain Rust would keep the largest nets busy for minutes.
    for kernels in Kernels::available().take(1) {
        println!("{}, whole nets", kernels.name());
        net("XS", &Config::extra_small(), kernels);
        net("S", &Config::small(), kernels);
        net("S, float activations", &float(Config::small()), kernels);
        net("the original's shape", &Config::original(), kernels);
        net("the original's shape, float activations", &float(Config::original()), kernels);
    }
    for kernels in Kernels::available() {
        println!("{}", kernels.name());
        kernel(kernels, &sizes);
    }
}
