//! Searches that count: minimax, alpha-beta, order, table, null windows, one added to the other.

use std::collections::HashMap;
use tabiya_chess::{Board, Move, PieceType};

const INFINITE: i32 = 100_000;
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// The order in which moves are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As generated.
    Generated,
    /// The most valuable victim first, then the least valuable attacker; quiet moves behind.
    Captures,
    /// The same, behind the best move of the iteration before.
    HashMove,
    /// The same, with killers and history for the quiet moves.
    Quiets,
}

/// What a search uses.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Whether branches that cannot matter are left out.
    pub alpha_beta: bool,
    /// The order of moves.
    pub order: Order,
    /// Whether values of known positions are taken from the table.
    pub table: bool,
    /// Whether all moves but the first are asked with a null window.
    pub null_window: bool,
}

/// What a search cost.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cost {
    /// Positions visited.
    pub nodes: u64,
    /// Nodes that ended early because a move was good enough.
    pub cuts: u64,
    /// Those of them where the first move did it.
    pub first_move_cuts: u64,
}

struct Counting {
    recipe: Recipe,
    cost: Cost,
    table: HashMap<u64, (i32, i32, i32)>,
    moves: HashMap<u64, Move>,
    killers: Vec<Option<Move>>,
    history: Vec<i32>,
}

/// Searches to `depth`, iteration by iteration where the order learns from it, and returns the value and
/// the cost of everything.
pub fn search(board: &Board, depth: i32, recipe: Recipe) -> (i32, Cost) {
    let mut search = Counting {
        recipe,
        cost: Cost::default(),
        table: HashMap::new(),
        moves: HashMap::new(),
        killers: vec![None; 64],
        history: vec![0; 64 * 64],
    };
    let learns = matches!(recipe.order, Order::HashMove | Order::Quiets);
    let first = if learns { 1 } else { depth };
    let value =
        (first..=depth).map(|depth| search.negamax(board, -INFINITE, INFINITE, depth, 0)).last();
    (value.unwrap_or(0), search.cost)
}

/// Material, and a little for squares a piece can reach, from the side to move.
fn evaluate(board: &Board) -> i32 {
    let us = board.side_to_move();
    PieceType::ALL.into_iter().fold(0, |sum, kind| {
        let difference =
            board.pieces(us, kind).count() as i32 - board.pieces(!us, kind).count() as i32;
        sum + VALUES[kind] * difference
    }) + board.attacks_by(us, board.occupied()).count() as i32
        - board.attacks_by(!us, board.occupied()).count() as i32
}

impl Counting {
    fn negamax(
        &mut self,
        board: &Board,
        mut alpha: i32,
        mut beta: i32,
        depth: i32,
        ply: usize,
    ) -> i32 {
        self.cost.nodes += 1;
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { ply as i32 - INFINITE } else { 0 };
        }
        if depth == 0 {
            return evaluate(board);
        }
        let window = (alpha, beta);
        if self.recipe.table
            && let Some((known, low, high)) = self.table.get(&board.key()).copied()
            && known == depth
        {
            if low >= beta || low == high {
                return low;
            }
            if high <= alpha {
                return high;
            }
        }
        let (mut best, mut best_move) = (-INFINITE, None);
        for (index, mv) in self.order(board, moves.iter().collect(), ply).into_iter().enumerate() {
            let mut child = *board;
            child.play(mv);
            let mut value = alpha + 1;
            let narrow = self.recipe.null_window && index > 0 && beta - alpha > 1;
            if narrow {
                value = -self.negamax(&child, -alpha - 1, -alpha, depth - 1, ply + 1);
            }
            if !narrow || value > alpha && value < beta {
                value = -self.negamax(&child, -beta, -alpha, depth - 1, ply + 1);
            }
            if value > best {
                (best, best_move) = (value, Some(mv));
            }
            if !self.recipe.alpha_beta {
                continue;
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                self.cost.cuts += 1;
                self.cost.first_move_cuts += u64::from(index == 0);
                if !mv.is_noisy() {
                    self.killers[ply] = Some(mv);
                    self.history[mv.from().index() * 64 + mv.to().index()] += depth * depth;
                }
                break;
            }
        }
        (alpha, beta) = window;
        let low = if best > alpha { best } else { -INFINITE };
        let high = if best < beta { best } else { INFINITE };
        self.table.insert(board.key(), (depth, low, high));
        if let Some(mv) = best_move {
            self.moves.insert(board.key(), mv);
        }
        best
    }

    fn order(&self, board: &Board, mut moves: Vec<Move>, ply: usize) -> Vec<Move> {
        let order = self.recipe.order;
        if order == Order::Generated {
            return moves;
        }
        let learns = order != Order::Captures;
        let hash_move = self.moves.get(&board.key()).copied().filter(|_| learns);
        moves.sort_by_cached_key(|mv| -match mv {
            _ if Some(*mv) == hash_move => 1_000_000_000,
            _ if mv.is_noisy() => 500_000_000 + victim_and_attacker(board, *mv),
            _ if order != Order::Quiets => 0,
            _ if self.killers[ply] == Some(*mv) => 400_000_000,
            _ => self.history[mv.from().index() * 64 + mv.to().index()],
        });
        moves
    }
}

/// The most valuable victim, then the least valuable attacker, as one number.
pub fn victim_and_attacker(board: &Board, mv: Move) -> i32 {
    let victim = board.captured(mv).map_or(0, |kind| VALUES[kind]);
    let attacker = board.piece_on(mv.from()).map_or(0, |piece| piece.kind() as i32);
    10 * victim - attacker
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_finds_the_same_value() {
        let board: Board =
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let plain =
            Recipe { alpha_beta: false, order: Order::Generated, table: false, null_window: false };
        let (value, cost) = search(&board, 2, plain);
        for order in [Order::Generated, Order::Captures, Order::HashMove, Order::Quiets] {
            for (table, null_window) in [(false, false), (true, false), (true, true)] {
                let recipe = Recipe { alpha_beta: true, order, table, null_window };
                let (same, less) = search(&board, 2, recipe);
                assert_eq!(same, value, "{recipe:?}");
                assert!(less.nodes < cost.nodes, "{recipe:?}");
            }
        }
    }
}
