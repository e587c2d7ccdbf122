//! The numbers: a fitted scale, root mean square errors and rank correlations.

use crate::data::record::Kind;
use crate::work::golden;

/// One position as a contender and the reference see it.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) value: f64,
    pub(super) score: f64,
    pub(super) pieces: u32,
    pub(super) kind: Kind,
}

/// The groups errors are told for: name, and who belongs to it.
type Group = (&'static str, fn(&Sample) -> bool);

/// Where games are decided: the score leaves the result open.
fn is_open(sample: &Sample) -> bool {
    sample.score.abs() < 150.0
}

const MEMBERS: [Group; 14] = [
    ("all", |_| true),
    ("score below 150", is_open),
    ("quiet, below 150", |sample| is_open(sample) && sample.kind == Kind::Quiet),
    ("noisy, below 150", |sample| is_open(sample) && sample.kind == Kind::Noisy),
    ("quiet", |sample| sample.kind == Kind::Quiet),
    ("noisy", |sample| sample.kind == Kind::Noisy),
    ("2-8 pieces", |sample| sample.pieces <= 8),
    ("9-16 pieces", |sample| (9..=16).contains(&sample.pieces)),
    ("17-24 pieces", |sample| (17..=24).contains(&sample.pieces)),
    ("25-32 pieces", |sample| sample.pieces >= 25),
    ("score below 50", |sample| sample.score.abs() < 50.0),
    ("50 to 150", |sample| (50.0..150.0).contains(&sample.score.abs())),
    ("150 to 400", |sample| (150.0..400.0).contains(&sample.score.abs())),
    ("400 and more", |sample| sample.score.abs() >= 400.0),
];

/// Names of the groups, in the order of [`Error::groups`].
pub const GROUPS: [&str; MEMBERS.len()] = {
    let mut names = [""; MEMBERS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = MEMBERS[index].0;
        index += 1;
    }
    names
};

/// How far a contender is from the reference.
#[derive(Clone, PartialEq, Debug)]
pub struct Error {
    /// `sigmoid(value / scale)` fits the expected results best.
    pub scale: f64,
    /// For every group.
    pub groups: [GroupError; MEMBERS.len()],
}

/// The error within a group.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GroupError {
    /// Positions.
    pub count: usize,
    /// Root mean square of the differences of expected results.
    pub rms: f64,
    /// Rank correlation (Spearman) of values and scores.
    pub rank: f64,
}

impl Error {
    pub(super) fn new(samples: &[Sample], scale: f64) -> Self {
        let fitted = fit(samples, scale);
        let groups = MEMBERS.map(|(_, is_member)| {
            let members: Vec<_> = samples.iter().copied().filter(is_member).collect();
            GroupError {
                count: members.len(),
                rms: (squares(&members, scale, fitted) / members.len().max(1) as f64).sqrt(),
                rank: rank_correlation(&members),
            }
        });
        Self { scale: fitted, groups }
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The sum of squared differences of expected results.
fn squares(samples: &[Sample], scale: f64, own_scale: f64) -> f64 {
    let difference =
        |sample: &Sample| sigmoid(sample.score / scale) - sigmoid(sample.value / own_scale);
    samples.iter().map(|sample| difference(sample).powi(2)).sum()
}

/// The scale of the values that gives the smallest error: golden section search by its logarithm.
fn fit(samples: &[Sample], scale: f64) -> f64 {
    let error = |logarithm: f64| squares(samples, scale, logarithm.exp());
    golden::lowest(10f64.ln(), 10_000f64.ln(), 4e-8, error).exp()
}

/// Pearson's correlation of the ranks; equal numbers share their mean rank.
fn rank_correlation(samples: &[Sample]) -> f64 {
    let ranks_by =
        |number: fn(&Sample) -> f64| ranks(&samples.iter().map(number).collect::<Vec<_>>());
    let (values, scores) = (ranks_by(|sample| sample.value), ranks_by(|sample| sample.score));
    let mean = (samples.len() as f64 - 1.0) / 2.0;
    let (mut both, mut own, mut other) = (0.0, 0.0, 0.0);
    for (a, b) in values.iter().zip(&scores) {
        both += (a - mean) * (b - mean);
        own += (a - mean).powi(2);
        other += (b - mean).powi(2);
    }
    if own * other > 0.0 { both / (own * other).sqrt() } else { 0.0 }
}

fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut first = 0;
    for equal in order.chunk_by(|a, b| numbers[*a] == numbers[*b]) {
        let rank = first as f64 + (equal.len() as f64 - 1.0) / 2.0;
        for index in equal {
            ranks[*index] = rank;
        }
        first += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(value: f64, score: f64) -> Sample {
        Sample { value, score, pieces: 20, kind: Kind::Quiet }
    }

    #[test]
    fn a_contender_in_other_units_makes_no_error() {
        let scores = [-900.0, -120.0, -30.0, 0.0, 15.0, 80.0, 333.0, 1000.0];
        let error = Error::new(&scores.map(|score| sample(1.7 * score, score)), 215.0);
        assert!((error.scale / (1.7 * 215.0) - 1.0).abs() < 1e-3, "{}", error.scale);
        let counts = error.groups.map(|group| group.count);
        assert_eq!(counts, [8, 5, 5, 0, 8, 0, 0, 0, 8, 0, 3, 2, 1, 2]);
        assert!(error.groups.iter().all(|group| group.rms < 1e-4));
        assert!((error.groups[0].rank - 1.0).abs() < 1e-12);
    }

    #[test]
    fn errors_and_ranks_are_those_of_a_calculation_by_hand() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 7.0]), [1.5, 0.0, 1.5, 3.0]);
        let pairs = [(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)].map(|(value, score)| sample(value, score));
        assert!((rank_correlation(&pairs) - 0.5).abs() < 1e-12);
        let wrong = [sample(0.0, 215.0), sample(0.0, -215.0)];
        let expected = sigmoid(1.0) - 0.5;
        assert!((Error::new(&wrong, 215.0).groups[0].rms - expected).abs() < 1e-12);
        assert_eq!(Error::new(&[], 215.0).groups[0].count, 0);
    }
}
