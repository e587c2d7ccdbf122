//! Maximum likelihood by Fisher scoring: steps along the gradient, measured by the information that
//! the games are expected to carry.

use super::samples::{Cell, Samples, WdlError};
use tabiya_engine::wdl::Model;

/// Numbers to fit: two cubic polynomials.
const COUNT: usize = 8;
type Vector = [f64; COUNT];

const MAX_STEPS: usize = 200;
/// A fit is done when a step gains less than this share of the likelihood's logarithm.
const ENOUGH: f64 = 1e-12;
/// Where the model must make sense: material from 17 to 78.
const MATERIAL: std::ops::RangeInclusive<i32> = 17..=78;

/// A fitted model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// The constants.
    pub model: Model,
    /// Mean logarithm of the chance given to what happened.
    pub log_likelihood: f64,
    /// Steps taken.
    pub steps: usize,
}

/// Fits a model to samples.
pub fn fit(samples: &Samples) -> Result<Fit, WdlError> {
    let positions = samples.positions();
    if positions < 1000 {
        return Err(WdlError::TooFew(positions));
    }
    let cells: Vec<Cell> = samples.cells().collect();
    let mut now: Vector = [150.0, 0.0, 0.0, 0.0, 80.0, 0.0, 0.0, 0.0];
    let mut likelihood = log_likelihood(&cells, &model(&now));
    let mut steps = 0;
    while steps < MAX_STEPS {
        steps += 1;
        let direction = direction(&cells, &now);
        // Half the step until it is one upwards.
        let better = (0..40).find_map(|halvings| {
            let scale = 0.5f64.powi(halvings);
            let next: Vector = std::array::from_fn(|i| now[i] + scale * direction[i]);
            let found = log_likelihood(&cells, &model(&next));
            (makes_sense(&model(&next)) && found > likelihood).then_some((next, found))
        });
        let Some((next, found)) = better else { break };
        let gain = (found - likelihood) / likelihood.abs();
        (now, likelihood) = (next, found);
        if gain < ENOUGH {
            break;
        }
    }
    Ok(Fit { model: model(&now), log_likelihood: likelihood / positions as f64, steps })
}

fn model(numbers: &Vector) -> Model {
    let [a, b, c, d, e, f, g, h] = *numbers;
    Model { half_win: [a, b, c, d], spread: [e, f, g, h] }
}

/// A draw needs some width, and more value must mean more chances.
fn makes_sense(model: &Model) -> bool {
    MATERIAL
        .map(|material| f64::from(material) / 58.0)
        .all(|material| model.half_win_at(material) > 1.0 && model.spread_at(material) > 1.0)
}

/// Chances of winning, drawing and losing.
fn chances(cell: &Cell, model: &Model) -> [f64; 3] {
    let win = model.win(cell.value, cell.material);
    let loss = model.win(-cell.value, cell.material);
    [win, 1.0 - win - loss, loss].map(|chance| chance.max(1e-12))
}

fn log_likelihood(cells: &[Cell], model: &Model) -> f64 {
    let of = |cell: &Cell| {
        let [win, draw, loss] = chances(cell, model);
        cell.wins * win.ln() + cell.draws * draw.ln() + cell.losses * loss.ln()
    };
    cells.iter().map(of).sum()
}

/// The step of Fisher scoring: the inverse of the expected information times the gradient.
fn direction(cells: &[Cell], now: &Vector) -> Vector {
    let model = model(now);
    let mut gradient: Vector = [0.0; COUNT];
    let mut information = [[0.0; COUNT]; COUNT];
    for cell in cells {
        let Cell { value, material, wins, draws, losses } = *cell;
        let (half, spread) = (model.half_win_at(material), model.spread_at(material));
        let [win, draw, loss] = chances(cell, &model);
        // Derivatives of the chances by the centre and by the width of the curve.
        let gradients = |chance: f64, value: f64| {
            let steep = chance * (1.0 - chance) / spread;
            [-steep, -steep * (value - half) / spread]
        };
        let (by_win, by_loss) = (gradients(win, value), gradients(loss, -value));
        let powers = [1.0, material, material * material, material * material * material];
        let outcomes = [(wins, win), (draws, draw), (losses, loss)];
        let total = wins + draws + losses;
        let mut rows = [[0.0; COUNT]; 3];
        for (i, power) in powers.iter().enumerate() {
            for part in 0..2 {
                let (win, loss) = (by_win[part] * power, by_loss[part] * power);
                let slot = 4 * part + i;
                (rows[0][slot], rows[1][slot], rows[2][slot]) = (win, -win - loss, loss);
            }
        }
        for ((count, chance), row) in outcomes.into_iter().zip(&rows) {
            for i in 0..COUNT {
                gradient[i] += count * row[i] / chance;
                for j in 0..COUNT {
                    information[i][j] += total * row[i] * row[j] / chance;
                }
            }
        }
    }
    // Material that never occurs leaves some combination open: keep it where it is.
    for (i, row) in information.iter_mut().enumerate() {
        row[i] *= 1.0 + 1e-9;
        row[i] += 1e-12;
    }
    solve(information, gradient)
}

/// Gaussian elimination with the largest pivot of each column.
fn solve(mut matrix: [Vector; COUNT], mut right: Vector) -> Vector {
    for column in 0..COUNT {
        let largest = (column..COUNT)
            .max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()));
        let pivot = largest.unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let base = matrix[column];
        if base[column] == 0.0 {
            continue;
        }
        for row in 0..COUNT {
            if row != column {
                let factor = matrix[row][column] / base[column];
                for (cell, above) in matrix[row].iter_mut().zip(base) {
                    *cell -= factor * above;
                }
                right[row] -= factor * right[column];
            }
        }
    }
    std::array::from_fn(|i| if matrix[i][i] == 0.0 { 0.0 } else { right[i] / matrix[i][i] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;

    /// Results drawn from a known model.
    fn synthetic(truth: &Model, count: usize) -> Samples {
        let mut random = SplitMix::new(3);
        let mut samples = Samples::default();
        for _ in 0..count {
            let value = random.below(1601) as i32 - 800;
            let material = (17 + random.below(62)) as f64 / 58.0;
            let chance = random.unit();
            let win = truth.win(f64::from(value), material);
            let loss = truth.win(f64::from(-value), material);
            let outcome = if chance < win {
                0
            } else if chance < win + loss {
                2
            } else {
                1
            };
            samples.add(value, material, outcome);
        }
        samples
    }

    #[test]
    fn known_constants_come_back() {
        let truth =
            Model { half_win: [210.0, -90.0, 60.0, -15.0], spread: [50.0, 40.0, -30.0, 10.0] };
        let found = fit(&synthetic(&truth, 400_000)).unwrap();
        for material in [17, 30, 45, 58, 70, 78].map(|sum| f64::from(sum) / 58.0) {
            let half = (found.model.half_win_at(material), truth.half_win_at(material));
            let spread = (found.model.spread_at(material), truth.spread_at(material));
            assert!((half.0 / half.1 - 1.0).abs() < 0.03, "{material}: {half:?}");
            assert!((spread.0 / spread.1 - 1.0).abs() < 0.06, "{material}: {spread:?}");
        }
        assert!(found.steps < MAX_STEPS);
    }

    #[test]
    fn one_amount_of_material_is_enough() {
        let mut samples = Samples::default();
        let (mut random, truth) = (SplitMix::new(1), 120.0);
        for _ in 0..20_000 {
            let value = random.below(601) as i32 - 300;
            let win = 1.0 / (1.0 + ((truth - f64::from(value)) / 60.0).exp());
            let loss = 1.0 / (1.0 + ((truth + f64::from(value)) / 60.0).exp());
            let chance = random.unit();
            let outcome = if chance < win { 0 } else { 1 + usize::from(chance < win + loss) };
            samples.add(value, 1.0, outcome);
        }
        let found = fit(&samples).unwrap().model;
        assert!((found.half_win_at(1.0) - truth).abs() < 8.0, "{found:?}");
    }

    #[test]
    fn a_handful_of_positions_is_refused() {
        let mut samples = Samples::default();
        samples.add(10, 1.0, 0);
        let error = fit(&samples).unwrap_err().to_string();
        assert!(error.starts_with("1 evaluated positions"), "{error}");
    }
}
