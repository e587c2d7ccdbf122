//! The run in a terminal: a table that is drawn anew, or lines where nobody looks.

use crate::live_line::LiveLine;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use tabiya_lab::learn::{Event, Folder, Overview, Status};

/// Width of the bar.
const BAR: usize = 30;
/// Latest generations in the table.
const MOST_ROWS: usize = 12;
/// Heights of a curve in a line of text.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Columns of such a curve.
const CURVE: usize = 40;

/// What a terminal shows of a run.
pub(crate) struct Dashboard {
    folder: Folder,
    is_terminal: bool,
    /// Lines drawn below the cursor's place.
    drawn: usize,
    table: String,
    line: LiveLine,
}

impl Dashboard {
    pub(crate) fn new(folder: Folder) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { folder, is_terminal, drawn: 0, table: String::new(), line: LiveLine::new() }
    }

    /// Something happened.
    pub(crate) fn hear(&mut self, event: &Event) {
        match event {
            Event::Planned(_) => {}
            Event::Finished(_) => {
                self.table =
                    Overview::read(&self.folder).map_or_else(|_| String::new(), |run| table(&run));
            }
            Event::Note(text) if self.is_terminal => {
                self.draw("");
                eprintln!("{text}");
            }
            Event::Note(text) => eprintln!("{text}"),
            Event::Progress(status) if self.is_terminal => {
                if self.table.is_empty() {
                    let run = Overview::read(&self.folder);
                    self.table = run.map_or_else(|_| String::new(), |run| table(&run));
                }
                let text = format!("{}{}", self.table, below(status));
                self.draw(&text);
            }
            Event::Progress(status) => self.line.renew(|| status.to_string()),
        }
    }

    /// Leaves the table and nothing else.
    pub(crate) fn end(&mut self) {
        self.line.clear();
        if self.is_terminal {
            let table = std::mem::take(&mut self.table);
            self.draw(&table);
        }
    }

    /// Replaces what was drawn before.
    fn draw(&mut self, text: &str) {
        let mut out = std::io::stderr().lock();
        if self.drawn > 0 {
            let _ = write!(out, "\x1b[{}A\r\x1b[J", self.drawn);
        }
        let _ = write!(out, "{text}");
        let _ = out.flush();
        self.drawn = text.matches('\n').count();
    }
}

/// A row for every generation: what it did, how strong it is, what it believes.
fn table(run: &Overview) -> String {
    let mut text = String::new();
    if run.generations.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "{:>4} {:>8} {:>7} {:>9} {:>6} {:>9} {:>12} {:>20}",
        "net", "minutes", "games", "positions", "nodes", "loss", "Elo", "worth N B R Q"
    );
    let hidden = run.generations.len().saturating_sub(MOST_ROWS);
    for generation in &run.generations[hidden..] {
        let plan = &generation.plan;
        let rated = run.ratings.iter().find(|one| one.generation == Some(plan.generation));
        let elo =
            rated.map_or_else(String::new, |one| format!("{:+.0} ± {:.0}", one.elo, one.error));
        let values: Vec<f64> =
            generation.piece_values.iter().map(|value| f64::from(value.units)).collect();
        let pawn = values.first().map_or(1.0, |pawn| pawn.abs().max(1.0));
        let worth: Vec<String> =
            values.iter().skip(1).map(|value| format!("{:.1}", value / pawn)).collect();
        let _ = writeln!(
            text,
            "{:>4} {:>8.1} {:>7} {:>9} {:>6} {:>9.5} {:>12} {:>20}{}",
            plan.generation,
            generation.seconds / 60.0,
            plan.games,
            generation.positions,
            plan.nodes,
            generation.validation_loss,
            elo,
            worth.join(" "),
            if generation.is_promoted { "" } else { "  not better" }
        );
    }
    for one in run.ratings.iter().filter(|one| one.generation.is_none() && one.games > 0) {
        let _ = writeln!(
            text,
            "     {}: {:+.0} ± {:.0} Elo above the start",
            one.name, one.elo, one.error
        );
    }
    text
}

/// What is under way, with a bar and the latest losses.
fn below(status: &Status) -> String {
    let full = (status.share() * BAR as f64).round() as usize;
    let mut text = format!("{status}\n[{}{}]", "#".repeat(full), "-".repeat(BAR - full));
    if !status.losses.is_empty() {
        let losses: Vec<f64> = status.losses.iter().map(|(_, training, _)| *training).collect();
        let _ = write!(text, " loss {} {:.5}", curve(&losses), losses[losses.len() - 1]);
    }
    text + "\n"
}

/// Numbers as a row of bars.
fn curve(numbers: &[f64]) -> String {
    let step = numbers.len().div_ceil(CURVE).max(1);
    let means: Vec<f64> =
        numbers.chunks(step).map(|part| part.iter().sum::<f64>() / part.len() as f64).collect();
    let low = means.iter().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let level = |number: &f64| {
        let share = if high > low { (number - low) / (high - low) } else { 0.0 };
        LEVELS[(share * 7.0).round() as usize % 8]
    };
    means.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_falls_as_its_numbers_do() {
        assert_eq!(curve(&[3.0, 2.0, 1.0]), "█▅▁");
        assert_eq!(curve(&[1.0]), "▁");
        assert_eq!(curve(&vec![1.0; 1000]).chars().count(), CURVE);
        assert_eq!(curve(&[]), "");
    }
}
