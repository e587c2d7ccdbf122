//! Mates that have names, by the final position.

use super::sight::{attackers, is_slider};
use super::{Kind, Motif, PlayedLine};
use tabiya_chess::{Bitboard, Board, Color, File, PieceType, Rank, Square, attacks};

pub(super) fn find(line: &PlayedLine) -> Vec<Motif> {
    let end = line.end();
    if line.moves.is_empty() || !end.is_checkmate() || end.side_to_move() == line.solver() {
        return Vec::new();
    }
    let last = line.moves.len() - 1;
    let mate =
        Mate { board: end, us: line.solver(), king: end.king(!line.solver()), to: line.to(last) };
    let tests = [
        (Kind::SmotheredMate, mate.is_smothered()),
        (Kind::BackRankMate, mate.is_back_rank()),
        (Kind::AnastasiaMate, mate.is_anastasia()),
        (Kind::HookMate, mate.is_hook()),
        (Kind::ArabianMate, mate.is_arabian()),
        (Kind::BodenMate, mate.is_boden()),
        (Kind::DoubleBishopMate, mate.is_double_bishop()),
        (Kind::DovetailMate, mate.is_dovetail()),
        (Kind::EpauletteMate, mate.is_epaulette()),
        (Kind::OperaMate, mate.is_opera()),
    ];
    let hits = tests.into_iter().filter(|(_, holds)| *holds);
    hits.map(|(kind, _)| Motif { kind, ply: last }).collect()
}

/// A king that is mated.
struct Mate<'a> {
    board: &'a Board,
    /// Who mates.
    us: Color,
    king: Square,
    /// Where the last move went.
    to: Square,
}

impl Mate<'_> {
    fn kind_on(&self, square: Square) -> Option<PieceType> {
        self.board.piece_on(square).map(tabiya_chess::Piece::kind)
    }

    fn own(&self, square: Square) -> bool {
        self.board.color(!self.us).contains(square)
    }

    fn is_edge(&self) -> bool {
        self.on_side_file() || self.on_end_rank()
    }

    fn on_side_file(&self) -> bool {
        matches!(self.king.file(), File::A | File::H)
    }

    fn on_end_rank(&self) -> bool {
        matches!(self.king.rank(), Rank::R1 | Rank::R8)
    }

    /// A knight checks and the king's own men fill every square around it.
    fn is_smothered(&self) -> bool {
        let by_knight =
            self.board.checkers().into_iter().any(|sq| self.kind_on(sq) == Some(PieceType::Knight));
        by_knight && attacks::king(self.king).into_iter().all(|square| self.own(square))
    }

    /// On its back rank, checked along it, with its own men before it and nobody else guarding there.
    fn is_back_rank(&self) -> bool {
        let back = (!self.us).back_rank();
        if self.king.rank() != back {
            return false;
        }
        let ahead = Bitboard::of(self.king).forward(!self.us);
        let ahead = ahead | ahead.east() | ahead.west();
        let walled = ahead
            .into_iter()
            .all(|square| self.own(square) && attackers(self.board, self.us, square).is_empty());
        walled && self.board.checkers().intersects(Bitboard::rank(back))
    }

    /// On the side of the board, checked along it, with a man of its own beside it and a knight beyond.
    fn is_anastasia(&self) -> bool {
        let heavy = matches!(self.kind_on(self.to), Some(PieceType::Queen | PieceType::Rook));
        if !self.on_side_file()
            || self.on_end_rank()
            || !heavy
            || self.to.file() != self.king.file()
        {
            return false;
        }
        let inward = if self.king.file() == File::A { 1 } else { -1 };
        let beside = self.king.offset(inward, 0);
        let beyond = self.king.offset(3 * inward, 0);
        beside.is_some_and(|square| self.own(square))
            && beyond.is_some_and(|square| {
                self.board.pieces(self.us, PieceType::Knight).contains(square)
            })
    }

    /// A rook beside the king, held by a knight beside the king, held by a pawn.
    fn is_hook(&self) -> bool {
        let touches = |square: Square| attacks::king(self.king).contains(square);
        let guards = |square, kind| {
            attackers(self.board, self.us, square) & self.board.pieces(self.us, kind)
        };
        self.kind_on(self.to) == Some(PieceType::Rook)
            && touches(self.to)
            && guards(self.to, PieceType::Knight)
                .into_iter()
                .any(|knight| touches(knight) && guards(knight, PieceType::Pawn).any())
    }

    /// A king in the corner, a rook beside it, and a knight two files and ranks away that holds it.
    fn is_arabian(&self) -> bool {
        let corner = self.on_side_file() && self.on_end_rank();
        let knights =
            attackers(self.board, self.us, self.to) & self.board.pieces(self.us, PieceType::Knight);
        corner
            && self.kind_on(self.to) == Some(PieceType::Rook)
            && attacks::king(self.king).contains(self.to)
            && knights.into_iter().any(|knight| {
                knight.file().index().abs_diff(self.king.file().index()) == 2
                    && knight.rank().index().abs_diff(self.king.rank().index()) == 2
            })
    }

    /// Two bishops alone rule the squares around the king.
    fn bishops(&self) -> Option<Vec<Square>> {
        let bishops = self.board.pieces(self.us, PieceType::Bishop);
        let zone = attacks::king(self.king) | Bitboard::of(self.king);
        let alone = zone
            .into_iter()
            .filter(|square| !self.own(*square) || *square == self.king)
            .all(|square| (attackers(self.board, self.us, square) - bishops).is_empty());
        (bishops.count() >= 2 && alone).then(|| bishops.into_iter().collect())
    }

    fn is_boden(&self) -> bool {
        self.bishops().is_some_and(|bishops| self.on_both_sides(&bishops))
    }

    fn is_double_bishop(&self) -> bool {
        self.bishops().is_some_and(|bishops| !self.on_both_sides(&bishops))
    }

    fn on_both_sides(&self, bishops: &[Square]) -> bool {
        let left = bishops.iter().any(|square| square.file() < self.king.file());
        let right = bishops.iter().any(|square| square.file() > self.king.file());
        left && right
    }

    /// A queen touches the king diagonally in the open, and guards alone what its men do not fill.
    fn is_dovetail(&self) -> bool {
        let diagonal = self.to.file() != self.king.file() && self.to.rank() != self.king.rank();
        let touches = attacks::king(self.king).contains(self.to);
        if self.kind_on(self.to) != Some(PieceType::Queen)
            || !diagonal
            || !touches
            || self.is_edge()
        {
            return false;
        }
        (attacks::king(self.king) - Bitboard::of(self.to)).into_iter().all(|square| {
            let guards = attackers(self.board, self.us, square);
            if guards == Bitboard::of(self.to) {
                self.board.piece_on(square).is_none()
            } else {
                guards.is_empty()
            }
        })
    }

    /// A queen two squares before the king on the edge, whose own men stand at both its sides.
    fn is_epaulette(&self) -> bool {
        if self.kind_on(self.to) != Some(PieceType::Queen) || !self.is_edge() {
            return false;
        }
        let steps: [(i8, i8); 2] =
            if self.on_end_rank() { [(1, 0), (-1, 0)] } else { [(0, 1), (0, -1)] };
        let shoulders = steps.iter().all(|(files, ranks)| {
            self.king
                .offset(*files, *ranks)
                .is_some_and(|square| self.own(square) && self.is_heavy(square))
        });
        let files = self.to.file().index().abs_diff(self.king.file().index());
        let ranks = self.to.rank().index().abs_diff(self.king.rank().index());
        shoulders && files + ranks == 2 && files * ranks == 0
    }

    fn is_heavy(&self, square: Square) -> bool {
        self.kind_on(square).is_some_and(|kind| is_slider(kind) && kind != PieceType::Bishop)
    }

    /// A rook beside the king on its back rank, held by a bishop; the king's own man is before it.
    fn is_opera(&self) -> bool {
        let bishops =
            attackers(self.board, self.us, self.to) & self.board.pieces(self.us, PieceType::Bishop);
        let back = (!self.us).back_rank();
        self.kind_on(self.to) == Some(PieceType::Rook)
            && self.king.rank() == back
            && self.to.rank() == back
            && attacks::king(self.king).contains(self.to)
            && bishops.any()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::kinds;
    use super::*;

    #[test]
    fn mates_have_their_names() {
        let back = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
        assert!(kinds(back, &["Ra8#"]).contains(&Kind::BackRankMate));
        // Philidor's legacy.
        let smothered = "5r1k/6pp/7N/8/2Q5/8/5PPP/6K1 w - - 0 1";
        let found = kinds(smothered, &["Nf7+", "Kg8", "Nh6+", "Kh8", "Qg8+", "Rxg8", "Nf7#"]);
        assert!(found.contains(&Kind::SmotheredMate), "{found:?}");
        // Morphy and the Duke of Brunswick, Paris 1858.
        let opera = "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16";
        let found = kinds(opera, &["Qb8+", "Nxb8", "Rd8#"]);
        assert!(found.contains(&Kind::OperaMate) && found.contains(&Kind::Sacrifice));
        // Schulder and Boden, London 1853.
        let boden = "2kr3r/pp1n1ppp/2p5/8/5B2/2P2Q2/P1P2PPP/4KB1R w K - 0 1";
        let found = kinds(boden, &["Qxc6+", "bxc6", "Ba6#"]);
        assert!(found.contains(&Kind::BodenMate), "{found:?}");
        let arabian = "7k/R7/5N2/8/8/8/8/6K1 w - - 0 1";
        assert!(kinds(arabian, &["Rh7#"]).contains(&Kind::ArabianMate));
    }
}
