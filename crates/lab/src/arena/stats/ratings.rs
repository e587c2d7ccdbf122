//! Ratings of any number of players by maximum likelihood.
//!
//! The model of Bradley and Terry (1952): the expected score of two players is the logistic function
//! of their rating difference; a draw counts as half a win and half a loss. The log-likelihood is
//! concave, so Newton's method finds the one maximum; errors come from its curvature there. Ratings
//! are relative and reported with mean zero. A faint prior (4000 Elo wide, worth less than a
//! hundredth of a game) keeps perfect scores finite and joins groups that never met.

use super::Wdl;
use super::elo::{Estimate, Z95, score_of_elo};
use std::f64::consts::LN_10;

const PRIOR_DEVIATION: f64 = 4000.0;

/// The result of one pairing: the counts are those of the first player against the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encounter {
    /// Index of the first player.
    pub first: usize,
    /// Index of the second player.
    pub second: usize,
    /// What the first player made of the games.
    pub result: Wdl,
}

/// Ratings of `players` players in Elo, by index, with 95 % errors.
///
/// Encounters that name an unknown player or a player against itself are ignored.
pub fn ratings(players: usize, encounters: &[Encounter]) -> Vec<Estimate> {
    let valid = |e: &&Encounter| e.first < players && e.second < players && e.first != e.second;
    let encounters: Vec<&Encounter> = encounters.iter().filter(valid).collect();
    let mut elo = vec![0.0; players];
    let mut curvature = information(players, &encounters, &elo);
    for _ in 0..100 {
        let step = solve(&curvature, &gradient(&encounters, &elo));
        let widest = step.iter().fold(0.0f64, |widest, s| widest.max(s.abs()));
        // Newton may overshoot far from the maximum; steps of at most 200 Elo always come home.
        let damping = (200.0 / widest).min(1.0);
        for (rating, change) in elo.iter_mut().zip(&step) {
            *rating += change * damping;
        }
        curvature = information(players, &encounters, &elo);
        if widest < 1e-9 {
            break;
        }
    }
    let mean = elo.iter().sum::<f64>() / players.max(1) as f64;
    let errors = centred_errors(&curvature);
    elo.iter().zip(errors).map(|(r, error)| Estimate { value: r - mean, error }).collect()
}

/// Derivative of the log-likelihood by each rating.
fn gradient(encounters: &[&Encounter], elo: &[f64]) -> Vec<f64> {
    let mut gradient: Vec<f64> = elo.iter().map(|r| -r / PRIOR_DEVIATION.powi(2)).collect();
    for e in encounters {
        let expected = score_of_elo(elo[e.first] - elo[e.second]) * e.result.games() as f64;
        let surplus = (e.result.half_points() as f64 / 2.0 - expected) * LN_10 / 400.0;
        gradient[e.first] += surplus;
        gradient[e.second] -= surplus;
    }
    gradient
}

/// Negated second derivative of the log-likelihood: the information about the ratings.
fn information(players: usize, encounters: &[&Encounter], elo: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; players]; players];
    for (player, row) in matrix.iter_mut().enumerate() {
        row[player] = 1.0 / PRIOR_DEVIATION.powi(2);
    }
    for e in encounters {
        let score = score_of_elo(elo[e.first] - elo[e.second]);
        let weight = e.result.games() as f64 * score * (1.0 - score) * (LN_10 / 400.0).powi(2);
        matrix[e.first][e.first] += weight;
        matrix[e.second][e.second] += weight;
        matrix[e.first][e.second] -= weight;
        matrix[e.second][e.first] -= weight;
    }
    matrix
}

/// 95 % errors of the ratings about their mean: the covariance projected onto mean zero.
fn centred_errors(information: &[Vec<f64>]) -> Vec<f64> {
    let players = information.len();
    (0..players)
        .map(|player| {
            let share = 1.0 / players as f64;
            let direction: Vec<f64> =
                (0..players).map(|i| f64::from(u8::from(i == player)) - share).collect();
            let spread = solve(information, &direction);
            let variance: f64 = direction.iter().zip(&spread).map(|(d, s)| d * s).sum();
            Z95 * variance.max(0.0).sqrt()
        })
        .collect()
}

/// Solves `matrix * x = right` for a positive definite matrix (Gauss without pivoting is stable).
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut rows: Vec<Vec<f64>> = matrix.to_vec();
    let mut x = right.to_vec();
    for pivot in 0..n {
        let (done, below) = rows.split_at_mut(pivot + 1);
        let top = &done[pivot];
        for (index, row) in below.iter_mut().enumerate() {
            let factor = row[pivot] / top[pivot];
            for (value, above) in row.iter_mut().zip(top).skip(pivot) {
                *value -= factor * above;
            }
            x[pivot + 1 + index] -= factor * x[pivot];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| rows[row][column] * x[column]).sum();
        x[row] = (x[row] - known) / rows[row][row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Encounter {
        Encounter { first, second, result: Wdl::new(wins, draws, losses) }
    }

    fn near(actual: f64, expected: f64, tolerance: f64) {
        assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected}");
    }

    #[test]
    fn two_players_share_their_elo_difference() {
        // 64 points of 100: 400 log10(64/36) = 99.95 Elo, 49.98 to either side of the mean.
        // Information about the difference: 100 * 0.64 * 0.36 * (ln 10 / 400)^2 = 7.6345e-4,
        // deviation 36.19, of each from the mean half of it: 1.96 * 18.10 = 35.47.
        let table = ratings(2, &[met(0, 1, 50, 28, 22)]);
        near(table[0].value, 49.98, 0.01);
        near(table[1].value, -49.98, 0.01);
        near(table[0].error, 35.47, 0.01);
    }

    #[test]
    fn a_consistent_triangle_is_met_exactly() {
        // 10 against 1 is 400 Elo; equal ratios along the chain give -400, 0, 400.
        let table = ratings(3, &[met(0, 1, 1, 0, 10), met(1, 2, 1, 0, 10), met(0, 2, 1, 0, 100)]);
        near(table[0].value, -400.0, 0.5);
        near(table[1].value, 0.0, 0.5);
        near(table[2].value, 400.0, 0.5);
    }

    #[test]
    fn equal_scores_give_equal_ratings() {
        for estimate in ratings(3, &[met(0, 1, 3, 4, 3), met(1, 2, 2, 6, 2), met(2, 0, 5, 0, 5)]) {
            near(estimate.value, 0.0, 1e-6);
        }
    }

    #[test]
    fn perfect_scores_and_strangers_stay_finite() {
        let table = ratings(4, &[met(0, 1, 20, 0, 0), met(2, 2, 1, 0, 0), met(9, 1, 1, 0, 0)]);
        assert!(table.iter().all(|e| e.value.is_finite() && e.error.is_finite()));
        assert!(table[0].value > 300.0 && table[0].error > 300.0);
        near(table[2].value, 0.0, 200.0);
        assert!(ratings(0, &[]).is_empty());
    }
}
