//! Random openings: a few random moves from the initial position or from one of double Chess960.

use crate::work::SplitMix;
use tabiya_chess::{
    Board, CastlingClaim, Color, File, Game, Piece, PieceType, Rank, Setup, Square,
};

/// At least this many random plies are played; one more in half of the openings, so that both sides
/// begin equally often.
const PLIES: usize = 8;

/// Some random legal moves; `None` if they end the game.
pub(crate) fn random(random: &mut SplitMix, dfrc_share: f64) -> Option<Board> {
    let start =
        if random.unit() < dfrc_share { double_chess960(random)? } else { Board::default() };
    let mut game = Game::from_board(start);
    for _ in 0..PLIES + random.below(2) {
        let moves = game.board().legal_moves();
        if moves.is_empty() {
            return None;
        }
        game.play(moves.get(random.below(moves.len()))?).ok()?;
    }
    game.outcome().is_none().then(|| *game.board())
}

/// A start in which each side has its own back rank.
fn double_chess960(random: &mut SplitMix) -> Option<Board> {
    let mut setup = Setup::empty();
    for color in Color::ALL {
        let pawn = Some(Piece::new(color, PieceType::Pawn));
        for (file, kind) in File::ALL.into_iter().zip(back_rank(random.below(960))) {
            setup.pieces[Square::new(file, color.back_rank())] = Some(Piece::new(color, kind));
            setup.pieces[Square::new(file, Rank::R2.relative_to(color))] = pawn;
            if kind == PieceType::Rook {
                setup.castling.push((color, CastlingClaim::File(file)));
            }
        }
    }
    setup.to_board(true).ok()
}

/// The back rank of a start number below 960, as Scharnagl counts them.
fn back_rank(number: usize) -> [PieceType; 8] {
    const KNIGHTS: [[usize; 2]; 10] =
        [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let mut rank = [None; 8];
    rank[number % 4 * 2 + 1] = Some(PieceType::Bishop);
    rank[number / 4 % 4 * 2] = Some(PieceType::Bishop);
    let mut place = |free: usize, kind| {
        if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(free) {
            *square = Some(kind);
        }
    };
    place(number / 16 % 6, PieceType::Queen);
    // The second knight first: placing it does not move the first one's square.
    let [first, second] = KNIGHTS[number / 96 % 10];
    place(second, PieceType::Knight);
    place(first, PieceType::Knight);
    for kind in [PieceType::Rook, PieceType::King, PieceType::Rook] {
        place(0, kind);
    }
    rank.map(|square| square.unwrap_or(PieceType::Rook))
}

#[cfg(test)]
mod tests {
    use super::*;
    use PieceType::{Bishop, King, Knight, Queen, Rook};
    use std::collections::HashSet;

    #[test]
    fn all_back_ranks_are_different_and_fair() {
        assert_eq!(back_rank(518), [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook]);
        let ranks: HashSet<_> = (0..960).map(back_rank).collect();
        assert_eq!(ranks.len(), 960);
        for rank in ranks {
            let files = |kind| (0..8).filter(|file| rank[*file] == kind).collect::<Vec<_>>();
            let (king, rooks, bishops) = (files(King)[0], files(Rook), files(Bishop));
            assert!(rooks[0] < king && king < rooks[1], "{rank:?}");
            assert_ne!(bishops[0] % 2, bishops[1] % 2, "{rank:?}");
        }
    }

    #[test]
    fn openings_start_with_both_sides_and_keep_castling() {
        let mut generator = SplitMix::new(7);
        let openings: Vec<_> = (0..200).filter_map(|_| random(&mut generator, 0.5)).collect();
        assert!(openings.len() > 190);
        let white = openings.iter().filter(|board| board.side_to_move() == Color::White).count();
        assert!((60..140).contains(&white), "{white}");
        let castling = openings.iter().filter(|board| !board.castling_rooks().is_empty()).count();
        assert!(castling > 150, "{castling}");
        assert!(openings.iter().all(|board| board.fullmove_number() == 5));
    }
}
