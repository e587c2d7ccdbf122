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

/// One of the two lines through a square, for each way in which it can be occupied.
struct RayPair {
    /// How many ways there are.
    count: usize,
    /// What each adds to the index.
    keys: [u64; 64],
    /// The squares attacked on the line.
    sets: [u64; 64],
}

/// The line of the steps `first` and `first + 2`, which are opposite, through a square.
const fn ray_pair(empty: &[[u64; 64]; 4], first: usize, from: usize, slider: &Slider) -> RayPair {
    let [up, down] = [empty[first][from], empty[first + 2][from]];
    let mask = slider.mask & (up | down);
    let mut pair = RayPair { count: 0, keys: [0; 64], sets: [0; 64] };
    let mut occupied = 0;
    loop {
        pair.keys[pair.count] = if cfg!(target_feature = "bmi2") {
            extract(occupied, slider.mask)
        } else {
            occupied.wrapping_mul(slider.magic)
        };
        pair.sets[pair.count] =
            cut(&empty[first], from, occupied) | cut(&empty[first + 2], from, occupied);
        pair.count += 1;
        occupied = occupied.wrapping_sub(mask) & mask;
        if occupied == 0 {
            return pair;
        }
    }
}

/// A ray, cut behind its first blocker: the ray of the blocker is what must be taken away.
const fn cut(rays: &[u64; 64], from: usize, occupied: u64) -> u64 {
    let ray = rays[from];
    let blockers = ray & occupied;
    if blockers == 0 {
        return ray;
    }
    let ascending = ray >> from != 0;
    let nearest = if ascending { blockers.trailing_zeros() } else { blockers.ilog2() };
    ray & !rays[nearest as usize]
}

/// PEXT: the bits of `set` that are in `mask`, moved together.
const fn extract(mut set: u64, mask: u64) -> u64 {
    let mut bits = 0;
    while set != 0 {
        let lowest = set & set.wrapping_neg();
        bits |= 1 << (mask & (lowest - 1)).count_ones();
        set ^= lowest;
    }
    bits
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

/// Written for the compile-time interpreter, which takes its time: the lines through a square do not
/// depend on each other, so that a hundred sets, joined in pairs, give thousands.
const fn fill(
    mut table: [Bitboard; TABLE_SIZE],
    sliders: &[Slider; 64],
    steps: [Step; 4],
) -> [Bitboard; TABLE_SIZE] {
    let empty = empty_rays(steps);
    let mut i = 0;
    while i < 64 {
        let slider = sliders[i];
        let (a, b) = (ray_pair(&empty, 0, i, &slider), ray_pair(&empty, 1, i, &slider));
        let mut x = 0;
        while x < a.count {
            let mut y = 0;
            while y < b.count {
                let index = if cfg!(target_feature = "bmi2") {
                    a.keys[x] | b.keys[y]
                } else {
                    a.keys[x].wrapping_add(b.keys[y]) >> slider.shift
                };
                table[slider.offset as usize + index as usize].0 = a.sets[x] | b.sets[y];
                y += 1;
            }
            x += 1;
        }
        i += 1;
    }
    table
}

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

/// All four rays together.
const fn empty_board(steps: [Step; 4]) -> [Bitboard; 64] {
    let empty = empty_rays(steps);
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        table[i].0 = empty[0][i] | empty[1][i] | empty[2][i] | empty[3][i];
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
