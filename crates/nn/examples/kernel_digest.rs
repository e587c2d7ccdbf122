//! Runs every kernel of this machine against the reference and prints a digest of the results.
//!
//! Equal digests on two machines mean equal evaluations; `scripts/cross-test` compares them across
//! instruction sets. WebAssembly has no terminal: there the host calls the exported functions.
#![cfg_attr(
    target_arch = "wasm32",
    expect(unsafe_code, reason = "functions for the host need names that are not mangled")
)]

#[path = "../tests/nnue/random.rs"]
mod random;
#[path = "../tests/nnue/reference.rs"]
mod reference;

use random::{Flavor, Random};
use tabiya_chess::Board;
use tabiya_nn::simd::Kernels;
use tabiya_nn::{Accumulators, Delta, Shape};

const LINES: usize = 40;
const PLIES: usize = 25;

fn digest(kernels: &'static Kernels) -> u64 {
    let mut digest = 0_u64;
    let mut random = Random(2024);
    for text in [
        "768x8-128s-1x8",
        "768x4-256s-1x1",
        "768x1-384s-1x8",
        "768x4-512s-1x8",
        "768x8-768s-1x1",
        "768x1-1024s-1x8",
        "768x16-128p-16d-32s-1x8",
        "768x4-256s-16c-8c-1x1",
        "768x8-640p-16s-16c-1x8",
        "768x1-1024p-16d-32s-1x8",
        "768x8+threats-128p-16d-32s-1x8",
    ] {
        let shape: Shape = text.parse().expect("a known shape");
        for flavor in [Flavor::Mild, Flavor::Wild, Flavor::Extreme] {
            let net = random::net(&mut random, shape, flavor);
            let parts = net.to_parts();
            let mut accumulators = Accumulators::with_kernels(&net, kernels);
            for line in 0..LINES {
                let mut board = match line % 3 {
                    0 => random::shuffled_start(&mut random),
                    1 => random::scattered(&mut random),
                    _ => Board::default(),
                };
                accumulators.reset(&board);
                for _ in 0..PLIES {
                    let value = accumulators.evaluate(&board);
                    assert_eq!(
                        value,
                        reference::evaluate(shape, &parts, &board),
                        "{kernels:?} {shape:?} {flavor:?} {board}"
                    );
                    digest = (digest ^ value as u32 as u64).wrapping_mul(0x100_0000_01b3);
                    let moves = board.legal_moves();
                    let Some(mv) = moves.get(random.below(moves.len().max(1))) else { break };
                    accumulators.push(Delta::new(&board, mv));
                    board.play(mv);
                }
            }
        }
    }
    digest
}

fn main() {
    for kernels in Kernels::available() {
        println!("{} {:016x}", kernels.name(), digest(kernels));
    }
}

/// How many kernels [`kernel_digest`] knows.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn kernel_count() -> u32 {
    Kernels::available().count() as u32
}

/// The digest of one kernel, the fastest being number 0.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn kernel_digest(number: u32) -> u64 {
    Kernels::available().nth(number as usize).map_or(0, digest)
}
