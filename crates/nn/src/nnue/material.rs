//! A hand-made net that counts material, for tests and for playing before any net is trained.

use super::arch::PIECE_SQUARES;
use super::network::Network;
use super::parts::{HeadParts, Parts, SingleParts};
use super::shape::Shape;
use tabiya_chess::{PieceType, Square};

/// Both neurons of a pair rest at the middle of the linear range.
const MIDDLE: i16 = 127;

/// One type of piece: its value, how far one piece moves its neurons, and how many pairs of
/// neurons share the value so that no output weight gets too large.
struct Term {
    kind: PieceType,
    centipawns: f64,
    step: i16,
    pairs: usize,
}

#[rustfmt::skip]
const TERMS: [Term; 5] = [
    Term { kind: PieceType::Pawn, centipawns: 100.0, step: 15, pairs: 1 },
    Term { kind: PieceType::Knight, centipawns: 320.0, step: 12, pairs: 3 },
    Term { kind: PieceType::Bishop, centipawns: 330.0, step: 12, pairs: 3 },
    Term { kind: PieceType::Rook, centipawns: 500.0, step: 12, pairs: 4 },
    Term { kind: PieceType::Queen, centipawns: 900.0, step: 12, pairs: 7 },
];

impl Network {
    /// A net whose evaluation is the material balance within a few centipawns.
    ///
    /// The squared activation is made linear by pairs of neurons: with `x` the number of own
    /// minus enemy pieces, `(middle + x)^2 - (middle - x)^2 = 4 * middle * x`.
    pub fn material(shape: Shape) -> Self {
        let hidden = shape.hidden();
        let outputs = shape.output_buckets();
        let mut ft_weights = vec![0; shape.features() * hidden];
        let mut ft_bias = vec![0; hidden];
        let mut output_weights = vec![0; outputs * 2 * hidden];
        let mut neuron = 0;
        for term in TERMS {
            for _ in 0..term.pairs {
                for (sign, neuron) in [(1, neuron), (-1, neuron + 1)] {
                    ft_bias[neuron] = MIDDLE;
                    for feature in 0..shape.features() {
                        // The layout of a feature index within its king bucket.
                        let enemy = feature % PIECE_SQUARES / Square::COUNT / PieceType::COUNT == 1;
                        let kind = feature / Square::COUNT % PieceType::COUNT;
                        if kind == term.kind.index() {
                            let side = if enemy { -sign } else { sign };
                            ft_weights[feature * hidden + neuron] = side * term.step;
                        }
                    }
                    for row in output_weights.chunks_mut(2 * hidden) {
                        row[neuron] = sign * term.output_weight();
                        row[hidden + neuron] = -sign * term.output_weight();
                    }
                }
                neuron += 2;
            }
        }
        let single = SingleParts { output_weights, output_bias: vec![0; outputs] };
        let parts = Parts {
            ft_weights,
            ft_bias,
            threat_weights: Vec::new(),
            head: HeadParts::Single(single),
        };
        Self::from_parts(shape, &parts, "material count, made by hand")
            .expect("the material net keeps all limits")
    }
}

impl Term {
    /// The weight with which one piece adds its value, over all pairs and both sides' halves.
    fn output_weight(&self) -> i16 {
        let shares = 2.0 * self.pairs as f64;
        let per_weight = 4.0 * MIDDLE as f64 * self.step as f64;
        let one = super::QA as f64 * super::QA as f64 * super::QB as f64;
        (self.centipawns * one / (super::SCALE as f64 * shares * per_weight)).round() as i16
    }
}
