//! Finding puzzles and checking that their solutions are the only ones.

use crate::analyst::annotate::Phase;
use crate::analyst::insight::{Thinker, Thought, balance, chances, positions};
use crate::work::StopSignal;
use tabiya_chess::pgn::PgnGame;
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// Part of the budget for the first look at each position of a game.
const FIRST_LOOK: u32 = 10;
/// A moment is of interest if the chances rise by this much.
const RISE: f64 = 0.5;
/// Whoever stood better than this before was winning anyway.
const WINNING_BEFORE: i32 = 300;
/// A solution must lead to at least this.
const WINNING: i32 = 200;
/// The best move must be better than the next by this much of the chances.
const GAP: f64 = 0.42;
/// With a quick mate, the next best move must stay below this.
const BESIDE_MATE: i32 = 500;
/// Material a solution must win, in pawns, unless it mates.
const GAIN: i32 = 2;
/// Longer solutions are cut here.
const LONGEST: usize = 15;

/// What counts as a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hunt {
    /// Moves the solver must find at least.
    pub min_moves: usize,
}

/// A position and the one line that wins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// Number of the game in its file.
    pub game: u64,
    /// Half-moves played before the position.
    pub ply: usize,
    /// The position before the move that allows the solution.
    pub before: Board,
    /// That move.
    pub blunder: Move,
    /// The position to be solved.
    pub board: Board,
    /// The solution: moves of the solver with the best answers between them.
    pub solution: Vec<Move>,
    /// The score of the solution.
    pub score: Score,
}

impl Puzzle {
    /// Whether the solution ends in mate.
    pub fn is_mate(&self) -> bool {
        self.end().is_checkmate()
    }

    /// Moves of the solver.
    pub fn moves(&self) -> usize {
        self.solution.len().div_ceil(2)
    }

    /// The position after the solution.
    pub fn end(&self) -> Board {
        let mut board = self.board;
        for mv in &self.solution {
            board.play(*mv);
        }
        board
    }

    /// Words for sorting puzzles.
    pub fn themes(&self) -> Vec<String> {
        let mut themes = vec![Phase::of(&self.board).name().to_owned()];
        if self.is_mate() {
            themes.extend(["mate".to_owned(), format!("mateIn{}", self.moves())]);
        } else {
            let name = if self.score.comparable() >= 600 { "crushing" } else { "advantage" };
            themes.push(name.to_owned());
        }
        let length = match self.moves() {
            1 => "oneMove",
            2 => "short",
            3 => "long",
            _ => "veryLong",
        };
        themes.push(length.to_owned());
        themes
    }
}

/// Finds the puzzles of a game; `None` if `stop` was raised meanwhile.
pub fn find(
    thinker: &mut Thinker,
    hunt: &Hunt,
    number: u64,
    pgn: &PgnGame,
    stop: &StopSignal,
) -> Option<Vec<Puzzle>> {
    thinker.new_game();
    let game = pgn.to_game();
    let boards = positions(&game);
    // From the end to the start, so that each position knows what comes after it.
    let mut scores = Vec::with_capacity(boards.len());
    for (ply, board) in boards.iter().enumerate().rev() {
        if stop.is_raised() {
            return None;
        }
        scores.push(thinker.glance(board, &game.keys()[..ply], FIRST_LOOK).score);
    }
    scores.reverse();
    let mut puzzles = Vec::new();
    let mut solved_until = 0;
    for (ply, &blunder) in game.moves().iter().enumerate() {
        let (before, board) = (boards[ply], boards[ply + 1]);
        if ply < solved_until || !is_moment(&board, scores[ply], scores[ply + 1]) {
            continue;
        }
        let (solution, score) = solve(thinker, &board, &game.keys()[..=ply], stop)?;
        let puzzle = Puzzle { game: number, ply: ply + 1, before, blunder, board, solution, score };
        if puzzle.moves() >= hunt.min_moves && is_worth_it(&puzzle) {
            solved_until = ply + puzzle.solution.len();
            puzzles.push(puzzle);
        }
    }
    Some(puzzles)
}

/// Whether the side to move suddenly stands much better. `before` is the opponent's score.
fn is_moment(board: &Board, before: Score, now: Score) -> bool {
    let was_winning = -before.comparable() > WINNING_BEFORE;
    let rise = chances(now) + chances(before);
    !was_winning && rise > RISE && now.comparable() >= WINNING && board.count_legal_moves() > 1
}

/// Follows the solution as long as exactly one move wins.
fn solve(
    thinker: &mut Thinker,
    start: &Board,
    earlier: &[u64],
    stop: &StopSignal,
) -> Option<(Vec<Move>, Score)> {
    let mut board = *start;
    let mut keys = earlier.to_vec();
    let mut solution = Vec::new();
    let mut first_score = None;
    // Length of the solution up to the last move there was a choice about.
    let mut chosen = 0;
    while solution.len() < LONGEST {
        if stop.is_raised() {
            return None;
        }
        let best = thinker.think(&board, &keys);
        let Some(mv) = best.best().filter(|_| best.score.comparable() >= WINNING) else { break };
        let second = thinker.think_without(&board, &keys, mv, 1);
        if second.as_ref().is_some_and(|second| !is_unique(&best, second)) {
            break;
        }
        first_score.get_or_insert(best.score);
        keys.push(board.key());
        board.play(mv);
        solution.push(mv);
        if second.is_some() || board.is_checkmate() {
            chosen = solution.len();
        }
        let Some(reply) = thinker.think(&board, &keys).best() else { break };
        keys.push(board.key());
        board.play(reply);
        solution.push(reply);
    }
    solution.truncate(chosen);
    Some((solution, first_score.unwrap_or(Score::Cp(0))))
}

/// Whether nothing but the best move wins.
fn is_unique(best: &Thought, second: &Thought) -> bool {
    match (best.score, second.score) {
        (_, Score::Mate(1..)) => false,
        (Score::Mate(1..=2), second) => second.comparable() < BESIDE_MATE,
        (best, second) => chances(best) - chances(second) > GAP,
    }
}

/// Mate, or a gain of material that everybody can see.
fn is_worth_it(puzzle: &Puzzle) -> bool {
    let solver = puzzle.board.side_to_move();
    let end = puzzle.end();
    end.is_checkmate() || balance(&end, solver) - balance(&puzzle.board, solver) >= GAIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::Budget;
    use tabiya_chess::pgn::PgnReader;

    fn puzzles(pgn: &str, min_moves: usize) -> Vec<Puzzle> {
        let game = PgnReader::new(pgn.as_bytes()).next().unwrap().unwrap();
        let mut thinker = Thinker::new(4, Budget::Nodes(20_000)).unwrap();
        find(&mut thinker, &Hunt { min_moves }, 1, &game, &StopSignal::new()).unwrap()
    }

    #[test]
    fn a_mate_that_was_allowed_is_a_puzzle() {
        let found = puzzles("1. f3 e5 2. g4 d6 *", 1);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].ply, found[0].is_mate()), (3, true));
        assert_eq!(found[0].board.san(found[0].solution[0]), "Qh4#");
        assert!(puzzles("1. f3 e5 2. g4 d6 *", 2).is_empty());
    }

    #[test]
    fn a_fork_is_a_puzzle_that_ends_with_the_gain() {
        // The king steps onto a square from which a knight's check wins the queen.
        let fork = "[FEN \"7k/3q4/8/3N4/8/8/5PPP/6K1 b - - 0 1\"]\n\n1... Kg8 2. h3 *";
        let found = puzzles(fork, 2);
        assert_eq!(found.len(), 1);
        let line = found[0].board.line_text(&found[0].solution);
        assert!(line.starts_with("2. Nf6+ K") && line.contains(" 3. Nxd7"), "{line}");
        assert!(!found[0].is_mate() && found[0].solution.len() % 2 == 1);
    }

    #[test]
    fn two_ways_to_win_are_no_puzzle() {
        let best = Thought { score: Score::Cp(900), line: Vec::new(), depth: 1 };
        let next = Thought { score: Score::Cp(700), ..best.clone() };
        let poor = Thought { score: Score::Cp(50), ..best.clone() };
        assert!(!is_unique(&best, &next) && is_unique(&best, &poor));
        let mate = Thought { score: Score::Mate(2), ..best.clone() };
        assert!(!is_unique(&mate, &Thought { score: Score::Mate(4), ..best }));
        assert!(!is_unique(&mate, &next) && is_unique(&mate, &poor));
    }
}
