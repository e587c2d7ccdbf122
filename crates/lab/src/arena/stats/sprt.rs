//! The generalised sequential probability ratio test.
//!
//! Two hypotheses name an Elo difference each. The evidence is the log-likelihood ratio between the
//! most likely distribution under the second and under the first hypothesis (Michel Van den Bergh,
//! "Comments on Normalized Elo": proposition 1.1 for logistic Elo, section 4.1 for normalised Elo).
//! The test ends when it leaves the interval given by the two error rates (Wald 1945). As in
//! fastchess and fishtest an outcome never seen counts as a thousandth of an observation.

use super::elo::{NORMALISED_SCALE, score_of_elo};
use super::{Pentanomial, Sample, Wdl};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The unit in which the hypotheses are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Normalised Elo, as fishtest uses it.
    #[default]
    Normalised,
    /// Logistic Elo.
    Logistic,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Normalised => "normalised",
            Self::Logistic => "logistic",
        })
    }
}

/// A sequential test of "the difference is `elo1`" against "it is `elo0`".
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// The difference under H0.
    pub elo0: f64,
    /// The difference under H1, greater than `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 is true.
    pub beta: f64,
    /// The unit of `elo0` and `elo1`.
    pub model: Model,
}

/// Settings that make no test.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum SprtError {
    /// `elo0` is not below `elo1`, or one is not finite.
    #[error("sprt: elo0 must be below elo1, found {0} and {1}")]
    Hypotheses(f64, f64),
    /// An error rate is not between 0 and 1, or both sum to 1 or more.
    #[error("sprt: alpha and beta must lie between 0 and 1 with a sum below 1, found {0} and {1}")]
    Rates(f64, f64),
}

/// What a test says so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// `elo0` accepted.
    H0,
    /// `elo1` accepted.
    H1,
    /// More games are needed.
    Undecided,
}

impl Sprt {
    /// A test with checked settings.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Self, SprtError> {
        if !(elo0 < elo1 && (elo1 - elo0).is_finite()) {
            return Err(SprtError::Hypotheses(elo0, elo1));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Rates(alpha, beta));
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// The bounds of the log-likelihood ratio: H0 at or below the first, H1 at or above the second.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The decision a log-likelihood ratio brings.
    pub fn decide(&self, llr: f64) -> Decision {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Decision::H1
        } else if llr <= lower {
            Decision::H0
        } else {
            Decision::Undecided
        }
    }

    /// Log-likelihood ratio of single games.
    pub fn llr_of_games(&self, games: &Wdl) -> f64 {
        self.llr(&games.sample())
    }

    /// Log-likelihood ratio of game pairs.
    pub fn llr_of_pairs(&self, pairs: &Pentanomial) -> f64 {
        self.llr(&pairs.sample())
    }

    fn llr<const N: usize>(&self, sample: &Sample<N>) -> f64 {
        if sample.size() == 0 {
            return 0.0;
        }
        let counts = sample.counts.map(|count| if count == 0 { 1e-3 } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / total);
        let most_likely = |elo: f64| match self.model {
            Model::Logistic => likeliest_with_mean(&sample.scores, &seen, score_of_elo(elo)),
            Model::Normalised => {
                let t = elo / NORMALISED_SCALE * Sample::<N>::GAMES.sqrt();
                likeliest_with_t_value(&sample.scores, &seen, t)
            }
        };
        let (p0, p1) = (most_likely(self.elo0), most_likely(self.elo1));
        (0..N).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }
}

/// The distribution nearest to `seen` among those with this mean score.
fn likeliest_with_mean<const N: usize>(scores: &[f64; N], seen: &[f64; N], mean: f64) -> [f64; N] {
    tilt(&scores.map(|score| score - mean), seen)
}

/// The distribution nearest to `seen` among those whose mean lies `t` of their own deviations above
/// one half. The condition is not linear: it is linearised at the last guess until that stands.
fn likeliest_with_t_value<const N: usize>(scores: &[f64; N], seen: &[f64; N], t: f64) -> [f64; N] {
    let mut guess = [1.0 / N as f64; N];
    for _ in 0..100 {
        let mean: f64 = (0..N).map(|i| guess[i] * scores[i]).sum();
        let variance: f64 = (0..N).map(|i| guess[i] * (scores[i] - mean).powi(2)).sum();
        let sigma = variance.sqrt();
        let gradient = scores.map(|score| {
            let z = (score - mean) / sigma;
            score - 0.5 - 0.5 * t * sigma * (1.0 + z * z)
        });
        let next = tilt(&gradient, seen);
        let change = (0..N).map(|i| (next[i] - guess[i]).abs()).fold(0.0, f64::max);
        guess = next;
        if change < 1e-10 {
            break;
        }
    }
    guess
}

/// The distribution `seen[i] / (1 + theta * values[i])` under which `values` has mean zero.
///
/// The mean falls with theta from plus to minus infinity between the two poles, so that bisection
/// always finds the one root. Values of one sign leave no root; `seen` is then returned unchanged.
fn tilt<const N: usize>(values: &[f64; N], seen: &[f64; N]) -> [f64; N] {
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if smallest >= 0.0 || greatest <= 0.0 {
        return *seen;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / smallest);
    for _ in 0..100 {
        let theta = f64::midpoint(low, high);
        if theta <= low || theta >= high {
            break;
        }
        let mean: f64 = (0..N).map(|i| seen[i] * values[i] / (1.0 + theta * values[i])).sum();
        if mean > 0.0 { low = theta } else { high = theta }
    }
    let theta = f64::midpoint(low, high);
    std::array::from_fn(|i| seen[i] / (1.0 + theta * values[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;

    fn test(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    fn near(actual: f64, expected: f64, tolerance: f64) {
        assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected}");
    }

    #[test]
    fn bounds_follow_wald() {
        // ln(0.05 / 0.95) = -2.944439, ln(0.95 / 0.05) = 2.944439.
        let (lower, upper) = test(0.0, 5.0, Model::Logistic).bounds();
        near(lower, -2.944_439, 1e-6);
        near(upper, 2.944_439, 1e-6);
        // ln(0.1 / 0.95) = -2.251292, ln(0.9 / 0.05) = 2.890372.
        let (lower, upper) = Sprt::new(0.0, 5.0, 0.05, 0.1, Model::Logistic).unwrap().bounds();
        near(lower, -2.251_292, 1e-6);
        near(upper, 2.890_372, 1e-6);
    }

    #[test]
    fn wrong_settings_are_refused() {
        assert!(Sprt::new(5.0, 0.0, 0.05, 0.05, Model::Logistic).is_err());
        assert!(Sprt::new(0.0, f64::NAN, 0.05, 0.05, Model::Logistic).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05, Model::Logistic).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.5, 0.5, Model::Logistic).is_err());
    }

    #[test]
    fn games_without_draws_give_the_binomial_ratio() {
        // 60 wins, 40 losses. With wins and losses only, the most likely distribution with mean s
        // is (1 - s, s) whatever was seen. H0: 0 Elo, s = 0.5. H1: 100 Elo, s = 0.640065.
        // LLR = 60 ln(0.640065/0.5) + 40 ln(0.359935/0.5) = 60*0.246961 - 40*0.328684 = 1.6703.
        // The thousandth of a draw that stands for "none seen" moves this by far less than 0.001.
        let llr = test(0.0, 100.0, Model::Logistic).llr_of_games(&Wdl::new(60, 0, 40));
        near(llr, 1.6703, 1e-3);
    }

    #[test]
    fn pentanomial_0_1_2_4_11_by_hand() {
        // H0: 0 Elo, s = 1/2. With x = a - s in {-1/2, -1/4, 0, 1/4, 1/2} and the counts
        // 0.001, 1, 2, 4, 11 theta solves sum c x / (1 + theta x) = 0. The single thousandth on
        // the left must balance the right side, so the root lies just below the pole at 2:
        // theta = 1.999657 gives -0.0005/0.0001715 - 0.25/0.5000858 = -2.9155 - 0.4999 = -3.4154
        // against 1/1.4999143 + 5.5/1.9998285 = 0.6667 + 2.7502 = 3.4169, zero within 0.002.
        // ln of seen/likeliest under H0 = sum c ln(1 + theta x)
        //   = 0.001 ln 0.0001715 + ln 0.5000858 + 4 ln 1.4999143 + 11 ln 1.9998285
        //   = -0.00867 - 0.69298 + 1.62163 + 7.62368 = 8.54366.
        // H1: 297.5749 Elo is the observed mean up to the thousandth, where theta is about 0 and
        // the sum vanishes. Hence LLR = 8.5437.
        let sprt = test(0.0, 297.5749, Model::Logistic);
        near(sprt.llr_of_pairs(&Pentanomial::new([0, 1, 2, 4, 11])), 8.5437, 2e-3);
    }

    /// Values that fastchess publishes in its own tests.
    #[test]
    fn published_values_are_met() {
        let games = |model, elo0, elo1, w, l, d, expected: f64| {
            let llr = test(elo0, elo1, model).llr_of_games(&Wdl::new(w, d, l));
            assert_eq!(format!("{llr:.2}"), format!("{expected:.2}"));
        };
        let pairs = |model, elo0, elo1, counts, expected: f64| {
            let llr = test(elo0, elo1, model).llr_of_pairs(&Pentanomial::new(counts));
            assert_eq!(format!("{llr:.2}"), format!("{expected:.2}"));
        };
        games(Model::Normalised, 0.0, 2.0, 36433, 36027, 68692, 0.92);
        games(Model::Normalised, -1.75, 0.25, 10871, 10650, 20431, 2.30);
        games(Model::Logistic, 0.5, 2.5, 21404, 21184, 40708, -1.57);
        games(Model::Logistic, 0.0, 2.0, 57433, 57030, 106593, -2.59);
        pairs(Model::Normalised, 0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25);
        pairs(Model::Normalised, -1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.01);
        pairs(Model::Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07);
        pairs(Model::Logistic, 0.0, 2.0, [871, 26175, 55983, 26678, 821], -4.98);
    }

    #[test]
    fn exchanging_players_and_hypotheses_changes_the_sign() {
        for model in [Model::Logistic, Model::Normalised] {
            let ours = test(-1.0, 4.0, model).llr_of_pairs(&Pentanomial::new([3, 20, 50, 31, 6]));
            let theirs = test(-4.0, 1.0, model).llr_of_pairs(&Pentanomial::new([6, 31, 50, 20, 3]));
            near(ours, -theirs, 1e-9);
            let level = test(-2.0, 2.0, model).llr_of_pairs(&Pentanomial::new([4, 9, 30, 9, 4]));
            near(level, 0.0, 1e-9);
        }
    }

    #[test]
    fn extreme_counts_stay_finite() {
        for model in [Model::Logistic, Model::Normalised] {
            let sprt = test(0.0, 5.0, model);
            assert_eq!(sprt.llr_of_pairs(&Pentanomial::default()), 0.0);
            for counts in [[0, 0, 0, 0, 104], [104, 0, 0, 0, 0], [0, 0, 9, 0, 0], [1, 0, 0, 0, 0]] {
                assert!(sprt.llr_of_pairs(&Pentanomial::new(counts)).is_finite(), "{counts:?}");
            }
        }
    }

    /// Plays simulated tests under a true difference; returns the share that accepts H1.
    fn share_of_h1(sprt: &Sprt, chances: [f64; 5], runs: u32, random: &mut SplitMix) -> f64 {
        let mut accepted = 0;
        for _ in 0..runs {
            let mut pairs = Pentanomial::default();
            let decision = loop {
                for _ in 0..8 {
                    let mut dice = random.unit();
                    let outcome = chances.iter().position(|&chance| {
                        dice -= chance;
                        dice < 0.0
                    });
                    pairs.add(outcome.unwrap_or(4) as u8);
                }
                match sprt.decide(sprt.llr_of_pairs(&pairs)) {
                    Decision::Undecided => {}
                    decided => break decided,
                }
            };
            accepted += u32::from(decision == Decision::H1);
        }
        f64::from(accepted) / f64::from(runs)
    }

    #[test]
    fn simulated_error_rates_are_kept() {
        // Pairs with a spread as in engine games, tilted to score exactly the Elo of a hypothesis.
        let spread = [0.05, 0.2, 0.5, 0.2, 0.05];
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        let sprt = test(0.0, 40.0, Model::Logistic);
        let mut random = SplitMix::new(20_240_229);
        let under_h0 = likeliest_with_mean(&scores, &spread, score_of_elo(0.0));
        let under_h1 = likeliest_with_mean(&scores, &spread, score_of_elo(40.0));
        let false_accepts = share_of_h1(&sprt, under_h0, 400, &mut random);
        let true_accepts = share_of_h1(&sprt, under_h1, 400, &mut random);
        // Rates of 5 % in 400 runs have a deviation of 1.1 %; overshoot makes the test safer.
        assert!(false_accepts <= 0.085, "H1 accepted under H0 in {false_accepts}");
        assert!(false_accepts >= 0.005, "a test that never errs is too slow: {false_accepts}");
        assert!(true_accepts >= 0.915, "H1 accepted under H1 in only {true_accepts}");
    }
}
