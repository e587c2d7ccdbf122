//! The numbers of the search, and what happens without a technique.

use super::{board, row};
use crate::Output;
use crate::draw::board::{Picture, boards};
use crate::draw::chart::Heat;
use crate::draw::thousands;
use crate::techniques::{self, Row};
use tabiya_engine::bench::POSITIONS;
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
    for name in ["lmr_noisy_base", "lmr_noisy_divisor"] {
        let fact = format!("lmr.noisy.{}.plies", name.trim_start_matches("lmr_noisy_"));
        out.fact(&fact, format!("{:.2}", f64::from(param(name)) / 1024.0));
    }
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

/// What was counted with a technique switched off, beside the Elo of docs/EXPERIMENTS.md.
fn techniques(out: &mut Output) {
    let record = techniques::read().expect("the record lies in the project");
    let base = record.rows[0].nodes;
    let mut rows = vec![row!["switched off", "how", "nodes", "share", "Elo"]];
    let mut certain = Vec::new();
    for Row { name, tunables, nodes } in &record.rows {
        let share = *nodes as f64 / base as f64;
        let elo = techniques::elo(tunables);
        // What follows a comma names the evaluation.
        let number = elo.as_deref().and_then(|elo| elo.split(',').next());
        if let Some((value, error)) = number.and_then(|number| number.split_once(" +/- "))
            && let (Ok(value), Ok(error)) = (value.parse::<f64>(), error.parse::<f64>())
            && value.abs() > error
        {
            certain.push(name.split(',').next().unwrap_or(name));
        }
        if let Some((first, _)) = tunables.split_once('=') {
            let elo = match &elo {
                Some(elo) => format!("Elo {elo}"),
                None => "no match has been played".to_owned(),
            };
            out.fact(&format!("off.{first}"), format!("{share:.2} times the nodes; {elo}"));
        }
        let (how, elo) = match tunables.as_str() {
            "" => (String::new(), String::new()),
            _ => (format!("`{tunables}`"), elo.unwrap_or_else(|| "no match played".to_owned())),
        };
        rows.push(row![name, how, thousands(*nodes), format!("{share:.2}"), elo]);
    }
    out.table("techniques", &rows);
    out.fact("techniques.depth", record.depth);
    out.fact("techniques.positions", POSITIONS.len());
    let last = certain.pop().unwrap_or("no technique");
    let others = certain.join(", ");
    out.fact(
        "techniques.certain",
        if others.is_empty() { last.to_owned() } else { format!("{others} and {last}") },
    );
    let (name, most) =
        record.rows.iter().map(|row| (&row.name, row.nodes)).max_by_key(|row| row.1).expect("rows");
    out.fact("techniques.most", name);
    out.fact("techniques.most.share", format!("{:.1}", most as f64 / base as f64));
}
