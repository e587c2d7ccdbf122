//! Positions of games whose players know nothing.
//!
//! Scores mean nothing here, and one result for all positions of a game says little about most of them:
//! a net soon knows the games by heart instead. So few positions of each game are taken, and the result is
//! discounted by the distance to the end of the game (Sutton's temporal differences have the same
//! effect): shortly before mate it is nearly certain, at the beginning it is nearly even.

use crate::data::positions::{
    Counts, ExpandError, Expanded, Filter, game_blocks, game_hash, visit,
};
use crate::data::record::{CENTIPAWNS, Game, Header, LabelledPosition, RecordError, Verdict};
use crate::work::SplitMix;
use std::collections::HashSet;
use std::path::PathBuf;

/// Score at which the expected result is `sigmoid(1)`.
pub(super) const SCALE: f32 = 200.0;
/// What a ply between a position and the end of its game leaves of the result.
const DISCOUNT: f64 = 0.98;
/// Nothing is certain.
const MOST: f64 = 0.97;
/// Positions taken of a game, about.
const PER_GAME: f64 = 16.0;

/// Chooses positions of games, with the discounted result as their score.
pub(super) fn expand(
    inputs: &[PathBuf],
    filter: Filter,
    seed: u64,
) -> Result<Expanded, ExpandError> {
    let mut found = Found { filter, seed, ..Found::default() };
    for path in inputs {
        for (path, block, games) in game_blocks(path) {
            let games = games.map_err(|error| ExpandError::Read(path.clone(), error))?;
            visit(&games, &path, block, |game| found.add(game))?;
        }
    }
    let mut random = SplitMix::new(seed);
    random.shuffle(&mut found.training);
    random.shuffle(&mut found.validation);
    let Found { training, validation, mut counts, .. } = found;
    (counts.training, counts.validation) = (training.len() as u64, validation.len() as u64);
    let header = Header { score_unit: CENTIPAWNS.to_owned(), description: String::new() };
    Ok(Expanded { training, validation, counts, header })
}

#[derive(Default)]
struct Found {
    filter: Filter,
    seed: u64,
    seen: HashSet<u64>,
    counts: Counts,
    training: Vec<LabelledPosition>,
    validation: Vec<LabelledPosition>,
}

impl Found {
    fn add(&mut self, game: &Game) -> Result<(), RecordError> {
        let hash = game_hash(game)?;
        let mut random = SplitMix::new(SplitMix::new(self.seed).next() ^ hash);
        let plies = game.plies().len();
        self.counts.games += 1;
        self.counts.plies += plies as u64;
        let mut packed = Ok(());
        let mut left = plies;
        game.replay(|board, ply| {
            let is_chosen = random.unit() * (plies as f64) < PER_GAME;
            let is_noisy = board.in_check() || ply.mv.is_capture() || ply.mv.is_promotion();
            let distance = left;
            left -= 1;
            if !is_chosen || is_noisy || self.filter.lacks_material(board) {
                return;
            }
            let Some(verdict) = Verdict::of(game.result(), board.side_to_move()) else { return };
            if !self.seen.insert(board.key()) {
                self.counts.duplicates += 1;
                return;
            }
            match LabelledPosition::new(board, discounted(verdict, distance), verdict) {
                Ok(position) if self.filter.validates(hash) => self.validation.push(position),
                Ok(position) => self.training.push(position),
                Err(error) => packed = Err(error),
            }
        })?;
        Ok(packed?)
    }
}

/// The score of a position so many plies before its game ended like this.
fn discounted(verdict: Verdict, distance: usize) -> i16 {
    let surplus = (f64::from(verdict.points()) - 0.5) * DISCOUNT.powi(distance.min(10_000) as i32);
    let expected = (0.5 + surplus).clamp(1.0 - MOST, MOST);
    (f64::from(SCALE) * (expected / (1.0 - expected)).ln()).round() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_fade_with_the_distance_to_the_end() {
        let wins: Vec<i16> =
            [1, 20, 60, 200].into_iter().map(|plies| discounted(Verdict::Win, plies)).collect();
        // 200 * ln(0.97 / 0.03); ln(0.8338 / 0.1662); ln(0.6488 / 0.3512); ln(0.5088 / 0.4912).
        assert_eq!(wins, [695, 323, 123, 7]);
        assert_eq!(discounted(Verdict::Loss, 20), -323);
        assert_eq!(discounted(Verdict::Draw, 1), 0);
    }
}
