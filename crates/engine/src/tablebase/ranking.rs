//! The moves of a position that the tables know, best first, and lines of such moves.
//!
//! A won position is won by any move that keeps the win inside the fifty-move limit. So at first all
//! of them share a rank and the search chooses, which plays like a player rather than like a table;
//! when that leads nowhere (a repetition, or many moves without progress) only the shortest way to
//! the next capture or pawn move is left. Both together always win.

use super::{TableWdl, Tablebase};
use crate::clock::Instant;
use crate::score::{DRAW, MAX_PLY, TB_WIN, Value};
use std::time::Duration;
use tabiya_chess::{Board, Move, repetition};

/// Plies without capture or pawn move after which the search has had its chance.
const PATIENCE: u16 = 24;
/// Beyond every distance that a table can hold.
const FAR: i32 = 10_000;

/// How moves of the same outcome are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TieBreak {
    /// Not at all, while there is time.
    Natural,
    /// By the distance to the next capture or pawn move.
    Shortest,
}

/// A move and what the tables say about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedMove {
    pub(crate) mv: Move,
    /// Larger is better; only the order has a meaning.
    pub(crate) rank: i32,
    /// The outcome as a value of the search.
    pub(crate) value: Value,
    /// Plies to the next capture or pawn move, this one counted; none if only outcomes are known.
    plies: Option<u32>,
}

/// A legal move of a position that the tables know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableMove {
    /// The move.
    pub mv: Move,
    /// Its outcome for who makes it, as the halfmove clock stands.
    pub outcome: TableWdl,
    /// Plies to the next capture or pawn move, this one counted; none for a draw, and where only
    /// outcomes are known.
    pub plies: Option<u32>,
}

impl From<RankedMove> for TableMove {
    fn from(ranked: RankedMove) -> Self {
        let outcome = match (ranked.value.signum(), ranked.rank.signum()) {
            (1, _) => TableWdl::Win,
            (-1, _) => TableWdl::Loss,
            (_, 1) => TableWdl::CursedWin,
            (_, -1) => TableWdl::BlessedLoss,
            _ => TableWdl::Draw,
        };
        Self { mv: ranked.mv, outcome, plies: ranked.plies.filter(|plies| *plies > 0) }
    }
}

/// All legal moves of a position.
#[derive(Debug)]
pub(crate) struct Ranking {
    /// Best first.
    pub(crate) moves: Vec<RankedMove>,
    /// Known with distances, so that nothing is left to find out.
    pub(crate) exact: bool,
}

impl Ranking {
    /// Ranks all moves; `None` if the tables do not know them all. `keys` are the positions before
    /// this one.
    pub(crate) fn new(
        tables: &Tablebase,
        board: &Board,
        keys: &[u64],
        fifty_moves: bool,
        order: TieBreak,
    ) -> Option<Self> {
        let legal = board.legal_moves();
        let mut keys = keys.to_vec();
        let hurry = order == TieBreak::Shortest
            || board.halfmove_clock() >= PATIENCE
            || repetition::count_repetitions(board, &keys) > 0;
        keys.push(board.key());
        let scale = Scale {
            clock: if fifty_moves { i32::from(board.halfmove_clock()) } else { -FAR },
            hurry,
        };
        let after = |mv: Move| {
            let mut child = *board;
            child.play(mv);
            child
        };
        let by_distance = || -> Option<Vec<RankedMove>> {
            legal
                .iter()
                .map(|mv| Some(scale.by_distance(mv, distance(tables, &after(mv), &keys)?)))
                .collect()
        };
        let by_outcome = || -> Option<Vec<RankedMove>> {
            legal
                .iter()
                .map(|mv| Some(by_outcome(mv, tables.wdl(&after(mv))?, fifty_moves)))
                .collect()
        };
        let (mut moves, exact) = match by_distance() {
            Some(moves) => (moves, true),
            None => (by_outcome()?, false),
        };
        moves.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        Some(Self { moves, exact })
    }

    /// What is known about a move.
    pub(crate) fn get(&self, mv: Move) -> Option<RankedMove> {
        self.moves.iter().find(|ranked| ranked.mv == mv).copied()
    }

    /// Whether a move keeps the outcome.
    fn holds(&self, mv: Move) -> bool {
        let best = self.moves.first().map_or(DRAW, |best| best.value);
        self.get(mv).is_some_and(|ranked| ranked.value.signum() == best.signum())
    }

    /// Whether the search should go on asking tables below: only a win without known distances has
    /// anything to gain from it.
    pub(crate) fn leaves_questions(&self) -> bool {
        !self.exact && self.moves.first().is_some_and(|best| best.value > DRAW)
    }
}

/// Plies to the next capture or pawn move after a move to `child`, from the view of who made the
/// move and counting it; 0 for a draw. More than 100 is a win that comes too late.
fn distance(tables: &Tablebase, child: &Board, keys: &[u64]) -> Option<i32> {
    if child.in_check() && !child.has_legal_move() {
        return Some(1);
    }
    if child.has_insufficient_material() || repetition::count_repetitions(child, keys) >= 2 {
        return Some(0);
    }
    if child.halfmove_clock() == 0 {
        return tables.wdl(child).map(|wdl| match wdl {
            TableWdl::Loss => 1,
            TableWdl::BlessedLoss => 101,
            TableWdl::Draw => 0,
            TableWdl::CursedWin => -101,
            TableWdl::Win => -1,
        });
    }
    tables.dtz(child).map(|dtz| -(dtz + dtz.signum()))
}

/// Without distances the outcome alone ranks a move.
fn by_outcome(mv: Move, opponent: TableWdl, fifty_moves: bool) -> RankedMove {
    let (rank, late) = match opponent {
        TableWdl::Loss => (2, TB_WIN - 1),
        TableWdl::BlessedLoss => (1, if fifty_moves { DRAW } else { TB_WIN - 1 }),
        TableWdl::Draw => (0, DRAW),
        TableWdl::CursedWin => (-1, if fifty_moves { DRAW } else { -TB_WIN + 1 }),
        TableWdl::Win => (-2, -TB_WIN + 1),
    };
    RankedMove { mv, rank, value: late, plies: None }
}

/// Turns distances into ranks.
struct Scale {
    /// The halfmove clock; far below zero if nobody counts.
    clock: i32,
    /// Whether the distance itself counts.
    hurry: bool,
}

impl Scale {
    fn by_distance(&self, mv: Move, distance: i32) -> RankedMove {
        let plies = distance.abs();
        // Tables may tell one ply too few, so that the last ply of the limit is not relied upon;
        // but they are exact where it matters right after a capture or pawn move.
        let in_time = plies + self.clock <= if self.clock == 0 { 100 } else { 99 };
        let value = TB_WIN - plies.min(MAX_PLY as i32 - 1);
        let (rank, value) = match distance.signum() {
            0 => (0, DRAW),
            // A win; the sooner the better if it hurries.
            1 if in_time => (3 * FAR - if self.hurry { plies } else { 0 }, value),
            // Too late by the rule, but the opponent may err: closest to the limit first.
            1 => (FAR - plies, DRAW),
            // A loss, unless the rule saves us: as long as possible.
            _ if in_time => (-3 * FAR + if self.hurry { plies } else { 0 }, -value),
            _ => (-FAR + plies, DRAW),
        };
        RankedMove { mv, rank, value, plies: Some(plies.unsigned_abs()) }
    }
}

impl Tablebase {
    /// All legal moves of a position, the best one first; `None` if the tables do not know them all.
    /// `earlier` are the keys of the positions before it.
    pub fn moves(&self, board: &Board, earlier: &[u64]) -> Option<Vec<TableMove>> {
        let ranking = Ranking::new(self, board, earlier, true, TieBreak::Shortest)?;
        Some(ranking.moves.into_iter().map(TableMove::from).collect())
    }

    /// Checks a line from `board` and lengthens it by best play until the game ends, the tables know
    /// no further, or the time is up. The line is cut where it gives the outcome away.
    pub(crate) fn complete_line(
        &self,
        board: &Board,
        keys: &[u64],
        line: &[Move],
        fifty_moves: bool,
        time: Duration,
    ) -> Vec<Move> {
        let start = Instant::now();
        let mut board = *board;
        let mut keys = keys.to_vec();
        let mut complete = Vec::with_capacity(line.len());
        while complete.len() < MAX_PLY {
            let on_line = line.starts_with(&complete);
            let next = line.get(complete.len()).copied().filter(|_| on_line);
            if is_over(&board, &keys) {
                break;
            }
            let ranking = if start.elapsed() < time {
                Ranking::new(self, &board, &keys, fifty_moves, TieBreak::Shortest)
            } else {
                None
            };
            let mv = match (ranking, next) {
                (Some(ranking), next) => match ranking.moves.first() {
                    Some(best) => next.filter(|mv| ranking.holds(*mv)).unwrap_or(best.mv),
                    None => break,
                },
                (None, Some(next)) => next,
                (None, None) => break,
            };
            complete.push(mv);
            keys.push(board.key());
            board.play(mv);
        }
        complete
    }
}

fn is_over(board: &Board, keys: &[u64]) -> bool {
    board.halfmove_clock() >= 100
        || board.has_insufficient_material()
        || repetition::count_repetitions(board, keys) >= 2
        || !board.has_legal_move()
}
