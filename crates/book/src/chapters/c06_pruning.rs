//! The numbers of the search, and what happens without a technique.

use super::{board, row};
use crate::draw::board::{Picture, boards};
use crate::draw::chart::Heat;
use crate::draw::thousands;
use crate::{Output, root};
use tabiya_engine::{Limits, Params, Searcher};

pub(super) fn write(out: &mut Output) {
    for spec in Params::ALL {
        out.fact(&format!("param.{}", spec.name), spec.default);
    }
    out.fact("params.count", Params::ALL.len());
    reductions(out);
    techniques(out);
    margins(out);
    exercises(out);
    zugzwang(out);
}

/// Numbers of the answers, so that they follow the tunables.
fn exercises(out: &mut Output) {
    let margin = 4 * param("rfp_margin");
    let rest = 350 - margin;
    let answer = if rest >= 100 { "is enough: yes" } else { "is below 100: no" };
    out.fact("rfp.4", margin);
    out.fact("rfp.4.answer", format!("350 - {margin} = {rest} {answer}"));
    let corrections = param("lmr_cut") + param("lmr_cut_no_hash") + param("lmr_improving");
    let total = plies(16.0, 12.0) + f64::from(corrections) / 1024.0;
    out.fact("lmr.exercise", format!("{total:.2}"));
    out.fact("lmr.exercise.depth", 15 - total as i32);
}

/// Both sides of the smallest mutual zugzwang, searched without a net.
fn zugzwang(out: &mut Output) {
    let mut searcher = Searcher::new(16).expect("16 MB are there");
    searcher.set_option("Use NNUE", "false").expect("the option exists");
    let mut judge = |side: &str| {
        let position = board(&format!("8/8/8/4pK2/3kP3/8/8/8 {side} - - 0 1"));
        searcher.new_game();
        searcher.search(&position, &[], &Limits::depth(14), |_| {}).score
    };
    let (white, black) = (judge("w"), judge("b"));
    out.fact("zugzwang.white", white);
    out.fact("zugzwang.black", black);
    let position = board("8/8/8/4pK2/3kP3/8/8/8 w - - 0 1");
    let picture = Picture::new("whoever is to move loses").pieces(&position);
    out.figure("zugzwang", boards("A mutual zugzwang", &[picture]));
}

/// Base reduction of a quiet move, by the formula of `Reductions::new`.
fn plies(depth: f64, number: f64) -> f64 {
    let (base, divisor) = (f64::from(param("lmr_base")), f64::from(param("lmr_divisor")));
    (base + depth.ln() * number.ln() * 1024.0 * 1024.0 / divisor) / 1024.0
}

fn param(name: &str) -> i32 {
    let spec = Params::ALL.iter().find(|spec| spec.name == name);
    spec.expect("the book names tunables that exist").default
}

/// Base reductions of quiet moves.
fn reductions(out: &mut Output) {
    let (base, divisor) = (f64::from(param("lmr_base")), f64::from(param("lmr_divisor")));
    let numbers = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48];
    let rows = [2, 3, 4, 6, 8, 10, 12, 16, 20]
        .into_iter()
        .map(|depth| {
            let values = numbers.iter().map(|number| {
                let value = plies(f64::from(depth), f64::from(*number));
                (value, format!("{value:.1}"))
            });
            (format!("depth {depth}"), values.collect())
        })
        .collect();
    out.figure(
        "reductions",
        Heat {
            title: "Plies by which a quiet move is reduced before its history counts",
            x: "number of the move",
            y: "",
            columns: numbers.iter().map(ToString::to_string).collect(),
            rows,
        }
        .draw(),
    );
    out.fact("lmr.8.12", format!("{:.2}", plies(8.0, 12.0)));
    out.fact("lmr.16.12", format!("{:.2}", plies(16.0, 12.0)));
    out.fact("lmr.base.plies", format!("{:.2}", base / 1024.0));
    out.fact("lmr.divisor.plies", format!("{:.2}", divisor / 1024.0));
}

/// What a margin is at some depths.
fn margins(out: &mut Output) {
    let mut rows = vec![row![
        "depth",
        "reverse futility",
        "the same, improving",
        "razoring",
        "late move pruning"
    ]];
    for depth in [1, 2, 3, 4, 6, 8] {
        let rfp = param("rfp_margin") * depth;
        let razor = param("razor_base") + param("razor_scale") * depth * depth;
        let limit = param("lmp_base") + depth * depth;
        rows.push(row![
            depth,
            rfp,
            rfp - param("rfp_improving"),
            razor,
            format!("{} (improving {limit})", limit / 2)
        ]);
    }
    out.table("margins", &rows);
}

/// Recorded by `scripts/technique-table`.
fn techniques(out: &mut Output) {
    let path = root().join("book/data/techniques.csv");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    let Some(head) = lines.next() else { return };
    let mut rows = vec![row!["switched off", "how", "nodes", "share", "Elo"]];
    let mut base = 0.0;
    for line in lines {
        let cells: Vec<&str> = line.split(';').collect();
        let [name, how, nodes, elo] = cells[..] else { continue };
        let nodes: u64 = nodes.parse().unwrap_or(0);
        if how.is_empty() {
            base = nodes as f64;
        }
        let how = if how.is_empty() { String::new() } else { format!("`{how}`") };
        rows.push(row![name, how, thousands(nodes), format!("{:.2}", nodes as f64 / base), elo]);
    }
    out.table("techniques", &rows);
    out.fact("techniques.conditions", head.trim_start_matches("# "));
}
