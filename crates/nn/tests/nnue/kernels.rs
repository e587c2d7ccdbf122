//! Every kernel equals the reference, bit for bit.

use crate::random::{self, Flavor, Random};
use crate::reference;
use tabiya_chess::Board;
use tabiya_nn::simd::Kernels;
use tabiya_nn::{Accumulators, Delta, Shape, SmallLine, WordLine};

/// Nets with dense layers: all activations, narrow and wide.
const DEEP: [&str; 7] = [
    "768x1-128p-16d-32s-1x1",
    "768x16-256p-16s-16c-1x8",
    "768x8-640s-16c-8c-1x8",
    "768x8-1024p-16d-32s-1x8",
    "768x1-1024s-16d-32c-1x8",
    "768x8+threats-128p-16d-32s-1x8",
    "768x1+threats-384s-16d-32s-1x8",
];

/// Compared evaluations over all kernels and shapes.
const EVALUATIONS: usize = 1_000_000;

#[test]
fn a_million_evaluations_equal_the_reference() {
    let shapes: Vec<Shape> = [
        (128, 1, 1),
        (128, 8, 8),
        (256, 4, 8),
        (384, 1, 8),
        (512, 4, 8),
        (512, 1, 1),
        (768, 8, 1),
        (1024, 4, 8),
    ]
    .into_iter()
    .map(|(hidden, kings, outputs)| Shape::new(hidden, kings, outputs).unwrap())
    .chain(DEEP.map(|text| text.parse().unwrap()))
    .collect();
    let flavors = [Flavor::Mild, Flavor::Wild, Flavor::Extreme];
    let kernels: Vec<_> = Kernels::available().collect();
    // A position is evaluated twice by each kernel: after a move and after a refresh.
    let positions = EVALUATIONS / (2 * kernels.len() * shapes.len() * flavors.len()) + 1;
    // Small nets are cheap to check: two threads, one for each half of the shapes.
    std::thread::scope(|scope| {
        for (seed, half) in [&shapes[..8], &shapes[8..]].into_iter().enumerate() {
            let kernels = &kernels;
            scope.spawn(move || {
                for (shape, flavor) in half.iter().flat_map(|s| flavors.map(|f| (*s, f))) {
                    compare(&mut Random(seed as u64), shape, flavor, kernels, positions);
                }
            });
        }
    });
}

fn compare(
    random: &mut Random,
    shape: Shape,
    flavor: Flavor,
    kernels: &[&'static Kernels],
    positions: usize,
) {
    let net = random::net(random, shape, flavor);
    let parts = net.to_parts();
    let mut pairs: Vec<_> = kernels
        .iter()
        .map(|kernels| [(); 2].map(|()| Accumulators::with_kernels(&net, kernels)))
        .collect();
    let mut board = Board::default();
    let mut plies = 0;
    for _ in 0..positions {
        let moves = board.legal_moves();
        let moved = moves.get(random.below(moves.len().max(1))).filter(|_| plies < 60);
        if let Some(mv) = moved {
            for [moving, _] in &mut pairs {
                moving.push(Delta::new(&board, mv));
            }
            board.play(mv);
            plies += 1;
        } else {
            board = random::scattered(random);
            plies = 0;
            for [moving, _] in &mut pairs {
                moving.reset(&board);
            }
        }
        let expected = reference::evaluate(shape, &parts, &board);
        for (kernels, [moving, fresh]) in kernels.iter().zip(&mut pairs) {
            fresh.reset(&board);
            let found = [moving, fresh].map(|accumulators| accumulators.evaluate(&board));
            assert_eq!(found, [expected; 2], "{kernels:?} {shape:?} {flavor:?} {board}");
        }
    }
}

#[test]
fn kernels_agree_on_numbers_no_net_would_have() {
    let random = &mut Random(7);
    let mut lines = |count: usize| {
        let numbers: Vec<i16> = (0..32 * count).map(|_| random.next() as i16).collect();
        WordLine::pack(&numbers)
    };
    let scalar = Kernels::named("scalar").unwrap();
    for length in [4, 8, 12, 16, 24, 32] {
        let weights = lines(10 * length);
        let (us, them) = (lines(length), lines(length));
        let small: Vec<i8> =
            weights[..5 * length].iter().flat_map(|line| line.0).map(|x| x as i8).collect();
        let small = SmallLine::pack(&small);
        for kernels in Kernels::available() {
            let run = |kernels: &Kernels| {
                let mut out = vec![vec![WordLine::ZERO; length]; 7];
                let [a, b, c, d, e, f, g] = &mut out[..] else { unreachable!() };
                kernels.add1_sub1(a, &us, &weights, [3], [9]);
                kernels.add1_sub2(b, &us, &weights, [0], [1, 7]);
                kernels.add2_sub2(c, &us, &weights, [4, 4], [2, 6]);
                d.copy_from_slice(&us);
                kernels.refresh(d, e, &weights, &[0, 1, 2, 3, 9], &[4, 4, 8]);
                kernels.adjust(f, &us, &small, &[0, 4, 1], &[3, 2]);
                kernels.join(g, &us, &them);
                let forward = kernels.forward([&us, &them], &weights[..2 * length]);
                (out, forward)
            };
            assert!(run(kernels) == run(scalar), "{kernels:?} {length}");
        }
    }
}

#[test]
fn the_best_kernels_come_first_and_scalar_always_works() {
    let names: Vec<_> = Kernels::available().map(Kernels::name).collect();
    assert_eq!(names.last(), Some(&"scalar"));
    assert_eq!(names[0], Kernels::best().name());
    for name in names {
        assert_eq!(Kernels::named(name).map(Kernels::name), Some(name));
    }
    assert!(Kernels::named("abacus").is_none());
}

/// Asks the operating system, not the crate, what the processor can do.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn available_kernels_need_only_what_the_processor_has() {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").expect("readable on Linux");
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).expect("a list of flags");
    // The kernel writes avx512_vnni where the compiler says avx512vnni.
    let flags = flags.replace('_', "");
    let flags: Vec<_> = flags.split_whitespace().collect();
    for kernels in Kernels::available() {
        for need in kernels.needs() {
            assert!(flags.contains(need), "{kernels:?} needs {need}");
        }
    }
}

#[test]
#[should_panic(expected = "out of range")]
fn a_row_beyond_the_weights_panics() {
    let weights = vec![WordLine::ZERO; 8];
    let mut dst = vec![WordLine::ZERO; 4];
    Kernels::best().add1_sub1(&mut dst, &weights[..4], &weights, [2], [0]);
}
