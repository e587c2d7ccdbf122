//! Error bars and sequential tests, simulated.

use super::row;
use crate::Output;
use crate::draw::chart::{Chart, Series};
use crate::draw::thousands;
use tabiya_lab::arena::stats::Wdl;
use tabiya_lab::arena::stats::elo::{Difference, score_of_elo};
use tabiya_lab::arena::stats::sprt::{Decision, Model, Sprt};
use tabiya_lab::work::SplitMix;

/// Share of draws in the simulated games.
const DRAWS: f64 = 0.4;

/// The half points of a game between players with this difference.
fn game(random: &mut SplitMix, elo: f64) -> u8 {
    let win = score_of_elo(elo) - DRAWS / 2.0;
    match random.unit() {
        x if x < win => 2,
        x if x < win + DRAWS => 1,
        _ => 0,
    }
}

pub(super) fn write(out: &mut Output) {
    error_bars(out);
    hundred_games(out);
    sequential(out);
}

fn equal_match(games: u64) -> Wdl {
    let draws = (DRAWS * games as f64) as u64;
    Wdl::new((games - draws) / 2, draws, (games - draws) / 2)
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..3600 => format!("{:.0} minutes", seconds as f64 / 60.0),
        _ => format!("{:.1} hours", seconds as f64 / 3600.0),
    }
}

fn error_bars(out: &mut Output) {
    let mut rows = vec![row!["games", "error bar (95 %)", "at one game a second"]];
    let mut points = Vec::new();
    for games in [100, 400, 1_000, 4_000, 10_000, 40_000, 100_000] {
        let error = Difference::of(&equal_match(games).sample()).elo.error;
        rows.push(row![thousands(games), format!("± {error:.1} Elo"), duration(games)]);
        points.push(((games as f64).log10(), error));
    }
    out.table("error-bars", &rows);
    out.figure(
        "error-bars",
        Chart {
            title: "Error bars by number of games",
            x: "games, as a power of ten",
            y: "± Elo (95 %)",
            log_y: false,
            series: vec![Series::new("40 % draws", points).dotted()],
        }
        .draw(),
    );
    let worked = Wdl::new(30, 44, 26);
    let difference = Difference::of(&worked.sample());
    out.fact("worked.score", format!("{:.2}", difference.score.value));
    out.fact("worked.variance", format!("{:.4}", worked.sample().variance()));
    out.fact("worked.error", format!("{:.4}", worked.sample().variance().sqrt() / 10.0));
    out.fact("worked.elo", format!("{:+.0} ± {:.0}", difference.elo.value, difference.elo.error));
    out.fact("worked.los", format!("{:.0} %", 100.0 * difference.los));
    evidence(out, &worked);
}

/// The worked example as a sequential test sees it: by a formula for paper, and by the test itself.
fn evidence(out: &mut Output, games: &Wdl) {
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Logistic).expect("a sane test");
    let sample = games.sample();
    let (score, better) = (Difference::of(&sample).score.value, score_of_elo(5.0));
    let steps = 100.0 * (better - 0.5) / sample.variance();
    let paper = steps * (score - f64::midpoint(better, 0.5));
    let exact = sprt.llr_of_games(games);
    assert!((paper - exact).abs() < 0.01, "{paper} {exact}");
    out.fact("sprt.better", format!("{better:.4}"));
    out.fact("sprt.middle", format!("{:.4}", f64::midpoint(better, 0.5)));
    out.fact("sprt.paper", format!("{paper:.3}"));
    out.fact("sprt.exact", format!("{exact:.3}"));
    let games = (100.0 * sprt.bounds().1 / paper / 100.0).round() * 100.0;
    out.fact("sprt.games", thousands(games as u64));
}

/// What matches of 100 games between equal players show.
fn hundred_games(out: &mut Output) {
    let mut random = SplitMix::new(2026);
    let mut buckets = [0_u32; 13];
    let mut beyond = 0;
    for _ in 0..2000 {
        let mut games = Wdl::default();
        (0..100).for_each(|_| games.add(game(&mut random, 0.0)));
        let elo = Difference::of(&games.sample()).elo.value;
        let bucket = ((elo + 130.0) / 20.0).floor().clamp(0.0, 12.0) as usize;
        buckets[bucket] += 1;
        beyond += u32::from(elo.abs() >= 20.0);
    }
    let bars: Vec<_> = buckets
        .iter()
        .enumerate()
        .map(|(index, count)| {
            (format!("{}", index as i32 * 20 - 120), f64::from(*count), count.to_string())
        })
        .collect();
    out.figure(
        "hundred-games",
        crate::draw::chart::bars(
            "Results of 2,000 matches of 100 games between equal players",
            "2,000 matches of 100 games between equals, by the Elo they show",
            &bars,
        ),
    );
    out.fact("hundred.beyond", format!("{:.0} %", f64::from(beyond) / 20.0));
}

fn sequential(out: &mut Output) {
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Logistic).expect("a sane test");
    let (lower, upper) = sprt.bounds();
    out.fact("sprt.bound", format!("{upper:.2}"));
    let walk = |elo: f64, seed: u64| {
        let mut random = SplitMix::new(seed);
        let mut games = Wdl::default();
        let mut points = vec![(0.0, 0.0)];
        for number in 1..=100_000 {
            games.add(game(&mut random, elo));
            if number % 50 == 0 {
                let llr = sprt.llr_of_games(&games);
                points.push((f64::from(number) / 1000.0, llr));
                if sprt.decide(llr) != Decision::Undecided {
                    break;
                }
            }
        }
        points
    };
    let walks = [("+10 Elo", 10.0, 1), ("+2.5 Elo", 2.5, 9), ("0 Elo", 0.0, 3)];
    let mut series: Vec<_> =
        walks.into_iter().map(|(name, elo, seed)| Series::new(name, walk(elo, seed))).collect();
    let ends = series.iter().filter_map(|series| series.points.last()).map(|point| point.0);
    let end = ends.fold(0.0, f64::max);
    series.push(Series::new("bounds", vec![(0.0, upper), (end, upper)]).dashed());
    series.push(Series::new("", vec![(0.0, lower), (end, lower)]).dashed());
    out.figure(
        "sprt",
        Chart {
            title: "Three sequential tests",
            x: "thousands of games",
            y: "log-likelihood ratio",
            log_y: false,
            series,
        }
        .draw(),
    );
    let mut rows = vec![row!["true difference", "tests that said yes", "games on average"]];
    for elo in [-5.0, 0.0, 2.5, 5.0, 10.0] {
        let (mut yes, mut games) = (0, 0.0);
        let runs = 60;
        for seed in 0..runs {
            let points = walk(elo, 100 + seed);
            let (length, llr) = points[points.len() - 1];
            yes += u32::from(llr >= upper);
            games += length * 1000.0;
        }
        let mean = games / runs as f64;
        rows.push(row![
            format!("{elo:+}"),
            format!("{:.0} %", 100.0 * f64::from(yes) / runs as f64),
            thousands((mean / 100.0).round() as u64 * 100)
        ]);
    }
    out.table("sprt", &rows);
}
