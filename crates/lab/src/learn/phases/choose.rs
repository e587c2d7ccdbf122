//! From games to the positions that are learnt.

use super::super::error::LearnError;
use super::super::folder::{read_json, write_json};
use super::super::plan::Plan;
use super::super::result::{Histogram, piece_group};
use super::super::status::Phase;
use super::explore::EXPLORED;
use super::{Desk, blind};
use crate::data::positions::{self, ExpandError, Expanded, Filter};
use crate::data::record::{Header, LabelledPosition};
use crate::work::SplitMix;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

/// Games of 1000 that are kept for validation, of few games and of many.
const VALIDATION: u32 = 20;
const VALIDATION_OF_FEW: u32 = 60;
const FEW_GAMES: u64 = 3000;
/// No number of pieces has more than this many times its even share.
const MOST_OF_A_GROUP: f64 = 2.0;
/// Scores beyond this decide the game; of such positions only a part is kept.
const DECIDED: i16 = 700;
const DECIDED_SHARE: f64 = 0.5;

/// What was made of a generation's games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in super::super) struct Chosen {
    /// What was kept and dropped, in words.
    pub(in super::super) counts: String,
    /// Training positions.
    pub(in super::super) positions: u64,
    /// What they look like.
    pub(in super::super) histogram: Histogram,
}

/// Makes the positions of a generation, unless they are there.
pub(in super::super) fn choose(desk: &mut Desk, plan: &Plan) -> Result<Chosen, LearnError> {
    let folder = desk.folder.generation(plan.generation);
    let done = folder.join("positions.json");
    if let Some(chosen) = read_json(&done)? {
        return Ok(chosen);
    }
    desk.teller.begin(Phase::Positions, "")?;
    let fail = |error| LearnError::Positions(plan.generation, error);
    let mut inputs = vec![folder.join("self.games")];
    inputs.extend(plan.others.iter().map(|name| folder.join(name)));
    let found = if plan.is_blind {
        blind::expand(&inputs, filter(plan), plan.seed)
    } else {
        positions::expand(&inputs, filter(plan), plan.seed, desk.threads, |_| {})
    };
    let mut found = found.map_err(fail)?;
    let explored = add_explored(&mut found, plan, &folder).map_err(fail)?;
    let before = found.training.len();
    if !plan.is_blind {
        thin(&mut found.training, plan.seed);
    }
    if found.validation.is_empty() {
        let tenth = found.training.len().div_ceil(10);
        found.validation = found.training.split_off(found.training.len() - tenth);
    }
    if found.training.is_empty() {
        return Err(LearnError::NoPositions(plan.generation, found.counts.games));
    }
    let chosen = Chosen {
        counts: format!(
            "{}; of other searches: {explored}; thinned out: {}",
            found.counts,
            before - found.training.len()
        ),
        positions: found.training.len() as u64,
        histogram: Histogram::of(&found.training),
    };
    let header = Header {
        score_unit: found.header.score_unit,
        description: format!("generation {}", plan.generation),
    };
    for (name, set) in [("validation.pos", found.validation), ("training.pos", found.training)] {
        positions::write(&folder.join(name), &header, &set).map_err(fail)?;
    }
    write_json(&done, &chosen)?;
    Ok(chosen)
}

/// Which positions of the games are kept.
pub(super) fn filter(plan: &Plan) -> Filter {
    Filter {
        validation_permille: if plan.games < FEW_GAMES { VALIDATION_OF_FEW } else { VALIDATION },
        ..Filter::default()
    }
}

/// Adds the positions of other searches that are not there yet, in random order. They are of games for
/// training only. Returns how many.
fn add_explored(found: &mut Expanded, plan: &Plan, folder: &Path) -> Result<usize, ExpandError> {
    let path = folder.join(EXPLORED);
    if !path.exists() {
        return Ok(0);
    }
    let key = |position: &LabelledPosition| position.to_board().ok().map(|board| board.key());
    let mut known: HashSet<u64> =
        found.training.iter().chain(&found.validation).filter_map(key).collect();
    let (mut explored, _) = positions::read(&[path])?;
    let most = filter(plan).max_score.unsigned_abs();
    explored.retain(|position| {
        position.score.unsigned_abs() <= most && key(position).is_some_and(|key| known.insert(key))
    });
    let count = explored.len();
    found.training.append(&mut explored);
    SplitMix::new(plan.seed).shuffle(&mut found.training);
    Ok(count)
}

/// Leaves out a part of what there is too much of: won positions, and endgames above all.
fn thin(positions: &mut Vec<LabelledPosition>, seed: u64) {
    let mut random = SplitMix::new(seed);
    positions.retain(|position| {
        let lot = random.unit();
        position.score.unsigned_abs() <= DECIDED.unsigned_abs() || lot < DECIDED_SHARE
    });
    let mut groups = [0u64; 8];
    for position in positions.iter() {
        groups[piece_group(position)] += 1;
    }
    let most = positions.len() as f64 * MOST_OF_A_GROUP / groups.len() as f64;
    positions.retain(|position| {
        let lot = random.unit();
        lot * (groups[piece_group(position)] as f64) < most
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Verdict;
    use tabiya_chess::Board;

    #[test]
    fn what_there_is_too_much_of_is_thinned_out() {
        let ending: Board = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse().unwrap();
        let position =
            |board: &Board, score| LabelledPosition::new(board, score, Verdict::Win).unwrap();
        let mut set = vec![position(&ending, 10); 9000];
        set.extend(vec![position(&Board::default(), 10); 1000]);
        set.extend(vec![position(&Board::default(), -900); 1000]);
        let mut again = set.clone();
        thin(&mut set, 7);
        let count = |wanted: &dyn Fn(&LabelledPosition) -> bool| {
            set.iter().filter(|position| wanted(position)).count()
        };
        assert_eq!(count(&|position| position.piece_count() == 32 && position.score == 10), 1000);
        // Half of 1000, and two eighths of about 10,500.
        assert!((430..570).contains(&count(&|position| position.score == -900)));
        assert!((2400..2850).contains(&count(&|position| position.piece_count() == 3)));
        thin(&mut again, 7);
        assert_eq!(set, again);
    }
}
