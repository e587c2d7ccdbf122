//! Rook and bishop attacks by table: indexed with PEXT where the build target has BMI2, else with
//! magic multiplication. Both use one table of attack sets, a few hundred entries a square.

use super::magics::{BISHOP_MAGICS, ROOK_MAGICS};
use super::{BISHOP_STEPS, ROOK_STEPS, Step};
use crate::bitboard::Bitboard;
use crate::types::Square;

/// A power of two above the 107,648 entries in use, so that a mask replaces the bounds check.
const TABLE_SIZE: usize = 1 << 17;

/// How the attack sets of one square are found.
#[derive(Clone, Copy)]
struct Slider {
    /// Squares whose occupancy matters: the rays without their last square.
    mask: u64,
    magic: u64,
    /// Where this square's sets begin in the table.
    offset: u32,
    shift: u32,
}

/// The squares from `from` in one direction up to and including the first occupied one.
pub(super) const fn ray(from: Square, step: Step, occupied: u64) -> u64 {
    let mut set = 0;
    let mut next = from.offset(step.0, step.1);
    while let Some(sq) = next {
        set |= Bitboard::of(sq).0;
        next = if occupied & Bitboard::of(sq).0 != 0 { None } else { sq.offset(step.0, step.1) };
    }
    set
}

/// Slider attacks found by walking the rays: slow, obviously right, the oracle of the tables.
///
/// ```
/// use tabiya_chess::{Bitboard, Square, attacks};
/// let occupied = Bitboard::of(Square::D6) | Square::F4.into();
/// assert_eq!(attacks::trace(true, Square::D4, occupied), attacks::rook(Square::D4, occupied));
/// ```
pub fn trace(rook_like: bool, from: Square, occupied: Bitboard) -> Bitboard {
    let steps = if rook_like { ROOK_STEPS } else { BISHOP_STEPS };
    steps.iter().fold(Bitboard::EMPTY, |set, step| set | Bitboard(ray(from, *step, occupied.0)))
}

/// `ray` on an empty board for the four directions and 64 squares.
const fn empty_rays(steps: [Step; 4]) -> [[u64; 64]; 4] {
    let mut table = [[0; 64]; 4];
    let mut i = 0;
    while i < 4 * 64 {
        table[i / 64][i % 64] = ray(Square::ALL[i % 64], steps[i / 64], 0);
        i += 1;
    }
    table
}

/// All four rays, cut behind their first blocker. Written for the compile-time interpreter, which
/// takes its time: the ray of the blocker is what must be taken away.
const fn cut_rays(empty: &[[u64; 64]; 4], steps: [Step; 4], from: usize, occupied: u64) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < 4 {
        let ray = empty[i][from];
        let blockers = ray & occupied;
        set |= ray;
        if blockers != 0 {
            let ascending = 8 * steps[i].1 + steps[i].0 > 0;
            let nearest = if ascending { blockers.trailing_zeros() } else { blockers.ilog2() };
            set &= !empty[i][nearest as usize];
        }
        i += 1;
    }
    set
}

/// Squares whose occupancy changes the attacks: a ray's last square never does.
const fn relevant(from: Square, steps: [Step; 4]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while i < 4 {
        let mut next = from.offset(steps[i].0, steps[i].1);
        while let Some(sq) = next {
            next = sq.offset(steps[i].0, steps[i].1);
            if next.is_some() {
                mask |= Bitboard::of(sq).0;
            }
        }
        i += 1;
    }
    mask
}

const fn sliders(steps: [Step; 4], magics: &[u64; 64], mut offset: u32) -> [Slider; 64] {
    let mut table = [Slider { mask: 0, magic: 0, offset: 0, shift: 0 }; 64];
    let mut i = 0;
    while i < 64 {
        let mask = relevant(Square::ALL[i], steps);
        let shift = 64 - mask.count_ones();
        table[i] = Slider { mask, magic: magics[i], offset, shift };
        offset += 1 << mask.count_ones();
        i += 1;
    }
    table
}

const ROOK_ENTRIES: u32 = 102_400;
static ROOK: [Slider; 64] = sliders(ROOK_STEPS, &ROOK_MAGICS, 0);
static BISHOP: [Slider; 64] = sliders(BISHOP_STEPS, &BISHOP_MAGICS, ROOK_ENTRIES);

const fn fill(
    mut table: [Bitboard; TABLE_SIZE],
    sliders: &[Slider; 64],
    steps: [Step; 4],
) -> [Bitboard; TABLE_SIZE] {
    let empty = empty_rays(steps);
    let mut i = 0;
    while i < 64 {
        let slider = sliders[i];
        let mut occupied = 0_u64;
        let mut number = 0;
        loop {
            // Subsets of the mask come in the order of their PEXT index.
            let index = if cfg!(target_feature = "bmi2") {
                number
            } else {
                (occupied.wrapping_mul(slider.magic) >> slider.shift) as usize
            };
            table[slider.offset as usize + index].0 = cut_rays(&empty, steps, i, occupied);
            number += 1;
            occupied = occupied.wrapping_sub(slider.mask) & slider.mask;
            if occupied == 0 {
                break;
            }
        }
        i += 1;
    }
    table
}

#[allow(
    long_running_const_eval,
    reason = "100,000 entries are near the limit of the lint, for targets without BMI2 beyond it"
)]
static ATTACKS: [Bitboard; TABLE_SIZE] =
    fill(fill([Bitboard::EMPTY; TABLE_SIZE], &ROOK, ROOK_STEPS), &BISHOP, BISHOP_STEPS);

#[cfg(target_feature = "bmi2")]
#[inline]
fn index(slider: &Slider, occupied: Bitboard) -> usize {
    #[expect(unsafe_code, reason = "a PEXT index needs no multiplication and no magic")]
    // SAFETY: this function exists only in builds whose target has BMI2.
    let bits = unsafe { std::arch::x86_64::_pext_u64(occupied.0, slider.mask) };
    slider.offset as usize + bits as usize
}

#[cfg(not(target_feature = "bmi2"))]
#[inline]
fn index(slider: &Slider, occupied: Bitboard) -> usize {
    let product = (occupied.0 & slider.mask).wrapping_mul(slider.magic);
    slider.offset as usize + (product >> slider.shift) as usize
}

/// Squares a rook attacks, up to and including the first occupied one in each direction.
///
/// ```
/// use tabiya_chess::{Bitboard, Square, attacks};
/// let attacked = attacks::rook(Square::A1, Bitboard::of(Square::A3));
/// assert!(attacked.contains(Square::A3) && !attacked.contains(Square::A4));
/// ```
#[inline]
pub fn rook(sq: Square, occupied: Bitboard) -> Bitboard {
    ATTACKS[index(&ROOK[sq], occupied) % TABLE_SIZE]
}

/// Squares a bishop attacks, up to and including the first occupied one in each direction.
///
/// ```
/// use tabiya_chess::{Bitboard, Square, attacks};
/// let attacked = attacks::bishop(Square::A1, Bitboard::of(Square::C3));
/// assert_eq!(attacked, Bitboard::of(Square::B2) | Square::C3.into());
/// ```
#[inline]
pub fn bishop(sq: Square, occupied: Bitboard) -> Bitboard {
    ATTACKS[index(&BISHOP[sq], occupied) % TABLE_SIZE]
}

const fn empty_board(steps: [Step; 4]) -> [Bitboard; 64] {
    let empty = empty_rays(steps);
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        table[i].0 = cut_rays(&empty, steps, i, 0);
        i += 1;
    }
    table
}

static ROOK_RAYS: [Bitboard; 64] = empty_board(ROOK_STEPS);
static BISHOP_RAYS: [Bitboard; 64] = empty_board(BISHOP_STEPS);

/// Squares a rook attacks on an empty board.
#[inline]
pub(crate) fn rook_rays(sq: Square) -> Bitboard {
    ROOK_RAYS[sq]
}

/// Squares a bishop attacks on an empty board.
#[inline]
pub(crate) fn bishop_rays(sq: Square) -> Bitboard {
    BISHOP_RAYS[sq]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the table in use for every square and every relevant occupancy, and (whether or not
    /// this build uses them) that the committed magics never map two attack sets to one index.
    #[test]
    fn tables_and_magics_agree_with_ray_tracing() {
        for (rook_like, sliders) in [(true, &ROOK), (false, &BISHOP)] {
            let steps = if rook_like { ROOK_STEPS } else { BISHOP_STEPS };
            let magics = if rook_like { ROOK_MAGICS } else { BISHOP_MAGICS };
            for sq in Square::ALL {
                let mask = Bitboard(relevant(sq, steps));
                assert_eq!(mask.0, sliders[sq].mask);
                let mut seen = vec![None; 1 << mask.count()];
                for occupied in mask.subsets() {
                    let expected = trace(rook_like, sq, occupied);
                    let noisy = occupied | (Bitboard(0x8142_2418_1824_4281) - mask);
                    for occupied in [occupied, noisy] {
                        let found =
                            if rook_like { rook(sq, occupied) } else { bishop(sq, occupied) };
                        assert_eq!(found, trace(rook_like, sq, occupied));
                    }
                    let product = occupied.0.wrapping_mul(magics[sq]);
                    let slot = &mut seen[(product >> (64 - mask.count())) as usize];
                    assert_eq!(*slot.get_or_insert(expected), expected, "collision on {sq}");
                }
            }
        }
    }
}
