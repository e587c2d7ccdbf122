//! Knowledge of endgames: values for a bare king, and how much an advantage is worth when it is
//! hard to win.

use super::masks::distance;
use super::{FULL_SCALE, kpk};
use tabiya_chess::{Bitboard, Board, Color, File, PieceType, Rank, Square};

/// Added to every endgame that is won by force; below any mate.
const KNOWN_WIN: i32 = 5000;

/// What the pieces are worth for the rules of this file, in pawns.
const NOMINAL: [i32; 5] = [1, 3, 3, 5, 9];

/// The side that has more than a king where the other has not.
#[inline]
fn bare_king_winner(board: &Board) -> Option<Color> {
    if !board.color(Color::Black).several() {
        Some(Color::White)
    } else if !board.color(Color::White).several() {
        Some(Color::Black)
    } else {
        None
    }
}

/// The value, from White's view, of a position where one side has only its king.
#[inline]
pub(super) fn known_value(board: &Board) -> Option<i32> {
    let strong = bare_king_winner(board)?;
    let value = against_bare_king(board, strong)?;
    Some(if strong == Color::White { value } else { -value })
}

/// The same for what is known for certain: a draw, or king and pawn against king. How other endings
/// are won a network knows as well.
#[inline]
pub(super) fn solved(board: &Board) -> Option<i32> {
    let strong = bare_king_winner(board)?;
    let value = solved_against_bare_king(board, strong)?;
    Some(if strong == Color::White { value } else { -value })
}

#[cold]
fn solved_against_bare_king(board: &Board, strong: Color) -> Option<i32> {
    let own = Force::new(board, strong);
    if own.pieces == 0 && own.pawns.any() && !own.pawns.several() {
        return against_bare_king(board, strong);
    }
    let cannot_mate = own.pawns.is_empty() && against_bare_king(board, strong) == Some(0);
    let fortress = own.pieces <= NOMINAL[2] && is_rook_pawn_fortress(board, strong, &own);
    (cannot_mate || fortress).then_some(0)
}

/// The value for the side that has more than a king.
#[cold]
fn against_bare_king(board: &Board, strong: Color) -> Option<i32> {
    let count = |kind| board.pieces(strong, kind).count() as i32;
    let [pawns, knights, bishops, rooks, queens] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
            .map(count);
    let (king, enemy) = (board.king(strong), board.king(!strong));
    let close = 14 - 2 * distance(king, enemy);
    if pawns > 0 {
        let first = board.pieces(strong, PieceType::Pawn).first();
        if knights + bishops + rooks + queens > 0 || pawns > 1 {
            return None;
        }
        let rank = first.map_or(0, |sq| sq.rank().relative_to(strong).index() as i32);
        return Some(if kpk::is_win(board, strong) { 500 + 50 * rank } else { 0 });
    }
    let bishop_set = board.pieces(strong, PieceType::Bishop);
    let two_colors =
        bishop_set.intersects(Bitboard::LIGHT) && bishop_set.intersects(Bitboard::DARK);
    let drive = if rooks + queens > 0 || two_colors || knights > 2 {
        edge(enemy)
    } else if bishops > 0 && knights > 0 {
        // Mate is only in a corner of the bishop's colour.
        corner(enemy, bishop_set.intersects(Bitboard::LIGHT))
    } else {
        return Some(0);
    };
    let material = knights * 300 + bishops * 330 + rooks * 500 + queens * 900;
    Some(KNOWN_WIN + material + 20 * drive + 5 * close)
}

/// How near a square is to the edge and to the corner: 0 in the centre, 12 in a corner.
fn edge(sq: Square) -> i32 {
    let from_centre = |index: usize| (index as i32 - 4).max(3 - index as i32);
    2 * (from_centre(sq.file().index()) + from_centre(sq.rank().index()))
}

/// How near a square is to a corner of one colour: 14 there, 0 in the other corners.
fn corner(sq: Square, light: bool) -> i32 {
    let corners = if light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
    let steps = |to: Square| {
        (sq.file() as i32 - to.file() as i32).abs() + (sq.rank() as i32 - to.rank() as i32).abs()
    };
    2 * (7 - steps(corners[0]).min(steps(corners[1])))
}

/// The pawns and pieces of a side as the rules below need them.
struct Force {
    pawns: Bitboard,
    knights: u32,
    bishops: Bitboard,
    /// Pieces without pawns, in pawns.
    pieces: i32,
}

impl Force {
    fn new(board: &Board, color: Color) -> Self {
        let of = |kind| board.pieces(color, kind);
        let knights = of(PieceType::Knight).count();
        let bishops = of(PieceType::Bishop);
        let pieces = NOMINAL[1] * knights as i32
            + NOMINAL[2] * bishops.count() as i32
            + NOMINAL[3] * of(PieceType::Rook).count() as i32
            + NOMINAL[4] * of(PieceType::Queen).count() as i32;
        Self { pawns: of(PieceType::Pawn), knights, bishops, pieces }
    }
}

/// How much of the endgame value is left for the better side, out of [`FULL_SCALE`].
pub(super) fn scale(board: &Board, strong: Color) -> i32 {
    let (own, other) = (Force::new(board, strong), Force::new(board, !strong));
    let pawns = own.pawns.count() as i32;
    let advantage = own.pieces - other.pieces;

    if own.pawns.is_empty() && advantage <= NOMINAL[2] {
        return without_pawns(&own, &other);
    }
    if own.pieces <= NOMINAL[2] && is_rook_pawn_fortress(board, strong, &own) {
        return 0;
    }
    let single_bishops = own.bishops.any()
        && other.bishops.any()
        && !own.bishops.several()
        && !other.bishops.several();
    if single_bishops
        && (own.bishops | other.bishops).intersects(Bitboard::LIGHT)
        && (own.bishops | other.bishops).intersects(Bitboard::DARK)
    {
        // Alone, opposite bishops draw even two pawns down; with more pieces they still hinder.
        let alone = own.pieces == NOMINAL[2] && other.pieces == NOMINAL[2];
        return if alone { 24 + 8 * pawns } else { (72 + 7 * pawns).min(FULL_SCALE) };
    }
    if own.pieces == NOMINAL[4] && other.pieces == 0 && pawns == 0 {
        return queen_against_pawn(board, strong, &other);
    }
    if pawns == 1 && advantage <= NOMINAL[2] && other.pieces >= NOMINAL[1] {
        // The last pawn can be had for a piece.
        return 80;
    }
    (104 + 6 * pawns).min(FULL_SCALE)
}

/// No pawns and at most a minor piece more.
fn without_pawns(own: &Force, other: &Force) -> i32 {
    if own.pieces < NOMINAL[3] {
        // A minor piece alone never mates.
        0
    } else if own.pieces == 2 * NOMINAL[1] && own.knights == 2 {
        4
    } else if other.pieces <= NOMINAL[2] {
        10
    } else {
        20
    }
}

/// Rook pawns, with no piece but a bishop that does not control the corner, against a king that
/// reaches that corner.
fn is_rook_pawn_fortress(board: &Board, strong: Color, own: &Force) -> bool {
    let file = [File::A, File::H]
        .into_iter()
        .find(|file| own.pawns.any() && (own.pawns - Bitboard::file(*file)).is_empty());
    let Some(file) = file else { return false };
    if own.knights > 0 || board.pieces(!strong, PieceType::Pawn).any() {
        return false;
    }
    let goal = Square::new(file, Rank::R8.relative_to(strong));
    let goal_is_light = Bitboard::LIGHT.contains(goal);
    let right_bishop = if goal_is_light { Bitboard::LIGHT } else { Bitboard::DARK };
    if own.bishops.intersects(right_bishop) {
        return false;
    }
    distance(board.king(!strong), goal) <= 1
}

/// A rook or bishop pawn one step from promotion holds against a queen whose king is far away.
fn queen_against_pawn(board: &Board, strong: Color, other: &Force) -> i32 {
    let Some(pawn) = other.pawns.first() else { return FULL_SCALE };
    let drawing_file = matches!(pawn.file(), File::A | File::C | File::F | File::H);
    let about_to_promote = pawn.rank().relative_to(!strong) == Rank::R7;
    let supported = distance(board.king(!strong), pawn) == 1;
    let far = distance(board.king(strong), pawn) > 4;
    let draws = drawing_file && about_to_promote && supported && far && !other.pawns.several();
    if draws { 8 } else { FULL_SCALE }
}
