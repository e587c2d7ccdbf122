//! Knights, bishops, rooks and queens: where they stand, what they see, what they attack.

use super::masks::{self, distance};
use super::score::Score;
use super::terms::{
    BISHOP_BLOCKED_CENTRE, BISHOP_LONG_DIAGONAL, BISHOP_MOBILITY, BISHOP_OWN_PAWNS, BISHOP_PAIR,
    KNIGHT_MOBILITY, MINOR_BEHIND_PAWN, MINOR_KING_DISTANCE, OUTPOST, OUTPOST_REACHABLE,
    QUEEN_MOBILITY, ROOK_MOBILITY, ROOK_OPEN_FILE, ROOK_SEMI_OPEN_FILE, ROOK_SEVENTH, ROOK_TRAPPED,
    Term,
};
use super::trace::Tracer;
use super::{Evaluation, color};
use tabiya_chess::{Bitboard, File, PieceType, Rank, Square, attacks};

/// A rook with no more squares than this may be shut in.
const TRAPPED_MOBILITY: u32 = 3;

impl<T: Tracer> Evaluation<'_, T> {
    /// All pieces of one side. Fills the attack maps.
    pub(super) fn pieces<const BLACK: bool>(&mut self) -> Score {
        // Squares no enemy pawn can ever attack, in the enemy half.
        let them = color(!BLACK);
        let enemy_spans = masks::fill_forward(them, self.attacked_by[them][PieceType::Pawn]);
        let outposts = masks::OUTPOST_RANKS[color(BLACK)] - enemy_spans;
        self.knights::<BLACK>(outposts)
            + self.bishops::<BLACK>(outposts)
            + self.rooks::<BLACK>()
            + self.queens::<BLACK>()
    }

    /// Enters a piece into the attack maps; returns its place and mobility.
    #[inline]
    fn enter<const BLACK: bool>(
        &mut self,
        kind: PieceType,
        sq: Square,
        attacks: Bitboard,
        mobility: Term,
    ) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        self.attacked_twice[us] |= self.attacked[us] & attacks;
        self.attacked[us] |= attacks;
        self.attacked_by[us][kind] |= attacks;
        if attacks.intersects(self.king_zone[them]) {
            self.zone_attackers[them][kind] += 1;
            let next_to_king = self.attacked_by[them][PieceType::King];
            self.zone_attacks[them] += (attacks & next_to_king).count();
        }
        let reach = (attacks & self.mobility_area[us]).count() as usize;
        self.place(us, kind, sq) + self.weigh(us, mobility.at(reach), 1)
    }

    fn knights<const BLACK: bool>(&mut self, outposts: Bitboard) -> Score {
        let us = color(BLACK);
        let mut score = Score::ZERO;
        for sq in self.board.pieces(us, PieceType::Knight) {
            let attacks = attacks::knight(sq);
            score += self.enter::<BLACK>(PieceType::Knight, sq, attacks, KNIGHT_MOBILITY);
            score += self.minor::<BLACK>(sq, 0, outposts);
            if !outposts.contains(sq) {
                let reachable = attacks & (outposts - self.board.color(us));
                let supported = reachable & self.attacked_by[us][PieceType::Pawn];
                score += self.weigh(us, OUTPOST_REACHABLE.at(0), i32::from(supported.any()));
            }
        }
        score
    }

    fn bishops<const BLACK: bool>(&mut self, outposts: Bitboard) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let bishops = board.pieces(us, PieceType::Bishop);
        if bishops.is_empty() {
            return Score::ZERO;
        }
        // A bishop supports its queen on the diagonal.
        let occupied = board.occupied() - board.pieces(us, PieceType::Queen);
        let own_pawns = board.pieces(us, PieceType::Pawn);
        let blocked = own_pawns & board.occupied().forward(them) & masks::CENTRE_FILES;
        let mut score = Score::ZERO;
        if bishops.several() {
            score += self.weigh(us, BISHOP_PAIR.at(0), 1);
        }
        for sq in bishops {
            let attacks = attacks::bishop(sq, occupied);
            score += self.enter::<BLACK>(PieceType::Bishop, sq, attacks, BISHOP_MOBILITY);
            score += self.minor::<BLACK>(sq, 1, outposts);
            let same_color =
                if Bitboard::LIGHT.contains(sq) { Bitboard::LIGHT } else { Bitboard::DARK };
            let pawns = (own_pawns & same_color).count() as i32;
            score += self.weigh(us, BISHOP_OWN_PAWNS.at(0), pawns);
            let obstacles = pawns * blocked.count() as i32;
            score += self.weigh(us, BISHOP_BLOCKED_CENTRE.at(0), obstacles);
            let centre = (attacks | Bitboard::of(sq)) & masks::CENTRE;
            score += self.weigh(us, BISHOP_LONG_DIAGONAL.at(0), i32::from(centre.several()));
        }
        score
    }

    /// What knights and bishops have in common; `which` is 0 for a knight.
    #[inline]
    fn minor<const BLACK: bool>(&mut self, sq: Square, which: usize, outposts: Bitboard) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let mut score = Score::ZERO;
        if outposts.contains(sq) {
            let supported = self.attacked_by[us][PieceType::Pawn].contains(sq);
            score += self.weigh(us, OUTPOST.at(2 * which + usize::from(supported)), 1);
        }
        if self.board.kind(PieceType::Pawn).forward(them).contains(sq) {
            score += self.weigh(us, MINOR_BEHIND_PAWN.at(which), 1);
        }
        let steps = distance(sq, self.board.king(us));
        score + self.weigh(us, MINOR_KING_DISTANCE.at(which), steps)
    }

    fn rooks<const BLACK: bool>(&mut self) -> Score {
        let (us, them) = (color(BLACK), color(!BLACK));
        let board = self.board;
        let rooks = board.pieces(us, PieceType::Rook);
        // Rooks support each other and the queen on a line.
        let occupied = board.occupied() - rooks - board.pieces(us, PieceType::Queen);
        let pawns = board.kind(PieceType::Pawn);
        let own_pawns = board.pieces(us, PieceType::Pawn);
        let mut score = Score::ZERO;
        for sq in rooks {
            let attacks = attacks::rook(sq, occupied);
            score += self.enter::<BLACK>(PieceType::Rook, sq, attacks, ROOK_MOBILITY);
            let file = Bitboard::file(sq.file());
            if !pawns.intersects(file) {
                score += self.weigh(us, ROOK_OPEN_FILE.at(0), 1);
            } else if !own_pawns.intersects(file) {
                score += self.weigh(us, ROOK_SEMI_OPEN_FILE.at(0), 1);
            } else if (attacks & self.mobility_area[us]).count() <= TRAPPED_MOBILITY {
                score += self.weigh(us, ROOK_TRAPPED.at(0), i32::from(self.is_shut_in(us, sq)));
            }
            if sq.rank().relative_to(us) == Rank::R7 {
                let targets = board.pieces(them, PieceType::Pawn) & Bitboard::rank(sq.rank());
                let king_cut_off = board.king(them).rank().relative_to(us) == Rank::R8;
                let useful = targets.any() || king_cut_off;
                score += self.weigh(us, ROOK_SEVENTH.at(0), i32::from(useful));
            }
        }
        score
    }

    /// Whether the own king stands between a rook and the centre.
    fn is_shut_in(&self, us: tabiya_chess::Color, rook: Square) -> bool {
        let king = self.board.king(us);
        let king_side = king.file() >= File::E;
        king.rank().relative_to(us) <= Rank::R2 && king_side == (rook.file() > king.file())
    }

    fn queens<const BLACK: bool>(&mut self) -> Score {
        let us = color(BLACK);
        let occupied = self.board.occupied();
        let mut score = Score::ZERO;
        for sq in self.board.pieces(us, PieceType::Queen) {
            let attacks = attacks::queen(sq, occupied);
            score += self.enter::<BLACK>(PieceType::Queen, sq, attacks, QUEEN_MOBILITY);
        }
        score
    }
}
