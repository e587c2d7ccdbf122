//! The forward pass equals the definition, on every machine with the same bits.

use crate::games::{Random, line, net, original, shapes, small};
use crate::reference;
use std::sync::Arc;
use tabiya_chess::Board;
use tabiya_nn::policy::config::{ActQuant, Config};
use tabiya_nn::policy::input::{self, Skill};
use tabiya_nn::policy::{PolicyNet, Session, Value, Weights, vocab};
use tabiya_nn::simd::ternary::Kernels;

/// The distance of two vectors, relative to the length of the second.
fn distance(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let square: f64 = found.iter().zip(expected).map(|(a, b)| (*a as f64 - b).powi(2)).sum();
    (square / expected.iter().map(|x| x * x).sum::<f64>()).sqrt()
}

#[test]
fn hidden_states_and_heads_equal_the_definition() {
    for (seed, config) in shapes().into_iter().enumerate() {
        let weights = Weights::random(&config, seed as u64);
        let tokens = line(&mut Random(seed as u64), &config, 10);
        let expected = reference::hidden(&config, &weights, &tokens);
        let net = Arc::new(PolicyNet::new(&config, weights.clone(), Kernels::best()));
        let mut session = Session::new(net);
        // Rounding to 8 bits may fall on the other side of a tie; floats may not differ at all.
        let limit = if config.act_quant == ActQuant::None { 1e-5 } else { 1e-2 };
        for (ply, expected) in expected.iter().enumerate() {
            session.follow(&tokens[..=ply]);
            let found = distance(session.hidden(), expected);
            assert!(found < limit, "{config:?} ply {ply}: {found}");
            let rows: Vec<usize> = (0..config.policy_rows()).step_by(7).collect();
            let logits = reference::head(&config, &weights.policy, expected);
            let logits: Vec<f64> = rows.iter().map(|row| logits[*row]).collect();
            let found = distance(&session.logits(&rows).unwrap(), &logits);
            assert!(found < 2.0 * limit, "{config:?} ply {ply}: {found}");
            let value = match session.value().unwrap() {
                Value::Wdl(chances) => chances.to_vec(),
                Value::Score(score) => vec![score],
            };
            let truth = reference::value(&config, &weights, expected);
            for (found, truth) in value.iter().zip(truth) {
                assert!((*found as f64 - truth).abs() < 2.0 * limit, "{config:?} {found} {truth}");
            }
        }
    }
}

/// Everything that a pass gives, as bits.
fn bits(config: &Config, kernels: &'static Kernels, plies: usize) -> Vec<u32> {
    let mut session = Session::new(net(config, 11, kernels));
    session.follow(&line(&mut Random(12), config, plies));
    let rows: Vec<usize> = (0..config.policy_rows()).step_by(50).collect();
    let mut numbers = session.hidden().to_vec();
    numbers.extend(session.policy(&rows).expect("finite numbers"));
    match session.value().expect("finite numbers") {
        Value::Wdl(chances) => numbers.extend(chances),
        Value::Score(score) => numbers.push(score),
    }
    numbers.into_iter().map(f32::to_bits).collect()
}

#[test]
fn every_kernel_gives_the_same_bits() {
    let scalar = Kernels::available().last().unwrap();
    for config in shapes() {
        let expected = bits(&config, scalar, 9);
        for kernels in Kernels::available() {
            assert!(bits(&config, kernels, 9) == expected, "{kernels:?} {config:?}");
        }
    }
}

/// The digest that every machine must give: it is compared on ARM and WebAssembly, too.
#[test]
fn the_bits_are_those_of_all_machines() {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for config in shapes() {
        for bits in bits(&config, Kernels::best(), 9) {
            digest = (digest ^ bits as u64).wrapping_mul(0x100_0000_01b3);
        }
    }
    assert_eq!(format!("{digest:016x}"), "98fb849923de73a5");
}

#[test]
fn a_file_and_its_weights_give_the_same_net() {
    for config in [small(), original()] {
        let weights = Weights::random(&config, 3);
        let file = weights.to_gguf(&config, &[]);
        let loaded = PolicyNet::load(&file).unwrap();
        assert!(loaded.id() != 0 && *loaded.config() == config);
        let made = PolicyNet::new(&config, weights, Kernels::best());
        let tokens = line(&mut Random(4), &config, 5);
        let [a, b] = [loaded, made].map(|net| {
            let mut session = Session::new(Arc::new(net));
            session.follow(&tokens);
            session.hidden().to_vec()
        });
        assert_eq!(a, b);
    }
}

#[test]
fn colours_are_treated_alike_to_the_last_bit() {
    let config = small();
    let net = net(&config, 1, Kernels::best());
    let mut session = Session::new(net);
    let random = &mut Random(99);
    let mut board = Board::default();
    let mut plies = 0;
    for _ in 0..10_000 {
        let moves = board.legal_moves();
        let Some(mv) = moves.get(random.below(moves.len().max(1))).filter(|_| plies < 120) else {
            (board, plies) = (Board::default(), 0);
            continue;
        };
        let [ours, theirs] = [board, board.mirrored()].map(|board| {
            session.follow(&[input::token(&board, None, 0, Skill::ENGINE)]);
            let mut rows: Vec<usize> = board
                .legal_moves()
                .iter()
                .map(|mv| vocab::policy_row(mv, board.side_to_move(), false))
                .collect();
            rows.sort_unstable();
            (session.policy(&rows).unwrap(), session.value(), rows)
        });
        assert_eq!(ours, theirs, "{board}");
        board.play(mv);
        plies += 1;
    }
}

#[test]
fn chances_add_up_for_one_move_and_for_218() {
    let config = small();
    let mut session = Session::new(net(&config, 1, Kernels::best()));
    for (fen, count) in [
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218),
        ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", 0),
        ("7k/8/8/8/8/8/8/K5R1 b - - 0 1", 1),
    ] {
        let board: Board = fen.parse().unwrap();
        let rows: Vec<usize> = board
            .legal_moves()
            .iter()
            .map(|mv| vocab::policy_row(mv, board.side_to_move(), false))
            .collect();
        assert_eq!(rows.len(), count, "{fen}");
        session.follow(&[input::token(&board, None, 0, Skill::ENGINE)]);
        let chances = session.policy(&rows).unwrap();
        let sum: f32 = chances.iter().sum();
        assert!(count == 0 || (sum - 1.0).abs() < 1e-5, "{fen}: {sum}");
    }
}

#[test]
fn a_net_that_overflows_says_nothing() {
    let config = small();
    let mut weights = Weights::random(&config, 1);
    weights.output_norm.fill(f32::MAX);
    let mut session = Session::new(Arc::new(PolicyNet::new(&config, weights, Kernels::best())));
    session.follow(&line(&mut Random(1), &config, 1));
    assert_eq!((session.policy(&[0, 1, 2]), session.value()), (None, None));
}
