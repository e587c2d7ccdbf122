//! Proving of a fact whatever needs no search.

use super::position::{is_pawn_ending, lost_castling, passed_pawn, themes};
use super::{Claim, Fact, THEME_CP, draw};
use crate::analyst::insight::{Exchange, end_of, tension};
use tabiya_chess::{Board, Move};

impl Fact {
    /// Replays the lines and proves what they show; the reason why not, otherwise.
    pub fn check(&self) -> Result<(), String> {
        let us = self.board.side_to_move();
        let played = replay(&self.board, &self.played).ok_or("the line played is not legal")?;
        let best = replay(&self.board, &self.best).ok_or("the best line is not legal")?;
        let holds = match self.claim {
            Claim::AllowsMate(moves) => {
                played.is_checkmate() && self.played.len() == 2 * moves as usize
            }
            Claim::MissesMate(moves) => {
                best.is_checkmate() && self.best.len() == 2 * moves as usize - 1
            }
            Claim::Loses(what) => {
                what == Exchange::along(&self.board, &self.played, us)
                    && what.loss() > 0
                    && counts(&played, &best, self.difference())
            }
            Claim::Misses(what) => {
                what == Exchange::along(&self.board, &self.best, us).reversed()
                    && what.loss() > 0
                    && counts(&played, &best, self.difference())
            }
            Claim::AllowsPromotion => {
                counts(&played, &best, self.difference())
                    && Exchange::along(&self.board, &self.played, us).is_promotion()
            }
            Claim::MissesPromotion => {
                counts(&played, &best, self.difference())
                    && Exchange::along(&self.board, &self.best, !us).is_promotion()
            }
            Claim::AllowsDraw(how) => draw::of_line(&self.board, &self.played, !us) == Some(how),
            Claim::MissesDraw(how) => draw::of_line(&self.board, &self.best, us) == Some(how),
            Claim::EntersPawnEnding => {
                is_pawn_ending(&played) && !is_pawn_ending(&self.board) && !is_pawn_ending(&best)
            }
            Claim::MissesPawnEnding => {
                is_pawn_ending(&best) && !is_pawn_ending(&self.board) && !is_pawn_ending(&played)
            }
            Claim::LosesCastling => {
                lost_castling(&self.board, self.played[0], self.best.first().copied())
            }
            Claim::AllowsPassedPawn(square) => {
                passed_pawn(&self.board, &best, &played) == Some(square)
            }
            Claim::Theme(change) => {
                change.cp >= THEME_CP && themes(us, &best, &played).contains(&change)
            }
            Claim::IgnoresThreat => self.is_threat(),
            Claim::Turn(_) => true,
            Claim::Better(_) => self.best.first() != self.played.first(),
        };
        if holds { Ok(()) } else { Err("the lines do not show it".to_owned()) }
    }

    /// How much more the line played loses than the best one, in pawns.
    pub(crate) fn difference(&self) -> i32 {
        let us = self.board.side_to_move();
        let loss = |line| Exchange::along(&self.board, line, us).loss();
        loss(&self.played) - loss(&self.best)
    }

    /// Whether the answer was already possible before the move.
    fn is_threat(&self) -> bool {
        let mut passed = self.board;
        if passed.in_check() {
            return false;
        }
        passed.play_null();
        self.played.get(1).is_some_and(|mv| passed.is_legal(*mv))
    }
}

/// Whether a difference in pieces between the ends of two lines means something: what is still under way
/// there is not more than a third of it.
pub(super) fn counts(played: &Board, best: &Board, difference: i32) -> bool {
    let under_way = tension(played).zip(tension(best)).map(|(one, other)| one + other);
    difference >= 1 && under_way.is_some_and(|pawns| 3 * pawns <= difference)
}

/// The end of a line, if all its moves are legal.
fn replay(board: &Board, line: &[Move]) -> Option<Board> {
    let mut current = *board;
    line.iter().try_for_each(|mv| current.try_play(*mv).ok())?;
    Some(end_of(board, line))
}
