//! Whether captures are still under way: a search of captures and promotions that counts pieces only.

use super::material::{balance, worth};
use tabiya_chess::{Board, Move, PieceType};

/// Plies of captures that are looked at; longer series do not arise in games.
const DEEPEST: u32 = 12;
/// Positions one question may cost.
const MOST_POSITIONS: u32 = 4000;

/// What the side to move wins by captures and promotions, or loses if it is in check and must give
/// something up, in pawns.
pub fn capture_gain(board: &Board) -> i32 {
    let side = board.side_to_move();
    let mut left = MOST_POSITIONS;
    resolved(board, -200, 200, DEEPEST, &mut left) - balance(board, side)
}

/// What captures and promotions can still win for either side, whoever is to move, in pawns: a count of the
/// pieces is right but for so much. `None` in check, where there is no telling; nothing where the game is
/// over.
pub fn tension(board: &Board) -> Option<i32> {
    if !board.has_legal_move() {
        return Some(0);
    }
    if board.in_check() {
        return None;
    }
    let mut passed = *board;
    passed.play_null();
    Some(capture_gain(board).max(capture_gain(&passed)).max(0))
}

/// Whether neither side wins anything by captures, whoever is to move, and no check is on: only then
/// does a count of the pieces mean something. A position in which the game is over is quiet.
pub fn is_quiet(board: &Board) -> bool {
    if !board.has_legal_move() {
        return true;
    }
    if board.in_check() || wins_by_capture(board) {
        return false;
    }
    let mut passed = *board;
    passed.play_null();
    !wins_by_capture(&passed)
}

/// Whether [`capture_gain`] is positive, by a null window, which is much cheaper.
fn wins_by_capture(board: &Board) -> bool {
    let standing = balance(board, board.side_to_move());
    let mut left = MOST_POSITIONS;
    resolved(board, standing, standing + 1, DEEPEST, &mut left) > standing
}

/// The balance of pieces for the side to move after the best captures of both sides, any of which may
/// stop.
fn resolved(board: &Board, alpha: i32, beta: i32, depth: u32, left: &mut u32) -> i32 {
    let standing = balance(board, board.side_to_move());
    if depth == 0 || *left == 0 {
        return standing;
    }
    *left -= 1;
    let in_check = board.in_check();
    let mut moves: Vec<Move> =
        board.legal_moves().iter().filter(|mv| in_check || is_gain(*mv)).collect();
    if in_check && moves.is_empty() {
        return -100;
    }
    let mut best = if in_check { -100 } else { standing };
    if best >= beta {
        return best;
    }
    let mut alpha = alpha.max(best);
    moves.sort_by_key(|mv| -promise(board, *mv));
    for mv in moves {
        let mut next = *board;
        next.play(mv);
        let value = -resolved(&next, -beta, -alpha, depth - 1, left);
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Captures and promotions to a queen.
fn is_gain(mv: Move) -> bool {
    mv.promotion().map_or(mv.is_capture(), |kind| kind == PieceType::Queen)
}

/// Valuable victims first, taken by cheap pieces.
fn promise(board: &Board, mv: Move) -> i32 {
    let taken = board.captured(mv).map_or(0, worth);
    let taker = board.piece_on(mv.from()).map_or(0, |piece| worth(piece.kind()));
    16 * taken - taker + if mv.is_promotion() { 100 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(fen: &str) -> i32 {
        capture_gain(&fen.parse().unwrap())
    }

    #[test]
    fn captures_are_played_out() {
        // The knight is defended by a pawn; the one on the other board is not.
        assert_eq!(gain("4k3/8/3p4/4n3/8/5N2/8/4K3 w - - 0 1"), 0);
        assert_eq!(gain("4k3/8/8/4n3/8/5N2/8/4K3 w - - 0 1"), 3);
        // A rook takes a defended pawn only if the defender falls too.
        assert_eq!(gain("4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1"), 0);
        assert_eq!(gain("8/P6k/8/8/8/8/8/K7 w - - 0 1"), 8);
        assert_eq!(gain("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 0);
    }

    #[test]
    fn a_piece_that_hangs_is_not_quiet_whoever_moves() {
        let hanging: Board = "4k3/8/8/4n3/8/5N2/8/4K3 b - - 0 1".parse().unwrap();
        assert!(!is_quiet(&hanging));
        assert_eq!((tension(&hanging), tension(&Board::default())), (Some(3), Some(0)));
        let check: Board = "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1".parse().unwrap();
        assert!(!is_quiet(&check) && tension(&check).is_none());
        assert!(is_quiet(&Board::default()));
        let mated: Board = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1".parse().unwrap();
        assert!(is_quiet(&mated));
    }
}
