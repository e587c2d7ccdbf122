//! The hand-crafted evaluation: a sum of recognisable features of a position.
//!
//! Each feature adds a weight for the middlegame and one for the endgame; the material left decides
//! how much each counts. Pawn structure and king shelter are cached in a [`PawnTable`]. The same
//! code, monomorphised over a tracer, yields the value for search and the list of counted
//! features for the display and for tuning, so the three can not drift apart (the idea is from
//! Andrew Grant's paper on Ethereal's tuner, 2020).
//!
//! Entry points: [`evaluate`] for search, [`explain`] for people, [`Trace`] for the tuner.

mod endgame;
mod explain;
mod king;
mod kpk;
mod masks;
mod pawns;
mod pieces;
mod score;
mod terms;
mod threats;
mod trace;
mod weights;

#[cfg(test)]
mod tests;

use tabiya_chess::{Bitboard, Board, Color, PieceType, Square, attacks};

pub use explain::{Explanation, Row, explain};
pub use pawns::PawnTable;
pub use score::Score;
pub use terms::{Combination, Group, ONE_PER_PIECE, TERMS, Term, WEIGHT_COUNT, all_weights};
pub use trace::Trace;
use trace::{NoTrace, Tracer};

/// No evaluation reaches this value.
pub const VALUE_LIMIT: i32 = 20_000;

/// The phase of the starting position; 0 is bare kings and pawns.
pub const FULL_PHASE: i32 = 24;

/// The scale that leaves an endgame value as it is.
pub const FULL_SCALE: i32 = 128;

/// An endgame with a smaller scale is all but drawn.
const DRAWISH_SCALE: i32 = 24;

/// Danger squared is divided by this for the middlegame.
pub const DANGER_SQUARE_DIVISOR: i32 = 1024;

/// More danger than this does not count: keeps its square within half a [`Score`].
pub const DANGER_LIMIT: i32 = 2000;

/// Danger is divided by this for the endgame.
pub const DANGER_DIVISOR: i32 = 16;

/// The value of a position in internal units from the side to move's view.
///
/// Made for positions without check: in check the value is defined but means little.
///
/// ```
/// use tabiya_chess::Board;
/// use tabiya_engine::eval::hce::{PawnTable, evaluate};
/// let mut pawns = PawnTable::default();
/// let queen_up = Board::from_fen("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1", false)?;
/// assert!(evaluate(&queen_up, &mut pawns) > 500);
/// # Ok::<(), tabiya_chess::FenError>(())
/// ```
#[inline]
pub fn evaluate(board: &Board, pawns: &mut PawnTable) -> i32 {
    let value = match endgame::known_value(board) {
        Some(value) => value,
        None => assess(board, pawns, &mut NoTrace).value,
    };
    let value = value.clamp(1 - VALUE_LIMIT, VALUE_LIMIT - 1);
    match board.side_to_move() {
        Color::White => value,
        Color::Black => -value,
    }
}

/// The value, for the side to move, of an ending that nobody needs to guess: dead draws, and king and
/// pawn against king. Cold, so that other positions do not carry its code along.
#[cold]
pub(super) fn solved(board: &Board) -> Option<i32> {
    let value = endgame::solved(board)?;
    Some(if board.side_to_move() == Color::White { value } else { -value })
}

/// How a value came about; all from White's view.
#[derive(Clone, Copy, Debug)]
struct Assessment {
    /// What the attack on each king costs its owner (negative).
    king_danger: [Score; 2],
    /// The change of the endgame value by its complexity.
    complexity: i32,
    /// How much of the middlegame is left.
    phase: i32,
    /// What is left of the endgame value when it is hard to win.
    scale: i32,
    value: i32,
}

/// Evaluates a position that is not a known endgame.
fn assess<T: Tracer>(board: &Board, table: &mut PawnTable, tracer: &mut T) -> Assessment {
    let mut evaluation = Evaluation::new(board, tracer);
    let pawns = table.probe(&mut evaluation);

    let mut score = pawns.score;
    score += evaluation.pieces::<false>() - evaluation.pieces::<true>();
    // The kings need the attack maps of all pieces, the rest needs the kings' attacks as well.
    let king_danger = [
        evaluation.king_danger::<false>(pawns.danger[Color::White]),
        evaluation.king_danger::<true>(pawns.danger[Color::Black]),
    ];
    score += king_danger[0] - king_danger[1];
    score += evaluation.passed::<false>(pawns.passed) - evaluation.passed::<true>(pawns.passed);
    score += evaluation.threats::<false>() - evaluation.threats::<true>();
    score += evaluation.space::<false>() - evaluation.space::<true>();
    let tempo = evaluation.weigh(board.side_to_move(), terms::TEMPO.at(0), 1);
    score += match board.side_to_move() {
        Color::White => tempo,
        Color::Black => -tempo,
    };

    let complexity = evaluation.complexity(score.endgame());
    let endgame = score.endgame() + complexity;
    let scale = match endgame.signum() {
        1 => endgame::scale(board, Color::White),
        -1 => endgame::scale(board, Color::Black),
        _ => FULL_SCALE,
    };
    let phase = phase(board);
    let value = blend(score.middlegame(), endgame, phase, scale);
    Assessment { king_danger, complexity, phase, scale, value }
}

/// The middlegame and endgame values mixed by phase. Symmetric: the division rounds towards zero.
fn blend(middlegame: i32, endgame: i32, phase: i32, scale: i32) -> i32 {
    let middlegame = middlegame * middlegame_scale(scale) * phase;
    let endgame = endgame * scale * (FULL_PHASE - phase);
    (middlegame + endgame) / (FULL_PHASE * FULL_SCALE)
}

/// What is left of the middlegame value: a drawish endgame scales it too, for even a few pieces
/// would keep a good part of it.
pub const fn middlegame_scale(scale: i32) -> i32 {
    if scale < DRAWISH_SCALE { scale } else { FULL_SCALE }
}

/// How much of the middlegame is left, from [`FULL_PHASE`] to 0.
#[inline]
fn phase(board: &Board) -> i32 {
    let minors = board.kind(PieceType::Knight) | board.kind(PieceType::Bishop);
    let rooks = board.kind(PieceType::Rook).count();
    let queens = board.kind(PieceType::Queen).count();
    ((minors.count() + 2 * rooks + 4 * queens) as i32).min(FULL_PHASE)
}

/// The endgame adjustment towards or away from zero, never past zero.
#[inline]
fn complexity_change(endgame: i32, complexity: i32) -> i32 {
    endgame.signum() * complexity.max(-endgame.abs())
}

/// What the features look at, gathered once for each position.
struct Evaluation<'a, T> {
    board: &'a Board,
    tracer: &'a mut T,
    /// Squares a side attacks, with pieces seen through by batteries.
    attacked: [Bitboard; 2],
    /// Squares a side attacks at least twice.
    attacked_twice: [Bitboard; 2],
    /// Squares a side attacks with each type of piece.
    attacked_by: [[Bitboard; 6]; 2],
    /// Squares that count for a side's mobility.
    mobility_area: [Bitboard; 2],
    /// The squares around a side's king, one rank deeper ahead.
    king_zone: [Bitboard; 2],
    /// Enemy pieces by type that attack a side's king zone.
    zone_attackers: [[u8; 6]; 2],
    /// Enemy attacks on squares next to a side's king.
    zone_attacks: [u32; 2],
}

/// The color that a compile-time parameter stands for.
const fn color(black: bool) -> Color {
    if black { Color::Black } else { Color::White }
}

impl<'a, T: Tracer> Evaluation<'a, T> {
    fn new(board: &'a Board, tracer: &'a mut T) -> Self {
        let mut evaluation = Evaluation {
            board,
            tracer,
            attacked: [Bitboard::EMPTY; 2],
            attacked_twice: [Bitboard::EMPTY; 2],
            attacked_by: [[Bitboard::EMPTY; 6]; 2],
            mobility_area: [Bitboard::EMPTY; 2],
            king_zone: [Bitboard::EMPTY; 2],
            zone_attackers: [[0; 6]; 2],
            zone_attacks: [0; 2],
        };
        evaluation.prepare::<false>();
        evaluation.prepare::<true>();
        evaluation
    }

    /// Attacks of king and pawns, king zone and the enemy's mobility area.
    fn prepare<const BLACK: bool>(&mut self) {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let pawns = board.pieces(us, PieceType::Pawn);
        let king = board.king(us);
        let ahead = pawns.forward(us);
        let by_pawns = attacks::pawns(us, pawns);
        let by_king = attacks::king(king);
        self.attacked_by[us][PieceType::Pawn] = by_pawns;
        self.attacked_by[us][PieceType::King] = by_king;
        self.attacked[us] = by_pawns | by_king;
        self.attacked_twice[us] = by_pawns & by_king | ahead.east() & ahead.west();
        let around = by_king | Bitboard::of(king);
        self.king_zone[us] = around | around.forward(us);

        let blocked = pawns & board.occupied().forward(them);
        let stuck = pawns & (blocked | masks::LOW_RANKS[us]);
        self.mobility_area[us] = !(stuck | Bitboard::of(king));
        self.mobility_area[us] -= attacks::pawns(them, board.pieces(them, PieceType::Pawn));
    }

    /// Counts a feature and returns what it is worth.
    #[inline]
    fn weigh(&mut self, us: Color, index: usize, count: i32) -> Score {
        self.tracer.record(us, index, count);
        terms::weight(index) * count
    }

    /// Material and place of a piece.
    #[inline]
    fn place(&mut self, us: Color, kind: PieceType, sq: Square) -> Score {
        let sq = sq.relative_to(us);
        if T::RECORDS {
            if kind != PieceType::King {
                self.tracer.record(us, terms::MATERIAL.at(kind.index()), 1);
            }
            self.tracer.record(us, terms::SQUARES[kind].at(sq.index()), 1);
        }
        terms::PIECE_SQUARE[kind][sq]
    }

    /// How hard the endgame is to hold for the worse side (Stockfish's "initiative", simplified).
    fn complexity(&mut self, endgame: i32) -> i32 {
        let board = self.board;
        let pawns = board.kind(PieceType::Pawn);
        let both_flanks = pawns.intersects(masks::QUEEN_SIDE) && pawns.intersects(masks::KING_SIDE);
        let pawn_endgame = Color::ALL.iter().all(|side| !board.has_non_pawns(*side));
        let infiltration = Color::ALL
            .iter()
            .any(|side| board.king(*side).rank().relative_to(*side) > tabiya_chess::Rank::R4);
        // Not a matter of colour: recorded as White's.
        let mut sum = self.weigh(Color::White, terms::COMPLEXITY_BASE.at(0), 1);
        sum += self.weigh(Color::White, terms::COMPLEXITY_PAWNS.at(0), pawns.count() as i32);
        for (term, holds) in [
            (terms::COMPLEXITY_BOTH_FLANKS, both_flanks),
            (terms::COMPLEXITY_PAWN_ENDGAME, pawn_endgame),
            (terms::COMPLEXITY_INFILTRATION, infiltration),
        ] {
            sum += self.weigh(Color::White, term.at(0), i32::from(holds));
        }
        complexity_change(endgame, sum.endgame())
    }
}
