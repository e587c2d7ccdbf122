//! Values inside the search and scores as users see them.
//!
//! A value is a plain `i32` from the side to move's view in three bands: heuristic, tablebase, mate.
//! Arithmetic (blending, scaling, margins) is allowed in the heuristic band only.

use std::fmt;

/// Deepest ply the search reaches.
pub const MAX_PLY: usize = 246;

/// A value in the engine's own units.
pub(crate) type Value = i32;

/// Marks "no value"; larger than every other.
pub(crate) const NONE: Value = 32002;
/// Beyond every real value.
pub(crate) const INFINITE: Value = 32001;
/// Mate on the board.
pub(crate) const MATE: Value = 32000;
/// The slowest mate that fits.
pub(crate) const MATE_IN_MAX: Value = MATE - MAX_PLY as Value;
/// A tablebase win at the root.
pub(crate) const TB_WIN: Value = MATE_IN_MAX - 1;
/// The slowest tablebase win.
pub(crate) const TB_WIN_IN_MAX: Value = TB_WIN - MAX_PLY as Value;
/// The largest heuristic value.
pub(crate) const MAX_HEURISTIC: Value = TB_WIN_IN_MAX - 1;
/// A draw.
pub(crate) const DRAW: Value = 0;

/// The side to move mates in `ply` plies.
#[inline]
pub(crate) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The side to move is mated in `ply` plies.
#[inline]
pub(crate) const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// Whether a value is a proven win, by mate or tablebase.
#[inline]
pub(crate) const fn is_win(value: Value) -> bool {
    value >= TB_WIN_IN_MAX
}

/// Whether a value is a proven loss.
#[inline]
pub(crate) const fn is_loss(value: Value) -> bool {
    value <= -TB_WIN_IN_MAX
}

/// Whether a value is proven one way or the other.
#[inline]
pub(crate) const fn is_decisive(value: Value) -> bool {
    is_win(value) || is_loss(value)
}

/// Whether a value means mate.
#[inline]
pub(crate) const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_IN_MAX
}

/// Keeps a value inside the heuristic band.
#[inline]
pub(crate) fn clamp_heuristic(value: Value) -> Value {
    value.clamp(-MAX_HEURISTIC, MAX_HEURISTIC)
}

/// A score for people and programs, from the side to move's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in this many moves; negative when being mated, zero when mated on the board.
    Mate(i32),
    /// A tablebase win (or loss) this many plies away.
    Tablebase(i32),
}

impl Score {
    /// The public form of a value; `scale` turns heuristic units into centipawns.
    pub(crate) fn from_value(value: Value, scale: impl Fn(Value) -> i32) -> Self {
        if is_mate(value) {
            let plies = MATE - value.abs();
            Self::Mate(if value > 0 { (plies + 1) / 2 } else { -(plies / 2) })
        } else if is_decisive(value) {
            let plies = TB_WIN - value.abs();
            Self::Tablebase(if value > 0 { plies.max(1) } else { -plies.max(1) })
        } else {
            Self::Cp(scale(value))
        }
    }
}

impl fmt::Display for Score {
    /// The UCI form: `cp 35`, `mate -3`. Tablebase wins count as 200 pawns less their distance.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Cp(cp) => write!(f, "cp {cp}"),
            Self::Mate(moves) => write!(f, "mate {moves}"),
            Self::Tablebase(plies) => write!(f, "cp {}", plies.signum() * 20_000 - plies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_distance_is_told_in_moves() {
        let score = |value| Score::from_value(value, |v| v);
        assert_eq!(score(mate_in(1)), Score::Mate(1));
        assert_eq!(score(mate_in(3)), Score::Mate(2));
        assert_eq!(score(mated_in(2)), Score::Mate(-1));
        assert_eq!(score(mated_in(0)), Score::Mate(0));
        assert_eq!(score(TB_WIN - 5).to_string(), "cp 19995");
        assert_eq!(score(-(TB_WIN - 5)).to_string(), "cp -19995");
    }
}
