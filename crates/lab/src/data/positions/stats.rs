//! What is in a data file: counts and histograms for `info` and `verify`.

use crate::data::record::{Game, LabelledPosition, RecordError, Verdict};
use crate::work::golden;
use std::fmt;
use tabiya_chess::{Color, GameResult};

/// Counts over games.
#[derive(Clone, Default, Debug)]
pub struct GameStats {
    /// Games.
    pub games: u64,
    /// Plies.
    pub plies: u64,
    /// White wins, draws, Black wins, unknown.
    pub results: [u64; 4],
    /// Captures and promotions among the moves.
    pub noisy: u64,
    /// Positions in check.
    pub in_check: u64,
    /// What the scored positions say.
    pub positions: PositionStats,
}

impl GameStats {
    /// Replays a game and counts everything in it.
    pub fn add(&mut self, game: &Game) -> Result<(), RecordError> {
        self.games += 1;
        self.plies += game.plies().len() as u64;
        self.results[match game.result() {
            GameResult::Win(Color::White) => 0,
            GameResult::Draw => 1,
            GameResult::Win(Color::Black) => 2,
            GameResult::Unknown => 3,
        }] += 1;
        game.replay(|board, ply| {
            self.noisy += u64::from(ply.mv.is_capture() || ply.mv.is_promotion());
            self.in_check += u64::from(board.in_check());
            let verdict = Verdict::of(game.result(), board.side_to_move());
            if let (Some(score), Some(verdict)) = (ply.score, verdict) {
                self.positions.count(score, verdict, board.occupied().count());
            }
        })
    }

    /// Adds the counts of other games.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.noisy += other.noisy;
        self.in_check += other.in_check;
        for (sum, number) in self.results.iter_mut().zip(other.results) {
            *sum += number;
        }
        self.positions.merge(&other.positions);
    }
}

impl fmt::Display for GameStats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [white, draws, black, unknown] = self.results;
        writeln!(f, "games      {}", self.games)?;
        writeln!(
            f,
            "plies      {} ({} noisy, {} in check)",
            self.plies, self.noisy, self.in_check
        )?;
        writeln!(f, "results    {white} white, {draws} draws, {black} black, {unknown} unknown")?;
        self.positions.fmt(f)
    }
}

/// Edges of the score histogram.
const EDGES: [i16; 12] = [-1000, -500, -250, -100, -50, -10, 10, 50, 100, 250, 500, 1000];

/// Counts over labelled positions.
#[derive(Clone, Default, Debug)]
pub struct PositionStats {
    /// Positions.
    pub positions: u64,
    /// Losses, draws and wins of the side to move by score.
    by_score: [[u64; 3]; EDGES.len() + 1],
    /// Positions by number of pieces.
    by_pieces: [u64; 9],
}

impl PositionStats {
    /// Counts a position.
    pub fn add(&mut self, position: &LabelledPosition) {
        self.count(position.score, position.verdict, position.piece_count());
    }

    fn count(&mut self, score: i16, verdict: Verdict, pieces: u32) {
        self.positions += 1;
        let bin = EDGES.iter().filter(|edge| score > **edge).count();
        self.by_score[bin][verdict as usize] += 1;
        self.by_pieces[(pieces as usize / 4).min(8)] += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.positions += other.positions;
        for (sums, numbers) in self.by_score.iter_mut().zip(other.by_score) {
            for (sum, number) in sums.iter_mut().zip(numbers) {
                *sum += number;
            }
        }
        for (sum, number) in self.by_pieces.iter_mut().zip(other.by_pieces) {
            *sum += number;
        }
    }
}

impl fmt::Display for PositionStats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "positions  {}", self.positions)?;
        writeln!(f, "  score for the side to move      share   loss   draw    win")?;
        let percent = |number: u64, of: u64| 100.0 * number as f64 / of.max(1) as f64;
        for (bin, results) in self.by_score.iter().enumerate() {
            let low =
                bin.checked_sub(1).map_or_else(String::new, |bin| format!("> {}", EDGES[bin]));
            let high = EDGES.get(bin).map_or_else(String::new, |edge| format!("<= {edge}"));
            let total = results.iter().sum();
            let [loss, draw, win] = results.map(|count| percent(count, total));
            let share = percent(total, self.positions);
            writeln!(
                f,
                "  {low:>8} {high:<18} {share:>9.2}% {loss:>5.1}% {draw:>5.1}% {win:>5.1}%"
            )?;
        }
        write!(f, "  pieces")?;
        for (bin, count) in self.by_pieces.iter().enumerate() {
            write!(f, "  {}+: {:.1}%", 4 * bin, percent(*count, self.positions))?;
        }
        Ok(())
    }
}

/// The `scale` for which `sigmoid(score / scale)` predicts results best (least squares), found by
/// golden-section search on at most a million positions.
pub fn fit_scale(positions: &[LabelledPosition]) -> f32 {
    let step = positions.len().div_ceil(1_000_000).max(1);
    let error = |scale: f64| -> f64 {
        positions
            .iter()
            .step_by(step)
            .map(|position| {
                let expected = 1.0 / (1.0 + (-f64::from(position.score) / scale).exp());
                (expected - f64::from(position.verdict.points())).powi(2)
            })
            .sum()
    };
    golden::lowest(20.0, 1000.0, 0.01, error) as f32
}
