//! An analysis as a table that fits the terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tabiya_chess::{Board, Color};
use tabiya_engine::{Info, InfoBound, Score};
use terminal_size::{Width, terminal_size};

/// Letters before the moves of a line.
const FIXED: usize = 52;
/// A line gets room for a few moves, however narrow the terminal.
const LEAST: usize = 20;
/// How often the status is renewed.
const PERIOD: Duration = Duration::from_millis(500);

/// The table and what was shown of it.
pub(super) struct Table {
    board: Board,
    /// Lines of each depth.
    lines: usize,
    /// Columns of the terminal; none if nobody looks.
    width: Option<usize>,
    colours: bool,
    /// What the lines of the last depth said, by rank.
    shown: Vec<Option<(Score, Option<InfoBound>, usize)>>,
    started: Instant,
    last: Option<Info>,
    /// When the status was shown, and how long it is.
    status: Option<(Instant, usize)>,
}

impl Table {
    pub(super) fn new(board: Board, lines: usize) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let width = terminal_size().filter(|_| is_terminal);
        Self {
            board,
            lines,
            width: width.map(|(Width(columns), _)| usize::from(columns)),
            colours: is_terminal
                && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
                && std::env::var_os("TERM").is_none_or(|kind| kind != "dumb"),
            shown: vec![None; lines],
            started: Instant::now(),
            last: None,
            status: None,
        }
    }

    /// The titles of the columns.
    pub(super) fn head() {
        println!(
            "{:>5} {:>9} {:>15} {:>8} {:>9}  line",
            "depth", "White's", "win/draw/loss", "nodes", "speed"
        );
    }

    /// Shows a line, unless it says what the last one said: a mate that is found stays found.
    pub(super) fn add(&mut self, info: &Info) {
        self.last = Some(info.clone());
        let Some(shown) = self.shown.get_mut(info.multi_pv - 1) else { return };
        let news = Some((info.score, info.bound, info.line.len()));
        if matches!(info.score, Score::Mate(_)) && *shown == news {
            return;
        }
        *shown = news;
        self.clear_status();
        if self.lines > 1 && info.multi_pv == 1 && info.depth > 1 {
            println!();
        }
        println!("{}", self.row(info));
    }

    /// What the search is about while there is nothing new, on a terminal.
    pub(super) fn show_status(&mut self, wanted: bool) {
        let recent = self.status.is_some_and(|(when, _)| when.elapsed() < PERIOD);
        let Some(info) = self.last.as_ref().filter(|_| wanted && self.width.is_some() && !recent)
        else {
            return;
        };
        let seconds = self.started.elapsed().as_secs_f64();
        let text = format!(
            "after depth {}, {} nodes, {}/s, {seconds:.0} s (Ctrl-C ends)",
            info.depth,
            short(info.nodes),
            short(info.nps())
        );
        self.clear_status();
        print!("{text}");
        let _ = std::io::stdout().flush();
        self.status = Some((Instant::now(), text.len()));
    }

    /// Nothing more will be shown.
    pub(super) fn end(&mut self) {
        self.clear_status();
    }

    fn clear_status(&mut self) {
        if let Some((_, length)) = self.status.take() {
            print!("\r{:length$}\r", "");
        }
    }

    fn row(&self, info: &Info) -> String {
        let white = self.board.side_to_move() == Color::White;
        let bound = match (info.bound, white) {
            (None, _) => "",
            (Some(InfoBound::Lower), true) | (Some(InfoBound::Upper), false) => "≥",
            _ => "≤",
        };
        let score = info.score.white_view(self.board.side_to_move());
        let wdl = info.wdl;
        let chances =
            if white { [wdl.win, wdl.draw, wdl.loss] } else { [wdl.loss, wdl.draw, wdl.win] };
        let [win, draw, loss] = chances.map(|thousandths| f64::from(thousandths) / 10.0);
        let (start, end) = if self.colours { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        format!(
            "{:>5} {start}{:>9}{end} {:>15} {:>8} {:>7}/s  {}",
            info.depth,
            format!("{bound}{}", score.in_pawns()),
            format!("{win:.0}/{draw:.0}/{loss:.0} %"),
            short(info.nodes),
            short(info.nps()),
            self.fit(&self.board.line_text(&info.line))
        )
    }

    /// As many whole words as there is room for.
    fn fit(&self, text: &str) -> String {
        let Some(width) = self.width else { return text.to_owned() };
        let room = width.saturating_sub(FIXED).max(LEAST);
        if text.chars().count() <= room {
            return text.to_owned();
        }
        let mut fitting = String::new();
        for word in text.split(' ') {
            if fitting.chars().count() + word.chars().count() + 2 > room {
                break;
            }
            fitting += word;
            fitting += " ";
        }
        // A move number alone says nothing.
        let fitting = fitting.trim_end();
        let last_is_number = fitting.ends_with('.');
        let end = fitting.rfind(' ').filter(|_| last_is_number).unwrap_or(fitting.len());
        format!("{} …", &fitting[..end])
    }
}

/// 950, 12.3k, 4.5M.
fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", count as f64 / 1e6),
        _ => format!("{:.1}G", count as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<usize>) -> Table {
        Table { width, colours: false, ..Table::new(Board::default(), 1) }
    }

    #[test]
    fn lines_end_at_whole_moves() {
        let line = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7";
        assert_eq!(table(None).fit(line), line);
        assert_eq!(table(Some(200)).fit(line), line);
        for width in 40..120 {
            let fitting = table(Some(width)).fit(line);
            assert!(fitting.chars().count() <= width.saturating_sub(FIXED).max(LEAST), "{fitting}");
            let Some(cut) = fitting.strip_suffix(" …") else { continue };
            assert!(line.starts_with(&format!("{cut} ")) && !cut.ends_with('.'), "{fitting}");
        }
    }

    #[test]
    fn rows_fit_the_terminal() {
        let mv = Board::default().parse_uci("e2e4").unwrap();
        let info = Info {
            depth: 12,
            seldepth: 20,
            multi_pv: 1,
            score: Score::Cp(-31),
            bound: Some(InfoBound::Lower),
            wdl: tabiya_engine::Wdl { win: 100, draw: 800, loss: 100 },
            nodes: 123_456_789,
            time: Duration::from_secs(10),
            hashfull: 0,
            tb_hits: 0,
            line: vec![mv],
        };
        let row = table(Some(80)).row(&info);
        assert!(row.contains("≥-0.31") && row.ends_with("1. e4"), "{row}");
        assert_eq!(row.chars().count(), FIXED + "1. e4".len());
    }
}
