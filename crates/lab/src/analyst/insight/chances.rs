//! Win percentage and accuracy, by the formulas that lichess publishes.
//!
//! The curve and its coefficient are from lila pull request 11148 and scalachess `eval.scala`, the
//! accuracy from lila `AccuracyPercent.scala`. They are fitted to games between people and to
//! centipawns of Stockfish; here they are applied to our centipawns as they are.

use tabiya_chess::{Board, Color};
use tabiya_engine::{Score, wdl};

/// Steepness of the curve.
const COEFFICIENT: f64 = 0.00368208;
/// Scores beyond this count as this; so does mate.
const CEILING: i32 = 1000;
/// What the initial position counts for when a game is judged.
const INITIAL_CP: i32 = 15;

/// The expectation of whoever the score belongs to, from -1 (lost) to 1 (won).
pub fn chances(score: Score) -> f64 {
    chances_of_cp(score.comparable())
}

fn chances_of_cp(cp: i32) -> f64 {
    let cp = f64::from(cp.clamp(-CEILING, CEILING));
    2.0 / (1.0 + (-COEFFICIENT * cp).exp()) - 1.0
}

/// The same from 0 to 100.
pub fn win_percent(score: Score) -> f64 {
    50.0 + 50.0 * chances(score)
}

/// A draw with at least this chance by the WDL model is a draw: nothing is gained or lost there.
const DRAWN: f64 = 0.75;

/// The chance to win by the WDL model, from 0 to 1.
pub fn win_chance(score: Score, board: &Board) -> f64 {
    match score {
        Score::Cp(cp) => {
            wdl::MODEL.win(f64::from(wdl::from_centipawns(cp, board)), wdl::material(board))
        }
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
        Score::Tablebase(plies) => f64::from(u8::from(plies > 0)),
    }
}

/// Whether a score on a board means a draw by the WDL model.
pub fn is_drawn(score: Score, board: &Board) -> bool {
    let Score::Cp(cp) = score else { return false };
    1.0 - win_chance(score, board) - win_chance(Score::Cp(-cp), board) >= DRAWN
}

/// The accuracy of a move, from the win percentages of its player before and after it.
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    let drop = before - after;
    if drop <= 0.0 {
        return 100.0;
    }
    // The last 1 is a bonus for what the analysis itself may have got wrong.
    let raw = 103.1668100711649 * (-0.04354415386753951 * drop).exp() - 3.166924740191411 + 1.0;
    raw.clamp(0.0, 100.0)
}

/// The accuracy of both sides over a game: the mean of a weighted and a harmonic mean over their
/// moves, where moves weigh more while the evaluation swings. `None` for a side without moves.
///
/// `white_percents` are White's win percentages after each move, `first` who made the first move.
pub fn game_accuracy(white_percents: &[f64], first: Color) -> [Option<f64>; 2] {
    let count = white_percents.len();
    let mut percents = vec![50.0 + 50.0 * chances_of_cp(INITIAL_CP)];
    percents.extend_from_slice(white_percents);
    let window = (count / 10).clamp(2, 8);
    let mut weights: Vec<f64> =
        percents.windows(window).map(|part| deviation(part).clamp(0.5, 12.0)).collect();
    if let Some(&earliest) = weights.first() {
        // The first moves share the first window.
        weights.splice(0..0, std::iter::repeat_n(earliest, window - 2));
    }
    let mut moves = [Vec::new(), Vec::new()];
    let mut mover = first;
    for (pair, weight) in percents.windows(2).zip(weights) {
        let view = |percent: f64| if mover == Color::White { percent } else { 100.0 - percent };
        moves[mover].push((move_accuracy(view(pair[0]), view(pair[1])), weight));
        mover = !mover;
    }
    moves.map(|moves| {
        let count = moves.len() as f64;
        let weight: f64 = moves.iter().map(|(_, weight)| weight).sum();
        let weighted =
            moves.iter().map(|(accuracy, weight)| accuracy * weight).sum::<f64>() / weight;
        let harmonic =
            count / moves.iter().map(|(accuracy, _)| 1.0 / accuracy.max(1.0)).sum::<f64>();
        (!moves.is_empty()).then_some(f64::midpoint(weighted, harmonic))
    })
}

/// Standard deviation of a whole population.
fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.01
    }

    #[test]
    fn win_percent_follows_the_published_curve() {
        for (cp, percent) in [(0, 50.0), (100, 59.10), (-100, 40.90), (300, 75.11), (1000, 97.55)] {
            assert!(close(win_percent(Score::Cp(cp)), percent), "{cp}");
        }
        assert_eq!(win_percent(Score::Cp(5000)), win_percent(Score::Mate(3)));
        assert_eq!(win_percent(Score::Mate(0)), win_percent(Score::Cp(-1000)));
    }

    #[test]
    fn a_drawn_pawn_ending_stays_drawn() {
        let ending: Board = "8/8/4k3/8/4P3/4K3/8/8 w - - 0 1".parse().unwrap();
        assert!(is_drawn(Score::Cp(63), &ending) && is_drawn(Score::Cp(7), &ending));
        assert!(!is_drawn(Score::Cp(110), &ending) && !is_drawn(Score::Mate(5), &ending));
        assert!(!is_drawn(Score::Cp(63), &Board::default()), "there is much to play for");
    }

    #[test]
    fn move_accuracy_follows_the_published_curve() {
        assert_eq!(move_accuracy(50.0, 60.0), 100.0);
        assert!(close(move_accuracy(50.0, 45.0), 80.82), "{}", move_accuracy(50.0, 45.0));
        assert!(close(move_accuracy(90.0, 40.0), 9.53), "{}", move_accuracy(90.0, 40.0));
        assert_eq!(move_accuracy(100.0, 0.0), 0.0);
    }

    #[test]
    fn one_blunder_costs_its_player_only() {
        let mut percents = vec![51.0; 40];
        percents[20..].fill(10.0);
        let [white, black] = game_accuracy(&percents, Color::White);
        assert!(white.is_some_and(|white| white < 90.0), "{white:?}");
        assert!(black.is_some_and(|black| black > 99.0), "{black:?}");
        let mirrored: Vec<f64> = percents.iter().map(|percent| 100.0 - percent).collect();
        let [_, loser] = game_accuracy(&mirrored, Color::Black);
        assert!(loser.is_some_and(|loser| loser < 90.0), "{loser:?}");
        assert_eq!(game_accuracy(&[], Color::White), [None, None]);
        assert_eq!(game_accuracy(&[50.0], Color::Black)[0], None);
    }
}
