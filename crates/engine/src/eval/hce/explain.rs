//! The evaluation for people: a table of terms and the worth of each piece.

use super::score::Score;
use super::terms::{Combination, Group, TERMS, all_weights};
use super::trace::Trace;
use super::{FULL_PHASE, FULL_SCALE, PawnTable, evaluate};
use std::fmt;
use tabiya_chess::{Board, Color, File, Piece, PieceType, Rank, Setup, Square};

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
    /// What the value loses for its owner when a piece is taken off the board; `None` for kings,
    /// empty squares, and pieces whose removal leaves no legal position.
    pub worth: [Option<(Piece, i32)>; 64],
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
        worth: piece_worth(board, &mut pawns, value),
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

/// The value with and without each piece. Castling rights of a missing rook are dropped.
fn piece_worth(board: &Board, pawns: &mut PawnTable, value: i32) -> [Option<(Piece, i32)>; 64] {
    Square::ALL.map(|sq| {
        let piece = board.piece_on(sq).filter(|piece| piece.kind() != PieceType::King)?;
        let mut setup = Setup::from_fen(&board.to_string()).ok()?;
        setup.pieces[sq] = None;
        let (without, _) = setup.to_board_lenient(true).ok()?;
        let gain = value - white_view(&without, pawns);
        Some((piece, if piece.color() == Color::White { gain } else { -gain }))
    })
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write_rows(f)?;
        self.write_worth(f)?;
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

    fn write_worth(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "\nworth of each piece to its owner")?;
        for rank in Rank::ALL.into_iter().rev() {
            write!(f, "{}", rank.letter())?;
            for file in File::ALL {
                match self.worth[Square::new(file, rank)] {
                    Some((piece, worth)) => write!(f, "  {}{worth:5}", piece.letter())?,
                    None => write!(f, "  {:>6}", ".")?,
                }
            }
            writeln!(f)?;
        }
        write!(f, " ")?;
        for file in File::ALL {
            write!(f, "  {:>6}", file.letter())?;
        }
        writeln!(f, "\n")
    }
}
