//! How fast a net learns, and how far its weights are rounded, over a run.
//!
//! Full precision first, then rounding sets in gradually ("Continual Quantization-Aware
//! Pre-Training", 2025), then a stage at a high rate with weight decay and a second one at a low rate
//! without it, in which the ternary pattern settles ("`BitNet` b1.58 2B4T", 2025).

use serde::{Deserialize, Serialize};

/// Steps until the highest rate.
const WARM_UP: u64 = 300;
/// Share of the run in full precision.
const FULL_PRECISION: f64 = 0.2;
/// Steps over which rounding sets in, and the most of the run that may take.
const RAMP: (u64, f64) = (1500, 0.1);
/// Share of the run before the second stage.
const FIRST_STAGE: f64 = 0.6;
/// The rate at the end of the first stage, and at the start of the second, beside the highest.
const FIRST_STAGE_END: f32 = 0.4;
const SECOND_STAGE: f32 = 0.27;
/// Share of an early finish in which rounding sets in, if it had not.
const FINISH_RAMP: f64 = 0.35;

/// What a step does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pace {
    pub(crate) rate: f32,
    pub(crate) decay: f32,
    /// How far weights and activations are rounded, from 0 to 1.
    pub(crate) lambda: f32,
}

/// A second stage that begins before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Finish {
    /// Steps done before it.
    pub(crate) from: u64,
    /// Steps it takes.
    pub(crate) steps: u64,
}

/// The plan of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: u64,
    pub(crate) rate: f32,
    pub(crate) decay: f32,
    /// Whether weights become ternary at all.
    pub(crate) ternary: bool,
    pub(crate) finish: Option<Finish>,
}

impl Plan {
    /// Steps of the run, or until its early finish.
    pub(crate) fn end(&self) -> u64 {
        self.finish.map_or(self.steps, |finish| finish.from + finish.steps)
    }

    /// What the step after `step` others does.
    pub(crate) fn pace(&self, step: u64) -> Pace {
        let pace = match self.finish {
            Some(finish) if step >= finish.from => self.finishing(finish, step - finish.from),
            _ => self.regular(step),
        };
        Pace { lambda: if self.ternary { pace.lambda } else { 0.0 }, ..pace }
    }

    fn regular(&self, step: u64) -> Pace {
        let total = self.steps as f64;
        let ramp = (RAMP.0 as f64).min(RAMP.1 * total).max(1.0);
        let lambda = ((step as f64 - FULL_PRECISION * total) / ramp).clamp(0.0, 1.0) as f32;
        let way = step as f64 / total;
        if way >= FIRST_STAGE {
            let left = ((1.0 - way) / (1.0 - FIRST_STAGE)) as f32;
            return Pace { rate: SECOND_STAGE * self.rate * left, decay: 0.0, lambda };
        }
        let warm_up = WARM_UP.min(self.steps / 20).max(1) as f32;
        let start = ((step + 1) as f32 / warm_up).min(1.0);
        let way = (way / FIRST_STAGE) as f32;
        let rate = self.rate * (1.0 - (1.0 - FIRST_STAGE_END) * way) * start;
        Pace { rate, decay: self.decay, lambda }
    }

    fn finishing(&self, finish: Finish, step: u64) -> Pace {
        let before = self.regular(finish.from);
        let way = step as f64 / finish.steps.max(1) as f64;
        let ramp = if before.lambda < 1.0 { FINISH_RAMP } else { 0.0 };
        if way < ramp {
            let lambda = before.lambda + (1.0 - before.lambda) * (way / ramp) as f32;
            return Pace { lambda, ..before };
        }
        let left = ((1.0 - way) / (1.0 - ramp)) as f32;
        // What rounding shook up needs more than the usual rate of the second stage to settle.
        let share = if ramp > 0.0 { before.rate / self.rate } else { SECOND_STAGE };
        let rate = self.rate * share.min(before.rate / self.rate) * left;
        Pace { rate, decay: 0.0, lambda: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { steps: 10_000, rate: 1e-3, decay: 0.1, ternary: true, finish: None };

    #[test]
    fn a_run_goes_from_full_precision_to_ternary_and_from_fast_to_slow() {
        let paces: Vec<_> = (0..PLAN.steps).map(|step| PLAN.pace(step)).collect();
        assert_eq!(paces[299].rate, PLAN.pace(299).rate);
        assert!(paces.iter().all(|pace| pace.rate > 0.0 && pace.rate <= 1e-3));
        assert!(paces.is_sorted_by(|a, b| a.lambda <= b.lambda));
        assert_eq!((paces[2000].lambda, paces[3001].lambda), (0.0, 1.0));
        assert_eq!((paces[5999].decay, paces[6000].decay), (0.1, 0.0));
        assert!(paces[9999].rate < 1e-6 && paces[6000].rate < paces[5999].rate);
    }

    #[test]
    fn an_early_finish_ends_ternary_and_slow() {
        for from in [100, 2500, 5000] {
            let finish = Some(Finish { from, steps: 1000 });
            let plan = Plan { finish, ..PLAN };
            assert_eq!(plan.end(), from + 1000);
            assert_eq!(plan.pace(from - 1), PLAN.pace(from - 1));
            let paces: Vec<_> = (from..plan.end()).map(|step| plan.pace(step)).collect();
            assert!(paces.is_sorted_by(|a, b| a.lambda <= b.lambda));
            assert!(paces.is_sorted_by(|a, b| a.rate >= b.rate), "{from}");
            let last = paces[999];
            assert!(last.lambda == 1.0 && last.rate < 2e-6 && last.decay == 0.0);
        }
    }

    #[test]
    fn a_control_in_full_precision_is_never_rounded() {
        let plan = Plan { ternary: false, ..PLAN };
        assert!((0..plan.steps).all(|step| plan.pace(step).lambda == 0.0));
    }
}
