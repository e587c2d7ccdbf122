//! Elo differences with errors, normalised Elo and the likelihood of superiority.
//!
//! Elo is the logistic difference that explains a score; normalised Elo (Michel Van den Bergh,
//! "Normalized Elo") is the score's distance from one half in standard deviations of a game, scaled
//! so that both agree for games without draws near equality. It measures how many games a
//! difference takes to show and hardly depends on openings and draws.

use super::Sample;
use serde::Serialize;
use std::f64::consts::{LN_10, PI, SQRT_2};

/// 97.5 % quantile of the normal distribution: half the width of a 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Normalised Elo of one standard deviation: 800 / ln 10.
pub const NORMALISED_SCALE: f64 = 800.0 / LN_10;

/// A value with the half width of its 95 % interval.
///
/// Either may be infinite or not a number when the games do not determine it, as after a perfect
/// score.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// Elo of an expected score.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Expected score of an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Everything that is said about the difference between two players.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// Logistic Elo.
    pub elo: Estimate,
    /// Normalised Elo.
    pub normalised: Estimate,
    /// Mean score with its error, between 0 and 1.
    pub score: Estimate,
    /// Likelihood that the first player is the stronger one.
    pub los: f64,
}

impl Difference {
    /// Estimates the difference from games or pairs.
    pub fn of<const N: usize>(sample: &Sample<N>) -> Self {
        let score = sample.mean();
        let deviation = sample.variance().sqrt();
        let standard_error = deviation / (sample.size() as f64).sqrt();
        let margin = Z95 * standard_error;
        // A pair's score varies half as much as a game's, so its deviation is scaled back to games.
        let per_game = NORMALISED_SCALE / (deviation * Sample::<N>::GAMES.sqrt());
        Self {
            elo: Estimate {
                value: elo_of_score(score),
                error: (elo_of_score(score + margin) - elo_of_score(score - margin)) / 2.0,
            },
            normalised: Estimate { value: (score - 0.5) * per_game, error: margin * per_game },
            score: Estimate { value: score, error: margin },
            los: normal_cdf((score - 0.5) / standard_error),
        }
    }
}

/// The normal distribution function.
fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() { 0.5 } else { f64::midpoint(1.0, erf(x / SQRT_2)) }
}

/// The error function to about 1e-15: Taylor series near zero, continued fraction in the tails.
fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude > 6.0 {
        return x.signum();
    }
    if magnitude < 2.5 {
        // erf(x) = 2/sqrt(pi) * sum of (-1)^n x^(2n+1) / (n! (2n+1))
        let mut term = x;
        let mut sum = x;
        for n in 1..60 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 2.0 / PI.sqrt() * sum;
    }
    // erfc(x) = exp(-x^2)/sqrt(pi) * 1/(x + 1/2/(x + 1/(x + 3/2/(x + ...))))
    let fraction = (1..60).rev().fold(magnitude, |tail, k| magnitude + f64::from(k) / 2.0 / tail);
    x.signum() * (1.0 - (-magnitude * magnitude).exp() / PI.sqrt() / fraction)
}

#[cfg(test)]
mod tests {
    use super::super::{Pentanomial, Wdl};
    use super::*;

    fn near(actual: f64, expected: f64, tolerance: f64) {
        assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected}");
    }

    #[test]
    fn error_function_matches_tables() {
        // Abramowitz and Stegun, table 7.1, and the tail value erfc(3) = 2.209049699858544e-5.
        near(erf(0.5), 0.520_499_877_813_046_5, 1e-14);
        near(erf(1.0), 0.842_700_792_949_714_9, 1e-14);
        near(erf(-2.0), -0.995_322_265_018_952_7, 1e-14);
        near(1.0 - erf(3.0), 2.209_049_699_858_544e-5, 1e-15);
        near(erf(2.499_999_9), erf(2.500_000_1), 1e-9);
    }

    #[test]
    fn pentanomial_0_1_2_4_11_by_hand() {
        // 18 pairs. Score s = (1/4 + 2/2 + 4*3/4 + 11) / 18 = 15.25 / 18 = 0.847222.
        // Elo = 400 log10(s / (1 - s)) = 400 log10(5.545455) = 297.575.
        // Variance = (0.356674 + 2*0.120563 + 4*0.009452 + 11*0.023341) / 18 = 0.0495756,
        // deviation 0.222656, standard error 0.0524806, margin 0.102860:
        // interval [0.744362, 0.950082], Elo 185.66 .. 511.80, half width 163.07.
        // Normalised Elo = 0.347222 / (0.222656 * sqrt 2) * 347.4356 = 383.12,
        // its error 0.102860 / 0.314883 * 347.4356 = 113.49. z = 6.616: LOS 100.00 %.
        let pairs = Pentanomial::new([0, 1, 2, 4, 11]);
        let difference = Difference::of(&pairs.sample());
        near(difference.score.value, 0.847_222, 1e-6);
        near(difference.elo.value, 297.575, 0.005);
        near(difference.elo.error, 163.07, 0.01);
        near(difference.normalised.value, 383.12, 0.01);
        near(difference.normalised.error, 113.49, 0.01);
        assert_eq!(format!("{:.2}", difference.los * 100.0), "100.00");
        assert_eq!(pairs.pairs_ratio(), Some(15.0));
        near(pairs.draw_ratio(), 2.0 / 18.0, 1e-12);
    }

    /// Values that fastchess publishes in its own tests, as (Elo, error, nElo, error, LOS in %).
    #[test]
    fn published_values_are_met() {
        let check = |d: Difference, elo: Option<[f64; 2]>, nelo: [f64; 2], los: Option<&str>| {
            if let Some([value, error]) = elo {
                near(d.elo.value, value, 0.006);
                near(d.elo.error, error, 0.006);
            }
            near(d.normalised.value, nelo[0], 0.006);
            near(d.normalised.error, nelo[1], 0.006);
            if let Some(los) = los {
                assert_eq!(format!("{:.2}", d.los * 100.0), los);
            }
        };
        let games = |w, l, d| Difference::of(&Wdl::new(w, d, l).sample());
        let pairs = |counts| Difference::of(&Pentanomial::new(counts).sample());
        check(games(76, 89, 123), None, [-20.76, 40.13], Some("15.53"));
        check(games(136, 96, 111), Some([40.70, 30.43]), [49.77, 36.77], Some("99.60"));
        check(games(34, 356, 0), None, [-508.44, 34.48], None);
        check(pairs([34, 54, 63, 64, 75]), Some([55.58, 27.65]), [57.94, 28.28], Some("100.00"));
        check(pairs([332, 433, 498, 333, 334]), Some([-8.64, 10.33]), [-9.17, 10.96], Some("5.05"));
        check(pairs([7895, 8757, 5685, 568, 9999]), Some([-21.04, 2.95]), [-19.01, 2.65], None);
    }

    #[test]
    fn exchanging_the_players_changes_the_sign() {
        let ours = Difference::of(&Wdl::new(31, 40, 22).sample());
        let theirs = Difference::of(&Wdl::new(31, 40, 22).reversed().sample());
        near(ours.elo.value, -theirs.elo.value, 1e-9);
        near(ours.elo.error, theirs.elo.error, 1e-9);
        near(ours.los + theirs.los, 1.0, 1e-12);
        let level = Difference::of(&Pentanomial::new([3, 5, 9, 5, 3]).sample());
        assert_eq!(level.elo.value, 0.0);
        near(level.los, 0.5, 1e-12);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-700.0, -35.0, 0.0, 1.0, 250.0] {
            near(elo_of_score(score_of_elo(elo)), elo, 1e-9);
        }
    }

    #[test]
    fn perfect_and_empty_scores_do_not_panic() {
        assert_eq!(Difference::of(&Wdl::new(5, 0, 0).sample()).elo.value, f64::INFINITY);
        assert!(Difference::of(&Wdl::default().sample()).elo.value.is_nan());
        assert_eq!(Difference::of(&Wdl::default().sample()).los, 0.5);
    }
}
