//! The course of a game as SVG: White's win percentage after each move.

use super::analysis::{GameAnalysis, MoveAnalysis, Phase};
use super::html::escape;
use std::fmt::Write;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 180.0;

/// The graph of a game; empty without moves. Marked moves are dots that tell what they are.
pub fn graph(analysis: &GameAnalysis) -> String {
    let moves = &analysis.moves;
    if moves.is_empty() {
        return String::new();
    }
    let x = |index: usize| WIDTH * index as f64 / moves.len() as f64;
    let y = |percent: f64| HEIGHT * (1.0 - percent / 100.0);
    let mut text = format!(
        "<svg class=\"graph\" viewBox=\"0 -8 {WIDTH} {}\" role=\"img\">\
         <title>White's win percentage after each move</title>\
         <rect class=\"black\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>",
        HEIGHT + 16.0
    );
    let mut line = format!("0,{:.1}", y(50.0));
    for (index, step) in moves.iter().enumerate() {
        let _ = write!(line, " {:.1},{:.1}", x(index + 1), y(step.white_win()));
    }
    let _ = write!(
        text,
        "<polygon class=\"white\" points=\"0,{HEIGHT} {line} {WIDTH},{HEIGHT}\"/>\
         <line class=\"middle\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{half}\" y2=\"{half}\"/>\
         <polyline class=\"course\" points=\"{line}\"/>",
        half = HEIGHT / 2.0
    );
    for phase in [Phase::Middlegame, Phase::Endgame] {
        if let Some(index) = moves.iter().position(|step| step.phase == phase).filter(|at| *at > 0)
        {
            let at = x(index);
            // Near the right edge there is room on the left side only.
            let (label, anchor) =
                if at < 0.9 * WIDTH { (at + 4.0, "start") } else { (at - 4.0, "end") };
            let _ = write!(
                text,
                "<line class=\"phase\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{HEIGHT}\"/>\
                 <text x=\"{label:.1}\" y=\"12\" text-anchor=\"{anchor}\">{}</text>",
                phase.name()
            );
        }
    }
    for (index, step) in moves.iter().enumerate() {
        if let Some((class, radius, name)) = dot(step) {
            let _ = write!(
                text,
                "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"><title>{} \
                 {name}</title></circle>",
                x(index + 1),
                y(step.white_win()),
                escape(&step.numbered())
            );
        }
    }
    text + "</svg>"
}

/// Class, size and name of a marked move.
fn dot(step: &MoveAnalysis) -> Option<(&'static str, f64, &'static str)> {
    use super::judgement::{Judgement, Mark};
    let (class, radius) = match (step.judgement, step.mark) {
        (Some(Judgement::Inaccuracy), _) => ("inaccuracy", 3.0),
        (Some(Judgement::Mistake), _) => ("mistake", 4.5),
        (Some(Judgement::Blunder), _) => ("blunder", 6.0),
        (None, Some(Mark::Only)) => ("only", 3.0),
        (None, Some(Mark::Brilliant)) => ("brilliant", 6.0),
        (None, None) => return None,
    };
    let name = step.judgement.map(Judgement::name).or(step.mark.map(Mark::name))?;
    Some((class, radius, name))
}
