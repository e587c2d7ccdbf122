//! The size of the tree, Elo, and what a centipawn means.

use super::row;
use crate::draw::chart::{Chart, Series, bars};
use crate::draw::thousands;
use crate::{Output, root};
use tabiya_chess::{Board, perft};
use tabiya_engine::wdl::MODEL;
use tabiya_lab::arena::stats::elo::score_of_elo;
use tabiya_lab::data::record::{LabelledPosition, Reader};

pub(super) fn write(out: &mut Output) {
    tree(out);
    choices(out);
    elo(out);
    chances(out);
}

fn tree(out: &mut Output) {
    let counts: Vec<u64> = (1..=5).map(|depth| perft::count(&Board::default(), depth)).collect();
    let mut columns = Vec::new();
    let mut before = 1.0;
    let mut rows = vec![row!["plies", "lines of moves", "times as many as one ply before"]];
    for (index, count) in counts.iter().enumerate() {
        let plies = index + 1;
        out.fact(&format!("perft.start.{plies}"), thousands(*count));
        columns.push((format!("{plies}"), (*count as f64).log10(), thousands(*count)));
        rows.push(row![plies, thousands(*count), format!("{:.1}", *count as f64 / before)]);
        before = *count as f64;
    }
    out.table("tree-growth", &rows);
    out.figure(
        "tree-growth",
        bars(
            "Lines of moves from the starting position, by plies",
            "lines of moves after n plies (each step of height is a factor of ten)",
            &columns,
        ),
    );
}

/// How many moves there are to choose from, in the positions that nets are measured by.
fn choices(out: &mut Output) {
    // By pieces left: positions and all their moves.
    let mut groups = [(25, 32), (17, 24), (9, 16), (2, 8)].map(|range| (range, 0_u64, 0_u64));
    for name in ["quiet-a", "quiet-b", "noisy-a", "noisy-b"] {
        let path = root().join(format!("bench/nodes/{name}.pos"));
        let reader = Reader::<LabelledPosition>::open(&path).expect("the positions can be read");
        for record in reader.records() {
            let record = record.expect("the positions are whole");
            let board = record.to_board().expect("the positions are legal");
            let pieces = record.piece_count();
            for (range, positions, moves) in &mut groups {
                if (range.0..=range.1).contains(&pieces) {
                    *positions += 1;
                    *moves += board.legal_moves().len() as u64;
                }
            }
        }
    }
    let mut rows = vec![row!["pieces on the board", "positions", "legal moves on average"]];
    let mean = |moves: u64, positions: u64| format!("{:.1}", moves as f64 / positions as f64);
    let (mut all_positions, mut all_moves) = (0, 0);
    for ((least, most), positions, moves) in groups {
        rows.push(row![format!("{least} to {most}"), thousands(positions), mean(moves, positions)]);
        all_positions += positions;
        all_moves += moves;
    }
    out.table("choices", &rows);
    out.fact("choices.positions", thousands(all_positions));
    out.fact("choices.mean", mean(all_moves, all_positions));
}

fn elo(out: &mut Output) {
    let points = (-80..=80).map(|step| f64::from(step) * 10.0);
    let curve = points.map(|elo| (elo, 100.0 * score_of_elo(elo))).collect();
    out.figure(
        "elo",
        Chart {
            title: "Expected score by Elo difference",
            x: "Elo difference",
            y: "expected score in per cent",
            log_y: false,
            series: vec![Series::new("1 / (1 + 10^(-d/400))", curve)],
        }
        .draw(),
    );
    let mut rows = vec![row!["Elo difference", "expected score", "points from 100 games"]];
    for elo in [0, 10, 50, 100, 200, 400, 800] {
        let score = score_of_elo(f64::from(elo));
        rows.push(row![elo, format!("{score:.3}"), format!("{:.1}", 100.0 * score)]);
    }
    out.table("elo", &rows);
}

fn chances(out: &mut Output) {
    // What users see: 100 centipawns are a chance to win of one half.
    let half = MODEL.half_win_at(1.0);
    out.fact("chances.half", format!("{half:.0}"));
    let win = |cp: f64| 100.0 * MODEL.win(cp * half / 100.0, 1.0);
    let range = || (-60..=60).map(|step| f64::from(step) * 5.0);
    let draw = |cp: f64| 100.0 - win(cp) - win(-cp);
    out.figure(
        "chances",
        Chart {
            title: "Chances to win, draw and lose by centipawns",
            x: "centipawns, middlegame",
            y: "chance in per cent",
            log_y: false,
            series: vec![
                Series::new("win", range().map(|cp| (cp, win(cp))).collect()),
                Series::new("draw", range().map(|cp| (cp, draw(cp))).collect()).dashed(),
                Series::new("loss", range().map(|cp| (cp, win(-cp))).collect()),
            ],
        }
        .draw(),
    );
    let mut rows = vec![row!["centipawns", "win", "draw", "loss"]];
    for cp in [0, 50, 100, 150, 200, 300] {
        let cp = f64::from(cp);
        let per_cent = |chance: f64| format!("{chance:.0} %");
        rows.push(row![cp, per_cent(win(cp)), per_cent(draw(cp)), per_cent(win(-cp))]);
    }
    out.table("chances", &rows);
}
