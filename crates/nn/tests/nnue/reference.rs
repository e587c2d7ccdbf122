//! The evaluation straight from its definition: slow, 64-bit, from the letters of a FEN.
//!
//! Nothing here uses the crate's own feature indices, bucket maps or constants.

use tabiya_chess::Board;
use tabiya_nn::{Activation, DeepParts, DenseActivation, HeadParts, Parts, Shape, SingleParts};

/// Bucket of each king square as its own side sees it: rank 1 first, files a to h.
fn king_buckets(count: usize) -> [&'static str; 8] {
    match count {
        1 => ["00000000"; 8],
        4 => [
            "00111100", "22222222", "33333333", "33333333", "33333333", "33333333", "33333333",
            "33333333",
        ],
        8 => [
            "01233210", "44555544", "66666666", "66666666", "66666666", "77777777", "77777777",
            "77777777",
        ],
        16 => [
            "01233210", "45677654", "88999988", "aabbbbaa", "ccddddcc", "eeeeeeee", "ffffffff",
            "ffffffff",
        ],
        _ => panic!("no such map"),
    }
}

pub(crate) fn evaluate(shape: Shape, parts: &Parts, board: &Board) -> i32 {
    evaluate_fen(shape, parts, &board.to_string())
}

fn evaluate_fen(shape: Shape, parts: &Parts, fen: &str) -> i32 {
    let mut fields = fen.split(' ');
    let (Some(placement), Some(side)) = (fields.next(), fields.next()) else { panic!("{fen}") };
    // (letter, rank from the bottom, file)
    let mut pieces = Vec::new();
    for (down, row) in placement.split('/').enumerate() {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(gap) = letter.to_digit(10) {
                file += gap as usize;
            } else {
                pieces.push((letter, 7 - down, file));
                file += 1;
            }
        }
    }
    let white = hidden(shape, parts, &pieces, true);
    let black = hidden(shape, parts, &pieces, false);
    let (us, them) = if side == "w" { (white, black) } else { (black, white) };
    let output = if shape.output_buckets() == 8 { ((pieces.len() - 2) / 4).min(7) } else { 0 };
    match &parts.head {
        HeadParts::Single(single) => single_value(shape, single, output, &us, &them),
        HeadParts::Deep(deep) => deep_value(shape, deep, output, &us, &them),
    }
}

fn single_value(shape: Shape, parts: &SingleParts, output: usize, us: &[i64], them: &[i64]) -> i32 {
    let weights = &parts.output_weights[output * 2 * shape.hidden()..];
    let mut sum = 0_i64;
    for (neuron, weight) in us.iter().chain(them).zip(weights) {
        let activation = (*neuron).clamp(0, 255);
        sum += activation * activation * *weight as i64;
    }
    let value = (sum / 255 + parts.output_bias[output] as i64) * 400 / (255 * 64);
    i32::try_from(value).expect("an evaluation fits 32 bits")
}

/// Dense layers with f32 sums in the order of the inputs; the last sum joins halves.
fn deep_value(shape: Shape, parts: &DeepParts, output: usize, us: &[i64], them: &[i64]) -> i32 {
    let tail = shape.tail().expect("dense layers");
    let mut bytes = Vec::new();
    for hidden in [us, them] {
        let clamped: Vec<i64> = hidden.iter().map(|neuron| (*neuron).clamp(0, 255)).collect();
        match shape.activation() {
            Activation::Squared => bytes.extend(clamped.iter().map(|x| x * x / 512)),
            Activation::Pairwise => {
                let (a, b) = clamped.split_at(clamped.len() / 2);
                bytes.extend(a.iter().zip(b).map(|(a, b)| a * b / 512));
            }
        }
    }
    let mut inputs = vec![0.0_f32; tail.second_inputs()];
    for neuron in 0..16 {
        let row = &parts.first_weights[(16 * output + neuron) * bytes.len()..];
        let sum: i64 = bytes.iter().zip(row).map(|(x, weight)| x * *weight as i64).sum();
        let x = sum as i32 as f32 * (512.0 / (255.0 * 255.0 * 64.0))
            + parts.first_bias[16 * output + neuron];
        inputs[neuron] = activated(x, tail.first.activation);
        if tail.first.activation == DenseActivation::Dual {
            inputs[16 + neuron] = f32::min(x * x, 1.0);
        }
    }
    let width = tail.second.outputs;
    let mut numbers = [0.0_f32; 32];
    for (neuron, number) in numbers[..width].iter_mut().enumerate() {
        // Inputs with even and odd numbers are summed apart.
        let mut sums = [parts.second_bias[width * output + neuron], 0.0];
        for (input, x) in inputs.iter().enumerate() {
            sums[input % 2] +=
                x * parts.second_weights[(inputs.len() * output + input) * width + neuron];
        }
        *number = activated(sums[0] + sums[1], tail.second.activation)
            * parts.output_weights[width * output + neuron];
    }
    let mut count = 32;
    while count > 1 {
        count /= 2;
        for i in 0..count {
            numbers[i] += numbers[i + count];
        }
    }
    ((numbers[0] + parts.output_bias[output]) * 400.0) as i32
}

fn activated(x: f32, activation: DenseActivation) -> f32 {
    let clipped = x.clamp(0.0, 1.0);
    if activation == DenseActivation::Squared { clipped * clipped } else { clipped }
}

fn hidden(
    shape: Shape,
    parts: &Parts,
    pieces: &[(char, usize, usize)],
    is_white: bool,
) -> Vec<i64> {
    let own_king = if is_white { 'K' } else { 'k' };
    let &(_, king_rank, king_file) =
        pieces.iter().find(|piece| piece.0 == own_king).expect("a king");
    let seen_rank = |rank: usize| if is_white { rank } else { 7 - rank };
    let seen_file = |file: usize| if king_file >= 4 { 7 - file } else { file };
    let map = king_buckets(shape.king_buckets());
    let bucket = map[seen_rank(king_rank)].as_bytes()[king_file] as char;
    let bucket = bucket.to_digit(36).expect("a digit");
    let mut sums: Vec<i64> = parts.ft_bias.iter().map(|bias| *bias as i64).collect();
    for &(letter, rank, file) in pieces {
        let is_own = letter.is_uppercase() == is_white;
        let kind = "pnbrqk".find(letter.to_ascii_lowercase()).expect("a piece");
        let plane = if is_own { kind } else { 6 + kind };
        let feature = ((bucket as usize * 12 + plane) * 8 + seen_rank(rank)) * 8 + seen_file(file);
        let row = &parts.ft_weights[feature * shape.hidden()..];
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += *weight as i64;
        }
    }
    if shape.sees_threats() {
        let seen: Vec<Seen> = pieces
            .iter()
            .map(|&(letter, rank, file)| Seen {
                kind: letter.to_ascii_lowercase(),
                is_own: letter.is_uppercase() == is_white,
                rank: seen_rank(rank) as i32,
                file: seen_file(file) as i32,
            })
            .collect();
        for feature in threats(&seen) {
            let row = &parts.threat_weights[feature * shape.hidden()..];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += *weight as i64;
            }
        }
    }
    sums
}

/// A piece as one side sees it.
#[derive(Clone, Copy)]
struct Seen {
    kind: char,
    is_own: bool,
    rank: i32,
    file: i32,
}

impl Seen {
    fn square(self) -> i32 {
        8 * self.rank + self.file
    }
}

/// Whether a piece of this kind goes from one square to the other on an empty board.
fn goes(kind: char, is_own: bool, from: (i32, i32), to: (i32, i32)) -> bool {
    let (up, right) = (to.0 - from.0, to.1 - from.1);
    let (far, near) = (up.abs().max(right.abs()), up.abs().min(right.abs()));
    match kind {
        'p' => up == if is_own { 1 } else { -1 } && right.abs() == 1 && (1..7).contains(&from.0),
        'n' => (far, near) == (2, 1),
        'b' => far > 0 && far == near,
        'r' => far > 0 && near == 0,
        'q' => far > 0 && (near == 0 || far == near),
        _ => false,
    }
}

/// The numbers of all threats: attackers own and enemy, `pnbrq`; victims likewise; then all pairs of squares
/// between which the attacker goes, in order.
fn threats(pieces: &[Seen]) -> Vec<usize> {
    static PAIRS: std::sync::LazyLock<Vec<Vec<(i32, i32)>>> = std::sync::LazyLock::new(|| {
        let squares = || (0..8).flat_map(|rank| (0..8).map(move |file| (rank, file)));
        let number = |(rank, file): (i32, i32)| 8 * rank + file;
        let kinds =
            [true, false].into_iter().flat_map(|own| "pnbrq".chars().map(move |k| (k, own)));
        kinds
            .map(|(kind, is_own)| {
                squares()
                    .flat_map(|from| squares().map(move |to| (from, to)))
                    .filter(|(from, to)| goes(kind, is_own, *from, *to))
                    .map(|(from, to)| (number(from), number(to)))
                    .collect()
            })
            .collect()
    });
    let slot =
        |piece: Seen| "pnbrq".find(piece.kind).expect("no king") + if piece.is_own { 0 } else { 5 };
    let mut found = Vec::new();
    for attacker in pieces.iter().filter(|piece| piece.kind != 'k') {
        for victim in pieces.iter().filter(|piece| piece.kind != 'k') {
            let (from, to) = ((attacker.rank, attacker.file), (victim.rank, victim.file));
            if !goes(attacker.kind, attacker.is_own, from, to) {
                continue;
            }
            let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs());
            let is_blocked = attacker.kind != 'n'
                && (1..steps).any(|step| {
                    let rank = from.0 + step * (to.0 - from.0).signum();
                    let file = from.1 + step * (to.1 - from.1).signum();
                    pieces.iter().any(|piece| (piece.rank, piece.file) == (rank, file))
                });
            // The other one attacks back.
            let is_mutual = attacker.kind == victim.kind
                && goes(victim.kind, victim.is_own, to, from)
                && attacker.square() < victim.square();
            if is_blocked || is_mutual {
                continue;
            }
            let first: usize = PAIRS[..slot(*attacker)].iter().map(|pairs| 10 * pairs.len()).sum();
            let pairs = &PAIRS[slot(*attacker)];
            let pair = (attacker.square(), victim.square());
            let place = pairs.binary_search(&pair).expect("it goes there");
            found.push(first + slot(*victim) * pairs.len() + place);
        }
    }
    found
}

#[test]
fn a_net_with_one_active_feature_gives_the_value_worked_out_by_hand() {
    // Only White's own queen on a1 (seen from a king on the a-d side) feeds one neuron.
    let shape = Shape::new(128, 1, 1).unwrap();
    let mut parts = Parts::zeros(shape);
    parts.ft_weights[(4 * 64) * 128 + 5] = 200;
    let mut output_weights = vec![0; 256];
    output_weights[5] = 64;
    output_weights[128 + 5] = -32;
    parts.head = HeadParts::Single(SingleParts { output_weights, output_bias: vec![0] });
    // 200^2 * 64 / 255 = 10039; * 400 / 16320 = 246.
    assert_eq!(evaluate_fen(shape, &parts, "7k/8/8/8/8/8/8/Q2K4 w - - 0 1"), 246);
    // Black to move sees the same neuron in the other half: 200^2 * -32 / 255 = -5019.
    assert_eq!(evaluate_fen(shape, &parts, "7k/8/8/8/8/8/8/Q2K4 b - - 0 1"), -123);
    // A king on e1 mirrors the board: the queen is then seen on h1.
    assert_eq!(evaluate_fen(shape, &parts, "7k/8/8/8/8/8/8/Q3K3 w - - 0 1"), 0);
    assert_eq!(evaluate_fen(shape, &parts, "7k/8/8/8/8/8/8/4K2Q w - - 0 1"), 246);
    // Black's own queen on a8 is on a1 for Black, whose king on d8 needs no mirror.
    assert_eq!(evaluate_fen(shape, &parts, "q2k4/8/8/8/8/8/8/4K3 b - - 0 1"), 246);
}
