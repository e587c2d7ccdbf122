//! The position key of Polyglot opening books (format by Fabien Letouzey).

mod random;

use crate::board::{Board, CastlingSide};
use crate::types::{Color, Square};
use random::RANDOM;

/// Where the numbers for castling rights, en passant files and the turn begin.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;

impl Board {
    /// The key under which a Polyglot opening book lists this position.
    ///
    /// Polyglot hashes the file of an en passant capture even if a pin forbids it, so this looks
    /// beyond [`Board::en_passant`]. Computed from scratch on every call.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::default().polyglot_key(), 0x463b_9618_1691_fc9c);
    /// ```
    pub fn polyglot_key(&self) -> u64 {
        let mut key = 0;
        for sq in self.occupied() {
            if let Some(piece) = self.piece_on(sq) {
                // Polyglot counts pieces like `Piece`, except that Black comes first.
                key ^= RANDOM[64 * (piece.index() ^ 1) + sq.index()];
            }
        }
        for color in Color::ALL {
            for (i, side) in CastlingSide::ALL.into_iter().enumerate() {
                if self.castling_rook(color, side).is_some() {
                    key ^= RANDOM[CASTLING + 2 * color.index() + i];
                }
            }
        }
        if let Some(file) = self.pseudo_en_passant().map(Square::file) {
            key ^= RANDOM[EN_PASSANT + file.index()];
        }
        if self.side_to_move() == Color::White {
            key ^= RANDOM[WHITE_TO_MOVE];
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The position after these moves.
    fn after(moves: &str) -> Board {
        let mut board = Board::default();
        for text in moves.split_whitespace() {
            board.play(board.parse_uci(text).unwrap());
        }
        board
    }

    #[test]
    fn published_test_keys_are_reached_by_playing() {
        for (moves, key) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(after(moves).polyglot_key(), key, "{moves}");
        }
    }

    #[test]
    fn a_pinned_capturer_still_counts() {
        // The pawn on d4 is pinned by the rook, yet Polyglot hashes the e-file.
        let before: Board = "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1".parse().unwrap();
        let mut played = before;
        played.play(before.parse_uci("e2e4").unwrap());
        assert_eq!(played.en_passant(), None);
        let read: Board = "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1".parse().unwrap();
        let without: Board = "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1".parse().unwrap();
        assert_eq!(played.polyglot_key(), read.polyglot_key());
        assert_eq!(read.polyglot_key() ^ without.polyglot_key(), RANDOM[EN_PASSANT + 4]);
        // For the rules of chess the three are one position.
        assert_eq!((played.key(), read), (without.key(), without));
        played.play(played.parse_uci("d8d7").unwrap());
        assert_eq!(played.pseudo_en_passant(), None);
    }
}
