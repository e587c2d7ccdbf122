//! The list of evaluation terms: what exists, how many weights each has, and how they combine.
//!
//! A term is a named run of weights in one flat array; the code that detects a feature names the
//! weight by its index, and both the evaluation and the tuner go through that index. The values
//! are in `weights.rs`, in the same order.

use super::score::Score;
use super::weights;

/// A theme under which terms are shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// What a piece is worth as such.
    Material,
    /// Where it stands.
    Squares,
    /// Pawn structure.
    Pawns,
    /// Passed pawns.
    Passed,
    /// Squares the pieces can use.
    Mobility,
    /// Features of single pieces.
    Pieces,
    /// Pawns in front of the king.
    Shelter,
    /// Attack on the king; squared, see [`Combination::Danger`].
    Danger,
    /// Attacked pieces.
    Threats,
    /// Room behind the pawns.
    Space,
    /// Having the move.
    Tempo,
    /// How hard the endgame is to hold; see [`Combination::Complexity`].
    Complexity,
}

/// How the weights of a term enter the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combination {
    /// Added for White, subtracted for Black.
    Linear,
    /// Summed for each king, then squared in the middlegame.
    Danger,
    /// Summed once, then moves the endgame value away from or towards zero.
    Complexity,
}

impl Group {
    /// How the terms of this group enter the value.
    pub const fn combination(self) -> Combination {
        match self {
            Self::Danger => Combination::Danger,
            Self::Complexity => Combination::Complexity,
            _ => Combination::Linear,
        }
    }
}

/// A named run of weights.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The name in upper case, as in the code.
    pub name: &'static str,
    /// The theme it belongs to.
    pub group: Group,
    /// Number of weights.
    pub len: usize,
    /// Index of its first weight.
    pub start: usize,
}

impl Term {
    /// The index of this term's weight number `offset`.
    #[inline]
    pub(super) const fn at(self, offset: usize) -> usize {
        debug_assert!(offset < self.len);
        self.start + offset
    }

    /// The indices of this term's weights.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start..self.start + self.len
    }
}

macro_rules! terms {
    ($($(#[$doc:meta])* $group:ident $name:ident $len:literal;)+) => {
        /// The position of each term in [`TERMS`].
        #[expect(
            non_camel_case_types,
            clippy::upper_case_acronyms,
            reason = "named like the constants"
        )]
        enum Index { $($name),+ }

        /// Name, group and length of each term, in order; the starts follow from the lengths.
        const SHAPES: &[(&str, Group, usize)] = &[$((stringify!($name), Group::$group, $len)),+];

        $($(#[$doc])* pub(super) const $name: Term = term(Index::$name as usize);)+

        /// All terms in the order of their weights.
        pub const TERMS: [Term; SHAPES.len()] = [$($name),+];
    };
}

/// The start of term `index`: the sum of the lengths before it.
const fn term(index: usize) -> Term {
    let mut start = 0;
    let mut i = 0;
    while i < index {
        start += SHAPES[i].2;
        i += 1;
    }
    Term { name: SHAPES[index].0, group: SHAPES[index].1, len: SHAPES[index].2, start }
}

terms! {
    /// Pawn, knight, bishop, rook, queen.
    Material MATERIAL 5;
    /// By square, a1 first, as the owner sees the board; likewise the next five.
    Squares PAWN_SQUARES 64;
    Squares KNIGHT_SQUARES 64;
    Squares BISHOP_SQUARES 64;
    Squares ROOK_SQUARES 64;
    Squares QUEEN_SQUARES 64;
    Squares KING_SQUARES 64;

    /// No own pawn on the next files; with and without an enemy pawn ahead.
    Pawns ISOLATED 2;
    /// Own pawn further up the file; with and without support.
    Pawns DOUBLED 2;
    /// Cannot be supported and cannot advance safely; with and without an enemy pawn ahead.
    Pawns BACKWARD 2;
    /// Own pawn beside it, by rank.
    Pawns PHALANX 8;
    /// Protected by a pawn, by rank; counted for each protector.
    Pawns SUPPORTED 8;
    /// Not yet passed, but helped by at least as many pawns as can stop it; by rank.
    Pawns CANDIDATE 8;

    /// No enemy pawn can stop it, by rank.
    Passed PASSED 8;
    /// Steps from the own king to the square ahead, by rank.
    Passed PASSED_OWN_KING 8;
    /// Steps from the enemy king to the square ahead, by rank.
    Passed PASSED_ENEMY_KING 8;
    /// Passed and protected by a pawn.
    Passed PASSED_PROTECTED 1;
    /// The square ahead is occupied, by rank.
    Passed PASSED_BLOCKED 8;
    /// The square ahead is empty and not attacked, by rank.
    Passed PASSED_SAFE_PUSH 8;
    /// Nothing stands on or attacks its way to promotion, by rank.
    Passed PASSED_FREE_PATH 8;
    /// An own rook behind it.
    Passed PASSED_ROOK_BEHIND 1;
    /// The enemy has only king and pawns, and the king is too late.
    Passed PASSED_UNSTOPPABLE 1;

    /// By number of squares within the mobility area; likewise the next three.
    Mobility KNIGHT_MOBILITY 9;
    Mobility BISHOP_MOBILITY 14;
    Mobility ROOK_MOBILITY 15;
    Mobility QUEEN_MOBILITY 28;

    /// Two bishops or more.
    Pieces BISHOP_PAIR 1;
    /// Safe from pawns in the enemy half: knight, knight with support, bishop, bishop with support.
    Pieces OUTPOST 4;
    /// A knight can go to such a square.
    Pieces OUTPOST_REACHABLE 1;
    /// A pawn right in front of the knight, of the bishop.
    Pieces MINOR_BEHIND_PAWN 2;
    /// Own pawns on squares of the bishop's colour.
    Pieces BISHOP_OWN_PAWNS 1;
    /// The same, times the own blocked pawns in the centre.
    Pieces BISHOP_BLOCKED_CENTRE 1;
    /// The bishop sees both central squares of a long diagonal.
    Pieces BISHOP_LONG_DIAGONAL 1;
    /// Steps from the own king: knight, bishop.
    Pieces MINOR_KING_DISTANCE 2;
    /// No pawn on the rook's file.
    Pieces ROOK_OPEN_FILE 1;
    /// Only enemy pawns on the rook's file.
    Pieces ROOK_SEMI_OPEN_FILE 1;
    /// Rook on the seventh with the enemy king on the eighth, or pawns to attack there.
    Pieces ROOK_SEVENTH 1;
    /// Rook shut in by its own king.
    Pieces ROOK_TRAPPED 1;
    /// Steps from the king to the nearest pawn of either side.
    Pieces KING_PAWN_DISTANCE 1;

    /// Rank of the own pawn on each of the three files at the king (0: none), by distance of that
    /// file from the edge.
    Shelter SHELTER 32;
    /// The same for the enemy pawn.
    Shelter STORM 32;
    /// The enemy pawn stands right in front of an own one, by rank.
    Shelter STORM_BLOCKED 8;

    /// Pieces that attack the king's zone: knight, bishop, rook, queen.
    Danger DANGER_ATTACKER 4;
    /// Attacks on squares next to the king.
    Danger DANGER_ATTACKS 1;
    /// Attacked squares of the zone that are not well defended.
    Danger DANGER_WEAK 1;
    /// Safe checks: knight, bishop, rook, queen.
    Danger DANGER_SAFE_CHECK 4;
    /// Checks that cost the piece.
    Danger DANGER_UNSAFE_CHECK 1;
    /// The attacker has no queen.
    Danger DANGER_NO_QUEEN 1;
    /// Squares of the king's flank the enemy attacks, twice-attacked ones counted twice.
    Danger DANGER_FLANK_ATTACK 1;
    /// Squares of the king's flank that are defended.
    Danger DANGER_FLANK_DEFENCE 1;
    /// A knight defends the zone.
    Danger DANGER_KNIGHT_DEFENDER 1;
    /// The own pawn on a file at the king, by rank (0: none).
    Danger DANGER_SHELTER 8;
    /// The enemy pawn, by rank (0: none).
    Danger DANGER_STORM 8;
    /// Always.
    Danger DANGER_BASE 1;

    /// A safe pawn attacks: knight, bishop, rook, queen.
    Threats THREAT_BY_PAWN 4;
    /// A minor piece attacks: weak pawn, knight, bishop, rook, queen.
    Threats THREAT_BY_MINOR 5;
    /// A rook attacks: weak pawn, weak knight, weak bishop, weak rook, queen.
    Threats THREAT_BY_ROOK 5;
    /// The king attacks a weak piece or pawn.
    Threats THREAT_BY_KING 1;
    /// Attacked and not defended, or attacked twice.
    Threats HANGING 1;
    /// A safe pawn move would attack a piece.
    Threats THREAT_BY_PUSH 1;
    /// Squares the enemy reaches but we contest.
    Threats RESTRICTED 1;
    /// Safe squares from which a knight, or a supported slider, would hit the only queen.
    Threats THREAT_ON_QUEEN 2;

    /// Safe central squares on the own side, times pieces.
    Space SPACE 1;
    /// The side to move.
    Tempo TEMPO 1;

    /// Pawns of both sides.
    Complexity COMPLEXITY_PAWNS 1;
    /// Pawns on both wings.
    Complexity COMPLEXITY_BOTH_FLANKS 1;
    /// Only kings and pawns.
    Complexity COMPLEXITY_PAWN_ENDGAME 1;
    /// A king in the enemy half.
    Complexity COMPLEXITY_INFILTRATION 1;
    /// Always.
    Complexity COMPLEXITY_BASE 1;
}

/// Number of weights in use.
pub const WEIGHT_COUNT: usize = {
    let last = TERMS[TERMS.len() - 1];
    last.start + last.len
};

/// The next power of two, so that a mask replaces the bounds check.
const TABLE_SIZE: usize = 1024;
const _: () = assert!(WEIGHT_COUNT <= TABLE_SIZE);

static WEIGHTS: [Score; TABLE_SIZE] = flatten(&weights::VALUES);

/// The weight with this index.
#[inline]
pub(super) fn weight(index: usize) -> Score {
    debug_assert!(index < WEIGHT_COUNT);
    WEIGHTS[index & (TABLE_SIZE - 1)]
}

/// The weights in use.
pub fn all_weights() -> &'static [Score] {
    &WEIGHTS[..WEIGHT_COUNT]
}

/// Material and place of each piece together, by type and square as the owner sees it.
pub(super) static PIECE_SQUARE: [[Score; 64]; 6] = {
    let table = flatten(&weights::VALUES);
    let mut sums = [[Score::ZERO; 64]; 6];
    let mut kind = 0;
    while kind < 6 {
        let material = if kind < MATERIAL.len { table[MATERIAL.at(kind)] } else { Score::ZERO };
        let mut sq = 0;
        while sq < 64 {
            sums[kind][sq] = material.plus(table[SQUARES[kind].at(sq)]);
            sq += 1;
        }
        kind += 1;
    }
    sums
};

/// The square terms by piece type.
pub(super) const SQUARES: [Term; 6] =
    [PAWN_SQUARES, KNIGHT_SQUARES, BISHOP_SQUARES, ROOK_SQUARES, QUEEN_SQUARES, KING_SQUARES];

/// The terms of which every piece of a type counts exactly one weight, with the index of the
/// material weight of that type: a constant can be moved between them without any effect.
pub const ONE_PER_PIECE: [(Term, usize); 9] = [
    (PAWN_SQUARES, MATERIAL.at(0)),
    (KNIGHT_SQUARES, MATERIAL.at(1)),
    (KNIGHT_MOBILITY, MATERIAL.at(1)),
    (BISHOP_SQUARES, MATERIAL.at(2)),
    (BISHOP_MOBILITY, MATERIAL.at(2)),
    (ROOK_SQUARES, MATERIAL.at(3)),
    (ROOK_MOBILITY, MATERIAL.at(3)),
    (QUEEN_SQUARES, MATERIAL.at(4)),
    (QUEEN_MOBILITY, MATERIAL.at(4)),
];

/// Lays the values end to end; fails the build when names or lengths do not fit the terms.
const fn flatten(values: &[(&str, &[Score])]) -> [Score; TABLE_SIZE] {
    assert!(values.len() == TERMS.len(), "weights.rs lists another number of terms");
    let mut table = [Score::ZERO; TABLE_SIZE];
    let mut i = 0;
    while i < values.len() {
        let (name, list) = values[i];
        assert!(same(name, TERMS[i].name), "weights.rs names another term");
        assert!(list.len() == TERMS[i].len, "weights.rs has another number of weights");
        let mut j = 0;
        while j < list.len() {
            table[TERMS[i].start + j] = list[j];
            j += 1;
        }
        i += 1;
    }
    table
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
