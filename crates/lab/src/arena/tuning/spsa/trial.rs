//! One iteration: what is tried.

use super::run::Plan;
use crate::arena::tuning::Trial;
use crate::work::SplitMix;

impl Trial {
    /// The two sides of these values in an iteration.
    pub(super) fn new(plan: &Plan, iteration: u64, values: &[f64]) -> Self {
        let reach = plan.gains().reach(iteration);
        let mut random = random(plan.seed, iteration);
        let mut trial = Self { iteration, plus: Vec::new(), minus: Vec::new() };
        for (param, value) in plan.params.iter().zip(values) {
            let offset = sign(&mut random) * reach * f64::from(param.step);
            let rounding = random.unit();
            let played = |value: f64| {
                let clamped = value.clamp(f64::from(param.min), f64::from(param.max));
                (clamped + rounding).floor() as i32
            };
            trial.plus.push(played(value + offset));
            trial.minus.push(played(value - offset));
        }
        trial
    }
}

/// For each value, whether the plus side of an iteration lies above (1) or below (-1) it.
pub(super) fn signs(plan: &Plan, iteration: u64) -> Vec<f64> {
    let mut random = random(plan.seed, iteration);
    let mut next = || {
        let sign = sign(&mut random);
        random.unit();
        sign
    };
    plan.params.iter().map(|_| next()).collect()
}

/// The random numbers of an iteration: for each value its sign, then its rounding.
fn random(seed: u64, iteration: u64) -> SplitMix {
    SplitMix::new(SplitMix::new(seed).next() ^ iteration)
}

fn sign(random: &mut SplitMix) -> f64 {
    if random.below(2) == 0 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::tuning::spsa::run::tests::plan;

    #[test]
    fn both_sides_lie_around_the_values_and_in_their_ranges() {
        let plan = plan(1000);
        let values: Vec<f64> = plan.params.iter().map(|param| f64::from(param.max)).collect();
        for iteration in 0..1000 {
            let trial = Trial::new(&plan, iteration, &values);
            for (index, param) in plan.params.iter().enumerate() {
                let (plus, minus) = (trial.plus[index], trial.minus[index]);
                assert!((param.min..=param.max).contains(&plus));
                assert!((param.min..=param.max).contains(&minus));
                assert_eq!(signs(&plan, iteration)[index], f64::from((plus - minus).signum()));
            }
        }
    }

    #[test]
    fn rounding_keeps_the_mean() {
        let plan = plan(4000);
        let middle = |param: &tabiya_engine::ParamSpec| f64::from(param.max / 2) + 0.25;
        let values: Vec<f64> = plan.params.iter().map(middle).collect();
        let trials: Vec<Trial> = (0..4000).map(|k| Trial::new(&plan, k, &values)).collect();
        for (index, value) in values.iter().enumerate() {
            let sum: i32 = trials.iter().map(|trial| trial.plus[index] + trial.minus[index]).sum();
            let mean = f64::from(sum) / 8000.0;
            assert!((mean - value).abs() < 0.03, "{mean}");
            let ups: f64 = (0..4000).map(|k| signs(&plan, k)[index]).sum();
            assert!(ups.abs() < 4000.0 * 0.06, "{ups}");
        }
    }
}
