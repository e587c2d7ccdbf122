//! Facts without captures: rights, passed pawns, and the themes of the hand-crafted evaluation.

use serde::Serialize;
use tabiya_chess::{Bitboard, Board, CastlingSide, Color, File, Move, PieceType, Square};
use tabiya_engine::eval::hce::{self, Group};
use tabiya_engine::wdl::to_centipawns;

/// The difference in one theme of the hand-crafted evaluation at the ends of two lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ThemeChange {
    /// The theme.
    pub theme: &'static str,
    /// Centipawns by which the better line is better.
    pub cp: i32,
}

/// Whether nothing but kings and pawns is left.
pub(super) fn is_pawn_ending(board: &Board) -> bool {
    let kings = board.kind(PieceType::King);
    let pawns = board.kind(PieceType::Pawn);
    pawns.any() && (board.occupied() - kings - pawns).is_empty()
}

/// Whether a move gives up the right to castle that another keeps, while there is still a queen to be
/// afraid of.
pub(super) fn lost_castling(board: &Board, mv: Move, best: Option<Move>) -> bool {
    let us = board.side_to_move();
    let may = |board: &Board| {
        [CastlingSide::King, CastlingSide::Queen]
            .iter()
            .any(|side| board.castling_rook(us, *side).is_some())
    };
    let keeps = |mv: Move| {
        let mut after = *board;
        after.play(mv);
        may(&after)
    };
    let danger = board.pieces(!us, PieceType::Queen).any();
    danger && may(board) && !mv.is_castling() && !keeps(mv) && best.is_some_and(keeps)
}

/// A passed pawn that the opponent of the side to move has at the end of the line played, but neither
/// now nor at the end of the best line: the one that has come furthest.
pub(super) fn passed_pawn(board: &Board, best: &Board, played: &Board) -> Option<Square> {
    let them = board.opponent();
    let files = |board: &Board| -> Vec<File> {
        passed_pawns(board, them).into_iter().map(Square::file).collect()
    };
    let known: Vec<File> = files(board).into_iter().chain(files(best)).collect();
    let advance = |square: &Square| match them {
        Color::White => square.rank().index(),
        Color::Black => 7 - square.rank().index(),
    };
    passed_pawns(played, them)
        .into_iter()
        .filter(|square| !known.contains(&square.file()) && advance(square) >= 3)
        .max_by_key(advance)
}

/// The pawns of a side that no pawn can stop or take on their way.
pub(crate) fn passed_pawns(board: &Board, color: Color) -> Vec<Square> {
    let enemies = board.pieces(!color, PieceType::Pawn);
    let is_passed = |square: &Square| {
        let mut ahead = Bitboard::of(*square).forward(color);
        let mut front = Bitboard::EMPTY;
        while ahead.any() {
            front |= ahead | ahead.east() | ahead.west();
            ahead = ahead.forward(color);
        }
        !front.intersects(enemies)
    };
    board.pieces(color, PieceType::Pawn).into_iter().filter(is_passed).collect()
}

/// The name under which a group of terms is told.
const fn theme(group: Group) -> Option<&'static str> {
    Some(match group {
        Group::Pawns => "pawn structure",
        Group::Passed => "passed pawns",
        Group::Shelter | Group::Danger => "king safety",
        Group::Threats => "threats",
        Group::Mobility => "mobility",
        Group::Space => "space",
        Group::Pieces | Group::Squares => "placement of the pieces",
        // Material has facts of its own; the rest is nothing one can see on the board.
        Group::Material | Group::Tempo | Group::Complexity => return None,
    })
}

/// By how much one position is better for a side than another, theme by theme, largest first.
pub fn themes(us: Color, better: &Board, worse: &Board) -> Vec<ThemeChange> {
    if !better.has_legal_move() || !worse.has_legal_move() {
        return Vec::new();
    }
    let sign = if us == Color::White { 1 } else { -1 };
    let mut changes: Vec<ThemeChange> = Vec::new();
    for (end, direction) in [(better, sign), (worse, -sign)] {
        let terms = hce::explain(end);
        for row in &terms.rows {
            let Some(theme) = theme(row.group) else { continue };
            let total = row.white - row.black;
            let full = hce::FULL_PHASE;
            let blend =
                (total.middlegame() * terms.phase + total.endgame() * (full - terms.phase)) / full;
            let cp = direction * to_centipawns(blend, end);
            match changes.iter_mut().find(|change| change.theme == theme) {
                Some(change) => change.cp += cp,
                None => changes.push(ThemeChange { theme, cp }),
            }
        }
    }
    changes.sort_by_key(|change| -change.cp.abs());
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_lost_by_the_king_but_not_by_castling() {
        let board: Board = "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let mv = |text| board.parse_san(text).unwrap();
        assert!(lost_castling(&board, mv("Ke2"), Some(mv("a3"))));
        assert!(!lost_castling(&board, mv("O-O"), Some(mv("a3"))));
        assert!(!lost_castling(&board, mv("Rb1"), Some(mv("a3"))), "the other rook is left");
        assert!(!lost_castling(&board, mv("Ke2"), Some(mv("Kf1"))));
    }

    #[test]
    fn passed_pawns_have_nobody_in_their_way() {
        let board: Board = "4k3/p4p2/8/2P3P1/8/8/P7/4K3 w - - 0 1".parse().unwrap();
        assert_eq!(passed_pawns(&board, Color::White), [Square::C5]);
        assert_eq!(passed_pawns(&board, Color::Black), []);
    }
}
