//! Random numbers, positions and nets, the same in every run.

use std::sync::Arc;
use tabiya_chess::{Board, CastlingClaim, Color, File, Piece, Setup, Square};
use tabiya_nn::{
    DENSE_LIMIT, DeepParts, FT_LIMIT, HeadParts, Network, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT,
    OUTPUT_SUM_LIMIT, Parts, QA, QB, Shape, SingleParts, THREAT_LIMIT, Tail,
};

/// The `SplitMix64` generator (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number of magnitude `limit` or less.
    pub(crate) fn within(&mut self, limit: i32) -> i32 {
        self.below(2 * limit as usize + 1) as i32 - limit
    }
}

/// A Chess960 starting position.
pub(crate) fn shuffled_start(random: &mut Random) -> Board {
    let mut files: Vec<usize> = (0..8).collect();
    let mut row = [' '; 8];
    for color in 0..2 {
        let choices: Vec<_> = files.iter().copied().filter(|file| file % 2 == color).collect();
        let file = choices[random.below(choices.len())];
        row[file] = 'b';
        files.retain(|other| *other != file);
    }
    for letter in ['q', 'n', 'n'] {
        row[files.remove(random.below(files.len()))] = letter;
    }
    for (file, letter) in files.iter().zip(['r', 'k', 'r']) {
        row[*file] = letter;
    }
    let black: String = row.iter().collect();
    let white = black.to_uppercase();
    Board::from_fen(&format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"), true)
        .expect("a starting position")
}

/// Pieces thrown onto a board, from two kings alone to a crowd that fills it.
pub(crate) fn scattered(random: &mut Random) -> Board {
    loop {
        let mut setup = Setup::empty();
        setup.side = Color::ALL[random.below(2)];
        let wish = [4, 12, 32, 64][random.below(4)];
        for _ in 0..random.below(wish) {
            let sq = Square::ALL[random.below(64)];
            setup.pieces[sq] = Some(Piece::ALL[random.below(10)]);
        }
        for king in [Piece::WhiteKing, Piece::BlackKing] {
            setup.pieces[Square::ALL[random.below(64)]] = Some(king);
        }
        for file in [File::A, File::H] {
            setup.castling.push((Color::White, CastlingClaim::File(file)));
        }
        if let Ok((board, _)) = setup.to_board_lenient(true) {
            return board;
        }
    }
}

/// The characters of random nets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flavor {
    /// Sizes as in a trained net.
    Mild,
    /// Every weight anywhere inside the limits.
    Wild,
    /// Every weight at a limit, outputs at the largest sum that the loader accepts.
    Extreme,
}

pub(crate) fn net(random: &mut Random, shape: Shape, flavor: Flavor) -> Arc<Network> {
    let parts = parts(random, shape, flavor);
    Arc::new(Network::from_parts(shape, &parts, "random").expect("inside the limits"))
}

pub(crate) fn parts(random: &mut Random, shape: Shape, flavor: Flavor) -> Parts {
    let hidden = shape.hidden();
    let ft_limit = FT_LIMIT as i32;
    let ft = |random: &mut Random| match flavor {
        Flavor::Mild => (random.within(60) + random.within(60)) as i16,
        Flavor::Wild => random.within(ft_limit) as i16,
        Flavor::Extreme => [FT_LIMIT, -FT_LIMIT, FT_LIMIT][random.below(3)],
    };
    let ft_weights = (0..shape.features() * hidden).map(|_| ft(random)).collect();
    let ft_bias = (0..hidden).map(|_| ft(random)).collect();
    let threat_limit = THREAT_LIMIT as i32;
    let threat = |random: &mut Random| match flavor {
        Flavor::Mild => random.within(20) as i8,
        Flavor::Wild => random.within(threat_limit) as i8,
        Flavor::Extreme => [threat_limit, -threat_limit, threat_limit][random.below(3)] as i8,
    };
    let threat_weights = (0..shape.threats() * hidden).map(|_| threat(random)).collect();
    let head = match shape.tail() {
        Some(tail) => HeadParts::Deep(deep(random, shape, tail, flavor)),
        None => HeadParts::Single(single(random, shape, flavor)),
    };
    Parts { ft_weights, ft_bias, threat_weights, head }
}

fn single(random: &mut Random, shape: Shape, flavor: Flavor) -> SingleParts {
    let hidden = shape.hidden();
    let mut output_weights = Vec::new();
    for _ in 0..shape.output_buckets() {
        output_weights.extend(output_row(random, 2 * hidden, flavor));
    }
    let bias_limit = match flavor {
        Flavor::Mild => QA * QB,
        _ => OUTPUT_BIAS_LIMIT,
    };
    let output_bias = (0..shape.output_buckets()).map(|_| random.within(bias_limit)).collect();
    SingleParts { output_weights, output_bias }
}

fn deep(random: &mut Random, shape: Shape, tail: Tail, flavor: Flavor) -> DeepParts {
    let outputs = shape.output_buckets();
    let limit = DENSE_LIMIT as i32;
    let first_weights = (0..outputs * tail.first.outputs * 2 * shape.activations())
        .map(|_| match flavor {
            Flavor::Mild => random.within(9) as i8,
            Flavor::Wild => random.within(limit) as i8,
            Flavor::Extreme => [limit, -limit, limit][random.below(3)] as i8,
        })
        .collect();
    let mut floats = |count: usize, reach: f32| -> Vec<f32> {
        let size = match flavor {
            Flavor::Mild => reach,
            Flavor::Wild => 10.0 * reach,
            Flavor::Extreme => 1000.0,
        };
        (0..outputs * count)
            .map(|_| random.within(1 << 20) as f32 / (1 << 20) as f32 * size)
            .collect()
    };
    let second = tail.second.outputs;
    DeepParts {
        first_weights,
        first_bias: floats(tail.first.outputs, 0.5),
        second_weights: floats(tail.second_inputs() * second, 0.5),
        second_bias: floats(second, 0.5),
        output_weights: floats(second, 1.0),
        output_bias: floats(1, 1.0),
    }
}

/// Weights of one output whose positive and negative sums the loader accepts.
fn output_row(random: &mut Random, len: usize, flavor: Flavor) -> Vec<i16> {
    let only = [None, Some(1), Some(-1)][random.below(3)];
    let mut left = [OUTPUT_SUM_LIMIT; 2];
    let mut row = vec![0; len];
    let start = random.below(len);
    for i in 0..len {
        let limit = OUTPUT_LIMIT as i32;
        let wish = match flavor {
            Flavor::Mild => random.within(40),
            Flavor::Wild => random.within(limit),
            Flavor::Extreme => only.unwrap_or([1, -1][random.below(2)]) * limit,
        };
        let room = &mut left[usize::from(wish < 0)];
        let weight = wish.clamp(-*room, *room);
        *room -= weight.abs();
        row[(start + i) % len] = weight as i16;
    }
    row
}
