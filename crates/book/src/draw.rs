//! Pictures as SVG text. Every number is rounded to a tenth, so that a figure has the same bytes
//! wherever it is drawn.

pub mod board;
pub mod chart;
pub mod tree;

use std::fmt::{Display, Write};

/// Colours that can be told apart on white, also by people who see fewer of them (after Okabe and Ito).
pub const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"];
/// Text and axes.
pub const INK: &str = "#222";
/// Help lines and things that do not count.
pub const GREY: &str = "#999";

/// A drawing that grows.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

impl Svg {
    /// An empty drawing.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Adds text of the SVG language as it is.
    pub fn raw(&mut self, text: impl Display) {
        writeln!(self.body, "{text}").expect("text grows");
    }

    /// Adds a filled rectangle.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        self.raw(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        self.raw(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Adds a line through points.
    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: &str, dashed: bool) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        self.raw(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2.2\"{dash}/>",
            points.join(" ")
        ));
    }

    /// Adds a dot.
    pub fn dot(&mut self, x: f64, y: f64, radius: f64, fill: &str) {
        self.raw(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\"/>"
        ));
    }

    /// Adds a line of text.
    pub fn text(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: Anchor,
        fill: &str,
        text: impl Display,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(&text.to_string());
        self.raw(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }

    /// The finished file; `title` is what a screen reader says.
    pub fn finish(self, title: &str) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">\n\
             <title>{}</title>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"6\" fill=\"#fff\"/>\n{}</svg>\n",
            escape(title),
            self.body
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A whole number with commas between the thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_get_commas() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(197_281), "197,281");
        assert_eq!(thousands(1_000_000), "1,000,000");
    }

    #[test]
    fn text_cannot_break_the_drawing() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text(0.0, 0.0, 8.0, Anchor::Start, INK, "a < b & c");
        assert!(svg.finish("<t>").contains("a &lt; b &amp; c"));
    }
}
