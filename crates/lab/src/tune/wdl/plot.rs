//! A picture of a fit: observed shares of wins, draws and losses against the model.

use super::samples::{Cell, Samples};
use std::fmt::Write;
use tabiya_engine::wdl::Model;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 730.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 370.0;
/// Centipawns on both sides of zero.
const SPAN: f64 = 300.0;
/// Width of a bin in centipawns.
const BIN: f64 = 20.0;
/// Fewer positions make no dot.
const ENOUGH: f64 = 50.0;
/// Win, draw, loss (Okabe and Ito 2008).
const SERIES: [(&str, &str); 3] = [("win", "#009e73"), ("draw", "#0072b2"), ("loss", "#d55e00")];

/// Sums over the positions of a bin.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: f64,
    observed: [f64; 3],
    expected: [f64; 3],
}

/// Draws shares by shown centipawns: dots are observed, lines are what the model expects.
pub fn render(samples: &Samples, model: &Model) -> String {
    let count = (2.0 * SPAN / BIN) as usize;
    let mut bins = vec![Bin::default(); count];
    for cell in samples.cells() {
        let shown = cell.value * 100.0 / model.half_win_at(cell.material);
        let place = ((shown + SPAN) / BIN).floor();
        if (0.0..count as f64).contains(&place) {
            bins[place as usize].add(&cell, model);
        }
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">Results by centipawns: {} positions of {} \
         games (dots), model (lines)</text>\n",
        samples.positions(),
        samples.games,
    );
    draw_axes(&mut svg);
    for (index, (name, colour)) in SERIES.iter().enumerate() {
        let mut line = Vec::new();
        for (place, bin) in bins.iter().enumerate().filter(|(_, bin)| bin.count >= ENOUGH) {
            let x = x((place as f64 + 0.5) * BIN - SPAN);
            line.push(format!("{x:.1},{:.1}", y(bin.expected[index] / bin.count)));
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{colour}\"/>",
                y(bin.observed[index] / bin.count),
            );
        }
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>\n\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\">{name}</text>",
            line.join(" "),
            LEFT + 60.0 * index as f64,
            TOP - 8.0,
        );
    }
    svg + "</svg>\n"
}

impl Bin {
    fn add(&mut self, cell: &Cell, model: &Model) {
        let total = cell.wins + cell.draws + cell.losses;
        let win = model.win(cell.value, cell.material);
        let loss = model.win(-cell.value, cell.material);
        self.count += total;
        let pairs = [(cell.wins, win), (cell.draws, 1.0 - win - loss), (cell.losses, loss)];
        for (index, (observed, chance)) in pairs.into_iter().enumerate() {
            self.observed[index] += observed;
            self.expected[index] += total * chance;
        }
    }
}

fn x(centipawns: f64) -> f64 {
    LEFT + (centipawns + SPAN) / (2.0 * SPAN) * (RIGHT - LEFT)
}

fn y(share: f64) -> f64 {
    BOTTOM - share * (BOTTOM - TOP)
}

fn draw_axes(svg: &mut String) {
    for percent in [0, 25, 50, 75, 100] {
        let y = y(f64::from(percent) / 100.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#e0e0e0\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            LEFT - 6.0,
            y + 4.0,
        );
    }
    for centipawns in [-300, -200, -100, 0, 100, 200, 300] {
        let x = x(f64::from(centipawns));
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#e0e0e0\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{centipawns:+}</text>",
            BOTTOM + 20.0,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_with_enough_positions_have_dots() {
        let model = Model { half_win: [100.0, 0.0, 0.0, 0.0], spread: [50.0, 0.0, 0.0, 0.0] };
        let mut samples = Samples::default();
        for index in 0..200 {
            samples.add(100, 1.0, index % 2);
            samples.add(-250, 1.0, 2);
        }
        samples.add(0, 1.0, 1);
        let svg = render(&samples, &model);
        assert_eq!(svg.matches("<circle").count(), 2 * SERIES.len());
        assert_eq!(svg.matches("<polyline").count(), SERIES.len());
        assert!(!svg.contains("NaN"));
    }
}
