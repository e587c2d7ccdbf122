//! Finding puzzles and checking that their solutions are the only ones.

use super::rating;
use crate::analyst::annotate::Phase;
use crate::analyst::insight::{Thinker, Thought, chances, end_of, positions, win_chance};
use crate::analyst::motifs::{self, Kind, PlayedLine};
use crate::work::StopSignal;
use tabiya_chess::pgn::PgnGame;
use tabiya_chess::{Board, Move};
use tabiya_engine::{Score, see_ge};

/// Part of the budget for the first look at each position of a game.
const FIRST_LOOK: u32 = 10;
/// A side wins with this chance by the WDL model, and stands no better than that without.
const WINS: f64 = 0.85;
const NOT_WINNING: f64 = 0.5;
/// Before the opponent's move the solver was not winning that clearly.
const HAD: f64 = 0.75;
/// The longest mate that is asked for as such.
const LONGEST_MATE: i32 = 5;
/// The best move must be better than the next by this much of the chances.
const GAP: f64 = 0.42;
/// With a quick mate, the next best move must stay below this.
const BESIDE_MATE: i32 = 500;
/// Scores between these hold; below the second, all is lost.
const HOLDS: i32 = -60;
const LOST: i32 = -250;
/// Longer solutions are cut here.
const LONGEST: usize = 15;
/// Budgets that a search may take which tries to refute a puzzle.
const DOUBT: u32 = 4;

/// What counts as a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hunt {
    /// Moves the solver must find at least.
    pub min_moves: usize,
}

/// What a puzzle asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Mate in so many moves as the solution has, which no other move gives.
    Mate,
    /// Mate, or a won position.
    Win,
    /// Not to lose: a defensive puzzle.
    Hold,
}

impl Goal {
    /// Whether the best move reaches the goal and the next best does not.
    fn is_unique(self, board: &Board, best: &Thought, second: &Thought) -> bool {
        match self {
            Self::Mate => match (best.score, second.score) {
                (Score::Mate(moves @ 1..), Score::Mate(others @ 1..)) => others > moves,
                (Score::Mate(1..), _) => true,
                _ => false,
            },
            Self::Win => is_unique_win(board, best, second),
            Self::Hold => best.score.comparable() >= HOLDS && second.score.comparable() <= LOST,
        }
    }

    /// Whether a score reaches the goal.
    fn is_reached(self, board: &Board, score: Score) -> bool {
        match self {
            Self::Mate => matches!(score, Score::Mate(1..)),
            Self::Win => win_chance(score, board) >= WINS,
            Self::Hold => score.comparable() >= HOLDS,
        }
    }
}

/// A position and the one line that solves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// Number of the game in its file.
    pub game: u64,
    /// Half-moves played before the position.
    pub ply: usize,
    /// What is asked for.
    pub goal: Goal,
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
    /// The patterns in it.
    pub motifs: Vec<Kind>,
    /// Its estimated rating, and the standard deviation of such estimates.
    pub rating: (i32, i32),
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
        end_of(&self.board, &self.solution)
    }

    /// Words for sorting puzzles, as lichess uses them.
    pub fn themes(&self) -> Vec<String> {
        let mut themes = vec![Phase::of(&self.board).name().to_owned()];
        if self.is_mate() {
            themes.extend(["mate".to_owned(), format!("mateIn{}", self.moves())]);
        } else {
            themes.push(
                match self.goal {
                    Goal::Hold => "equality",
                    Goal::Win | Goal::Mate if self.score.comparable() >= 600 => "crushing",
                    Goal::Win | Goal::Mate => "advantage",
                }
                .to_owned(),
            );
        }
        if self.goal == Goal::Hold {
            themes.push("defensiveMove".to_owned());
        }
        let length = match self.moves() {
            1 => "oneMove",
            2 => "short",
            3 => "long",
            _ => "veryLong",
        };
        themes.push(length.to_owned());
        themes.extend(self.motifs.iter().map(|kind| kind.theme().to_owned()));
        themes
    }
}

/// Finds the puzzles of a game, telling after each position of a first look how many of all are done; `None`
/// if `stop` was raised meanwhile.
pub fn find(
    thinker: &mut Thinker,
    hunt: &Hunt,
    number: u64,
    pgn: &PgnGame,
    stop: &StopSignal,
    mut progress: impl FnMut(usize, usize),
) -> Option<Vec<Puzzle>> {
    let game = pgn.to_game();
    let boards = positions(&game);
    let tell = |done| progress(done, boards.len());
    let thoughts = thinker.glance_through(&game, 0..=game.moves().len(), FIRST_LOOK, stop, tell)?;
    let mut puzzles = Vec::new();
    let mut solved_until = 0;
    for (ply, &blunder) in game.moves().iter().enumerate() {
        let (before, board) = (boards[ply], boards[ply + 1]);
        if ply < solved_until || board.count_legal_moves() < 2 {
            continue;
        }
        let keys = &game.keys()[..=ply];
        let mut found = None;
        for goal in goals(thinker, &board, keys, &thoughts[ply], &thoughts[ply + 1]) {
            let (solution, score) = solve(thinker, goal, &board, keys, stop)?;
            let is_puzzle = solution.len().div_ceil(2) >= hunt.min_moves.max(1)
                && !is_obvious(&board, blunder, &solution, goal)
                && is_only_solution(thinker, goal, &board, keys, &solution, DOUBT);
            if is_puzzle {
                found = Some((goal, solution, score));
                break;
            }
        }
        let Some((goal, solution, score)) = found else { continue };
        solved_until = ply + solution.len();
        let line = PlayedLine::after(&before, blunder, &solution);
        let mut kinds: Vec<Kind> = motifs::motifs(&line).iter().map(|motif| motif.kind).collect();
        if motifs::is_zugzwang(thinker, &line) {
            kinds.push(Kind::Zugzwang);
        }
        puzzles.push(Puzzle {
            game: number,
            ply: ply + 1,
            goal,
            before,
            blunder,
            board,
            solution,
            score,
            motifs: kinds,
            rating: rating::rating(thinker, &line),
        });
    }
    Some(puzzles)
}

/// What there may be to solve after a move: a mate or a win that was not there before, or the one way not
/// to lose.
fn goals(
    thinker: &mut Thinker,
    board: &Board,
    keys: &[u64],
    before: &Thought,
    now: &Thought,
) -> Vec<Goal> {
    let mut goals = Vec::new();
    let was_mated = matches!(before.score, Score::Mate(..=0));
    if matches!(now.score, Score::Mate(1..=LONGEST_MATE)) && !was_mated {
        goals.push(Goal::Mate);
    }
    if Goal::Win.is_reached(board, now.score) {
        if win_chance(before.score.reversed(), board) <= HAD {
            goals.push(Goal::Win);
        }
        return goals;
    }
    let Some(best) = now.best() else { return goals };
    let quiet = !board.in_check() && !best.is_capture();
    if quiet && Goal::Hold.is_reached(board, now.score) && now.score.comparable() <= -HOLDS {
        let second = thinker.think_without(board, keys, best, FIRST_LOOK);
        if second.is_some_and(|second| Goal::Hold.is_unique(board, now, &second)) {
            goals.push(Goal::Hold);
        }
    }
    goals
}

/// Follows the solution as long as exactly one move solves it.
fn solve(
    thinker: &mut Thinker,
    goal: Goal,
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
        let Some(mv) = best.best().filter(|_| goal.is_reached(&board, best.score)) else { break };
        let second = thinker.think_without(&board, &keys, mv, 1);
        if second.as_ref().is_some_and(|second| !goal.is_unique(&board, &best, second)) {
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
fn is_unique_win(board: &Board, best: &Thought, second: &Thought) -> bool {
    match (best.score, second.score) {
        (_, Score::Mate(1..)) => false,
        (Score::Mate(1..=2), second) => second.comparable() < BESIDE_MATE,
        (best, second) => {
            chances(best) - chances(second) > GAP && win_chance(second, board) <= NOT_WINNING
        }
    }
}

/// A single move that takes back, or takes what anybody can see hanging, is nothing to solve; nor is half
/// a mate.
fn is_obvious(board: &Board, blunder: Move, solution: &[Move], goal: Goal) -> bool {
    if goal == Goal::Mate && !end_of(board, solution).is_checkmate() {
        return true;
    }
    let [mv] = solution else { return solution.is_empty() };
    let takes_back = blunder.is_capture() && mv.is_capture() && blunder.to() == mv.to();
    let takes_loose = mv.is_capture() && see_ge(board, *mv, 100);
    let mates = end_of(board, solution).is_checkmate();
    !mates && (takes_back || takes_loose || goal == Goal::Win && board.in_check())
}

/// Whether a search of so many budgets still finds every move of the solver, and nothing beside it.
pub fn is_only_solution(
    thinker: &mut Thinker,
    goal: Goal,
    start: &Board,
    earlier: &[u64],
    solution: &[Move],
    budgets: u32,
) -> bool {
    let budget = thinker.budget;
    thinker.budget = budget.times(budgets);
    let (mut board, mut keys) = (*start, earlier.to_vec());
    let mut holds = true;
    for (index, mv) in solution.iter().enumerate() {
        if index % 2 == 0 {
            let best = thinker.think_about(&board, &keys, *mv);
            let second = thinker.think_without(&board, &keys, *mv, 1);
            holds = goal.is_reached(&board, best.score)
                && second.is_none_or(|second| goal.is_unique(&board, &best, &second));
            if !holds {
                break;
            }
        }
        keys.push(board.key());
        board.play(*mv);
    }
    thinker.budget = budget;
    holds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::Budget;
    use tabiya_chess::pgn::PgnReader;

    fn puzzles(pgn: &str, min_moves: usize) -> Vec<Puzzle> {
        let game = PgnReader::new(pgn.as_bytes()).next().unwrap().unwrap();
        let mut thinker = Thinker::new(4, Budget::Nodes(20_000)).unwrap();
        find(&mut thinker, &Hunt { min_moves }, 1, &game, &StopSignal::new(), |_, _| ()).unwrap()
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
    fn a_fork_is_a_puzzle_that_ends_with_the_gain_and_has_its_name() {
        // The king steps onto a square from which a knight's check wins the queen.
        let fork = "[FEN \"7k/3q4/8/3N4/8/8/5PPP/6K1 b - - 0 1\"]\n\n1... Kg8 2. h3 *";
        let found = puzzles(fork, 2);
        assert_eq!(found.len(), 1);
        let line = found[0].board.line_text(&found[0].solution);
        assert!(line.starts_with("2. Nf6+ K") && line.contains(" 3. Nxd7"), "{line}");
        assert!(!found[0].is_mate() && found[0].solution.len() % 2 == 1);
        assert!(found[0].themes().contains(&"fork".to_owned()), "{:?}", found[0].themes());
        assert!((400..=3000).contains(&found[0].rating.0));
    }

    #[test]
    fn a_mate_is_asked_for_also_where_much_else_wins() {
        // The rook leaves the back rank; whatever White does, he is a queen up.
        let game = |rank: &str| {
            format!("[FEN \"1r4k1/5ppp/8/8/8/8/5PPP/{rank} b - - 0 1\"]\n\n1... Rb4 2. h3 *")
        };
        assert!(puzzles(&game("3QR1K1"), 1).is_empty(), "both pieces mate at once");
        let found = puzzles(&game("R4QK1"), 1);
        assert_eq!((found.len(), found[0].goal, found[0].moves()), (1, Goal::Mate, 2));
        assert!(found[0].themes().contains(&"mateIn2".to_owned()), "{:?}", found[0].themes());
    }

    #[test]
    fn two_ways_to_win_are_no_puzzle() {
        let board = Board::default();
        let is_unique = |best: &Thought, second: &Thought| is_unique_win(&board, best, second);
        let best = Thought { score: Score::Cp(900), line: Vec::new(), depth: 1 };
        let next = Thought { score: Score::Cp(700), ..best.clone() };
        let poor = Thought { score: Score::Cp(50), ..best.clone() };
        assert!(!is_unique(&best, &next) && is_unique(&best, &poor));
        let mate = Thought { score: Score::Mate(2), ..best.clone() };
        assert!(!is_unique(&mate, &Thought { score: Score::Mate(4), ..best }));
        assert!(!is_unique(&mate, &next) && is_unique(&mate, &poor));
    }

    #[test]
    fn taking_what_hangs_is_nothing_to_solve() {
        let board: Board = "4k3/8/8/3n4/8/5B2/5PPP/6K1 w - - 0 1".parse().unwrap();
        let quiet = board.parse_san("h3").unwrap();
        let takes = [board.parse_san("Bxd5").unwrap()];
        assert!(is_obvious(&board, quiet, &takes, Goal::Win));
        assert!(!is_obvious(&board, quiet, &[quiet], Goal::Win));
    }
}
