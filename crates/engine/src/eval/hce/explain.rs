//! The evaluation for people: a table of terms and the worth of each piece.

use super::score::Score;
use super::terms::{Combination, Group, TERMS, all_weights};
use super::trace::Trace;
use super::{FULL_PHASE, FULL_SCALE, PawnTable, evaluate};
use crate::eval::Worth;
use std::fmt;
use tabiya_chess::{Board, Color};

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was counted.
    pub name: String,
    /// The theme it belongs to.
    pub group: Group,
    /// What it adds for White.
    pub white: Score,
    /// What it adds for Black.
    pub black: Score,
}

/// Why a position has its value.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The terms that counted; empty for a known endgame.
    pub rows: Vec<Row>,
    /// What complexity changes about the endgame value, from White's view.
    pub complexity: i32,
    /// How much of the middlegame is left, out of [`FULL_PHASE`].
    pub phase: i32,
    /// What is left of the endgame value, out of [`FULL_SCALE`].
    pub scale: i32,
    /// The value from White's view.
    pub value: i32,
    /// What each piece adds to the value.
    pub worth: Worth,
}

/// Evaluates a position term by term and piece by piece.
pub fn explain(board: &Board) -> Explanation {
    let mut pawns = PawnTable::default();
    let value = white_view(board, &mut pawns);
    let mut explanation = Explanation {
        rows: Vec::new(),
        complexity: 0,
        phase: super::phase(board),
        scale: FULL_SCALE,
        value,
        worth: Worth::new(board, |board| white_view(board, &mut pawns)),
    };
    if let Some(trace) = Trace::new(board, &mut pawns) {
        explanation.rows = rows(&trace);
        explanation.complexity = trace.assessment.map_or(0, |assessment| assessment.complexity);
        explanation.scale = trace.scale;
    }
    explanation
}

fn white_view(board: &Board, pawns: &mut PawnTable) -> i32 {
    let value = evaluate(board, pawns);
    if board.side_to_move() == Color::White { value } else { -value }
}

/// The terms that count linearly, and the danger of the kings as one row.
fn rows(trace: &Trace) -> Vec<Row> {
    let mut rows = Vec::new();
    for term in TERMS.iter().filter(|term| term.group.combination() == Combination::Linear) {
        let mut sides = [Score::ZERO; 2];
        let mut counted = false;
        for index in term.range() {
            for color in Color::ALL {
                let count = trace.counts[index][color];
                counted |= count != 0;
                sides[color] += all_weights()[index] * i32::from(count);
            }
        }
        if counted {
            let name = term.name.to_lowercase().replace('_', " ");
            let [white, black] = sides;
            rows.push(Row { name, group: term.group, white, black });
        }
    }
    if let Some(assessment) = trace.assessment {
        let [white, black] = assessment.king_danger;
        rows.push(Row { name: "king danger".to_owned(), group: Group::Danger, white, black });
    }
    rows
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write_rows(f)?;
        writeln!(f, "\nworth of each piece to its owner\n{}", self.worth)?;
        writeln!(
            f,
            "phase {} of {FULL_PHASE}, endgame scale {} of {FULL_SCALE}",
            self.phase, self.scale
        )?;
        writeln!(f, "evaluation {:+} for white", self.value)
    }
}

impl Explanation {
    fn write_rows(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.rows.is_empty() {
            return writeln!(f, "a known endgame: valued as a whole");
        }
        writeln!(f, "{:22} |    white    |    black    |    total", "term")?;
        writeln!(f, "{:22} |   mg    eg  |   mg    eg  |   mg    eg", "")?;
        let mut total = Score::ZERO;
        for row in &self.rows {
            let difference = row.white - row.black;
            total += difference;
            write!(f, "{:22}", row.name)?;
            for score in [row.white, row.black, difference] {
                write!(f, " | {:5} {:5}", score.middlegame(), score.endgame())?;
            }
            writeln!(f)?;
        }
        let space = " | ";
        writeln!(
            f,
            "{:22}{space}{:11}{space}{:11}{space}{:5} {:5}",
            "complexity", "", "", 0, self.complexity
        )?;
        let (middlegame, endgame) = (total.middlegame(), total.endgame() + self.complexity);
        writeln!(
            f,
            "{:22}{space}{:11}{space}{:11}{space}{middlegame:5} {endgame:5}",
            "total", "", ""
        )
    }
}
