//! The clock: how long to think, and when a running search should end.
//!
//! A *hard* bound is never passed; a *soft* bound is stretched or shrunk after each iteration by how
//! settled the best move, its score and its share of the nodes are.

use super::params::Params;
use crate::limits::Limits;
use crate::score::{Value, is_decisive};
use std::time::Duration;
use tabiya_chess::{Color, Move};

/// Time left on the clock that is never planned with, beside the user's move overhead.
const SAFETY: Duration = Duration::from_millis(3);
/// With an increment the clock is not spent below this, so that a machine that pauses for a moment
/// costs no game: so many increments, but no more than the given time.
const RESERVE_INCREMENTS: u32 = 10;
const MAX_RESERVE: Duration = Duration::from_millis(100);
/// Moves a game is assumed to last when the time control does not say.
const MOVES_PLANNED: u32 = 40;

/// The bounds of one search and what it has seen so far.
#[derive(Debug)]
pub(crate) struct TimeManager {
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// Whether the bounds are a plan that may be stretched, not a fixed time.
    elastic: bool,
    best: Option<Move>,
    stable_iterations: i32,
    previous_value: Option<Value>,
    average_value: Option<Value>,
}

/// What an iteration brought.
#[derive(Clone, Copy)]
pub(crate) struct Iteration {
    pub(crate) best: Move,
    pub(crate) value: Value,
    pub(crate) depth: i32,
    /// Share of all nodes that went into the best move, in 1/1024.
    pub(crate) node_share: i32,
}

impl TimeManager {
    pub(crate) fn new(
        limits: &Limits,
        side: Color,
        overhead: Duration,
        single_reply: bool,
        params: &Params,
    ) -> Self {
        let mut manager = Self {
            soft: None,
            hard: None,
            elastic: false,
            best: None,
            stable_iterations: 0,
            previous_value: None,
            average_value: None,
        };
        if let Some(clock) = limits.clock(side) {
            let usable = clock.time.saturating_sub(overhead + SAFETY);
            let (soft, hard) = if let Some(moves) = limits.moves_to_go {
                // Each of the moves to come costs the overhead once more.
                let moves = moves.clamp(1, MOVES_PLANNED);
                let pool =
                    (usable + clock.increment * (moves - 1)).saturating_sub(overhead * (moves - 1));
                let base = pool / moves;
                (base, (base * 5).min(usable * 4 / 5))
            } else {
                let reserve = clock.increment.saturating_mul(RESERVE_INCREMENTS).min(MAX_RESERVE);
                let spare = usable.saturating_sub(reserve);
                let gain = clock.increment * params.time_increment() as u32 / 1024;
                (
                    spare / params.time_divisor() as u32 + gain,
                    spare * params.time_hard() as u32 / 1024 + gain,
                )
            };
            let hard = hard.min(usable);
            manager.hard = Some(hard);
            manager.soft = Some(if single_reply { Duration::ZERO } else { soft.min(hard) });
            manager.elastic = true;
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead);
            manager.hard = Some(manager.hard.map_or(time, |hard| hard.min(time)));
            if manager.soft.is_none() && single_reply {
                manager.soft = Some(Duration::ZERO);
            }
        }
        manager
    }

    /// How long the search is meant to take.
    pub(crate) fn planned(&self) -> Option<Duration> {
        self.soft
    }

    /// How many iterations in a row had the same best move.
    pub(crate) fn stable_iterations(&self) -> i32 {
        self.stable_iterations
    }

    /// Whether the search must end at once.
    pub(crate) fn is_over(&self, elapsed: Duration) -> bool {
        self.hard.is_some_and(|hard| elapsed >= hard)
    }

    /// Whether no further iteration should begin.
    pub(crate) fn is_enough(
        &mut self,
        elapsed: Duration,
        iteration: Iteration,
        params: &Params,
    ) -> bool {
        let factor = self.stretch(iteration, params);
        let Some(soft) = self.soft else { return false };
        let soft = if self.elastic { soft.mul_f64(factor) } else { soft };
        elapsed >= self.hard.map_or(soft, |hard| soft.min(hard))
    }

    /// How much more or less than planned this position deserves.
    fn stretch(&mut self, iteration: Iteration, params: &Params) -> f64 {
        let Iteration { best, value, depth, node_share } = iteration;
        if self.best == Some(best) {
            self.stable_iterations += 1;
        } else {
            self.stable_iterations = 0;
        }
        let falling = match (self.previous_value, self.average_value) {
            (Some(previous), Some(average)) if !is_decisive(value) && !is_decisive(previous) => {
                let drop = f64::from((previous - value) + (average - value)) / 2.0;
                (0.95 + drop * 0.012).clamp(0.75, 1.6)
            }
            _ => 1.0,
        };
        self.best = Some(best);
        self.previous_value = Some(value);
        self.average_value = Some(self.average_value.map_or(value, |mean| (3 * mean + value) / 4));
        if depth < 5 {
            return 1.0;
        }
        let stability = [2.2, 1.25, 1.0, 0.88, 0.8][self.stable_iterations.clamp(0, 4) as usize];
        let share = f64::from(node_share) / 1024.0;
        let effort = (f64::from(params.time_node_base()) / 1024.0
            - share * f64::from(params.time_node_scale()) / 1024.0)
            * 1.45;
        stability * falling * effort.clamp(0.3, 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Clock;

    fn manager(time: u64, increment: u64, moves_to_go: Option<u32>, overhead: u64) -> TimeManager {
        let clock = Clock {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
        };
        let limits = Limits { clocks: [Some(clock); 2], moves_to_go, ..Limits::default() };
        let overhead = Duration::from_millis(overhead);
        TimeManager::new(&limits, Color::White, overhead, false, &Params::default())
    }

    #[test]
    fn bounds_never_exceed_the_clock() {
        for time in [0, 1, 5, 10, 50, 100, 1000, 60_000, 3_600_000] {
            for increment in [0, 1, 10, 1000, 100_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(9999)] {
                    for overhead in [0, 10, 100, 5000] {
                        let manager = manager(time, increment, moves, overhead);
                        let (soft, hard) = (manager.soft.unwrap(), manager.hard.unwrap());
                        let usable = time.saturating_sub(overhead);
                        assert!(hard <= Duration::from_millis(usable), "{time} {increment}");
                        assert!(soft <= hard, "{time}+{increment}/{moves:?}: {soft:?} {hard:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_move_of_a_control_keeps_a_reserve() {
        let manager = manager(1000, 0, Some(1), 10);
        assert!(manager.hard.unwrap() < Duration::from_millis(950));
        assert!(manager.soft.unwrap() > Duration::from_millis(500));
    }

    /// The numbers of chapter 12 of the book: its examples without moves to go, its exercise with them.
    #[test]
    fn the_plans_of_the_book_are_made() {
        for (clock, moves, soft, hard) in [
            ((3000, 30), None, 120, 869),
            ((60_000, 600), None, 2465, 18_014),
            ((60_000, 0), None, 2000, 17_574),
            ((500, 30), None, 36, 137),
            ((150, 30), None, 25, 34),
            ((20_000, 0), Some(5), 3989, 15_990),
        ] {
            let manager = manager(clock.0, clock.1, moves, 10);
            let planned =
                [manager.soft, manager.hard].map(|limit| limit.unwrap().as_secs_f64() * 1e3);
            let wanted = [f64::from(soft), f64::from(hard)];
            let near = planned.iter().zip(wanted).all(|(ms, wanted)| (ms - wanted).abs() <= 0.6);
            assert!(near, "{clock:?} {moves:?}: {planned:?}, in the book {wanted:?}");
        }
    }

    #[test]
    fn a_clock_with_increment_never_sinks_into_danger() {
        for (time, increment, least) in [(3000, 30, 100), (1000, 10, 100), (60_000, 600, 100)] {
            let mut clock = Duration::from_millis(time);
            for _ in 0..300 {
                let manager = manager(clock.as_millis() as u64, increment, None, 10);
                clock =
                    clock.saturating_sub(manager.hard.unwrap()) + Duration::from_millis(increment);
                assert!(clock >= Duration::from_millis(least), "{time}+{increment}: {clock:?}");
            }
        }
    }

    #[test]
    fn a_fixed_time_is_not_stretched() {
        let limits = Limits::move_time(Duration::from_millis(100));
        let overhead = Duration::from_millis(10);
        let manager = TimeManager::new(&limits, Color::Black, overhead, false, &Params::default());
        assert!(!manager.is_over(Duration::from_millis(89)));
        assert!(manager.is_over(Duration::from_millis(90)));
        assert_eq!(manager.soft, None);
    }
}
