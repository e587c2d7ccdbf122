//! Books from the engine's own analysis: the start position and what follows from its good moves,
//! one ply after the other.

use super::Collection;
use std::collections::HashSet;
use std::sync::mpsc::channel;
use tabiya_chess::{Board, Move};
use tabiya_engine::book::{Book, BookEntry};
use tabiya_engine::options::OptionError;
use tabiya_engine::{Engine, Limits, TableError};

/// How to analyse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Analysis {
    /// Nodes for each position.
    pub nodes: u64,
    /// Plies from the start position.
    pub max_ply: usize,
    /// Moves to look at in each position.
    pub lines: usize,
    /// A move this many centipawns worse than the best one is left out.
    pub margin_cp: i32,
}

/// How far the analysis is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookProgress {
    /// The ply that is being analysed.
    pub ply: usize,
    /// Positions of this ply done.
    pub done: usize,
    /// Positions of this ply.
    pub total: usize,
}

/// Why there is no analysis.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// No memory for the engine.
    #[error(transparent)]
    Engine(TableError),
    /// The engine cannot be set up.
    #[error(transparent)]
    Options(OptionError),
}

const HASH_MB: usize = 64;
/// The weight of the best move of a position.
const BEST_WEIGHT: f64 = 1000.0;

/// Analyses openings ply by ply. Positions of `known` are taken as they are. `go_on` is asked before
/// each position; once it says no, what is there is returned.
pub fn analyse(
    settings: &Analysis,
    known: Option<&Book>,
    mut go_on: impl FnMut(BookProgress) -> bool,
) -> Result<Collection, AnalysisError> {
    let mut engine = Engine::new(HASH_MB).map_err(AnalysisError::Engine)?;
    engine.configure(|config| config.multi_pv = settings.lines).map_err(AnalysisError::Options)?;
    let mut collection = Collection::default();
    let mut seen = HashSet::new();
    let mut layer = vec![Board::default()];
    for ply in 0..settings.max_ply {
        let mut next = Vec::new();
        for (done, board) in layer.iter().enumerate() {
            if !go_on(BookProgress { ply, done, total: layer.len() }) {
                return Ok(collection);
            }
            let mut moves = known.map(|book| book.moves(board)).unwrap_or_default();
            if moves.is_empty() {
                moves = good_moves(&mut engine, board, settings);
            }
            for (mv, weight) in moves {
                collection.add(BookEntry::new(board, mv, weight));
                let mut child = *board;
                child.play(mv);
                if seen.insert(child.polyglot_key()) {
                    next.push(child);
                }
            }
        }
        layer = next;
    }
    Ok(collection)
}

/// The moves close to the best one, with weights that fall off with the distance.
fn good_moves(engine: &mut Engine, board: &Board, settings: &Analysis) -> Vec<(Move, u16)> {
    engine.set_position(*board, &[]);
    let (sender, told) = channel();
    engine.go(Limits::nodes(settings.nodes), move |info| {
        let Some(mv) = info.line.first().filter(|_| info.bound.is_none()) else { return };
        // Nobody listens only if the analysis has gone away, and then nobody minds.
        let _ = sender.send((info.multi_pv, *mv, info.score.comparable()));
    });
    let expected = settings.lines.min(board.legal_moves().len());
    let scored = last_set(told.iter(), expected);
    let best = scored.iter().map(|(_, score)| *score).max().unwrap_or(0);
    let weight = |behind: i32| {
        let share = f64::from(behind) / f64::from(settings.margin_cp.max(1));
        (BEST_WEIGHT * (-2.0 * share).exp()).round() as u16
    };
    let close = scored.into_iter().filter(|(_, score)| best - score <= settings.margin_cp);
    let mut moves: Vec<_> = close.map(|(mv, score)| (mv, weight(best - score))).collect();
    moves.sort_by_key(|(mv, weight)| (std::cmp::Reverse(*weight), mv.to_bits()));
    moves
}

/// The moves with their scores of the last iteration that told all of its lines, given what a search
/// tells in its order: rank from 1, move, score.
fn last_set(told: impl Iterator<Item = (usize, Move, i32)>, expected: usize) -> Vec<(Move, i32)> {
    let (mut lines, mut complete) = (Vec::new(), Vec::new());
    for (rank, mv, score) in told {
        // Lines of the last iteration must not stand beside those of this one.
        lines.truncate(rank.saturating_sub(1));
        lines.push((mv, score));
        if lines.len() >= expected {
            complete.clone_from(&lines);
        }
    }
    // A search that is too short for a single set has at least begun one.
    if complete.is_empty() { lines } else { complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_iterations_do_not_mix() {
        let board = Board::default();
        let mv = |text| board.parse_uci(text).unwrap();
        let (e4, d4, c4) = (mv("e2e4"), mv("d2d4"), mv("c2c4"));
        let told = [(1, e4, 30), (2, d4, 20), (1, d4, 25)];
        assert_eq!(last_set(told.into_iter(), 2), [(e4, 30), (d4, 20)]);
        let next = told.into_iter().chain([(2, c4, 15)]);
        assert_eq!(last_set(next, 2), [(d4, 25), (c4, 15)]);
        assert_eq!(last_set(told.into_iter().take(1), 2), [(e4, 30)]);
    }

    #[test]
    fn analysis_grows_ply_by_ply_and_goes_on_from_a_book() {
        let settings = Analysis { nodes: 300, max_ply: 2, lines: 3, margin_cp: 50 };
        let mut plies = Vec::new();
        let full = analyse(&settings, None, |progress| {
            plies.push(progress.ply);
            true
        });
        let entries = full.unwrap().to_entries();
        let start = Board::default().polyglot_key();
        let first: Vec<_> = entries.iter().filter(|entry| entry.key == start).collect();
        assert!((1..=3).contains(&first.len()) && first[0].weight == 1000, "{first:?}");
        assert_eq!(plies.len(), 1 + first.len());
        let stopped = analyse(&settings, None, |progress| progress.ply == 0).unwrap();
        assert_eq!(stopped.to_entries().len(), first.len());
    }
}
