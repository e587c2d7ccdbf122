//! Crops of games as the net sees them.

use super::games::{Game, Scores};
use super::policy_head::Choice;
use std::sync::LazyLock;
use tabiya_chess::repetition::count_repetitions;
use tabiya_chess::{Color, Move};
use tabiya_engine::see_ge;
use tabiya_nn::policy::input::{self, Skill};
use tabiya_nn::policy::{Token, vocab};

/// Weight of the game's result beside the teacher's score in the value's target.
const RESULT_WEIGHT: f32 = 0.3;
/// The teacher's score (its +100 is an even chance to win) that changes the odds by a factor of e.
const SCORE_SPREAD: f32 = 100.0;
const EVEN_SCORE: f32 = 100.0;

/// The row of every move on the board mirrored left to right.
static MIRRORED: LazyLock<Vec<u16>> =
    LazyLock::new(|| (0..vocab::MOVES).map(|row| vocab::mirrored(row) as u16).collect());

/// Some crops, one after another.
#[derive(Default)]
pub(crate) struct MicroBatch {
    pub(crate) tokens: Vec<Token>,
    /// Lengths of the crops.
    pub(crate) crops: Vec<usize>,
    /// Chances to win, draw and lose that each token should predict.
    pub(crate) chances: Vec<[f32; 3]>,
    /// Policy rows of all legal moves, and where those of each token end.
    rows: Vec<u16>,
    row_ends: Vec<usize>,
    /// The place of the move played among the legal moves.
    played: Vec<usize>,
}

/// Which plies of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Crop {
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// Mirror left to right, if nobody may castle any more.
    pub(crate) mirror: bool,
    /// Who plays, if not those who did.
    pub(crate) skill: Option<Skill>,
}

impl MicroBatch {
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.crops.clear();
        self.chances.clear();
        self.rows.clear();
        self.row_ends.clear();
        self.played.clear();
    }

    /// Adds the legal moves of a token and the one played.
    pub(crate) fn push_choice(&mut self, rows: &[u16], played: usize) {
        self.rows.extend(rows);
        self.row_ends.push(self.rows.len());
        self.played.push(played);
    }

    /// What each token should predict.
    pub(crate) fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        let starts = std::iter::once(0).chain(self.row_ends.iter().copied());
        let places = starts.zip(&self.row_ends).zip(&self.played);
        places
            .map(|((start, end), played)| Choice { rows: &self.rows[start..*end], played: *played })
    }

    /// Adds some plies of a game, fewer if it ends before.
    pub(crate) fn push_crop(&mut self, game: &Game, crop: Crop) {
        let (first_token, first_row) = (self.tokens.len(), self.rows.len());
        let mut board = *game.start;
        let mut keys: Vec<u64> = Vec::with_capacity(game.moves.len());
        let mut last: Option<Move> = None;
        let mut castled = false;
        let mut rows = Vec::new();
        let end = (crop.start + crop.length).min(game.moves.len());
        for (ply, mv) in game.moves[..end].iter().enumerate() {
            if ply >= crop.start {
                let side = board.side_to_move();
                let skill = crop.skill.unwrap_or_else(|| game.skill(side));
                let repetitions = count_repetitions(&board, &keys);
                castled |= last.is_some_and(Move::is_castling);
                self.tokens.push(input::token(&board, last, repetitions, skill));
                self.chances.push(target(game, ply, side));
                let legal = board.legal_moves();
                let row = |mv: Move| vocab::policy_row(mv, side, !see_ge(&board, mv, 0)) as u16;
                rows.clear();
                rows.extend(legal.iter().map(row));
                let played = legal.iter().position(|legal| legal == *mv).unwrap_or(0);
                self.push_choice(&rows, played);
            }
            keys.push(board.key());
            board.play(*mv);
            last = Some(*mv);
        }
        self.crops.push(self.tokens.len() - first_token);
        let tokens = &mut self.tokens[first_token..];
        if crop.mirror && !castled && !tokens.iter().any(input::has_castling_rights) {
            for token in tokens {
                *token = input::mirrored(token);
            }
            for row in &mut self.rows[first_row..] {
                let (losing, mv) = (*row as usize / vocab::MOVES, *row as usize % vocab::MOVES);
                *row = (losing * vocab::MOVES) as u16 + MIRRORED[mv];
            }
        }
    }
}

/// What the value should say about a ply: mostly the teacher's score, or the result alone.
fn target(game: &Game, ply: usize, side: Color) -> [f32; 3] {
    let result = if side == Color::White { game.result } else { -game.result };
    let mut chances = [0.0; 3];
    chances[(1 - result) as usize] = 1.0;
    if let Scores::Known(scores) = game.scores {
        let score = f32::from(scores[ply]);
        let odds = |score: f32| 1.0 / (1.0 + ((EVEN_SCORE - score) / SCORE_SPREAD).exp());
        let (win, loss) = (odds(score), odds(-score));
        for (chance, judged) in chances.iter_mut().zip([win, 1.0 - win - loss, loss]) {
            *chance = RESULT_WEIGHT * *chance + (1.0 - RESULT_WEIGHT) * judged;
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::super::games::Games;
    use super::*;

    const TEACHER: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5|1|e2e4 120 e8e7 -120 e1e2 130 e7e6 -130";

    #[test]
    fn a_crop_lists_legal_moves_and_the_move_played() {
        let games = Games::from_text(TEACHER).unwrap();
        let game = games.game(0);
        let mut batch = MicroBatch::default();
        batch.push_crop(&game, Crop { start: 1, length: 9, mirror: false, skill: None });
        assert_eq!((batch.crops.as_slice(), batch.tokens.len()), (&[3_usize][..], 3));
        let choices: Vec<_> = batch.choices().collect();
        assert_eq!(choices[0].rows.len(), 5);
        let framed = vocab::framed_move(choices[0].rows[choices[0].played] as usize).unwrap();
        assert_eq!((framed.from.to_string(), framed.to.to_string()), ("e1".into(), "e2".into()));
        for chances in &batch.chances {
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
        // White won: Black's chances are worse.
        assert!(batch.chances[0][2] > 0.5 && batch.chances[1][0] > 0.5);
    }

    #[test]
    fn a_mirrored_crop_is_the_crop_of_the_mirrored_game() {
        let mirrored = "3k4/8/8/8/8/8/3P4/3K4 w - - 0 5|1|d2d4 120 d8d7 -120 d1d2 130 d7d6 -130";
        let crops = [(TEACHER, true), (mirrored, false)].map(|(text, mirror)| {
            let games = Games::from_text(text).unwrap();
            let mut batch = MicroBatch::default();
            batch.push_crop(&games.game(0), Crop { start: 0, length: 16, mirror, skill: None });
            let played: Vec<_> = batch.choices().map(|choice| choice.rows[choice.played]).collect();
            let mut rows = batch.rows.clone();
            rows.sort_unstable();
            (batch.tokens, played, rows, batch.chances)
        });
        assert_eq!(crops[0], crops[1]);
    }

    #[test]
    fn a_crop_with_castling_rights_is_never_mirrored() {
        let games = Games::from_text("1500 1600 600+0 1-0|e2e4 e7e5 g1f3 b8c6").unwrap();
        let crops = [false, true].map(|mirror| {
            let mut batch = MicroBatch::default();
            batch.push_crop(&games.game(0), Crop { start: 0, length: 16, mirror, skill: None });
            batch.tokens
        });
        assert_eq!(crops[0], crops[1]);
    }
}
