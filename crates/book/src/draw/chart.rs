//! Curves, bars and heat maps.

use super::{Anchor, COLOURS, GREY, INK, Svg};

/// A curve with its name in the legend.
pub struct Series {
    /// What the curve shows.
    pub name: String,
    /// Its points from left to right.
    pub points: Vec<(f64, f64)>,
    /// Drawn broken: a theory, a limit, a comparison.
    pub dashed: bool,
    /// Whether each point gets a dot.
    pub dots: bool,
}

impl Series {
    /// A solid curve.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, dashed: false, dots: false }
    }

    /// The same, broken.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// The same with a dot at each point.
    #[must_use]
    pub fn dotted(mut self) -> Self {
        self.dots = true;
        self
    }
}

/// A diagram with two axes.
pub struct Chart {
    /// What a screen reader says.
    pub title: &'static str,
    /// Name of the horizontal axis.
    pub x: &'static str,
    /// Name of the vertical axis.
    pub y: &'static str,
    /// Whether the vertical axis counts powers of ten.
    pub log_y: bool,
    /// The curves.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;

impl Chart {
    /// Draws the diagram; both axes reach as far as the points do.
    pub fn draw(&self) -> String {
        let scale_y = |y: f64| if self.log_y { y.max(1e-300).log10() } else { y };
        let all = || self.series.iter().flat_map(|series| &series.points);
        let (x0, x1) = range(all().map(|point| point.0));
        let (y0, y1) = range(all().map(|point| scale_y(point.1)));
        let ticks_y = ticks(y0, y1, self.log_y);
        let (y0, y1) = (y0.min(ticks_y[0]), y1.max(*ticks_y.last().unwrap_or(&y1)));
        let place = |x: f64, y: f64| {
            (
                LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM),
            )
        };
        let mut svg = Svg::new(WIDTH, HEIGHT);
        for tick in ticks_y {
            let (_, y) = place(x0, tick);
            svg.line((LEFT, y), (WIDTH - RIGHT, y), "#e4e4e4", 1.0);
            let text = if self.log_y { format!("1e{tick:.0}") } else { number(tick) };
            svg.text(LEFT - 6.0, y + 4.0, 11.0, Anchor::End, INK, text);
        }
        for tick in ticks(x0, x1, false) {
            let (x, bottom) = place(tick, y0);
            svg.line((x, bottom), (x, bottom + 4.0), INK, 1.0);
            svg.text(x, bottom + 17.0, 11.0, Anchor::Middle, INK, number(tick));
        }
        let (left, bottom) = place(x0, y0);
        svg.line((left, bottom), (WIDTH - RIGHT, bottom), INK, 1.2);
        svg.line((left, bottom), (left, TOP), INK, 1.2);
        svg.text(f64::midpoint(LEFT, WIDTH), HEIGHT - 8.0, 12.0, Anchor::Middle, INK, self.x);
        svg.text(8.0, 18.0, 12.0, Anchor::Start, INK, self.y);
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let points: Vec<_> =
                series.points.iter().map(|(x, y)| place(*x, scale_y(*y))).collect();
            svg.polyline(&points, colour, series.dashed);
            if series.dots {
                for (x, y) in points {
                    svg.dot(x, y, 3.0, colour);
                }
            }
        }
        let mut x = WIDTH - RIGHT;
        for (index, series) in self.series.iter().enumerate().rev() {
            svg.text(x, 18.0, 12.0, Anchor::End, COLOURS[index % COLOURS.len()], &series.name);
            x -= series.name.chars().count() as f64 * 6.6 + 16.0;
        }
        svg.finish(self.title)
    }
}

/// Bars with a label below and a value above each. `height` is in any unit.
pub fn bars(title: &str, y: &str, bars: &[(String, f64, String)]) -> String {
    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.text(8.0, 18.0, 12.0, Anchor::Start, INK, y);
    let top = bars.iter().map(|bar| bar.1).fold(f64::MIN_POSITIVE, f64::max);
    let step = (WIDTH - 40.0) / bars.len() as f64;
    let (base, room) = (HEIGHT - 40.0, HEIGHT - 100.0);
    for (index, (label, height, value)) in bars.iter().enumerate() {
        let x = 20.0 + step * index as f64;
        let height = height / top * room;
        svg.rect(x + step * 0.14, base - height, step * 0.72, height, COLOURS[0]);
        svg.text(x + step / 2.0, base - height - 6.0, 11.0, Anchor::Middle, INK, value);
        svg.text(x + step / 2.0, base + 16.0, 11.0, Anchor::Middle, INK, label);
    }
    svg.line((20.0, base), (WIDTH - 20.0, base), INK, 1.2);
    svg.finish(title)
}

/// A field of numbers, the larger the darker.
pub struct Heat<'a> {
    /// What a screen reader says.
    pub title: &'a str,
    /// Name of the columns.
    pub x: &'a str,
    /// Name of the rows.
    pub y: &'a str,
    /// What stands above each column.
    pub columns: Vec<String>,
    /// What stands before each row, and its numbers with their texts.
    pub rows: Vec<(String, Vec<(f64, String)>)>,
}

impl Heat<'_> {
    /// Draws the field.
    pub fn draw(&self) -> String {
        let cell = (560.0 / self.columns.len() as f64).min(60.0);
        let height = 24.0;
        let (left, top) = (96.0, 58.0);
        let width = left + cell * self.columns.len() as f64 + 14.0;
        let mut svg = Svg::new(width, top + height * self.rows.len() as f64 + 14.0);
        let (low, high) = range(self.rows.iter().flat_map(|row| &row.1).map(|value| value.0));
        svg.text(width / 2.0, 18.0, 12.0, Anchor::Middle, INK, self.x);
        svg.text(8.0, 44.0, 12.0, Anchor::Start, INK, self.y);
        for (index, name) in self.columns.iter().enumerate() {
            let x = left + cell * (index as f64 + 0.5);
            svg.text(x, 44.0, 11.0, Anchor::Middle, INK, name);
        }
        for (row, (name, values)) in self.rows.iter().enumerate() {
            let y = top + height * row as f64;
            svg.text(left - 8.0, y + 16.0, 11.0, Anchor::End, INK, name);
            for (column, (value, text)) in values.iter().enumerate() {
                let x = left + cell * column as f64;
                let share = (value - low) / (high - low);
                let tint = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
                let (r, g, b) = (tint(248.0, 0.0), tint(250.0, 90.0), tint(252.0, 150.0));
                svg.rect(x, y, cell, height, &format!("#{r:02x}{g:02x}{b:02x}"));
                let ink = if share > 0.55 { "#fff" } else { INK };
                svg.text(x + cell / 2.0, y + 16.0, 10.5, Anchor::Middle, ink, text);
            }
        }
        svg.finish(self.title)
    }
}

/// Smallest and largest value, never the same.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if high > low { (low, high) } else { (low - 0.5, low + 0.5) }
}

/// Round numbers inside a range, about five of them.
fn ticks(low: f64, high: f64, whole: bool) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0) * power;
    let step = if whole { step.round().max(1.0) } else { step };
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// A number without needless digits.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A horizontal axis with named spans, for things that happen in time.
pub fn spans(title: &str, unit: &str, rows: &[(&str, f64, f64)]) -> String {
    let end = rows.iter().map(|row| row.2).fold(0.0, f64::max);
    let height = 40.0 + 34.0 * rows.len() as f64 + 24.0;
    let mut svg = Svg::new(WIDTH, height);
    let place = |value: f64| 170.0 + value / end * (WIDTH - 230.0);
    for tick in ticks(0.0, end, false) {
        svg.line((place(tick), 30.0), (place(tick), height - 24.0), "#e4e4e4", 1.0);
        svg.text(place(tick), height - 8.0, 11.0, Anchor::Middle, INK, number(tick));
    }
    svg.text(WIDTH - 8.0, 18.0, 11.0, Anchor::End, GREY, unit);
    for (index, (name, from, to)) in rows.iter().enumerate() {
        let y = 40.0 + 34.0 * index as f64;
        svg.text(162.0, y + 14.0, 12.0, Anchor::End, INK, name);
        let colour = COLOURS[index % COLOURS.len()];
        svg.rect(place(*from), y, (place(*to) - place(*from)).max(2.0), 20.0, colour);
        svg.text(place(*to) + 4.0, y + 14.0, 11.0, Anchor::Start, INK, format!("{to:.0}"));
    }
    svg.finish(title)
}
