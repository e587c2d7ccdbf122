//! Staged move ordering: the hash move, good captures, quiets by history, bad captures.
//!
//! A picker keeps only indices; the moves themselves lie on the thread's move stack, so that no
//! node allocates or clears a buffer.

use super::Worker;
use super::history::MoveKey;
use super::see::{VALUES, see_ge};
use tabiya_chess::{Bitboard, Board, Color, Generate, Move, MoveSink, PieceType, attacks};

/// A move with its ordering score.
#[derive(Clone, Copy)]
pub(crate) struct ScoredMove {
    pub(crate) mv: Move,
    score: i32,
}

/// Appends generated moves to the move stack, still without scores.
struct Append<'a>(&'a mut Vec<ScoredMove>);

impl MoveSink for Append<'_> {
    #[inline]
    fn push(&mut self, mv: Move) {
        self.0.push(ScoredMove { mv, score: 0 });
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    HashMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    BadNoisy,
}

/// Yields the moves of one node, best first.
pub(crate) struct Picker {
    stage: Stage,
    hash_move: Option<Move>,
    /// Captures must win at least this much to count as good; `None` lets their score decide.
    threshold: Option<i32>,
    /// Whether quiet moves are wanted.
    quiets: bool,
    ply: usize,
    /// Where this node's moves begin on the stack: bad captures first, then what is left to try.
    start: usize,
    bad_end: usize,
    cursor: usize,
}

impl Picker {
    /// All moves, for the main search and for evasions.
    pub(crate) fn new(worker: &Worker, hash_move: Option<Move>, ply: usize) -> Self {
        let start = worker.moves.len();
        Self {
            stage: Stage::HashMove,
            hash_move,
            threshold: None,
            quiets: true,
            ply,
            start,
            bad_end: start,
            cursor: start,
        }
    }

    /// Captures and queen promotions only.
    pub(crate) fn noisy(worker: &Worker, hash_move: Option<Move>, ply: usize) -> Self {
        Self { quiets: false, ..Self::new(worker, hash_move, ply) }
    }

    /// Captures that win at least `threshold` by exchange; the others are dropped.
    pub(crate) fn winning(
        worker: &Worker,
        hash_move: Option<Move>,
        ply: usize,
        threshold: i32,
    ) -> Self {
        Self { threshold: Some(threshold), ..Self::noisy(worker, hash_move, ply) }
    }

    /// From now on no quiet moves; bad captures still come.
    pub(crate) fn skip_quiets(&mut self) {
        self.quiets = false;
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    /// Gives the node's part of the move stack back. Every picker must end here.
    pub(crate) fn finish(self, worker: &mut Worker) {
        worker.moves.truncate(self.start);
    }

    /// The next move to try, never the same twice.
    pub(crate) fn next(&mut self, worker: &mut Worker, board: &Board) -> Option<Move> {
        if self.stage == Stage::HashMove {
            self.stage = Stage::GenerateNoisy;
            if self.hash_move.is_some() {
                return self.hash_move;
            }
        }
        if self.stage == Stage::GenerateNoisy {
            board.generate(Generate::Noisy, &mut Append(&mut worker.moves));
            score_noisy(worker, board, self.start);
            self.stage = Stage::GoodNoisy;
        }
        if self.stage == Stage::GoodNoisy {
            while let Some(best) = self.select(worker) {
                if Some(best.mv) == self.hash_move {
                    continue;
                }
                let threshold = self.threshold.unwrap_or(-best.score / 40);
                if see_ge(board, best.mv, threshold) {
                    return Some(best.mv);
                }
                if self.threshold.is_none() {
                    worker.moves[self.bad_end] = best;
                    self.bad_end += 1;
                }
            }
            self.stage = Stage::GenerateQuiet;
        }
        if self.stage == Stage::GenerateQuiet {
            // The bad captures stay at the front; what was tried before is overwritten.
            worker.moves.truncate(self.bad_end);
            self.cursor = self.bad_end;
            if self.quiets {
                let threatened = worker.frame(self.ply).threatened;
                board.generate_quiets(threatened, &mut Append(&mut worker.moves));
                score_quiets(worker, board, self.bad_end, self.ply);
            }
            self.stage = Stage::Quiet;
        }
        if self.stage == Stage::Quiet {
            while self.quiets {
                let Some(best) = self.select(worker) else { break };
                if Some(best.mv) != self.hash_move {
                    return Some(best.mv);
                }
            }
            self.stage = Stage::BadNoisy;
            self.cursor = self.start;
        }
        let bad = worker.moves.get(self.cursor).filter(|_| self.cursor < self.bad_end)?;
        self.cursor += 1;
        Some(bad.mv)
    }

    /// Swaps the best remaining move to the cursor and steps past it.
    fn select(&mut self, worker: &mut Worker) -> Option<ScoredMove> {
        let rest = worker.moves.get_mut(self.cursor..)?;
        // Two simple loops: the compiler makes vectors of the first, which a search for the place of the best
        // along with its score would prevent.
        let best_score = rest.iter().map(|candidate| candidate.score).max()?;
        let best = rest.iter().position(|candidate| candidate.score == best_score)?;
        rest.swap(0, best);
        self.cursor += 1;
        Some(rest[0])
    }
}

/// The most valuable victim first, corrected by what captures like it have achieved.
fn score_noisy(worker: &mut Worker, board: &Board, start: usize) {
    let (moves, histories) = (&mut worker.moves[start..], &worker.histories);
    let victim_weight = worker.params.order_victim();
    for scored in moves {
        let mv = scored.mv;
        let victim = board.captured(mv).map_or(0, |kind| VALUES[kind]);
        let promotion = match mv.promotion() {
            Some(PieceType::Queen) => VALUES[PieceType::Queen],
            Some(_) => -VALUES[PieceType::Queen],
            None => 0,
        };
        scored.score = victim_weight * (victim + promotion) + histories.capture(board, mv);
    }
}

fn score_quiets(worker: &mut Worker, board: &Board, start: usize, ply: usize) {
    let earlier = worker.earlier_moves(ply);
    let frame = worker.frame(ply);
    let (threatened, killer) = (frame.threatened, frame.killer);
    let (moves, histories, params) =
        (&mut worker.moves[start..], &worker.histories, &worker.params);
    let counter = histories.counter(earlier[0]);
    let tables = histories.quiet_tables(board, &earlier, ply);
    let lesser = LesserThreats::new(board);
    let checks = CheckSquares::new(board);
    for scored in moves {
        let mv = scored.mv;
        let key = MoveKey::new(board, mv, threatened);
        let kind = board.piece_on(mv.from()).map_or(PieceType::Pawn, tabiya_chess::Piece::kind);
        let mut score = tables.score(key, params);
        if Some(mv) == killer {
            score += params.order_killer();
        }
        if Some(mv) == counter {
            score += params.order_counter();
        }
        if checks.by[kind].contains(mv.to()) && see_ge(board, mv, -75) {
            score += params.order_check();
        }
        let danger = lesser.to[kind];
        let worth = VALUES[kind] / 300;
        if danger.contains(mv.from()) {
            score += params.order_escape() * worth;
        }
        if danger.contains(mv.to()) {
            score -= params.order_escape() * worth;
        }
        scored.score = score;
    }
}

/// Squares attacked by an enemy piece of less value, by the type of the own piece in danger.
struct LesserThreats {
    to: [Bitboard; 6],
}

impl LesserThreats {
    fn new(board: &Board) -> Self {
        let them = board.opponent();
        let occupied = board.occupied();
        let pawns = attacks::pawns(them, board.pieces(them, PieceType::Pawn));
        let mut minors = pawns;
        for sq in board.pieces(them, PieceType::Knight) {
            minors |= attacks::knight(sq);
        }
        for sq in board.pieces(them, PieceType::Bishop) {
            minors |= attacks::bishop(sq, occupied);
        }
        let mut rooks = minors;
        for sq in board.pieces(them, PieceType::Rook) {
            rooks |= attacks::rook(sq, occupied);
        }
        Self { to: [Bitboard::EMPTY, pawns, pawns, minors, rooks, Bitboard::EMPTY] }
    }
}

/// Squares from which a piece of each type would check the enemy king directly.
struct CheckSquares {
    by: [Bitboard; 6],
}

impl CheckSquares {
    fn new(board: &Board) -> Self {
        let them: Color = board.opponent();
        let king = board.king(them);
        let (diagonal, straight) =
            (attacks::bishop(king, board.occupied()), attacks::rook(king, board.occupied()));
        Self {
            by: [
                attacks::pawn(them, king),
                attacks::knight(king),
                diagonal,
                straight,
                diagonal | straight,
                Bitboard::EMPTY,
            ],
        }
    }
}
