//! Magic multiplication, once by hand and once by trial.

use tabiya_chess::{Bitboard, File, Rank, Square, attacks};

/// The diagonal of a bishop on a1 without its end: the squares whose pieces can stand in its way.
pub fn a1_mask() -> Bitboard {
    attacks::bishop(Square::A1, Bitboard::EMPTY) - Bitboard::of(Square::H8)
}

/// One bit at the foot of every file... seen from the product: all ranks are added into the last.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The index of an occupation of that diagonal: six bits, one for each square.
pub fn a1_index(occupied: Bitboard) -> usize {
    ((occupied & a1_mask()).0.wrapping_mul(FILE_A) >> 57) as usize
}

/// The squares that matter to a rook: its lines without the last square of each.
pub fn rook_mask(sq: Square) -> Bitboard {
    let ranks = (Bitboard::rank(Rank::R1) | Bitboard::rank(Rank::R8)) - Bitboard::rank(sq.rank());
    let files = (Bitboard::file(File::A) | Bitboard::file(File::H)) - Bitboard::file(sq.file());
    attacks::rook(sq, Bitboard::EMPTY) - ranks - files
}

/// A magic for a rook found by trying random numbers with few bits, and how many it took.
pub fn find_rook_magic(sq: Square, seed: u64) -> (u64, u64) {
    let mask = rook_mask(sq);
    let shift = 64 - mask.count();
    let sets: Vec<_> = mask.subsets().map(|set| (set.0, attacks::trace(true, sq, set))).collect();
    let mut state = seed;
    let mut random = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    };
    for tries in 1.. {
        let magic = random() & random() & random();
        let mut slots = vec![None; sets.len()];
        let fits = sets.iter().all(|(set, attacks)| {
            let slot = &mut slots[(set.wrapping_mul(magic) >> shift) as usize];
            *slot.get_or_insert(*attacks) == *attacks
        });
        if fits {
            return (magic, tries);
        }
    }
    unreachable!("the search runs until it succeeds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_magic_gives_every_occupation_its_own_index() {
        let mut seen = [false; 64];
        for occupied in a1_mask().subsets() {
            let index = a1_index(occupied);
            assert!(!seen[index], "{occupied:?}");
            seen[index] = true;
        }
        assert!(seen.iter().all(|used| *used));
    }
}
