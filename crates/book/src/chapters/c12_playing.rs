//! The plan of the clock.

use super::row;
use crate::Output;
use crate::draw::chart::{Chart, Series, spans};
use crate::draw::thousands;
use tabiya_engine::Params;

/// `SAFETY`, `RESERVE_INCREMENTS` and `MAX_RESERVE` of the time manager.
const SAFETY: f64 = 3.0;
const RESERVE_INCREMENTS: f64 = 10.0;
const MAX_RESERVE: f64 = 100.0;
/// The default of `Move Overhead`.
const OVERHEAD: f64 = 10.0;
/// Factors of `stretch`: by iterations with the same best move, for a falling or rising score, by the
/// share of nodes of the best move.
const STABILITY: [f64; 5] = [2.2, 1.25, 1.0, 0.88, 0.8];
const SCORE: (f64, f64) = (0.75, 1.6);
const EFFORT: (f64, f64) = (0.3, 2.0);
const EFFORT_SCALE: f64 = 1.45;

/// The factor by the share of nodes that went into the best move, as in `stretch`.
fn effort(share: f64) -> f64 {
    let raw = (param("time_node_base") - share * param("time_node_scale")) / 1024.0;
    (raw * EFFORT_SCALE).clamp(EFFORT.0, EFFORT.1)
}

fn param(name: &str) -> f64 {
    let spec = Params::ALL.iter().find(|spec| spec.name == name);
    f64::from(spec.expect("the book names tunables that exist").default)
}

/// Soft and hard limit in milliseconds, by the rule of `TimeManager::new` without moves to go.
fn limits(clock: f64, increment: f64) -> (f64, f64) {
    let usable = (clock - OVERHEAD - SAFETY).max(0.0);
    let spare = (usable - (RESERVE_INCREMENTS * increment).min(MAX_RESERVE)).max(0.0);
    let gain = increment * param("time_increment") / 1024.0;
    let hard = (spare * param("time_hard") / 1024.0 + gain).min(usable);
    ((spare / param("time_divisor") + gain).min(hard), hard)
}

pub(super) fn write(out: &mut Output) {
    let mut rows = vec![row!["clock", "increment", "soft limit", "hard limit"]];
    for (clock, increment) in
        [(3000.0, 30.0), (60_000.0, 600.0), (60_000.0, 0.0), (500.0, 30.0), (150.0, 30.0)]
    {
        let (soft, hard) = limits(clock, increment);
        let text = |ms: f64| format!("{ms:.0} ms");
        rows.push(row![text(clock), text(increment), text(soft), text(hard)]);
    }
    out.table("clock", &rows);
    let (soft, hard) = limits(60_000.0, 600.0);
    out.fact("clock.soft", thousands(soft.round() as u64));
    out.fact("clock.hard", thousands(hard.round() as u64));
    out.figure(
        "time-axis",
        spans(
            "Limits of one move at 60 s and 0.6 s increment",
            "milliseconds since go",
            &[
                ("stable, 90 % of nodes", 0.0, STABILITY[4] * effort(0.9) * soft),
                ("soft limit", 0.0, soft),
                ("best move changed, 50 %", 0.0, STABILITY[0] * effort(0.5) * soft),
                ("hard limit", 0.0, hard),
            ],
        ),
    );
    let mut rows = vec![row!["iterations with the same best move", "factor"]];
    for (count, factor) in STABILITY.iter().enumerate() {
        let count = if count == 4 { "4 or more".to_owned() } else { count.to_string() };
        rows.push(row![count, factor]);
    }
    out.table("stability", &rows);
    let mut rows = vec![row!["nodes that went into the best move", "factor"]];
    for share in [25, 50, 75, 90, 100] {
        rows.push(row![format!("{share} %"), format!("{:.2}", effort(f64::from(share) / 100.0))]);
    }
    out.table("effort", &rows);
    out.fact("stretch.score", format!("{} to {}", SCORE.0, SCORE.1));
    let settled = STABILITY[4] * effort(0.9);
    let changed = STABILITY[0] * effort(0.5);
    out.fact("stretch.settled", format!("{settled:.2}"));
    out.fact("stretch.changed", format!("{changed:.2}"));
    let mut clock = 60_000.0;
    let mut points = Vec::new();
    for number in 0..=60 {
        points.push((f64::from(number), clock / 1000.0));
        clock = clock - limits(clock, 600.0).0 + 600.0;
    }
    out.figure(
        "clock",
        Chart {
            title: "The clock when every move takes its soft limit",
            x: "moves played",
            y: "seconds left",
            log_y: false,
            series: vec![Series::new("60 + 0.6", points)],
        }
        .draw(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_the_clock_are_those_of_the_engine() {
        let path = crate::root().join("crates/engine/src/search/time.rs");
        let source = std::fs::read_to_string(path).unwrap();
        let stability = STABILITY.map(|factor| format!("{factor:?}")).join(", ");
        for line in [
            format!("SAFETY: Duration = Duration::from_millis({SAFETY})"),
            format!("RESERVE_INCREMENTS: u32 = {RESERVE_INCREMENTS}"),
            format!("MAX_RESERVE: Duration = Duration::from_millis({MAX_RESERVE})"),
            format!("[{stability}]"),
            format!("clamp({:?}, {:?})", SCORE.0, SCORE.1),
            format!("effort.clamp({:?}, {:?})", EFFORT.0, EFFORT.1),
            format!("* {EFFORT_SCALE}"),
        ] {
            assert!(source.contains(&line), "'{line}' is not in the time manager");
        }
    }
}
