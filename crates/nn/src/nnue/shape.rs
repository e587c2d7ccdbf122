//! What a net looks like: the list of its layers, from the features it sees to its outputs.
//!
//! ```text
//! per side: 768 piece-squares x king buckets [+ threats] -> hidden (i16, +QA = 1.0), mirrored by king file
//! side to move's hidden ++ other side's hidden -> activation -> [16 -> 8, 16 or 32] -> output buckets
//! ```
//!
//! A [`Shape`] is the only source of these sizes: file format, loader, kernels and trainer follow it.
//! Its text, for example `768x8-1024p-16d-32s-1x8` or `768x8+threats-512p-16d-32s-1x8`, reads from input to
//! output.

use super::NetError;
use super::arch::{PIECE_SQUARES, QA, QB, SCALE, fnv1a};
use super::threats::Threat;
use std::fmt;
use std::str::FromStr;
use tabiya_chess::Square;

/// What the hidden layer hands to the layer after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// `clamp(x, 0, 1)^2`, the squared clipped `ReLU` (`SCReLU`): one number per neuron.
    Squared,
    /// The product of two neurons half a layer apart, both clamped to `0..1`: one number per pair.
    Pairwise,
}

/// What a small dense layer hands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DenseActivation {
    /// `clamp(x, 0, 1)`.
    Clipped,
    /// `clamp(x, 0, 1)^2`.
    Squared,
    /// Both `clamp(x, 0, 1)` and `min(x^2, 1)`: two numbers per neuron, as in Stockfish.
    Dual,
}

/// A dense layer of the tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dense {
    /// Its neurons.
    pub outputs: usize,
    /// What it hands on.
    pub activation: DenseActivation,
}

/// Two small dense layers between the hidden layer and the output, one pair per output bucket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tail {
    /// The layer that reads the hidden layer in 8 bits.
    pub first: Dense,
    /// The layer before the output.
    pub second: Dense,
}

impl Tail {
    /// Neurons of the first dense layer.
    pub const FIRST: usize = 16;
    /// Neurons the second dense layer may have.
    pub const SECOND: [usize; 3] = [8, 16, 32];
    /// Most numbers the second layer reads.
    pub const MOST_INPUTS: usize = 2 * Self::FIRST;
    /// Most numbers the output reads.
    pub const MOST_OUTPUTS: usize = 32;

    /// How many numbers the second layer reads.
    pub const fn second_inputs(self) -> usize {
        match self.first.activation {
            DenseActivation::Dual => 2 * self.first.outputs,
            DenseActivation::Clipped | DenseActivation::Squared => self.first.outputs,
        }
    }

    fn is_known(self) -> bool {
        self.first.outputs == Self::FIRST
            && Self::SECOND.contains(&self.second.outputs)
            && self.second.activation != DenseActivation::Dual
    }
}

/// The sizes of a net; always one of the known combinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    hidden: usize,
    king_buckets: usize,
    sees_threats: bool,
    output_buckets: usize,
    activation: Activation,
    tail: Option<Tail>,
}

/// King buckets by rank (first rank first) and file a to d, after mirroring the king to that half.
///
/// The maps with 4 and 8 buckets follow akimbo and Hobbes: fine where kings live, coarse elsewhere.
type KingMap = [[u8; 4]; 8];
const ONE_BUCKET: KingMap = [[0; 4]; 8];
const FOUR_BUCKETS: KingMap =
    [[0, 0, 1, 1], [2; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4]];
const EIGHT_BUCKETS: KingMap =
    [[0, 1, 2, 3], [4, 4, 5, 5], [6; 4], [6; 4], [6; 4], [7; 4], [7; 4], [7; 4]];
const SIXTEEN_BUCKETS: KingMap = [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 8, 9, 9],
    [10, 10, 11, 11],
    [12, 12, 13, 13],
    [14; 4],
    [15; 4],
    [15; 4],
];

impl Shape {
    /// Hidden sizes this build knows.
    pub const HIDDEN: [usize; 7] = [128, 256, 384, 512, 640, 768, 1024];
    /// Numbers of king buckets this build knows.
    pub const KING_BUCKETS: [usize; 4] = [1, 4, 8, 16];
    /// Numbers of outputs this build knows.
    pub const OUTPUT_BUCKETS: [usize; 2] = [1, 8];

    /// The shape with one hidden layer of these sizes, if this build knows it.
    pub fn new(
        hidden: usize,
        king_buckets: usize,
        output_buckets: usize,
    ) -> Result<Self, NetError> {
        if !Self::HIDDEN.contains(&hidden) {
            return Err(NetError::Hidden(hidden));
        }
        if !Self::KING_BUCKETS.contains(&king_buckets) {
            return Err(NetError::KingBuckets(king_buckets));
        }
        if !Self::OUTPUT_BUCKETS.contains(&output_buckets) {
            return Err(NetError::OutputBuckets(output_buckets));
        }
        let activation = Activation::Squared;
        let sees_threats = false;
        Ok(Self { hidden, king_buckets, sees_threats, output_buckets, activation, tail: None })
    }

    /// The same hidden layer with two dense layers after it.
    pub fn with_tail(self, activation: Activation, tail: Tail) -> Result<Self, NetError> {
        if tail.is_known() {
            Ok(Self { activation, tail: Some(tail), ..self })
        } else {
            Err(NetError::Tail)
        }
    }

    /// The same net, which in addition sees threats. Only nets with dense layers do.
    pub fn with_threats(self) -> Result<Self, NetError> {
        if self.tail.is_some() {
            Ok(Self { sees_threats: true, ..self })
        } else {
            Err(NetError::NoTail)
        }
    }

    /// Hidden neurons per side, a multiple of 128.
    #[inline]
    pub const fn hidden(self) -> usize {
        self.hidden
    }

    /// Number of king buckets.
    #[inline]
    pub const fn king_buckets(self) -> usize {
        self.king_buckets
    }

    /// Number of outputs.
    #[inline]
    pub const fn output_buckets(self) -> usize {
        self.output_buckets
    }

    /// What the hidden layer hands on.
    #[inline]
    pub const fn activation(self) -> Activation {
        self.activation
    }

    /// The dense layers after the hidden layer, if there are any.
    #[inline]
    pub const fn tail(self) -> Option<Tail> {
        self.tail
    }

    /// How many numbers one side's hidden layer hands on.
    #[inline]
    pub const fn activations(self) -> usize {
        match self.activation {
            Activation::Squared => self.hidden,
            Activation::Pairwise => self.hidden / 2,
        }
    }

    /// Number of features a side can see: 768 per king bucket.
    #[inline]
    pub const fn features(self) -> usize {
        PIECE_SQUARES * self.king_buckets
    }

    /// Whether the net sees threats.
    #[inline]
    pub const fn sees_threats(self) -> bool {
        self.sees_threats
    }

    /// Number of threats a side can see.
    #[inline]
    pub const fn threats(self) -> usize {
        if self.sees_threats { Threat::FEATURES } else { 0 }
    }

    const fn king_map(self) -> &'static KingMap {
        match self.king_buckets {
            1 => &ONE_BUCKET,
            4 => &FOUR_BUCKETS,
            8 => &EIGHT_BUCKETS,
            _ => &SIXTEEN_BUCKETS,
        }
    }

    /// The bucket of a king on `king`, as its own side sees the board, mirrored or not.
    #[inline]
    pub const fn king_bucket(self, king: Square) -> usize {
        let file = king as usize & 7;
        let file = if file < 4 { file } else { 7 - file };
        self.king_map()[king as usize >> 3][file] as usize
    }

    /// The output for a position with this many pieces, kings included.
    #[inline]
    pub const fn output_bucket(self, pieces: u32) -> usize {
        if self.output_buckets == 1 {
            return 0;
        }
        let bucket = pieces.saturating_sub(2) as usize / 4;
        if bucket < 8 { bucket } else { 7 }
    }

    /// Everything a trainer and this crate must agree on, in one line.
    pub fn descriptor(self) -> String {
        let kings: String = self
            .king_map()
            .iter()
            .flatten()
            .map(|bucket| char::from_digit(u32::from(*bucket), 36).unwrap_or('?'))
            .collect();
        let inputs = format!(
            "features own+enemy PNBRQK a1..h8 flip-ranks-for-black mirror-own-king-to-abcd kings \
             {kings} hidden {} sides stm+other",
            self.hidden
        );
        let outputs = format!("outputs {} by (pieces-2)/4", self.output_buckets);
        if self.tail.is_none() {
            // The words of the first format: nets of that time carry the hash of this text.
            format!(
                "family 1 {inputs} activation screlu {outputs} qa {QA} qb {QB} scale {SCALE} order \
                 ft-weights ft-bias output-weights output-bias"
            )
        } else {
            let threats = if self.sees_threats {
                "threats own+enemy PNBRQ by victim own+enemy PNBRQ, squares in rising order, mutual ones from \
                 the higher square, "
            } else {
                ""
            };
            format!(
                "{self} {inputs} {threats}activations a*b>>9 in 8 bits, {outputs}, qa {QA} qb {QB} scale {SCALE}, \
                 dense layers in f32, sums from the first input to the last"
            )
        }
    }

    /// The FNV-1a hash of [`Shape::descriptor`], stored in every net file.
    pub fn hash(self) -> u64 {
        fnv1a(self.descriptor().as_bytes())
    }
}

/// What follows the piece-squares of nets that see threats.
const THREATS_TEXT: &str = "+threats";

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let letter = match self.activation {
            Activation::Squared => 's',
            Activation::Pairwise => 'p',
        };
        let threats = if self.sees_threats { THREATS_TEXT } else { "" };
        write!(f, "768x{}{threats}-{}{letter}-", self.king_buckets, self.hidden)?;
        if let Some(tail) = self.tail {
            for dense in [tail.first, tail.second] {
                let letter = match dense.activation {
                    DenseActivation::Clipped => 'c',
                    DenseActivation::Squared => 's',
                    DenseActivation::Dual => 'd',
                };
                write!(f, "{}{letter}-", dense.outputs)?;
            }
        }
        write!(f, "1x{}", self.output_buckets)
    }
}

impl FromStr for Shape {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let wrong = || NetError::ShapeText(text.chars().take(64).collect());
        let number = |digits: &str| digits.parse::<usize>().map_err(|_| wrong());
        let layers: Vec<&str> = text.split('-').collect();
        let (inputs, hidden, tail, outputs) = match layers[..] {
            [inputs, hidden, outputs] => (inputs, hidden, None, outputs),
            [inputs, hidden, first, second, outputs] => {
                (inputs, hidden, Some([first, second]), outputs)
            }
            _ => return Err(wrong()),
        };
        let (inputs, sees_threats) = match inputs.strip_suffix(THREATS_TEXT) {
            Some(rest) => (rest, true),
            None => (inputs, false),
        };
        let king_buckets = number(inputs.strip_prefix("768x").ok_or_else(wrong)?)?;
        let output_buckets = number(outputs.strip_prefix("1x").ok_or_else(wrong)?)?;
        let (hidden, activation) = match split_letter(hidden).ok_or_else(wrong)? {
            (digits, 's') => (number(digits)?, Activation::Squared),
            (digits, 'p') => (number(digits)?, Activation::Pairwise),
            _ => return Err(wrong()),
        };
        let shape = Self::new(hidden, king_buckets, output_buckets)?;
        let Some(tail) = tail else {
            let is_known = activation == Activation::Squared && !sees_threats;
            return if is_known { Ok(shape) } else { Err(NetError::NoTail) };
        };
        let dense = |text: &str| {
            let (digits, letter) = split_letter(text).ok_or_else(wrong)?;
            let activation = match letter {
                'c' => DenseActivation::Clipped,
                's' => DenseActivation::Squared,
                'd' => DenseActivation::Dual,
                _ => return Err(wrong()),
            };
            Ok(Dense { outputs: number(digits)?, activation })
        };
        let tail = Tail { first: dense(tail[0])?, second: dense(tail[1])? };
        let shape = shape.with_tail(activation, tail)?;
        if sees_threats { shape.with_threats() } else { Ok(shape) }
    }
}

/// `1024p` is `1024` and `p`.
fn split_letter(text: &str) -> Option<(&str, char)> {
    let letter = text.chars().next_back()?;
    Some((text.strip_suffix(letter)?, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_is_used_and_mirrored_kings_share_one() {
        for buckets in Shape::KING_BUCKETS {
            let shape = Shape::new(128, buckets, 1).unwrap();
            let mut seen = vec![0; buckets];
            for sq in Square::ALL {
                seen[shape.king_bucket(sq)] += 1;
                assert_eq!(shape.king_bucket(sq), shape.king_bucket(sq.flip_file()));
            }
            assert!(seen.iter().all(|count| *count > 0));
        }
    }

    #[test]
    fn output_buckets_cover_two_to_sixty_four_pieces() {
        let shape = Shape::new(128, 1, 8).unwrap();
        let buckets: Vec<_> = (2..=33).map(|pieces| shape.output_bucket(pieces)).collect();
        assert_eq!(buckets, (0..32).map(|n| n / 4).collect::<Vec<_>>());
        assert_eq!(shape.output_bucket(64), 7);
        assert_eq!(shape.output_bucket(0), 0);
    }

    #[test]
    fn texts_survive_a_round_trip_and_hashes_differ() {
        let mut hashes = Vec::new();
        for hidden in Shape::HIDDEN {
            for kings in Shape::KING_BUCKETS {
                for outputs in Shape::OUTPUT_BUCKETS {
                    for middle in ["s", "s-16c-8c", "p-16d-32s", "p-16s-16c"] {
                        let text = format!("768x{kings}-{hidden}{middle}-1x{outputs}");
                        let shape: Shape = text.parse().unwrap();
                        assert_eq!(shape.to_string(), text);
                        hashes.push(shape.hash());
                        if shape.tail().is_some() {
                            let shape = shape.with_threats().unwrap();
                            assert_eq!(shape.to_string().parse::<Shape>().unwrap(), shape);
                            hashes.push(shape.hash());
                        }
                    }
                }
            }
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }

    #[test]
    fn texts_of_no_net_are_refused() {
        for text in [
            "",
            "-",
            "768x1",
            "768x1-128-1x1",
            "768x1-128q-1x1",
            "768x1-128p-1x1",
            "768x2-128s-1x1",
            "768x1-100s-1x1",
            "768x1-128s-1x2",
            "768x1-128p-16d-1x1",
            "768x1-128p-17d-32s-1x8",
            "768x1-128p-16d-32d-1x8",
            "768x1-128p-16d-33s-1x8",
            "768x1-128p-16d-32s-1xé",
            "768x1-128é-1x1",
            "768x1+threats-128s-1x1",
            "768x1+-128p-16d-32s-1x8",
            "768x99999999999999999999-128s-1x1",
        ] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_needs_dense_layers_says_so() {
        for text in ["768x8+threats-512s-1x8", "768x8-512p-1x8"] {
            let error = text.parse::<Shape>().unwrap_err();
            assert!(error.to_string().contains("need dense layers"), "{text}: {error}");
        }
    }

    #[test]
    fn the_first_format_keeps_its_hash() {
        // The hash in the file of net 5.
        assert_eq!(Shape::new(1024, 8, 8).unwrap().hash(), NET_5_HASH);
    }
    const NET_5_HASH: u64 = 0xc310_c720_7c9a_517c;
}
