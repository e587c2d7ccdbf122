//! When the engine plays from its book, and how it chooses among the moves there.

use super::Book;
use crate::config::Config;
use crate::limits::Limits;
use std::hash::{BuildHasher, Hasher, RandomState};
use tabiya_chess::{Board, Move};

/// The moves to play from the book, in the order in which to try them; none where the engine should
/// think for itself.
pub(crate) fn candidates(
    book: &Book,
    config: &Config,
    board: &Board,
    limits: &Limits,
) -> Vec<Move> {
    let asked_to_think = config.analyse_mode
        || limits.infinite
        || limits.ponder
        || limits.mate.is_some()
        || !limits.search_moves.is_empty()
        || config.multi_pv > 1;
    if !config.own_book || asked_to_think || board.fullmove_number() > config.book_depth {
        return Vec::new();
    }
    draw(book.moves(board), config.book_variety, random_unit)
}

/// Draws all moves one after the other. The chance of a move is its weight to the power of
/// 100 / `variety`; moves of weight zero are for looking at, not for playing.
fn draw(mut moves: Vec<(Move, u16)>, variety: u32, mut random: impl FnMut() -> f64) -> Vec<Move> {
    moves.retain(|(_, weight)| *weight > 0);
    if variety == 0 {
        return moves.into_iter().map(|(mv, _)| mv).collect();
    }
    let exponent = 100.0 / f64::from(variety);
    let top = moves.first().map_or(1.0, |(_, weight)| f64::from(*weight));
    let chance = |weight: u16| (f64::from(weight) / top).powf(exponent);
    let mut drawn = Vec::with_capacity(moves.len());
    while !moves.is_empty() {
        let total: f64 = moves.iter().map(|(_, weight)| chance(*weight)).sum();
        let mut left = random() * total;
        let hit = moves.iter().position(|(_, weight)| {
            left -= chance(*weight);
            left < 0.0
        });
        drawn.push(moves.remove(hit.unwrap_or(0)).0);
    }
    drawn
}

/// A number from 0 to just below 1. The standard library seeds its hashers from the system.
fn random_unit() -> f64 {
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(weights: [(&str, u16); 3]) -> Vec<(Move, u16)> {
        let board = Board::default();
        weights.map(|(text, weight)| (board.parse_uci(text).unwrap(), weight)).to_vec()
    }

    #[test]
    fn variety_goes_from_the_best_move_to_the_weights() {
        let all = moves([("e2e4", 60), ("d2d4", 40), ("a2a4", 0)]);
        let first = |variety, random: f64| draw(all.clone(), variety, || random)[0];
        assert_eq!(draw(all.clone(), 0, || 0.9).len(), 2);
        assert_eq!(first(0, 0.99), all[0].0);
        assert_eq!(first(100, 0.59), all[0].0);
        assert_eq!(first(100, 0.61), all[1].0);
        // Half the variety squares the weights: 36 to 16.
        assert_eq!(first(50, 0.69), all[0].0);
        assert_eq!(first(50, 0.70), all[1].0);
        assert!(draw(Vec::new(), 100, || 0.5).is_empty());
    }

    #[test]
    fn the_engine_thinks_for_itself_when_asked_to() {
        let board = Board::default();
        let book = Book::embedded();
        let asks = |config: &Config, limits: &Limits| {
            !candidates(&book, config, &board, limits).is_empty()
        };
        let config = Config { own_book: true, ..Config::default() };
        let plain = Limits::nodes(100);
        assert!(asks(&config, &plain));
        let mv = board.parse_uci("e2e4").unwrap();
        for limits in [
            Limits { infinite: true, ..plain.clone() },
            Limits { ponder: true, ..plain.clone() },
            Limits { mate: Some(2), ..plain.clone() },
            Limits { search_moves: vec![mv], ..Limits::nodes(100) },
        ] {
            assert!(!asks(&config, &limits), "{limits:?}");
        }
        for config in [
            Config::default(),
            Config { multi_pv: 2, ..config.clone() },
            Config { analyse_mode: true, ..config.clone() },
            Config { book_depth: 0, ..config },
        ] {
            assert!(!asks(&config, &plain));
        }
    }
}
