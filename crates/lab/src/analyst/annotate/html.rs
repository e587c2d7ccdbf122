//! The report for readers: one HTML file that needs nothing else.
//!
//! A page is [`head`], then a [`section`] for each game, then [`tail`] with the players' summary, which
//! the style sheet shows first: so that a file of any length can be written game by game. Everything
//! that comes from the PGN file goes through [`escape`].

use super::analysis::{GameAnalysis, MoveAnalysis, Phase, SideSummary};
use super::diagram::{Arrow, diagram, piece_symbols};
use super::graph::graph;
use super::judgement::Mark;
use super::task::Tallies;
use crate::analyst::insight::end_of;
use serde::Serialize;
use std::fmt::Write;
use tabiya_chess::{Board, Color};

/// Critical moments shown for a game.
const MOMENTS: usize = 8;
/// Plies of the lines shown.
const SHOWN: usize = 10;

/// The whole page for one game.
pub fn report(analysis: &GameAnalysis) -> String {
    head(&title(analysis)) + &section(analysis, true) + &tail(&Tallies::default())
}

/// The board that the scripts of all pages draw.
pub(crate) const BOARD_SCRIPT: &str = include_str!("board.js");

/// How a page begins.
pub(crate) fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}<main>\n",
        escape(title),
        include_str!("report.css"),
        piece_symbols()
    )
}

/// How a page ends: with the players of all games.
pub(super) fn tail(tallies: &Tallies) -> String {
    let mut text = String::new();
    if tallies.games > 1 {
        let _ = write!(
            text,
            "<section class=\"summary\"><h1>{} games</h1><div class=\"wide\"><table><tr><th>player</th>\
             <th>games</th><th>score</th><th>accuracy</th><th>centipawn loss</th>\
             <th>inaccuracies</th><th>mistakes</th><th>blunders</th></tr>",
            tallies.games
        );
        let mut players: Vec<_> = tallies.players.iter().collect();
        players.sort_by(|a, b| b.1.games.cmp(&a.1.games).then(a.0.cmp(b.0)));
        for (name, tally) in players {
            let _ = write!(
                text,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td>{}</td></tr>",
                escape(name),
                tally.games,
                f64::from(tally.half_points) / 2.0,
                number(tally.accuracy(), 1),
                number(tally.average_loss_cp(), 0),
                tally.inaccuracies,
                tally.mistakes,
                tally.blunders
            );
        }
        text.push_str("</table></div></section>\n");
    }
    let _ =
        write!(text, "</main>\n<script>\n{BOARD_SCRIPT}{}</script>\n", include_str!("player.js"));
    text + "</body>\n</html>\n"
}

fn title(analysis: &GameAnalysis) -> String {
    format!("{} – {}, {}", analysis.white.name, analysis.black.name, analysis.result)
}

/// One game: graph, tables, critical moments, moves.
pub(super) fn section(analysis: &GameAnalysis, open: bool) -> String {
    let open = if open { " open" } else { "" };
    let mut text = format!(
        "<details class=\"game\"{open} id=\"game-{}\"><summary><h2>{}</h2><p class=\"soft small\">{}</p>\
         </summary>\n",
        analysis.game,
        escape(&title(analysis)),
        escape(&subtitle(analysis))
    );
    if let Some(error) = &analysis.error {
        let _ =
            write!(text, "<p class=\"mistake\">Not readable to the end: {}.</p>", escape(error));
    }
    text.push_str(&graph(analysis));
    write_player(&mut text, analysis);
    write_accuracy(&mut text, analysis);
    write_phases(&mut text, analysis);
    write_moments(&mut text, analysis);
    write_moves(&mut text, analysis);
    let _ = writeln!(
        text,
        "<p class=\"soft small\">Every position searched by Tabiya {} with {}. Win percentage, accuracy and \
         the classes of mistakes follow lichess's published formulas.</p></details>",
        env!("CARGO_PKG_VERSION"),
        analysis.budget
    );
    text
}

/// Event, date, opening and accuracy in one line.
fn subtitle(analysis: &GameAnalysis) -> String {
    let mut parts = Vec::new();
    for (tag, prefix) in [("Event", ""), ("Site", ""), ("Date", ""), ("Round", "round ")] {
        let Some(value) = analysis.tags.get(tag) else { continue };
        // Parts of a date that nobody knows are question marks.
        let known = value.trim_end_matches(".??");
        if !known.trim_matches(['?', '.', '-', ' ']).is_empty() {
            parts.push(format!("{prefix}{known}"));
        }
    }
    parts.extend(
        analysis
            .opening
            .as_ref()
            .map(|opening| format!("{} {}", opening.eco, opening.name).trim().to_owned()),
    );
    if let Some((white, black)) = analysis.white.accuracy.zip(analysis.black.accuracy) {
        parts.push(format!("accuracy {white:.0} % – {black:.0} %"));
    }
    parts.join(" · ")
}

/// A board to play through the game, and to try again where something was missed. The script at the end
/// of the page brings it to life; without it there are the diagrams further below.
fn write_player(text: &mut String, analysis: &GameAnalysis) {
    #[derive(Serialize)]
    struct Step {
        fen: String,
        uci: String,
        label: String,
        note: String,
        /// For mistakes: the better move, as coordinates and as people write it, and its line.
        best: Option<String>,
        san: String,
        line: String,
    }
    let step = |step: &MoveAnalysis| {
        let best = step.best_moves.first().filter(|_| step.judgement.is_some());
        let line = &step.best_moves[..step.best_moves.len().min(SHOWN)];
        Step {
            fen: step.board.to_string(),
            uci: step.uci.clone(),
            label: format!("{}{}", step.numbered(), class_and_glyph(step).1),
            note: step.remarks.join(" "),
            // The squares that are clicked; castling is the king's step.
            best: best.map(|mv| format!("{}{}", mv.from(), Board::landing_square(*mv))),
            san: step.best.clone().unwrap_or_default(),
            line: step.board.line_text(line),
        }
    };
    let mut steps: Vec<Step> = analysis.moves.iter().map(step).collect();
    if let Some(last) = analysis.moves.last() {
        let end = end_of(&last.board, &[last.mv]).to_string();
        let nothing = String::new;
        steps.push(Step {
            fen: end,
            uci: nothing(),
            label: nothing(),
            note: nothing(),
            best: None,
            san: nothing(),
            line: nothing(),
        });
    }
    // Nothing of it may end the script early.
    let json = serde_json::to_string(&steps).unwrap_or_default().replace('<', "\\u003c");
    let _ = write!(
        text,
        "<div class=\"player\" tabindex=\"0\"><svg class=\"board\" viewBox=\"0 0 320 320\" \
         role=\"img\"></svg><div><p class=\"buttons\">"
    );
    for (action, label) in [
        ("first", "|◀"),
        ("back", "◀"),
        ("on", "▶"),
        ("last", "▶|"),
        ("flip", "Turn"),
        ("retry", "Try a mistake again"),
    ] {
        let _ = write!(text, "<button type=\"button\" data-do=\"{action}\">{label}</button> ");
    }
    let _ = writeln!(
        text,
        "</p><p class=\"note\" aria-live=\"polite\"></p></div>\
         <script type=\"application/json\" class=\"positions\">{json}</script></div>"
    );
}

fn write_accuracy(text: &mut String, analysis: &GameAnalysis) {
    text.push_str(
        "<h3>Accuracy</h3><div class=\"wide\"><table><tr><th>player</th><th>accuracy</th>\
         <th>centipawn loss</th><th>inaccuracies ?!</th><th>mistakes ?</th><th>blunders ??</th>\
         <th>only moves □</th><th>brilliancies !!</th></tr>",
    );
    for (symbol, side) in [("○", &analysis.white), ("●", &analysis.black)] {
        let _ = write!(
            text,
            "<tr><td>{symbol} {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td></tr>",
            escape(&side.name),
            side.accuracy.map_or("–".to_owned(), |accuracy| format!("{accuracy:.1} %")),
            number(side.average_loss_cp, 0),
            side.inaccuracies,
            side.mistakes,
            side.blunders,
            side.only_moves,
            side.brilliancies
        );
    }
    text.push_str("</table></div>\n");
}

fn write_phases(text: &mut String, analysis: &GameAnalysis) {
    text.push_str(
        "<h3>Phases</h3><div class=\"wide\"><table><tr><th>phase</th><th>○ moves</th>\
         <th>○ accuracy</th><th>○ loss</th><th>● moves</th><th>● accuracy</th><th>● loss</th></tr>",
    );
    for phase in Phase::ALL {
        let cells = |side: &SideSummary| match side.phases.iter().find(|part| part.phase == phase) {
            Some(part) => format!(
                "<td>{}</td><td>{:.1} %</td><td>{:.0}</td>",
                part.moves, part.accuracy, part.average_loss_cp
            ),
            None => "<td>–</td>".repeat(3),
        };
        let _ = write!(
            text,
            "<tr><td>{}</td>{}{}</tr>",
            phase.name(),
            cells(&analysis.white),
            cells(&analysis.black)
        );
    }
    text.push_str("</table></div>\n");
}

fn write_moments(text: &mut String, analysis: &GameAnalysis) {
    let moments = analysis.critical_moments(MOMENTS);
    if moments.is_empty() {
        return;
    }
    text.push_str(
        "<h3>Critical moments</h3><p class=\"soft small\"><span class=\"key played\"></span> played \
         &nbsp; <span class=\"key best\"></span> best</p><div class=\"moments\">\n",
    );
    for step in moments {
        write_moment(text, step);
    }
    text.push_str("</div>\n");
}

fn write_moment(text: &mut String, step: &MoveAnalysis) {
    let arrow = |mv: tabiya_chess::Move, class| Arrow { from: mv.from(), to: mv.to(), class };
    let mut arrows = vec![arrow(step.mv, "played")];
    if let Some(best) = step.best_moves.first().filter(|best| **best != step.mv) {
        arrows.insert(0, arrow(*best, "best"));
    }
    if step.judgement.is_none() {
        arrows = vec![arrow(step.mv, "best")];
    }
    let (class, glyph) = class_and_glyph(step);
    let _ = write!(
        text,
        "<div class=\"moment\">{}<div><p><span class=\"{class}\">{}{glyph}</span> \
         <span class=\"soft small\">{} → {}, {:.0} % → {:.0} %</span></p><ul>",
        diagram(&step.board, step.color, &arrows),
        escape(&step.numbered()),
        step.best_eval.in_pawns(),
        if step.san.ends_with('#') { "mate".to_owned() } else { step.eval.in_pawns() },
        step.win_before,
        step.win_after
    );
    for remark in &step.remarks {
        let _ = write!(text, "<li>{}</li>", escape(remark));
    }
    text.push_str("</ul>");
    if step.judgement.is_some() {
        let line = &step.best_moves[..step.best_moves.len().min(SHOWN)];
        let _ = write!(text, "<p class=\"line\">{}</p>", escape(&step.board.line_text(line)));
    }
    text.push_str("</div></div>\n");
}

fn class_and_glyph(step: &MoveAnalysis) -> (&'static str, &'static str) {
    match (step.judgement, step.mark) {
        (Some(judgement), _) => (judgement.name(), judgement.glyph()),
        (None, Some(Mark::Brilliant)) => ("brilliant", Mark::Brilliant.glyph()),
        (None, Some(Mark::Only)) => ("only", Mark::Only.glyph()),
        (None, None) => ("", ""),
    }
}

fn write_moves(text: &mut String, analysis: &GameAnalysis) {
    text.push_str("<h3>Moves</h3><p class=\"moves\">");
    for (index, step) in analysis.moves.iter().enumerate() {
        if step.color == Color::White {
            let _ = write!(text, "<b>{}.</b> ", step.number);
        } else if index == 0 {
            let _ = write!(text, "<b>{}…</b> ", step.number);
        }
        let (class, glyph) = class_and_glyph(step);
        let _ = write!(
            text,
            "<span class=\"{class}\" data-ply=\"{}\" title=\"{}\">{}{glyph}</span>",
            index + 1,
            escape(&step.remarks.join(" ")),
            escape(&step.san)
        );
        text.push(' ');
    }
    let _ = writeln!(text, "{}</p>", escape(&analysis.result));
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Text that means nothing to a browser.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::annotate::piece_symbols;
    use std::process::Command;

    /// The board's script asks for the symbols that the page defines, for every piece.
    #[test]
    fn the_script_finds_every_piece() {
        let program = format!(
            "{BOARD_SCRIPT}
            const seen = [];
            const node = () => ({{ setAttribute: (key, value) => key === 'href' && seen.push(value),
                addEventListener() {{}} }});
            globalThis.document = {{ createElementNS: node }};
            const svg = {{ append() {{}}, replaceChildren() {{}}, setAttribute() {{}} }};
            makeBoard(svg, () => {{}})('{}', [], false);
            console.log(seen.join(' '));",
            tabiya_chess::START_FEN
        );
        let Ok(output) = Command::new("node").args(["-e", &program]).output() else {
            eprintln!("skipped: no node to run the script with");
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let seen = String::from_utf8(output.stdout).unwrap();
        assert_eq!(seen.split_ascii_whitespace().count(), 32);
        for id in seen.split_ascii_whitespace() {
            let symbol = format!("<symbol id=\"{}\"", id.trim_start_matches('#'));
            assert!(piece_symbols().contains(&symbol), "{id}");
        }
    }
}
