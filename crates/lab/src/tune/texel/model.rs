//! The evaluation as a differentiable function of its weights, and the loss.
//!
//! The non-linear parts follow the engine: the sum of dangers of each king is squared for the
//! middlegame and cut off at zero for both phases; complexity moves the endgame value from or
//! towards zero, not past it. Phase, scale and the conditions under which a feature counts do not
//! depend on the weights.

use super::data::{Dataset, Sample};
use std::thread;
use tabiya_engine::eval::hce::{
    DANGER_DIVISOR, DANGER_LIMIT, DANGER_SQUARE_DIVISOR, WEIGHT_COUNT, all_weights,
};

/// Positions are summed in this many runs, whatever the number of threads.
const RUNS: usize = 32;

/// A middlegame and an endgame value for each weight.
pub(super) type Weights = Vec<[f64; 2]>;

/// The weights the engine was built with.
pub(super) fn current_weights() -> Weights {
    let halves = |score: &tabiya_engine::eval::hce::Score| {
        [f64::from(score.middlegame()), f64::from(score.endgame())]
    };
    all_weights().iter().map(halves).collect()
}

/// What the value of a position was made of; needed to go back from the loss to the weights.
struct Forward {
    value: f64,
    danger: [[f64; 2]; 2],
    /// How the endgame value follows its sum, and its complexity.
    endgame_gradient: f64,
    complexity_gradient: f64,
}

fn forward(data: &Dataset, index: usize, weights: &Weights) -> Forward {
    let sample = &data.samples[index];
    let features = data.features(index);
    let mut sums = [0.0; 2];
    for (weight, count) in features.linear {
        for (sum, value) in sums.iter_mut().zip(weights[usize::from(*weight)]) {
            *sum += value * f64::from(*count);
        }
    }
    let mut danger = [[0.0; 2]; 2];
    for (weight, counts) in features.danger {
        for (sums, count) in danger.iter_mut().zip(counts) {
            for (sum, value) in sums.iter_mut().zip(weights[usize::from(*weight)]) {
                *sum += value * f64::from(*count);
            }
        }
    }
    for (sign, [middlegame, endgame]) in [-1.0, 1.0].into_iter().zip(danger) {
        let middlegame = middlegame.clamp(0.0, f64::from(DANGER_LIMIT));
        sums[0] += sign * middlegame * middlegame / f64::from(DANGER_SQUARE_DIVISOR);
        sums[1] += sign * endgame.max(0.0) / f64::from(DANGER_DIVISOR);
    }
    let count_complexity =
        |(weight, count): &(u16, i16)| weights[usize::from(*weight)][1] * f64::from(*count);
    let complexity: f64 = features.complexity.iter().map(count_complexity).sum();
    let [middlegame, endgame] = sums;
    let survives = complexity > -endgame.abs();
    let sign = if endgame == 0.0 { 0.0 } else { endgame.signum() };
    let changed = if survives { endgame + sign * complexity } else { 0.0 };
    let [middlegame_factor, endgame_factor] = sample.factors.map(f64::from);
    Forward {
        value: middlegame * middlegame_factor + changed * endgame_factor,
        danger,
        endgame_gradient: if survives { 1.0 } else { 0.0 },
        complexity_gradient: if survives { sign } else { 0.0 },
    }
}

/// Adds to each weight's gradient, given `derivative`, that of the loss by the value of this position.
fn backward(
    data: &Dataset,
    index: usize,
    forward: &Forward,
    derivative: f64,
    gradient: &mut Weights,
) {
    let features = data.features(index);
    let [middlegame_factor, endgame_factor] = data.samples[index].factors.map(f64::from);
    let middlegame = derivative * middlegame_factor;
    let endgame = derivative * endgame_factor * forward.endgame_gradient;
    for (weight, count) in features.linear {
        let entry = &mut gradient[usize::from(*weight)];
        entry[0] += middlegame * f64::from(*count);
        entry[1] += endgame * f64::from(*count);
    }
    let mut danger_gradients = [[0.0; 2]; 2];
    for (color, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let [squared, straight] = forward.danger[color];
        if squared > 0.0 && squared < f64::from(DANGER_LIMIT) {
            danger_gradients[color][0] =
                sign * middlegame * 2.0 * squared / f64::from(DANGER_SQUARE_DIVISOR);
        }
        if straight > 0.0 {
            danger_gradients[color][1] = sign * endgame / f64::from(DANGER_DIVISOR);
        }
    }
    for (weight, counts) in features.danger {
        let entry = &mut gradient[usize::from(*weight)];
        for (gradients, count) in danger_gradients.iter().zip(counts) {
            entry[0] += gradients[0] * f64::from(*count);
            entry[1] += gradients[1] * f64::from(*count);
        }
    }
    let complexity = derivative * endgame_factor * forward.complexity_gradient;
    for (weight, count) in features.complexity {
        gradient[usize::from(*weight)][1] += complexity * f64::from(*count);
    }
}

/// The expected result of a value: a logistic curve, steeper with `steepness`.
pub(super) fn expected(value: f64, steepness: f64) -> f64 {
    1.0 / (1.0 + (-steepness * value / 400.0).exp())
}

/// What a position should be predicted as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Steepness of the curve for the values of this evaluation.
    pub(super) steepness: f64,
    /// Steepness for the scores in the data.
    pub(super) score_steepness: f64,
    /// Weight of the result (WDL); the rest is the score, where there is one.
    pub(super) wdl_weight: f64,
}

impl Target {
    fn of(&self, sample: &Sample) -> f64 {
        let result = f64::from(sample.result);
        sample.score.map_or(result, |score| {
            let by_score = expected(f64::from(score), self.score_steepness);
            self.wdl_weight * result + (1.0 - self.wdl_weight) * by_score
        })
    }
}

/// The mean squared error and, in `gradient` if wanted, how it changes with each weight.
pub(super) fn loss(
    data: &Dataset,
    weights: &Weights,
    target: &Target,
    threads: usize,
    gradient: Option<&mut Weights>,
) -> f64 {
    let wanted = gradient.is_some();
    let run_length = data.len().div_ceil(RUNS);
    let one_run = |run: usize| {
        let mut gradients = if wanted { vec![[0.0; 2]; WEIGHT_COUNT] } else { Vec::new() };
        let mut sum = 0.0;
        for index in run * run_length..((run + 1) * run_length).min(data.len()) {
            let forward = forward(data, index, weights);
            let prediction = expected(forward.value, target.steepness);
            let error = prediction - target.of(&data.samples[index]);
            sum += error * error;
            if wanted {
                let derivative =
                    2.0 * error * prediction * (1.0 - prediction) * target.steepness / 400.0;
                backward(data, index, &forward, derivative, &mut gradients);
            }
        }
        (sum, gradients)
    };
    let mut parts: Vec<(f64, Weights)> = vec![(0.0, Weights::new()); RUNS];
    thread::scope(|scope| {
        let share = RUNS.div_ceil(threads);
        for (thread, parts) in parts.chunks_mut(share).enumerate() {
            let one_run = &one_run;
            scope.spawn(move || {
                for (offset, part) in parts.iter_mut().enumerate() {
                    *part = one_run(thread * share + offset);
                }
            });
        }
    });
    // Added in the order of the runs, so that the threads do not matter.
    let mut sum = 0.0;
    let mut total = vec![[0.0; 2]; WEIGHT_COUNT];
    for (part, gradients) in parts {
        sum += part;
        for (total, gradient) in total.iter_mut().zip(gradients) {
            total[0] += gradient[0];
            total[1] += gradient[1];
        }
    }
    let count = data.len().max(1) as f64;
    if let Some(gradient) = gradient {
        *gradient = total.into_iter().map(|[mg, eg]| [mg / count, eg / count]).collect();
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::Board;
    use tabiya_engine::eval::hce::{PawnTable, Trace};

    /// Middlegames with attacks on kings, and endgames.
    const FENS: [&str; 6] = [
        "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7",
        "r4rk1/pp3p1p/2p2Qp1/3p4/3P3q/2PB4/P4PPP/R3R1K1 b - - 0 20",
        "2r3k1/5ppp/p3p3/1p1pP3/3P4/1P4QP/q4PP1/2R3K1 w - - 0 30",
        "8/5pk1/4p1p1/3pP2p/p2P3P/P1R3P1/1r3PK1/8 w - - 0 40",
        "8/8/4kp2/3p1p1p/3P1P1P/4K1P1/8/8 b - - 0 50",
        "4k3/1b3p2/6p1/8/3N4/6P1/5P2/4K3 w - - 0 50",
    ];

    fn dataset() -> (Dataset, Vec<Trace>) {
        let mut data = Dataset::default();
        let mut pawns = PawnTable::default();
        let traces: Vec<Trace> = FENS
            .iter()
            .map(|fen| {
                let board = Board::from_fen(fen, false).expect("a good position");
                Trace::new(&board, &mut pawns).expect("no known endgame")
            })
            .collect();
        for (index, trace) in traces.iter().enumerate() {
            data.push(trace, [1.0, 0.5, 0.0][index % 3], (index % 2 == 0).then_some(50.0));
        }
        (data, traces)
    }

    #[test]
    fn the_model_is_the_evaluation() {
        let (data, traces) = dataset();
        let weights = current_weights();
        for (index, trace) in traces.iter().enumerate() {
            let value = forward(&data, index, &weights).value;
            // The engine rounds the danger of each king and the sum.
            assert!((value - f64::from(trace.value)).abs() < 4.0, "{value} {}", trace.value);
        }
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let (data, _) = dataset();
        let mut weights = current_weights();
        let target = Target { steepness: 1.1, score_steepness: 0.9, wdl_weight: 0.6 };
        let mut gradient = Weights::new();
        loss(&data, &weights, &target, 2, Some(&mut gradient));
        let step = 1e-3;
        for index in 0..WEIGHT_COUNT {
            for phase in 0..2 {
                let here = weights[index][phase];
                let [more, less] = [here + step, here - step].map(|value| {
                    weights[index][phase] = value;
                    loss(&data, &weights, &target, 1, None)
                });
                weights[index][phase] = here;
                let measured = (more - less) / (2.0 * step);
                let found = gradient[index][phase];
                assert!((measured - found).abs() < 1e-8, "{index} {phase}: {measured} {found}");
            }
        }
        assert!(gradient.iter().flatten().filter(|entry| **entry != 0.0).count() > 100);
    }

    #[test]
    fn threads_do_not_change_the_loss() {
        let (data, _) = dataset();
        let weights = current_weights();
        let target = Target { steepness: 1.0, score_steepness: 1.0, wdl_weight: 0.5 };
        let mut gradients = [Weights::new(), Weights::new()];
        let losses = [1, 3].map(|threads| {
            loss(&data, &weights, &target, threads, Some(&mut gradients[threads / 2]))
        });
        assert!(losses[0].to_bits() == losses[1].to_bits() && gradients[0] == gradients[1]);
    }
}
