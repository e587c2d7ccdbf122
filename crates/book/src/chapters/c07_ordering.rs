//! The order of moves, and what it learns.

use super::c05_search::QUIET;
use super::{KIWIPETE, board, row};
use crate::Output;
use crate::draw::chart::{Chart, Series, bars};
use crate::lesson::counting::{Order, Recipe, search, victim_and_attacker};
use tabiya_chess::{Board, Move};
use tabiya_engine::see_ge;

/// The limit of `apply_gravity`.
const LIMIT: i32 = 16384;

pub(super) fn write(out: &mut Output) {
    captures(out);
    first_moves(out);
    gravity(out);
}

/// What the exchange on the target square brings, by asking `see_ge` for every threshold.
fn exchange(position: &Board, mv: Move) -> i32 {
    (-2000..=2000).rev().find(|threshold| see_ge(position, mv, *threshold)).unwrap_or(-2000)
}

fn captures(out: &mut Output) {
    let position = board(KIWIPETE);
    let mut moves: Vec<Move> = position.legal_moves().iter().filter(|mv| mv.is_capture()).collect();
    moves.sort_by_key(|mv| -victim_and_attacker(&position, *mv));
    let name = |kind: Option<tabiya_chess::PieceType>| {
        kind.map_or(String::new(), |kind| format!("{kind:?}").to_lowercase())
    };
    let mut rows = vec![row!["order", "move", "attacker", "victim", "exchange (SEE)"]];
    for (index, mv) in moves.iter().enumerate() {
        let attacker = position.piece_on(mv.from()).map(tabiya_chess::Piece::kind);
        rows.push(row![
            index + 1,
            position.san(*mv),
            name(attacker),
            name(position.captured(*mv)),
            exchange(&position, *mv)
        ]);
    }
    out.table("captures", &rows);
}

fn first_moves(out: &mut Output) {
    let base = Recipe { alpha_beta: true, order: Order::Generated, table: true, null_window: true };
    let mut columns = Vec::new();
    for (name, order) in [
        ("as generated", Order::Generated),
        ("+ MVV-LVA", Order::Captures),
        ("+ hash move", Order::HashMove),
        ("+ killers, history", Order::Quiets),
    ] {
        let (_, cost) = search(&board(QUIET), 5, Recipe { order, ..base });
        let share = 100.0 * cost.first_move_cuts as f64 / cost.cuts.max(1) as f64;
        columns.push((name.to_owned(), share, format!("{share:.1} %")));
    }
    out.figure(
        "first-move-cuts",
        bars(
            "Cuts by the first move, by order",
            "share of all cuts that the first move makes",
            &columns,
        ),
    );
}

/// One step of the rule in `apply_gravity`, in whole numbers as there.
fn pull(value: i32, bonus: i32) -> i32 {
    value + bonus - value * bonus.abs() / LIMIT
}

fn gravity(out: &mut Output) {
    let run = |bonus: i32| {
        let mut value = 0;
        let mut points = vec![(0.0, 0.0)];
        for step in 1..=60 {
            // Forty rewards, then the same as punishments.
            value = pull(value, if step <= 40 { bonus } else { -bonus });
            points.push((f64::from(step), f64::from(value)));
        }
        points
    };
    out.figure(
        "gravity",
        Chart {
            title: "A history entry after 40 rewards and 20 punishments",
            x: "updates",
            y: "value of the entry",
            log_y: false,
            series: vec![Series::new("bonus 500", run(500)), Series::new("bonus 2000", run(2000))],
        }
        .draw(),
    );
    let mut rows = vec![row!["before", "bonus", "step taken", "after"]];
    for (value, bonus) in [(0, 1000), (8192, 1000), (16000, 1000), (16000, -1000)] {
        let after = pull(value, bonus);
        rows.push(row![value, bonus, format!("{:+}", after - value), after]);
    }
    out.table("gravity", &rows);
    let first = pull(8000, 2000);
    out.fact("gravity.first", first);
    out.fact("gravity.second", pull(first, -2000));
}
