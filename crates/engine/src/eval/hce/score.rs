//! A middlegame and an endgame value packed in one word, so that one addition adds both.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A pair of values for the middlegame and the endgame.
///
/// The endgame value sits in the upper 16 bits, the middlegame value in the lower 16; a borrow of
/// the lower half is undone when the upper half is read. Each half must stay within `i16`.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Score(i32);

impl Score {
    /// Nothing for both phases.
    pub const ZERO: Self = Self(0);

    /// Packs the two values.
    #[inline]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16) + middlegame)
    }

    /// The value while many pieces are on the board.
    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The value when few pieces are left.
    #[inline]
    pub const fn endgame(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }

    /// Addition for tables built at compile time.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Add for Score {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Score {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Score {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Score {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Score {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Score {
    type Output = Self;
    #[inline]
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "s({}, {})", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_survive_arithmetic() {
        let values = [-3000, -129, -1, 0, 1, 77, 2999];
        for a in values {
            for b in values {
                for c in values {
                    let sum = Score::new(a, b) - Score::new(b, c) * 3 + -Score::new(c, a);
                    assert_eq!(sum.middlegame(), a - 3 * b - c);
                    assert_eq!(sum.endgame(), b - 3 * c - a);
                }
            }
        }
    }
}
