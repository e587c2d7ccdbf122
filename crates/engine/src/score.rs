//! Values inside the search and scores as users see them.
//!
//! A value is a plain `i32` from the side to move's view in three bands: heuristic, tablebase, mate.
//! Arithmetic (blending, scaling, margins) is allowed in the heuristic band only.

use std::fmt;
use tabiya_chess::Color;

/// Deepest ply the search reaches.
pub const MAX_PLY: usize = 246;

/// A value in internal units: the scale on which evaluation and search agree. Users see centipawns,
/// see `wdl`.
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

    /// Centipawns; tablebase wins count as 200 pawns less their distance. `None` for a mate.
    pub const fn centipawns(self) -> Option<i32> {
        match self {
            Self::Cp(cp) => Some(cp),
            Self::Tablebase(plies) => Some(plies.signum() * TABLEBASE_CP - plies),
            Self::Mate(_) => None,
        }
    }

    /// Moves to mate; `None` if it is no mate.
    pub const fn mate(self) -> Option<i32> {
        if let Self::Mate(moves) = self { Some(moves) } else { None }
    }

    /// One number to compare scores by: centipawns, with mates beyond everything else.
    pub fn comparable(self) -> i32 {
        match self {
            Self::Mate(moves) if moves > 0 => MATE_CP - moves,
            Self::Mate(moves) => -MATE_CP - moves,
            other => other.centipawns().unwrap_or_default(),
        }
    }

    /// The score as the other side sees it; but for a mate on the board, which stays zero.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(-cp),
            Self::Mate(moves) => Self::Mate(-moves),
            Self::Tablebase(plies) => Self::Tablebase(-plies),
        }
    }

    /// The score as White sees it. A mate on the board stays zero: who gave it is not in the number.
    #[must_use]
    pub fn white_view(self, side_to_move: Color) -> Self {
        if side_to_move == Color::White { self } else { self.reversed() }
    }

    /// For people: `+0.35`, `#5`, `-#3`, `won`.
    pub fn in_pawns(self) -> String {
        match self {
            Self::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
            Self::Mate(moves) if moves > 0 => format!("#{moves}"),
            Self::Mate(moves) => format!("-#{}", -moves),
            Self::Tablebase(plies) => if plies > 0 { "won" } else { "lost" }.to_owned(),
        }
    }
}

/// Far beyond what any evaluation says, yet no mate in so many moves.
const TABLEBASE_CP: i32 = 20_000;
/// Beyond everything else.
const MATE_CP: i32 = 100_000;

impl fmt::Display for Score {
    /// The UCI form: `cp 35`, `mate -3`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Mate(moves) => write!(f, "mate {moves}"),
            other => write!(f, "cp {}", other.centipawns().unwrap_or_default()),
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

    #[test]
    fn scores_are_ordered_from_mated_to_mate() {
        let scores = [
            Score::Mate(0),
            Score::Mate(-4),
            Score::Tablebase(-3),
            Score::Cp(-900),
            Score::Cp(20),
            Score::Tablebase(9),
            Score::Mate(7),
            Score::Mate(1),
        ];
        assert!(scores.windows(2).all(|pair| pair[0].comparable() < pair[1].comparable()));
        assert_eq!(Score::Cp(35).white_view(Color::Black).in_pawns(), "-0.35");
    }
}
