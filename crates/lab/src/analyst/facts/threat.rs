//! Threats: what a side would win if it could move twice.

use super::{CP_PER_PAWN, gap_cp};
use crate::analyst::insight::{Exchange, Thinker, is_quiet, settle};
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// Part of the budget for finding a threat.
const LOOK: u32 = 8;
/// A pawn more is no threat to talk about where the chances stay what they are.
const LEAST_CP: i32 = 60;

/// What a side threatens: a line that wins something after the other side has passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threat {
    /// The position in which the side that threatens is to move.
    pub board: Board,
    /// What it plays.
    pub line: Vec<Move>,
    /// What it wins, unless it mates.
    pub wins: Option<Exchange>,
}

/// What the opponent of the side to move threatens, if anything: a mate, or pieces by the same rules as
/// everywhere. `score` is the opponent's without the free move. A check is no threat but a fact.
pub fn threat_of(thinker: &mut Thinker, board: &Board, score: Score) -> Option<Threat> {
    if board.in_check() || !board.has_legal_move() {
        return None;
    }
    let mut passed = *board;
    passed.play_null();
    if passed.in_check() {
        return None;
    }
    let mut thought = thinker.glance(&passed, &[], LOOK);
    if matches!(score, Score::Mate(1..)) || thought.line.is_empty() {
        // Whoever mates anyway needs no threat.
        return None;
    }
    if matches!(thought.score, Score::Mate(1..)) {
        thinker.continue_line(&passed, &mut thought.line, Board::is_checkmate);
        let mates = crate::analyst::insight::end_of(&passed, &thought.line).is_checkmate();
        return mates.then_some(Threat { board: passed, line: thought.line, wins: None });
    }
    thinker.continue_line(&passed, &mut thought.line, is_quiet);
    let end = settle(&passed, &thought.line)?;
    thought.line.truncate(end.plies);
    let wins = Exchange::along(&passed, &thought.line, passed.side_to_move()).reversed();
    let needed = (CP_PER_PAWN * wins.loss()).max(LEAST_CP);
    let is_win = wins.loss() >= 1 && gap_cp(thought.score, score) >= needed;
    is_win.then_some(Threat { board: passed, line: thought.line, wins: Some(wins) })
}

impl Threat {
    /// The threat in words: `Nxe4, which wins a pawn`.
    pub fn text(&self) -> String {
        let first = self.line.first().map_or_else(String::new, |mv| self.board.san(*mv));
        match &self.wins {
            None if self.line.len() == 1 => first,
            None => format!("{first} and mate in {}", self.line.len().div_ceil(2)),
            Some(wins) if wins.is_promotion() => format!("{first} and a promotion"),
            Some(wins) => match wins.loss_text() {
                Some(won) => format!("{first}, which wins {won}"),
                None => first,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::Budget;

    fn threat(fen: &str, score: i32) -> Option<String> {
        let board: Board = fen.parse().unwrap();
        let mut thinker = Thinker::new(4, Budget::Nodes(20_000)).unwrap();
        threat_of(&mut thinker, &board, Score::Cp(score)).map(|threat| threat.text())
    }

    #[test]
    fn a_developing_move_is_no_threat() {
        // 1 e4 e5 2 Nf3 Bc5 3 Bc4: nobody threatens Nc6.
        let fen = "rnbqk1nr/pppp1ppp/8/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        assert_eq!(threat(fen, 30).as_deref().map(|text| text.contains("Nc6")), Some(false));
        assert_eq!(threat("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", 200), None);
    }

    #[test]
    fn mates_and_captures_are_threats() {
        let scholar = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
        assert_eq!(threat(scholar, 0).as_deref(), Some("Qxf7#"));
        let hanging = "4k3/8/8/3n4/8/2P2B2/5PPP/6K1 b - - 0 1";
        let text = threat(hanging, 100).unwrap();
        assert!(text.contains("Bxd5, which wins a knight"), "{text}");
    }
}
