//! Threats as features: which piece attacks which other piece, from where and where.
//!
//! Attacks on own pieces count too: they are protection. Kings neither attack nor are attacked; the
//! piece-squares know where they are. Two pieces of a kind that attack each other are one feature.
//! (Reckless, `PlentyChess`, Hobbes and Stockfish 18 have such inputs; the numbering follows Stockfish's idea.)

use super::features::View;
use super::placement::Placement;
use std::sync::LazyLock;
use tabiya_chess::{Bitboard, Color, Piece, PieceType, Square, attacks};

/// One piece attacks another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Threat {
    /// Who attacks,
    pub attacker: Piece,
    /// from where,
    pub from: Square,
    /// what,
    pub victim: Piece,
    /// and where that is.
    pub to: Square,
}

/// Kinds of pieces that attack and are attacked: all but kings, which come last.
const KINDS: usize = PieceType::COUNT - 1;

/// The most threats that any placement has: on a full board every square sees its neighbours, eight
/// of them, five at the edge, three in a corner. Knights see fewer squares than queens have neighbours, and an
/// empty square only lets one piece see another that it hid.
pub(super) const MOST_THREATS: usize = 36 * 8 + 24 * 5 + 4 * 3;

impl Threat {
    /// Number of features: own and enemy attackers, own and enemy victims, and the squares that an attacker of
    /// a kind attacks from all squares of an empty board.
    pub const FEATURES: usize = 2 * 2 * KINDS * (84 + 336 + 560 + 896 + 1456);
}

/// The features of one kind of attacker, own or enemy.
struct Attacker {
    /// The first feature.
    first: u32,
    /// Features of each kind of victim: attacks from all squares.
    size: u32,
    /// By square, the number of attacks from the squares before it, and the attacks from it.
    squares: [(u32, Bitboard); Square::COUNT],
}

/// All attackers, the own ones first, as a side sees them: own pawns go up the board.
static ATTACKERS: LazyLock<[[Attacker; KINDS]; 2]> = LazyLock::new(|| {
    let mut first = 0;
    Color::ALL.map(|color| {
        std::array::from_fn(|kind| {
            let kind = PieceType::ALL[kind];
            let mut size = 0;
            let squares = Square::ALL.map(|from| {
                // Pawns never stand on the first and the last rank.
                let is_nowhere = kind == PieceType::Pawn && !(8..56).contains(&from.index());
                let reach = if is_nowhere {
                    Bitboard::EMPTY
                } else {
                    attacks::of(kind, color, from, Bitboard::EMPTY)
                };
                size += reach.count();
                (size - reach.count(), reach)
            });
            let attacker = Attacker { first, size, squares };
            first += 2 * KINDS as u32 * size;
            attacker
        })
    })
});

impl View {
    /// The feature of a threat. Of two pieces that attack each other because they are of one kind, only the
    /// one on the higher square has one.
    #[inline]
    pub fn threat(self, threat: Threat) -> Option<u32> {
        let (from, to) = (self.square(threat.from), self.square(threat.to));
        let (kind, victim) = (threat.attacker.kind(), threat.victim.kind());
        let is_mutual = kind == victim
            && (kind != PieceType::Pawn || threat.attacker.color() != threat.victim.color());
        if is_mutual && from < to {
            return None;
        }
        let attacker = &ATTACKERS[self.enemy(threat.attacker)][kind as usize];
        let victim = (self.enemy(threat.victim) * KINDS + victim as usize) as u32;
        let (before, reach) = attacker.squares[from];
        let lower = Bitboard((1 << to) - 1);
        Some(attacker.first + victim * attacker.size + before + (reach & lower).count())
    }
}

/// Visits all threats of a placement.
pub fn for_each_threat(placement: &Placement, mut visit: impl FnMut(Threat)) {
    let victims = victims(placement);
    for from in victims {
        for_each_of(placement, victims, from, &mut visit);
    }
}

/// The features of all threats of a placement as a view sees them.
pub fn threat_features(placement: &Placement, view: View) -> Vec<u32> {
    let mut features = Vec::new();
    for_each_threat(placement, |threat| features.extend(view.threat(threat)));
    features
}

/// Visits the threats that one placement has and another has not, both ways: first those that are gone, then
/// those that are new.
///
/// Only pieces that attack, before or after, a square where something changed can have lost or found a
/// threat: sliders whose line opened or closed there attack it on one of the two boards.
#[inline]
pub fn for_each_change(
    old: &Placement,
    new: &Placement,
    mut gone: impl FnMut(Threat),
    mut found: impl FnMut(Threat),
) {
    let changed = old.difference(new);
    let attackers = changed | old.attackers_in_either(new, changed);
    let (old_victims, new_victims) = (victims(old), victims(new));
    for from in attackers {
        if changed.contains(from) {
            for_each_of(old, old_victims, from, &mut gone);
            for_each_of(new, new_victims, from, &mut found);
            continue;
        }
        let Some(attacker) = old.piece_on(from) else { continue };
        let is_slider = !matches!(attacker.kind(), PieceType::Pawn | PieceType::Knight);
        let before = reach(old, attacker, from);
        let after = if is_slider { reach(new, attacker, from) } else { before };
        let (before, after) = (before & old_victims, after & new_victims);
        let kept = before & after & !changed;
        for_each_victim(old, attacker, from, before & !kept, &mut gone);
        for_each_victim(new, attacker, from, after & !kept, &mut found);
    }
}

/// Everything but kings.
#[inline]
fn victims(placement: &Placement) -> Bitboard {
    placement.occupied() & !placement.kind(PieceType::King)
}

#[inline]
fn reach(placement: &Placement, attacker: Piece, from: Square) -> Bitboard {
    attacks::of(attacker.kind(), attacker.color(), from, placement.occupied())
}

/// Visits the threats of one piece, if there is one that is no king.
#[inline]
fn for_each_of(
    placement: &Placement,
    victims: Bitboard,
    from: Square,
    visit: &mut impl FnMut(Threat),
) {
    if let Some(attacker) = placement.piece_on(from).filter(|piece| piece.kind() != PieceType::King)
    {
        let squares = reach(placement, attacker, from) & victims;
        for_each_victim(placement, attacker, from, squares, visit);
    }
}

#[inline]
fn for_each_victim(
    placement: &Placement,
    attacker: Piece,
    from: Square,
    squares: Bitboard,
    visit: &mut impl FnMut(Threat),
) {
    for to in squares {
        if let Some(victim) = placement.piece_on(to) {
            visit(Threat { attacker, from, victim, to });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::Shape;
    use std::collections::HashSet;
    use tabiya_chess::Board;

    fn placement(fen: &str) -> Placement {
        Placement::from(&fen.parse::<Board>().unwrap())
    }

    fn features(fen: &str, side: Color, king: Square) -> Vec<u32> {
        let shape = Shape::new(128, 1, 1).unwrap();
        let mut list = threat_features(&placement(fen), View::new(shape, side, king));
        list.sort_unstable();
        list
    }

    #[test]
    fn all_attackers_fill_the_table() {
        let sizes = ATTACKERS[0].each_ref().map(|attacker| attacker.size);
        assert_eq!(sizes, [84, 336, 560, 896, 1456]);
        let last = &ATTACKERS[1][KINDS - 1];
        assert_eq!((last.first + 10 * last.size) as usize, Threat::FEATURES);
        assert_eq!(Threat::FEATURES, 66_640);
    }

    #[test]
    fn a_threat_has_the_number_that_counting_by_hand_gives() {
        // A knight on b1, after the two attacks of a1, attacks a pawn on d2, its lowest target.
        let fen = "7k/8/8/8/8/8/3p4/KN6 w - - 0 1";
        let pawns = 10 * 84;
        let enemy_pawn = 5 * 336;
        assert_eq!(features(fen, Color::White, Square::A1), [pawns + enemy_pawn + 2]);
        // To Black, whose king on h8 is seen on a1, it is an enemy knight on g8 that attacks an own pawn on e7,
        // the lowest but none of its targets: f6 and h6 come first.
        let before: u32 = (0..62).map(|sq| attacks::knight(Square::ALL[sq]).count()).sum();
        let enemies = Threat::FEATURES as u32 / 2;
        assert_eq!(features(fen, Color::Black, Square::H8), [enemies + pawns + before + 2]);
    }

    #[test]
    fn two_of_a_kind_count_once() {
        let count = |fen| features(fen, Color::White, Square::E1).len();
        assert_eq!(count("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1"), 1);
        assert_eq!(count("q3k3/8/8/8/8/8/8/R3K3 w - - 0 1"), 2);
        // Own pawns protect in one direction only, enemies attack each other.
        assert_eq!(count("7k/8/8/8/8/2P5/1P6/4K3 w - - 0 1"), 1);
        assert_eq!(count("7k/8/8/8/8/2p5/1P6/4K3 w - - 0 1"), 1);
    }

    #[test]
    fn changes_lead_from_one_placement_to_any_other() {
        let fens = [
            tabiya_chess::START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N4p/PPPBBPPP/R2QK2R b KQkq - 1 1",
            "r4rk1/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQ - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        ];
        let threats = |placement: &Placement| {
            let mut all = HashSet::new();
            for_each_threat(placement, |threat| assert!(all.insert(threat)));
            all
        };
        for (old, new) in fens.iter().flat_map(|a| fens.iter().map(move |b| (*a, *b))) {
            let (old, new) = (placement(old), placement(new));
            let (mut gone, mut found) = (HashSet::new(), HashSet::new());
            for_each_change(
                &old,
                &new,
                |threat| assert!(gone.insert(threat)),
                |threat| assert!(found.insert(threat)),
            );
            assert_eq!(gone, &threats(&old) - &threats(&new));
            assert_eq!(found, &threats(&new) - &threats(&old));
        }
    }
}
