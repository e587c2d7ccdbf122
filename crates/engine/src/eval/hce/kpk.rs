//! King and pawn against king, solved: one bit for each position, won or drawn.
//!
//! White has the pawn, on the files a to d; other positions are mirrored onto these. For each place
//! of pawn and white king one word has all places of the black king, so the table is solved 64
//! positions at a time, on first use, in well under a millisecond. It takes 64 kB and no heap.

use std::sync::LazyLock;
use tabiya_chess::{Bitboard, Board, Color, PieceType, Rank, Square, attacks};

/// Where Black's king stands in lost positions, by place of White's king.
type Losses = [Bitboard; 64];

/// The lost positions with one place of the pawn.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Solution {
    white_to_move: Losses,
    black_to_move: Losses,
}

impl Solution {
    const EMPTY: Self =
        Self { white_to_move: [Bitboard::EMPTY; 64], black_to_move: [Bitboard::EMPTY; 64] };
}

/// By place of the pawn; only the files a to d from rank 2 to 7 are filled in.
static SOLUTIONS: LazyLock<[Solution; 64]> = LazyLock::new(|| {
    let mut solutions = [Solution::EMPTY; 64];
    // A pawn only moves up: what its moves lead to is solved before it.
    for pawn in Square::ALL[8..56].iter().rev().filter(|sq| sq.file().index() < 4) {
        solutions[*pawn] = solve(*pawn, &solutions);
    }
    solutions
});

/// Whether the side with the pawn wins; `board` has two kings and one pawn.
pub(super) fn is_win(board: &Board, strong: Color) -> bool {
    let Some(pawn) = board.kind(PieceType::Pawn).first() else { return false };
    let place = |sq: Square| {
        let sq = sq.relative_to(strong);
        if pawn.file().index() < 4 { sq } else { sq.flip_file() }
    };
    let solution = &SOLUTIONS[place(pawn)];
    let losses = if board.side_to_move() == strong {
        &solution.white_to_move
    } else {
        &solution.black_to_move
    };
    losses[place(board.king(strong))].contains(place(board.king(!strong)))
}

/// Adds lost positions until no more are found; what is left cannot be won.
fn solve(pawn: Square, solutions: &[Solution; 64]) -> Solution {
    let guarded = attacks::pawn(Color::White, pawn);
    let mut solution = Solution::EMPTY;
    let by_pawn_move = Square::ALL.map(|king| after_pawn_move(pawn, king, solutions) - guarded);
    loop {
        let before = solution;
        for king in Square::ALL.into_iter().filter(|king| *king != pawn) {
            let near = attacks::king(king);
            let beside = near | Bitboard::of(king);

            // Black is lost where no move escapes, unless it is stalemate.
            let safe = !(beside | guarded);
            let escapes = safe - solution.white_to_move[king];
            let stalemate = !(neighbours(safe) | guarded);
            let may_stand = !(beside | Bitboard::of(pawn));
            solution.black_to_move[king] = may_stand - neighbours(escapes) - stalemate;

            let by_king_move = near - Bitboard::of(pawn);
            let lost = by_king_move
                .into_iter()
                .fold(by_pawn_move[king], |lost, to| lost | solution.black_to_move[to]);
            solution.white_to_move[king] = lost & (may_stand - guarded);
        }
        if before == solution {
            return solution;
        }
    }
}

/// Where Black's king is lost because the pawn moves.
fn after_pawn_move(pawn: Square, king: Square, solutions: &[Solution; 64]) -> Bitboard {
    let step = Bitboard::of(pawn).north() - Bitboard::of(king);
    let Some(stop) = step.first() else { return Bitboard::EMPTY };
    if pawn.rank() == Rank::R7 {
        // The new queen must survive.
        let near = attacks::king(stop);
        return if near.contains(king) { !step } else { !(step | near) };
    }
    let mut lost = solutions[stop].black_to_move[king];
    let double = (step & Bitboard::rank(Rank::R3)).north() - Bitboard::of(king);
    if let Some(stop) = double.first() {
        lost |= solutions[stop].black_to_move[king] - step;
    }
    lost
}

/// The squares a king's step away from a set.
fn neighbours(set: Bitboard) -> Bitboard {
    let beside = set.east() | set.west();
    let row = set | beside;
    beside | row.north() | row.south()
}
