//! The picture of the README: what `tabiya analyse` shows, line by line as in a terminal.

use crate::draw::thousands;
use crate::{Output, default_searcher};
use std::fmt::Write;
use tabiya_chess::Board;
use tabiya_engine::Limits;

const DEPTH: u32 = 14;
const LINE: usize = 18;
const TOP: usize = 62;
const WIDTH: usize = 760;
/// Seconds between two lines.
const PAUSE: f64 = 0.5;
/// Letters of a line of moves.
const ROOM: usize = 46;

pub(super) fn write(out: &mut Output) {
    let board = Board::default();
    let mut rows = Vec::new();
    let mut searcher = default_searcher();
    let result = searcher.search(&board, &[], &Limits::depth(DEPTH), |info| {
        // Bounds are told by the clock, not by the search.
        if info.bound.is_some() {
            return;
        }
        // Speeds are left out: they are different every time.
        let [win, draw, loss] =
            [info.wdl.win, info.wdl.draw, info.wdl.loss].map(|chance| f64::from(chance) / 10.0);
        rows.push(format!(
            "{:>5} {:>8} {:>13} {:>9}  {}",
            info.depth,
            info.score.in_pawns(),
            format!("{win:.0}/{draw:.0}/{loss:.0} %"),
            thousands(info.nodes),
            shortened(&board.line_text(&info.line))
        ));
    });
    let best = result.best.map_or_else(String::new, |mv| board.san(mv));
    out.files.insert("docs/images/analyse.svg".to_owned(), terminal(&rows, &best));
}

/// As many whole moves as there is room for.
fn shortened(line: &str) -> String {
    let mut text = String::new();
    for word in line.split(' ') {
        if text.len() + word.len() > ROOM {
            break;
        }
        text += word;
        text.push(' ');
    }
    // A move number alone says nothing.
    let text = text.trim_end();
    let whole = text.rsplit_once(' ').filter(|_| text.ends_with('.'));
    whole.map_or(text, |(moves, _)| moves).to_owned()
}

fn terminal(rows: &[String], best: &str) -> String {
    let height = TOP + (rows.len() + 2) * LINE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"12.5\" role=\"img\">\n\
         <title>tabiya analyse --depth {DEPTH}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"#1d2430\"/>\n"
    );
    let mut line = |y: usize, fill: &str, begin: f64, text: &str| {
        // Without animation everything is there at once.
        let _ = writeln!(
            svg,
            "<text x=\"16\" y=\"{y}\" fill=\"{fill}\" xml:space=\"preserve\">{text}\
             <set attributeName=\"visibility\" to=\"hidden\" begin=\"0s\" end=\"{begin:.1}s\"/></text>"
        );
    };
    line(26, "#9ece6a", 0.1, &format!("$ tabiya analyse --depth {DEPTH}"));
    let head =
        format!("{:>5} {:>8} {:>13} {:>9}  line", "depth", "White's", "win/draw/loss", "nodes");
    line(48, "#7d8799", 0.3, &head);
    for (index, row) in rows.iter().enumerate() {
        line(TOP + 6 + index * LINE, "#d7dce5", (index + 1) as f64 * PAUSE, row);
    }
    let end = (rows.len() + 1) as f64 * PAUSE;
    line(TOP + 12 + rows.len() * LINE, "#e0af68", end, &format!("best: {best}"));
    svg + "</svg>\n"
}
