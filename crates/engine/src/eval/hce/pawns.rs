//! Pawn structure and king shelter: all that depends on pawns and kings alone, and its cache.

use super::masks::{self, distance};
use super::score::Score;
use super::terms::{
    BACKWARD, CANDIDATE, DANGER_SHELTER, DANGER_STORM, DOUBLED, ISOLATED, KING_PAWN_DISTANCE,
    PASSED, PASSED_ENEMY_KING, PASSED_OWN_KING, PASSED_PROTECTED, PHALANX, SHELTER, STORM,
    STORM_BLOCKED, SUPPORTED,
};
use super::trace::Tracer;
use super::{Evaluation, color};
use crate::memory::{boxed, prefetch};
use tabiya_chess::{Bitboard, Board, Color, File, PieceType, Square, attacks};

/// What is known about the pawns and kings of a position.
#[derive(Clone, Copy)]
pub(super) struct PawnEntry {
    key: u64,
    /// The passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// All terms of this file from White's view, with material and place of pawns and kings.
    pub(super) score: Score,
    /// What each side's shelter adds to the danger of its king.
    pub(super) danger: [Score; 2],
}

/// A cache of pawn evaluations; each search thread has its own.
pub struct PawnTable {
    entries: Box<[PawnEntry; Self::SIZE]>,
}

impl Default for PawnTable {
    fn default() -> Self {
        // A position with key 0 is as unlikely as any other collision of 64-bit keys.
        let empty = PawnEntry {
            key: 0,
            passed: Bitboard::EMPTY,
            score: Score::ZERO,
            danger: [Score::ZERO; 2],
        };
        Self { entries: boxed(empty) }
    }
}

impl PawnTable {
    /// Number of entries, a power of two.
    const SIZE: usize = 1 << 14;

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Asks the cache for the entry of a position.
    #[inline]
    pub(crate) fn prefetch(&self, board: &Board) {
        prefetch(&self.entries[key(board) as usize & (Self::SIZE - 1)]);
    }

    /// The entry of a position, computed if it is not there yet.
    #[inline]
    pub(super) fn probe<T: Tracer>(&mut self, evaluation: &mut Evaluation<T>) -> PawnEntry {
        let key = key(evaluation.board);
        let entry = &mut self.entries[key as usize & (Self::SIZE - 1)];
        if T::RECORDS || entry.key != key {
            *entry = evaluation.pawns(key);
        }
        *entry
    }
}

/// Pawns and both kings in one key.
#[inline]
fn key(board: &Board) -> u64 {
    let kings = board.king(Color::White).index() * 64 + board.king(Color::Black).index();
    // Any odd constant spreads the kings over the word: here 2^64 divided by the golden ratio.
    board.pawn_key() ^ (kings as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_right(32)
}

impl<T: Tracer> Evaluation<'_, T> {
    #[cold]
    #[inline(never)]
    fn pawns(&mut self, key: u64) -> PawnEntry {
        let mut passed = Bitboard::EMPTY;
        let structure = self.structure::<false>(&mut passed) - self.structure::<true>(&mut passed);
        let (white, white_danger) = self.shelter::<false>();
        let (black, black_danger) = self.shelter::<true>();
        PawnEntry {
            key,
            passed,
            score: structure + white - black,
            danger: [white_danger, black_danger],
        }
    }

    /// The pawns of one side, each by itself.
    fn structure<const BLACK: bool>(&mut self, passed: &mut Bitboard) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let own = self.board.pieces(us, PieceType::Pawn);
        let enemy = self.board.pieces(them, PieceType::Pawn);
        let mut score = Score::ZERO;
        for sq in own {
            score += self.place(us, PieceType::Pawn, sq);
            let rank = sq.rank().relative_to(us).index();
            let stop = Bitboard::of(sq).forward(us);
            let neighbours = own & masks::ADJACENT_FILES[sq.file()];
            let helpers = neighbours - masks::RANKS_AHEAD[us][sq.rank()];
            let supporters = own & attacks::pawn(them, sq);
            let stoppers = enemy & masks::passed_span(us, sq);
            let opposed = enemy.intersects(masks::file_ahead(us, sq));
            let doubled = own.intersects(masks::file_ahead(us, sq));
            let stop_guarded = stop.intersects(self.attacked_by[them][PieceType::Pawn] | enemy);

            if neighbours.is_empty() {
                score += self.weigh(us, ISOLATED.at(usize::from(!opposed)), 1);
            } else if helpers.is_empty() && stop_guarded {
                score += self.weigh(us, BACKWARD.at(usize::from(!opposed)), 1);
            }
            if doubled {
                score += self.weigh(us, DOUBLED.at(usize::from(supporters.is_empty())), 1);
            }
            if neighbours.intersects(Bitboard::rank(sq.rank())) {
                score += self.weigh(us, PHALANX.at(rank), 1);
            }
            score += self.weigh(us, SUPPORTED.at(rank), supporters.count() as i32);
            if !doubled && stoppers.is_empty() {
                *passed |= Bitboard::of(sq);
                score += self.passed_with_kings::<BLACK>(sq, rank, supporters.any());
            } else if !doubled && !opposed && helpers.count() >= stoppers.count() {
                score += self.weigh(us, CANDIDATE.at(rank), 1);
            }
        }
        score
    }

    /// The part of a passed pawn's worth that pieces do not change.
    fn passed_with_kings<const BLACK: bool>(
        &mut self,
        sq: Square,
        rank: usize,
        protected: bool,
    ) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let stop = Bitboard::of(sq).forward(us).first().unwrap_or(sq);
        let own_king = distance(self.board.king(us), stop);
        let enemy_king = distance(self.board.king(them), stop);
        self.weigh(us, PASSED.at(rank), 1)
            + self.weigh(us, PASSED_OWN_KING.at(rank), own_king)
            + self.weigh(us, PASSED_ENEMY_KING.at(rank), enemy_king)
            + self.weigh(us, PASSED_PROTECTED.at(0), i32::from(protected))
    }

    /// The king's place and the pawns on the three files at the king: own ones shelter it, enemy
    /// ones storm it. Returns the score and what is added to the danger.
    fn shelter<const BLACK: bool>(&mut self) -> (Score, Score) {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let king = board.king(us);
        let mut score = self.place(us, PieceType::King, king);
        let mut danger = Score::ZERO;

        let nearest = board.kind(PieceType::Pawn).into_iter().map(|sq| distance(king, sq)).min();
        score += self.weigh(us, KING_PAWN_DISTANCE.at(0), nearest.unwrap_or(0));

        let not_behind = Bitboard::rank(king.rank()) | masks::RANKS_AHEAD[us][king.rank()];
        let own = board.pieces(us, PieceType::Pawn) & not_behind;
        let enemy = board.pieces(them, PieceType::Pawn) & not_behind;
        let centre = king.file().index().clamp(1, 6);
        for file in &File::ALL[centre - 1..=centre + 1] {
            let own_rank = nearest_rank(us, own & Bitboard::file(*file));
            let enemy_rank = nearest_rank(us, enemy & Bitboard::file(*file));
            let from_edge = file.index().min(7 - file.index());
            score += self.weigh(us, SHELTER.at(8 * from_edge + own_rank), 1);
            danger += self.weigh(us, DANGER_SHELTER.at(own_rank), 1);
            if own_rank > 0 && enemy_rank == own_rank + 1 {
                score += self.weigh(us, STORM_BLOCKED.at(enemy_rank), 1);
            } else {
                score += self.weigh(us, STORM.at(8 * from_edge + enemy_rank), 1);
                danger += self.weigh(us, DANGER_STORM.at(enemy_rank), 1);
            }
        }
        (score, danger)
    }
}

/// The rank, as `us` sees it, of the pawn nearest to the own back rank; 0 without a pawn.
fn nearest_rank(us: Color, pawns: Bitboard) -> usize {
    let nearest = match us {
        Color::White => pawns.first(),
        Color::Black => pawns.last(),
    };
    nearest.map_or(0, |sq| sq.rank().relative_to(us).index())
}
