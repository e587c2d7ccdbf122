//! Static exchange evaluation: does a sequence of captures on one square win at least so much?

use tabiya_chess::{Bitboard, Board, Move, PieceType, attacks};

/// Piece values of the exchange, by type.
pub(crate) const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// Whether the exchange started by a move gains at least `threshold`.
///
/// Both sides capture with their least valuable piece first and stop when that pays. A king never
/// captures into an attack. Pins are not looked at.
pub fn see_ge(board: &Board, mv: Move, threshold: i32) -> bool {
    if mv.is_castling() {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let gain = board.captured(mv).map_or(0, |kind| VALUES[kind]);
    let mover = board.piece_on(from).map_or(PieceType::Pawn, tabiya_chess::Piece::kind);
    let (promotion_gain, on_square) = match mv.promotion() {
        Some(kind) => (VALUES[kind] - VALUES[PieceType::Pawn], kind),
        None => (0, mover),
    };
    let mut balance = gain + promotion_gain - threshold;
    if balance < 0 {
        return false;
    }
    // The worst case: the piece that arrived is lost for nothing.
    balance -= VALUES[on_square];
    if balance >= 0 {
        return true;
    }
    let mut occupied = (board.occupied() - Bitboard::of(from)) | Bitboard::of(to);
    if mv.is_en_passant() {
        occupied -= Bitboard::of(tabiya_chess::Square::new(to.file(), from.rank()));
    }
    let diagonal = board.kind(PieceType::Bishop) | board.kind(PieceType::Queen);
    let straight = board.kind(PieceType::Rook) | board.kind(PieceType::Queen);
    let mut attackers = board.attackers_to(to, occupied) & occupied;
    let us = board.side_to_move();
    let mut side = !us;
    loop {
        let own = attackers & board.color(side);
        let Some((kind, candidates)) = least_valuable(board, own) else { break };
        if kind == PieceType::King && (attackers & board.color(!side)).any() {
            // Capturing with the king would be illegal: the other side still attacks the square.
            break;
        }
        side = !side;
        balance = -balance - 1 - VALUES[kind];
        if balance >= 0 {
            break;
        }
        let lowest = Bitboard(candidates.0 & candidates.0.wrapping_neg());
        occupied -= lowest;
        if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(kind, PieceType::Rook | PieceType::Queen) {
            attackers |= attacks::rook(to, occupied) & straight;
        }
        attackers &= occupied;
    }
    // The side that cannot continue has lost the exchange.
    side != us
}

fn least_valuable(board: &Board, own: Bitboard) -> Option<(PieceType, Bitboard)> {
    PieceType::ALL
        .into_iter()
        .map(|kind| (kind, own & board.kind(kind)))
        .find(|(_, candidates)| candidates.any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::MoveKey;

    /// The exchange by brute force: every capture order that starts with the cheapest piece.
    fn exchange(board: &Board, mv: Move) -> i32 {
        fn reply(board: &Board, square: tabiya_chess::Square) -> i32 {
            let cheapest = board
                .legal_moves()
                .iter()
                .filter(|mv| mv.is_capture() && mv.to() == square && !mv.is_en_passant())
                .filter(|mv| mv.promotion().is_none_or(|kind| kind == PieceType::Queen))
                .min_by_key(|mv| board.piece_on(mv.from()).map(|piece| piece.kind() as u8));
            cheapest.map_or(0, |mv| exchange(board, mv).max(0))
        }
        let gain = board.captured(mv).map_or(0, |kind| VALUES[kind])
            + mv.promotion().map_or(0, |kind| VALUES[kind] - VALUES[PieceType::Pawn]);
        let mut child = *board;
        child.play(mv);
        gain - reply(&child, mv.to())
    }

    fn check(fen: &str, uci: &str, expected: i32) {
        let board: Board = fen.parse().unwrap();
        let mv = board.parse_uci(uci).unwrap();
        assert!(see_ge(&board, mv, expected), "{fen} {uci} should reach {expected}");
        assert!(!see_ge(&board, mv, expected + 1), "{fen} {uci} should not pass {expected}");
    }

    #[test]
    fn classic_exchanges() {
        check("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100);
        check("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -200);
        check("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100);
        check("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 800);
    }

    /// Calls `check` with the legal moves of random games until it has counted 3000 comparisons.
    fn in_random_games(mut check: impl FnMut(&Board, Move) -> bool) {
        let mut seed = 0x5EED_u64;
        let mut random = move |limit: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % limit
        };
        let mut compared = 0;
        while compared < 3000 {
            let mut board = Board::default();
            for _ in 0..80 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                compared += moves.iter().filter(|mv| check(&board, *mv)).count();
                board.play(moves.get(random(moves.len())).unwrap());
            }
        }
    }

    #[test]
    fn agrees_with_brute_force_where_no_pin_interferes() {
        in_random_games(|board, mv| {
            let mut child = *board;
            child.play(mv);
            // Pins, checks and promotions make legal exchanges differ from static ones.
            let quiet_kings = !board.in_check() && !child.in_check();
            let back =
                Bitboard::rank(tabiya_chess::Rank::R1) | Bitboard::rank(tabiya_chess::Rank::R8);
            let compare = mv.is_capture()
                && !mv.is_promotion()
                && quiet_kings
                && !back.contains(mv.to())
                && no_pins(board);
            if compare {
                let value = exchange(board, mv);
                assert!(see_ge(board, mv, value), "{board} {mv:?} {value}");
                assert!(!see_ge(board, mv, value + 1), "{board} {mv:?} {value}");
            }
            compare
        });
    }

    #[test]
    fn a_quiet_move_between_unattacked_squares_loses_nothing() {
        in_random_games(|board, mv| {
            let key = MoveKey::new(board, mv, board.threatened());
            let compare = !mv.is_noisy() && !key.is_threatened();
            assert!(!compare || see_ge(board, mv, 0), "{board} {mv:?}");
            compare
        });
    }

    /// No piece of either side stands alone between its king and any enemy slider's line.
    fn no_pins(board: &Board) -> bool {
        tabiya_chess::Color::ALL.into_iter().all(|color| {
            let king = board.king(color);
            let sliders = (board.kind(PieceType::Bishop) | board.kind(PieceType::Queen))
                & attacks::bishop(king, Bitboard::EMPTY)
                | (board.kind(PieceType::Rook) | board.kind(PieceType::Queen))
                    & attacks::rook(king, Bitboard::EMPTY);
            (sliders & board.color(!color)).is_empty()
        })
    }
}
