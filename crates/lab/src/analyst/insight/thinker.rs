//! The engine as the analyst asks it: one position after the other, with a fixed budget for each.

use super::notation::{end_of, positions};
use crate::work::StopSignal;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;
use tabiya_chess::{Board, Game, Move};
use tabiya_engine::eval::Evaluation;
use tabiya_engine::{Limits, Score, Searcher, StopHandle, TableError};

/// Plies a line should have where it is shown.
const SHOWN_LINE: usize = 8;
/// How often a line is made longer, and with which part of the budget.
const LENGTHEN_STEPS: usize = 3;
const LENGTHEN_PART: u32 = 16;
/// Nodes of a look without knowledge of anything deeper.
const FIRST_SIGHT: u64 = 300;

/// How much a position is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Budget {
    /// Nodes; the same result on every machine and every time.
    Nodes(u64),
    /// Iterations.
    Depth(u32),
    /// Time.
    Time(Duration),
}

/// Why a budget makes no sense.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BudgetError {
    /// Several limits at once.
    #[error("only one of --nodes, --depth and --time can hold")]
    Several,
    /// A limit of nothing.
    #[error("--{0}: 0 leaves nothing to search")]
    Nothing(&'static str),
    /// Not a length of time.
    #[error("--time {0}: not a length of time")]
    Seconds(f64),
}

impl Budget {
    /// The one limit that was given, or `default` nodes.
    pub fn new(
        nodes: Option<u64>,
        depth: Option<u32>,
        seconds: Option<f64>,
        default: u64,
    ) -> Result<Self, BudgetError> {
        match (nodes, depth, seconds) {
            (Some(0), ..) => Err(BudgetError::Nothing("nodes")),
            (_, Some(0), _) => Err(BudgetError::Nothing("depth")),
            (None, None, None) => Ok(Self::Nodes(default)),
            (Some(nodes), None, None) => Ok(Self::Nodes(nodes)),
            (None, Some(depth), None) => Ok(Self::Depth(depth)),
            (None, None, Some(seconds)) => Duration::try_from_secs_f64(seconds)
                .ok()
                .filter(|time| !time.is_zero())
                .map(Self::Time)
                .ok_or(BudgetError::Seconds(seconds)),
            _ => Err(BudgetError::Several),
        }
    }

    /// A smaller budget, for a look at something less important.
    #[must_use]
    pub fn divided(self, by: u32) -> Self {
        match self {
            Self::Nodes(nodes) => Self::Nodes((nodes / u64::from(by)).max(1)),
            // An iteration costs about twice the one before.
            Self::Depth(depth) => Self::Depth(depth.saturating_sub(by.ilog2()).max(1)),
            Self::Time(time) => Self::Time(time / by),
        }
    }

    /// A larger budget, for proving something.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        match self {
            Self::Nodes(nodes) => Self::Nodes(nodes.saturating_mul(u64::from(factor))),
            Self::Depth(depth) => Self::Depth(depth.saturating_add(factor.max(1).ilog2())),
            Self::Time(time) => Self::Time(time.saturating_mul(factor)),
        }
    }

    /// The same, but not less than so many nodes where nodes are counted.
    #[must_use]
    pub fn at_least(self, least: u64) -> Self {
        match self {
            Self::Nodes(nodes) => Self::Nodes(nodes.max(least)),
            other => other,
        }
    }

    fn limits(self) -> Limits {
        match self {
            Self::Nodes(nodes) => Limits::nodes(nodes),
            Self::Depth(depth) => Limits::depth(depth),
            Self::Time(time) => Limits::move_time(time),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Depth(depth) => write!(f, "depth {depth}"),
            Self::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// What the engine thinks of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought {
    /// The score of the side to move.
    pub score: Score,
    /// The line it expects; empty where the game is over.
    pub line: Vec<Move>,
    /// Iterations completed.
    pub depth: u32,
}

impl Thought {
    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }
}

/// An engine that is asked about positions.
pub struct Thinker {
    searcher: Searcher,
    /// Another one, which knows nothing of what the first has seen.
    naive: Searcher,
    /// What a position is worth.
    pub budget: Budget,
}

impl Thinker {
    /// An engine with a hash table of this size in megabytes.
    pub fn new(hash_mb: usize, budget: Budget) -> Result<Self, TableError> {
        Ok(Self { searcher: Searcher::new(hash_mb)?, naive: Searcher::new(1)?, budget })
    }

    /// Judges by another evaluation from now on.
    pub fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.searcher.set_evaluation(evaluation);
        self.naive.set_evaluation(evaluation);
    }

    /// Ends its searches from another thread: what it then says of a position is of no worth.
    pub fn stop_handle(&self) -> StopHandle {
        self.searcher.stop_handle()
    }

    /// Forgets what it has seen, so that a game's analysis does not depend on the games before.
    pub fn new_game(&mut self) {
        self.searcher.new_game();
    }

    /// Judges a position; `earlier` are the keys of the positions before it.
    pub fn think(&mut self, board: &Board, earlier: &[u64]) -> Thought {
        self.search(board, earlier, &self.budget.limits())
    }

    /// Judges a position with a part of the budget.
    pub fn glance(&mut self, board: &Board, earlier: &[u64], part: u32) -> Thought {
        self.search(board, earlier, &self.budget.divided(part).limits())
    }

    /// Judges positions of a game, counted by the plies before them, with a part of the budget each; `None`
    /// if `stop` was raised meanwhile.
    ///
    /// It forgets earlier games first and goes from the end to the start, so that each position knows what
    /// comes after it. `progress` hears how many positions are done.
    pub fn glance_through(
        &mut self,
        game: &Game,
        plies: RangeInclusive<usize>,
        part: u32,
        stop: &StopSignal,
        mut progress: impl FnMut(usize),
    ) -> Option<Vec<Thought>> {
        self.new_game();
        let boards = positions(game);
        let mut thoughts = Vec::with_capacity(boards.len());
        for ply in plies.rev() {
            if stop.is_raised() {
                return None;
            }
            thoughts.push(self.glance(&boards[ply], &game.keys()[..ply], part));
            progress(thoughts.len());
        }
        thoughts.reverse();
        Some(thoughts)
    }

    /// Judges what is left without one move; `None` if nothing is.
    pub fn think_without(
        &mut self,
        board: &Board,
        earlier: &[u64],
        mv: Move,
        part: u32,
    ) -> Option<Thought> {
        let others: Vec<Move> = board.legal_moves().iter().filter(|other| *other != mv).collect();
        let limits = Limits { search_moves: others, ..self.budget.divided(part).limits() };
        (!limits.search_moves.is_empty()).then(|| self.search(board, earlier, &limits))
    }

    /// Judges one legal move of a position.
    pub fn think_about(&mut self, board: &Board, earlier: &[u64], mv: Move) -> Thought {
        self.glance_about(board, earlier, mv, 1)
    }

    /// Judges one legal move of a position with a part of the budget.
    pub fn glance_about(&mut self, board: &Board, earlier: &[u64], mv: Move, part: u32) -> Thought {
        let keys = [earlier, &[board.key()]].concat();
        let mut after = *board;
        after.play(mv);
        let reply = self.glance(&after, &keys, part);
        let score = match reply.score {
            // Being mated in so many moves is a mate in one more.
            Score::Mate(moves) if moves <= 0 => Score::Mate(1 - moves),
            other => other.reversed(),
        };
        let line = std::iter::once(mv).chain(reply.line).collect();
        Thought { score, line, depth: reply.depth + 1 }
    }

    /// What the end of a line is worth to whoever makes its first move, by a part of the budget.
    pub fn score_at_end(&mut self, board: &Board, line: &[Move], part: u32) -> Score {
        let end = end_of(board, line);
        let score = self.glance(&end, &[], part).score;
        if end.side_to_move() == board.side_to_move() { score } else { score.reversed() }
    }

    /// Makes a line that is to be shown longer, with a part of the budget for each step: lines end
    /// early where the hash table knew the rest.
    pub fn lengthen(&mut self, board: &Board, thought: &mut Thought) {
        for _ in 0..LENGTHEN_STEPS {
            if thought.line.is_empty() || thought.line.len() >= SHOWN_LINE {
                return;
            }
            self.append(board, &mut thought.line);
        }
    }

    /// Continues a line, with a part of the budget for each step, until the position at its end is as
    /// asked for; it may not get there.
    pub fn continue_line(
        &mut self,
        board: &Board,
        line: &mut Vec<Move>,
        is_end: impl Fn(&Board) -> bool,
    ) {
        for _ in 0..LENGTHEN_STEPS {
            if is_end(&end_of(board, line)) {
                return;
            }
            self.append(board, line);
        }
    }

    fn append(&mut self, board: &Board, line: &mut Vec<Move>) {
        let more = self.glance(&end_of(board, line), &[], LENGTHEN_PART);
        line.extend(more.line);
    }

    /// Lets an engine with an empty hash table think, with a budget of its own: one that cannot believe
    /// what the first remembers.
    pub fn with_fresh_eyes<T>(&mut self, budget: Budget, work: impl FnOnce(&mut Self) -> T) -> T {
        let usual = std::mem::replace(&mut self.budget, budget);
        std::mem::swap(&mut self.searcher, &mut self.naive);
        self.new_game();
        let found = work(self);
        std::mem::swap(&mut self.searcher, &mut self.naive);
        self.budget = usual;
        found
    }

    /// What a very short search finds that knows nothing about the game: how the position looks at first
    /// sight.
    pub fn first_sight(&mut self, board: &Board) -> Option<Move> {
        self.naive.new_game();
        self.naive.search(board, &[], &Limits::nodes(FIRST_SIGHT), |_| {}).best
    }

    /// After how many nodes a short search that knows nothing settles on a move; all of them if it never
    /// does.
    pub fn nodes_to_find(&mut self, board: &Board, mv: Move, most: u64) -> u64 {
        let mut settled = None;
        self.naive.new_game();
        let result =
            self.naive.search(board, &[], &Limits::nodes(most), |info| match info.line.first() {
                Some(first) if *first == mv => _ = settled.get_or_insert(info.nodes),
                Some(_) => settled = None,
                None => {}
            });
        settled.filter(|_| result.best == Some(mv)).unwrap_or(most)
    }

    fn search(&mut self, board: &Board, earlier: &[u64], limits: &Limits) -> Thought {
        if !board.has_legal_move() {
            let score = if board.in_check() { Score::Mate(0) } else { Score::Cp(0) };
            return Thought { score, line: Vec::new(), depth: 0 };
        }
        let result = self.searcher.search(board, earlier, limits, |_| {});
        let mut line = result.line;
        if line.is_empty() {
            line.extend(result.best);
        }
        Thought { score: result.score, line, depth: result.depth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_games_need_no_search() {
        let mut thinker = Thinker::new(1, Budget::Nodes(1)).unwrap();
        let mated = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1".parse().unwrap();
        let stalemated = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        assert_eq!(thinker.think(&mated, &[]).score, Score::Mate(0));
        assert_eq!(thinker.think(&stalemated, &[]).score, Score::Cp(0));
    }

    #[test]
    fn a_move_can_be_left_out_or_asked_for() {
        let mut thinker = Thinker::new(1, Budget::Nodes(2000)).unwrap();
        let board: Board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().unwrap();
        let best = thinker.think(&board, &[]);
        assert_eq!(best.score, Score::Mate(1));
        let mate = best.best().unwrap();
        let rest = thinker.think_without(&board, &[], mate, 1).unwrap();
        assert!(rest.best() != Some(mate) && rest.score != Score::Mate(1));
        assert_eq!(thinker.think_about(&board, &[], mate).score, Score::Mate(1));
        let slower = thinker.think_about(&board, &[], board.parse_san("Kf1").unwrap());
        assert!(slower.line.len() > 1 && slower.score != Score::Mate(1));
        let forced: Board = "7k/8/8/8/8/8/6q1/7K w - - 0 1".parse().unwrap();
        let only = thinker.think(&forced, &[]).best().unwrap();
        assert_eq!(thinker.think_without(&forced, &[], only, 1), None);
    }

    #[test]
    fn lines_grow_until_they_can_be_shown_or_the_game_ends() {
        let mut thinker = Thinker::new(1, Budget::Nodes(2000)).unwrap();
        let board = Board::default();
        let mut thought = thinker.think(&board, &[]);
        thought.line.truncate(1);
        thinker.lengthen(&board, &mut thought);
        assert!(thought.line.len() > 1);
        let mating: Board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().unwrap();
        let mut mate = thinker.think(&mating, &[]);
        thinker.lengthen(&mating, &mut mate);
        assert_eq!(mate.line.len(), 1);
    }

    #[test]
    fn budgets_are_one_limit() {
        assert_eq!(Budget::new(None, None, None, 7), Ok(Budget::Nodes(7)));
        assert_eq!(Budget::new(None, Some(9), None, 7), Ok(Budget::Depth(9)));
        assert_eq!(Budget::new(Some(1), Some(9), None, 7), Err(BudgetError::Several));
        assert_eq!(Budget::new(Some(0), None, None, 7), Err(BudgetError::Nothing("nodes")));
        assert!(Budget::new(None, None, Some(f64::NAN), 7).is_err());
        assert_eq!(Budget::Depth(9).divided(4), Budget::Depth(7));
    }
}
