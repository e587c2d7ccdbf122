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
                ("settled: x 0.4", 0.0, 0.4 * soft),
                ("soft limit", 0.0, soft),
                ("best move changed: x 2.2", 0.0, 2.2 * soft),
                ("hard limit", 0.0, hard),
            ],
        ),
    );
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
