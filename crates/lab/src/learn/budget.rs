//! How much each generation does.
//!
//! With a number of generations the amounts are those of the settings, and the clock has no say. With a
//! number of hours they follow from the rates measured so far; the plan they go into is written down
//! before the generation begins, and holds whatever happens.

use super::plan::{Amounts, Outline};
use super::result::{Generation, Speed};
use super::run::Goal;
use super::settings::Settings;

/// Without a clock: games of a generation, of the gate and against each yardstick.
const GAMES: u64 = 4000;
const GATE_GAMES: u64 = 400;
const YARDSTICK_GAMES: u64 = 60;
/// Seconds of the shortest generation.
const SHORTEST: f64 = 8.0;
/// The first generation gets this share of all time, each later one more by this factor, up to most.
const FIRST_SHARE: f64 = 0.012;
const GROWTH: f64 = 1.6;
const LARGEST_SHARE: f64 = 0.16;
/// A rest smaller than this part of a generation is added to the one before it.
const REST: f64 = 0.7;
/// Shares of a generation's time.
const PLAY: f64 = 0.6;
const TRAIN: f64 = 0.28;
const GATE: f64 = 0.07;
const YARDSTICKS: f64 = 0.05;
/// Searches of a game, about: what a judged position costs less.
const SEARCHES: f64 = 100.0;
/// Positions learnt per second by a net of 128 neurons, until it is measured.
const ASSUMED_SAMPLES: f64 = 100_000.0;
const ASSUMED_HIDDEN: usize = 128;

/// Seconds for a generation, of `total` of which `spent` are spent; `None` if nothing more fits.
pub(super) fn seconds_for(generation: u64, total: f64, spent: f64) -> Option<f64> {
    let left = total - spent;
    let wanted = |generation: u64| {
        let growth = GROWTH.powi(generation.min(100) as i32 - 1);
        (total * (FIRST_SHARE * growth).min(LARGEST_SHARE)).max(SHORTEST)
    };
    let this = wanted(generation);
    if generation > 1 && left < this * REST {
        return None;
    }
    Some(if left - this < wanted(generation + 1) * REST { left.max(SHORTEST) } else { this })
}

/// The rates of the last generation that measured them, for this outline.
fn expected(outline: &Outline, settings: &Settings, done: &[Generation], now: Speed) -> Speed {
    let last = |rate: fn(&Generation) -> Option<f64>| done.iter().rev().find_map(rate);
    let games = last(|one| Some(one.speed.games? * one.plan.nodes as f64));
    let samples = last(|one| Some(one.speed.samples? * one.plan.shape.hidden() as f64));
    Speed {
        games: now.games.or_else(|| Some(games? / outline.nodes as f64)),
        samples: Some(
            samples.unwrap_or(ASSUMED_SAMPLES * ASSUMED_HIDDEN as f64)
                / outline.shape.hidden() as f64,
        ),
        gate_games: last(|one| one.speed.gate_games).or_else(|| {
            let per_node = now.games? * outline.nodes as f64;
            Some(per_node / settings.gate_nodes as f64)
        }),
    }
}

/// The amounts of a generation. `now` has what was measured just before.
pub(super) fn amounts(
    settings: &Settings,
    goal: Goal,
    outline: &Outline,
    done: &[Generation],
    seconds: Option<f64>,
    now: Speed,
) -> Amounts {
    let Some(seconds) = seconds.filter(|_| matches!(goal, Goal::Hours(_))) else {
        let games = settings.games.unwrap_or(GAMES);
        return Amounts {
            games,
            explored: explored(settings, games),
            samples: None,
            gate_pairs: settings.gate_games.unwrap_or(GATE_GAMES).div_ceil(2),
            yardstick_pairs: settings.yardstick_games.unwrap_or(YARDSTICK_GAMES).div_ceil(2),
        };
    };
    let speed = expected(outline, settings, done, now);
    let count = |rate: Option<f64>, share: f64, least: f64| {
        (rate.unwrap_or_default() * seconds * share).max(least) as u64
    };
    let yardsticks = 1.0 + settings.yardsticks.len() as f64;
    let pairs = |share: f64, least: f64| count(speed.gate_games, share / 2.0, least);
    let playing = PLAY * if outline.is_blind { 1.0 } else { 1.0 - settings.explore };
    let games = settings.games.unwrap_or_else(|| count(speed.games, playing, 50.0));
    Amounts {
        games,
        explored: explored(settings, games),
        samples: Some(count(speed.samples, TRAIN, 1.0)),
        gate_pairs: settings.gate_games.map_or_else(|| pairs(GATE, 8.0), |games| games.div_ceil(2)),
        yardstick_pairs: settings
            .yardstick_games
            .map_or_else(|| pairs(YARDSTICKS / yardsticks, 4.0), |games| games.div_ceil(2)),
    }
}

/// Positions to be judged beside so many games.
fn explored(settings: &Settings, games: u64) -> u64 {
    (games as f64 * SEARCHES * settings.explore / (1.0 - settings.explore)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generations of a run in which each takes the time it was given.
    fn lengths(total: f64) -> Vec<f64> {
        let mut lengths: Vec<f64> = Vec::new();
        while let Some(seconds) = seconds_for(lengths.len() as u64 + 1, total, lengths.iter().sum())
        {
            lengths.push(seconds);
        }
        lengths
    }

    #[test]
    fn generations_grow_and_fill_the_time() {
        for hours in [0.05, 1.0 / 6.0, 2.0, 24.0] {
            let total = hours * 3600.0;
            let lengths = lengths(total);
            assert!((5..20).contains(&lengths.len()), "{lengths:?}");
            assert!((lengths.iter().sum::<f64>() - total).abs() < 1.0, "{lengths:?}");
            // The last one gets what is left.
            let (_, all_but_last) = lengths.split_last().unwrap();
            assert!(lengths[0] < 0.1 * total && all_but_last.is_sorted(), "{lengths:?}");
        }
        assert_eq!(seconds_for(5, 3600.0, 3590.0), None);
        assert_eq!(seconds_for(1, 1.0, 5.0), Some(SHORTEST), "one generation is always made");
    }

    #[test]
    fn amounts_without_a_clock_are_those_of_the_settings() {
        let settings =
            Settings { games: Some(7), explore: 0.5, gate_games: Some(5), ..Settings::default() };
        let outline = Outline::new(&settings, 3, 2);
        let fast = Speed { games: Some(1e6), samples: Some(1e6), gate_games: Some(1e6) };
        let amounts = amounts(&settings, Goal::Generations(4), &outline, &[], None, fast);
        assert_eq!(
            amounts,
            Amounts {
                games: 7,
                explored: 700,
                samples: None,
                gate_pairs: 3,
                yardstick_pairs: YARDSTICK_GAMES / 2
            }
        );
    }

    #[test]
    fn amounts_by_the_clock_follow_the_rates() {
        let settings = Settings::default();
        let outline = Outline::new(&settings, 1, 0);
        let now = Speed { games: Some(50.0), ..Speed::default() };
        let amounts = amounts(&settings, Goal::Hours(1.0), &outline, &[], Some(100.0), now);
        assert_eq!(amounts.games, 3000);
        assert_eq!(amounts.samples, Some(2_800_000));
        // 50 games a second at 60 nodes are 6 at 500; 7 seconds of pairs.
        assert_eq!(amounts.gate_pairs, 21);
        assert_eq!(amounts.yardstick_pairs, 15);
    }
}
