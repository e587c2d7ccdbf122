//! Alpha-beta on paper, and what each idea saves.

use super::{KIWIPETE, board, row};
use crate::Output;
use crate::draw::chart::{Chart, Series};
use crate::draw::{thousands, tree};
use crate::lesson::counting::{Order, Recipe, search};
use crate::lesson::toy_tree::{self, well_ordered};
use tabiya_chess::perft;
use tabiya_engine::{Limits, Searcher};

/// A quiet opening position, so that more than captures matters.
pub(super) const QUIET: &str =
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4";

pub(super) fn write(out: &mut Output) {
    let plain = toy_tree::search(&toy_tree::example());
    let ordered = toy_tree::search(&well_ordered(toy_tree::example(), true));
    out.fact("toy.value", plain.value);
    out.fact("toy.leaves", plain.leaves());
    out.fact("toy.visited", plain.leaves_visited());
    out.fact("toy.visited.ordered", ordered.leaves_visited());
    out.figure("alpha-beta", tree::draw("Alpha-beta on a tree of 18 leaves", &plain));
    out.figure("alpha-beta-ordered", tree::draw("The same tree, best moves first", &ordered));
    ideas(out);
    deepening(out);
}

/// One idea after the other, in nodes.
fn ideas(out: &mut Output) {
    let ab = Recipe { alpha_beta: true, order: Order::Generated, table: false, null_window: false };
    let recipes = [
        ("alpha-beta, moves as generated", ab),
        ("captures first (MVV-LVA)", Recipe { order: Order::Captures, ..ab }),
        ("best move of the last iteration first", Recipe { order: Order::HashMove, ..ab }),
        ("killers and history", Recipe { order: Order::Quiets, ..ab }),
        ("values from the table", Recipe { order: Order::Quiets, table: true, ..ab }),
        (
            "null windows (PVS)",
            Recipe { order: Order::Quiets, table: true, null_window: true, ..ab },
        ),
    ];
    let position = board(QUIET);
    let depth = 5;
    // Without pruning every line is visited: no need to run it.
    let plain: u64 = (0..=depth).map(|plies| perft::count(&position, plies)).sum();
    let mut rows = vec![
        row!["added", "nodes", "share of minimax", "cut by the first move"],
        row!["minimax", thousands(plain), "100 %", ""],
    ];
    for (name, recipe) in recipes {
        let (_, cost) = search(&position, depth as i32, recipe);
        let share = 100.0 * cost.nodes as f64 / plain as f64;
        let first = 100.0 * cost.first_move_cuts as f64 / cost.cuts.max(1) as f64;
        rows.push(row![
            name,
            thousands(cost.nodes),
            format!("{share:.3} %"),
            format!("{first:.0} %")
        ]);
    }
    out.table("search-ideas", &rows);
    out.fact("ideas.depth", depth);
    out.fact("ideas.moves", position.legal_moves().len());
    let best = 2.0 * (perft::count(&position, depth) as f64).sqrt();
    out.fact("ideas.best-case", thousands(best as u64));
}

/// Nodes of the real engine by depth, with the hand-crafted evaluation: the same for every net.
fn deepening(out: &mut Output) {
    let mut searcher = Searcher::new(16).expect("16 MB are there");
    searcher.set_option("Use NNUE", "false").expect("the option exists");
    let mut nodes = Vec::new();
    let position = board(KIWIPETE);
    searcher.search(&position, &[], &Limits::depth(12), |info| {
        if info.bound.is_none() && info.depth as usize > nodes.len() {
            nodes.push(info.nodes);
        }
    });
    let mut rows = vec![row!["depth", "nodes until it is finished", "times as many as before"]];
    let mut before = None;
    for (index, count) in nodes.iter().enumerate() {
        let factor =
            before.map_or(String::new(), |before| format!("{:.2}", *count as f64 / before));
        rows.push(row![index + 1, thousands(*count), factor]);
        before = Some(*count as f64);
    }
    out.table("deepening", &rows);
    let (first, last) = (nodes[3] as f64, nodes[nodes.len() - 1] as f64);
    let ebf = (last / first).powf(1.0 / (nodes.len() - 4) as f64);
    out.fact("ebf", format!("{ebf:.2}"));
    let minimax = |depth: u32| 48f64.powi(depth as i32);
    let points = |f: &dyn Fn(usize) -> f64| (1..=nodes.len()).map(|d| (d as f64, f(d))).collect();
    out.figure(
        "branching",
        Chart {
            title: "Nodes by depth: all moves, the square root of it, and the engine",
            x: "depth in plies, Kiwipete",
            y: "nodes",
            log_y: true,
            series: vec![
                Series::new("48 moves each", points(&|d| minimax(d as u32))).dashed(),
                Series::new("best case of alpha-beta", points(&|d| 2.0 * minimax(d as u32).sqrt()))
                    .dashed(),
                Series::new("Tabiya", points(&|d| nodes[d - 1] as f64)).dotted(),
            ],
        }
        .draw(),
    );
    out.fact("kiwipete.moves", position.legal_moves().len());
}
