//! How hard a puzzle is, as a rating: a linear model of what can be seen and what a short search
//! overlooks, fitted to the ratings that players gave to published puzzles (see `examples/puzzle_rating.rs`).
//! Mates and other puzzles have a model each.

mod fit;
mod weights;

pub use fit::{Fitted, fit, rank_correlation};

use crate::analyst::insight::{Thinker, balance, capture_gain, worth};
use crate::analyst::motifs::{self, Kind, PlayedLine};
use tabiya_chess::{Color, PieceType};
use tabiya_engine::see_ge;

/// The short search that is asked for each move of the solver may look at this many positions.
const NODES: u64 = 1500;
/// Patterns that make a puzzle easier or harder.
const KINDS: [Kind; 16] = [
    Kind::Attraction,
    Kind::BackRankMate,
    Kind::CapturingDefender,
    Kind::Deflection,
    Kind::DiscoveredAttack,
    Kind::DoubleCheck,
    Kind::Fork,
    Kind::HangingPiece,
    Kind::Interference,
    Kind::Intermezzo,
    Kind::Pin,
    Kind::Promotion,
    Kind::Sacrifice,
    Kind::Skewer,
    Kind::SmotheredMate,
    Kind::TrappedPiece,
];
/// Numbers that describe a puzzle.
pub const FEATURES: usize = 36 + KINDS.len();
/// Ratings of published puzzles end about here.
const RANGE: std::ops::RangeInclusive<f64> = 400.0..=3000.0;

/// What a puzzle looks like to the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Features {
    /// Whether the solution ends in mate.
    pub is_mate: bool,
    /// The numbers.
    pub values: [f64; FEATURES],
}

/// The estimated rating of a puzzle, and how far off such estimates are, as a standard deviation.
pub fn rating(thinker: &mut Thinker, line: &PlayedLine) -> (i32, i32) {
    let features = features(thinker, line);
    let (weights, deviation) = if features.is_mate {
        (&weights::MATES, weights::MATES_DEVIATION)
    } else {
        (&weights::OTHERS, weights::OTHERS_DEVIATION)
    };
    let value = dot(weights, &features.values).clamp(*RANGE.start(), *RANGE.end());
    (value.round() as i32, deviation)
}

fn dot(weights: &[f64; FEATURES], values: &[f64; FEATURES]) -> f64 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

/// Describes a puzzle: its length, what its moves are, what else there is to look at, and how long a short
/// search takes to find each move.
pub fn features(thinker: &mut Thinker, line: &PlayedLine) -> Features {
    let is_mate = line.end().is_checkmate();
    let mut values = Vec::with_capacity(FEATURES);
    values.push(1.0);
    push_length(&mut values, line);
    push_search(&mut values, thinker, line);
    push_first_move(&mut values, line);
    push_all_moves(&mut values, line);
    push_position(&mut values, line);
    let found = motifs::motifs(line);
    values.extend(KINDS.map(|kind| flag(found.iter().any(|motif| motif.kind == kind))));
    let mut all = [0.0; FEATURES];
    for (slot, value) in all.iter_mut().zip(values) {
        *slot = value;
    }
    Features { is_mate, values: all }
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn push_length(values: &mut Vec<f64>, line: &PlayedLine) {
    let moves = line.moves.len().div_ceil(2);
    values.extend([2, 3, 4, 5].map(|count| flag(moves >= count)));
}

/// How many positions the short search looks at before it settles on each move, as powers of two.
fn push_search(values: &mut Vec<f64>, thinker: &mut Thinker, line: &PlayedLine) {
    let efforts: Vec<f64> = line
        .solver_plies()
        .map(|ply| {
            let nodes = thinker.nodes_to_find(&line.boards[ply], line.moves[ply], NODES);
            (nodes.max(1) as f64).log2()
        })
        .collect();
    let first = efforts.first().copied().unwrap_or(0.0);
    let most = efforts.iter().copied().fold(0.0, f64::max);
    let sum: f64 = efforts.iter().sum();
    let hidden = efforts.iter().filter(|effort| **effort >= (NODES as f64).log2() - 0.01).count();
    values.extend([first, first * first / 10.0, most, sum, hidden as f64]);
    values.push(flag(first >= (NODES as f64).log2() - 0.01));
}

fn push_first_move(values: &mut Vec<f64>, line: &PlayedLine) {
    let (board, mv) = (&line.boards[0], line.moves[0]);
    let checks = board.gives_check(mv);
    let takes = line.taken(0);
    let (from, to) = (mv.from(), line.to(0));
    let takes_back = line
        .before
        .is_some_and(|(before, last)| before.captured(last).is_some() && last.to() == mv.to());
    let takes_mover = line.before.is_some_and(|(_, last)| last.to() == mv.to());
    let forward = to.rank().index() as i32 - from.rank().index() as i32;
    let forward = if line.solver() == Color::White { forward } else { -forward };
    let files = from.file().index().abs_diff(to.file().index());
    let distance = files.max(from.rank().index().abs_diff(to.rank().index()));
    let mover = line.mover(0);
    values.extend([
        flag(!checks && !mv.is_noisy()),
        flag(checks),
        flag(takes.is_some()),
        takes.map_or(0.0, |kind| f64::from(worth(kind)) / 9.0),
        flag(takes_back),
        flag(takes_mover && takes.is_some()),
        flag(!see_ge(board, mv, 0)),
        flag(forward < 0),
        distance as f64 / 7.0,
        flag(mover == PieceType::King),
        flag(mover == PieceType::Pawn),
        flag(mover == PieceType::Knight),
        flag(mover == PieceType::Queen),
    ]);
}

fn push_all_moves(values: &mut Vec<f64>, line: &PlayedLine) {
    let plies: Vec<usize> = line.solver_plies().collect();
    let share = |test: &dyn Fn(usize) -> bool| {
        plies.iter().filter(|ply| test(**ply)).count() as f64 / plies.len().max(1) as f64
    };
    let checks = |ply: usize| line.boards[ply + 1].in_check();
    values.push(share(&|ply| !checks(ply) && !line.moves[ply].is_noisy()));
    values.push(share(&checks));
    values.push(share(&|ply| line.taken(ply).is_some()));
    let replies: f64 = plies
        .iter()
        .map(|ply| f64::from(1 + line.boards[ply + 1].count_legal_moves()).ln())
        .sum::<f64>();
    values.push(replies / plies.len().max(1) as f64);
}

fn push_position(values: &mut Vec<f64>, line: &PlayedLine) {
    let board = &line.boards[0];
    let moves = board.legal_moves();
    let count = |test: &dyn Fn(tabiya_chess::Move) -> bool| {
        moves.iter().filter(|mv| test(*mv)).count() as f64
    };
    let solver = line.solver();
    let hangs = if board.in_check() {
        0
    } else {
        let mut passed = *board;
        passed.play_null();
        capture_gain(&passed)
    };
    values.extend([
        (1.0 + moves.len() as f64).ln(),
        count(&|mv| mv.is_capture()) / 5.0,
        count(&|mv| board.gives_check(mv)) / 5.0,
        f64::from(board.occupied().count()) / 32.0,
        f64::from(balance(board, solver).clamp(-9, 9)) / 9.0,
        f64::from((balance(line.end(), solver) - balance(board, solver)).clamp(-9, 9)) / 9.0,
        f64::from(capture_gain(board).clamp(0, 9)) / 9.0,
        f64::from(hangs.clamp(0, 9)) / 9.0,
    ]);
}
