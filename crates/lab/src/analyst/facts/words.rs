//! Facts in words, and the names of things.

use super::{Claim, Draw, Fact, Turn};
use crate::analyst::insight::end_of;
use crate::analyst::motifs::Kind;
use tabiya_chess::{Board, Color, Move};

/// Plies of a line shown in a sentence.
const SHOWN: usize = 12;

impl Fact {
    /// The sentence that tells the fact.
    pub fn text(&self) -> String {
        let after = end_of(&self.board, &self.played[..1]);
        let reply = || shown(&after, &self.played[1..]);
        let best = || shown(&self.board, &self.best);
        let is_one_piece = match self.claim {
            Claim::Loses(what) | Claim::Misses(what) => what.is_one_piece(),
            _ => false,
        };
        let pattern = |preposition: &str| match self.motif.map(|motif| motif.kind) {
            Some(Kind::HangingPiece) if is_one_piece => " that is left undefended".to_owned(),
            None | Some(Kind::HangingPiece) => String::new(),
            Some(kind) => format!(" {preposition} {}", kind.noun()),
        };
        let (to, by) = (pattern("to"), pattern("by"));
        let them = side_name(self.board.opponent());
        match self.claim {
            Claim::AllowsMate(1) => format!("Allows mate{by}: {}.", reply()),
            Claim::AllowsMate(moves) => format!("Allows mate in {moves}{by}: {}.", reply()),
            Claim::MissesMate(1) => format!("Misses mate{by}: {}.", best()),
            Claim::MissesMate(moves) => format!("Misses mate in {moves}{by}: {}.", best()),
            Claim::Loses(what) => {
                format!("Loses {}{to}: {}.", what.loss_text().unwrap_or_default(), reply())
            }
            Claim::Misses(what) => {
                let what = what.loss_text().unwrap_or_default();
                format!("Misses a chance to win {what}{by}: {}.", best())
            }
            Claim::AllowsPromotion => format!("Lets a pawn of {them} promote: {}.", reply()),
            Claim::MissesPromotion => format!("Misses a promotion: {}.", best()),
            Claim::IgnoresThreat => {
                format!("Does not meet the threat of {}.", self.reply_san())
            }
            Claim::AllowsDraw(Draw::Perpetual) => format!("Allows perpetual check: {}.", reply()),
            Claim::AllowsDraw(Draw::Repetition) => {
                format!("Lets {them} repeat the position: {}.", reply())
            }
            Claim::AllowsDraw(Draw::Stalemate) => format!("Ends in stalemate: {}.", reply()),
            Claim::MissesDraw(Draw::Perpetual) => {
                format!("Misses a draw by perpetual check: {}.", best())
            }
            Claim::MissesDraw(Draw::Repetition) => {
                format!("Misses a draw by repetition: {}.", best())
            }
            Claim::MissesDraw(Draw::Stalemate) => {
                format!("Misses a draw by stalemate: {}.", best())
            }
            Claim::EntersPawnEnding => format!("Goes into a lost pawn ending: {}.", reply()),
            Claim::MissesPawnEnding => format!("Misses a won pawn ending: {}.", best()),
            Claim::LosesCastling => "Gives up the right to castle.".to_owned(),
            Claim::AllowsPassedPawn(square) => {
                format!("Gives {them} a passed pawn on {square}: {}.", reply())
            }
            Claim::Theme(change) => format!(
                "In {}, {} leads to {:.2} more by the classical evaluation.",
                change.theme,
                best(),
                f64::from(change.cp) / 100.0
            ),
            Claim::Turn(turn) => {
                let words = match turn {
                    Turn::WonToLost => "Turns a won position into a lost one",
                    Turn::WonToEqual => "Gives away a won position",
                    Turn::EqualToLost | Turn::WorseToLost => "The position is lost now",
                    Turn::BetterToWorse => "Turns a better position into a worse one",
                    Turn::WonToBetter => "The position is won no more",
                    Turn::BetterToEqual => "Gives away the advantage",
                    Turn::EqualToWorse => "The opponent is better now",
                };
                if self.is_reason() {
                    format!("{words}: {}.", reply())
                } else {
                    format!("{words}.")
                }
            }
            Claim::Better(score) => {
                let score = score.white_view(self.board.side_to_move()).in_pawns();
                let best = self.best.first().map_or_else(String::new, |mv| self.board.san(*mv));
                format!("Better was {best} ({score}).")
            }
        }
    }

    fn reply_san(&self) -> String {
        let after = end_of(&self.board, &self.played[..1]);
        self.played.get(1).map_or_else(String::new, |mv| after.san(*mv))
    }
}

/// The beginning of a line, and whether it goes on.
fn shown(board: &Board, line: &[Move]) -> String {
    let text = board.line_text(&line[..line.len().min(SHOWN)]);
    if line.len() > SHOWN { text + " …" } else { text }
}

/// `White` or `Black`.
pub(crate) const fn side_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}
