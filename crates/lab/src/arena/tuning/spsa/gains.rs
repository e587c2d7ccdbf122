//! How far an iteration looks and how far it moves, with the constants Spall recommends.

/// Decay of the moves.
const ALPHA: f64 = 0.602;
/// Decay of the distance between the two sides.
const GAMMA: f64 = 0.101;
/// Part of the iterations by which the decay of the moves is delayed, so that the first are tame.
const DELAY: f64 = 0.1;

/// The schedule of a run. Lengths are in units of each tunable's step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains {
    iterations: f64,
    rate: f64,
}

impl Gains {
    /// A schedule that ends with distance 1 and moves of `rate` for each game won more than lost.
    pub(super) fn new(iterations: u64, rate: f64) -> Self {
        Self { iterations: iterations as f64, rate }
    }

    /// How far both sides lie from the values.
    pub(super) fn reach(&self, iteration: u64) -> f64 {
        (self.iterations / (iteration + 1) as f64).powf(GAMMA)
    }

    /// How far a game won more than lost moves the values.
    pub(super) fn pull(&self, iteration: u64) -> f64 {
        let delay = DELAY * self.iterations;
        let decay = (delay + self.iterations) / (delay + (iteration + 1) as f64);
        self.rate * decay.powf(ALPHA) / self.reach(iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_ends_where_it_was_told_to() {
        let gains = Gains::new(10_000, 0.002);
        assert!((gains.reach(9_999) - 1.0).abs() < 1e-12);
        assert!((gains.pull(9_999) - 0.002).abs() < 1e-12);
        // 10000^0.101 and (11000/1001)^0.602, by hand.
        assert!((gains.reach(0) - 2.5351).abs() < 1e-3);
        assert!((gains.pull(0) - 0.002 * 4.233 / 2.5351).abs() < 1e-5);
        assert!((1..10_000).all(|k| gains.reach(k) < gains.reach(k - 1)));
    }
}
