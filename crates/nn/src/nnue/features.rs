//! What a net sees: the feature index of each piece from each side's point of view.

use super::arch::PIECE_SQUARES;
use super::shape::Shape;
use tabiya_chess::{Board, Color, Piece, Square};

/// How one side looks at the board: from its own end, its king always on files a to d.
///
/// ```
/// use tabiya_chess::{Color, Piece, Square};
/// use tabiya_nn::{Shape, View};
/// let shape = Shape::new(512, 4, 8)?;
/// // White's king on g1 is seen on b1 (bucket 0), so the board is mirrored.
/// let view = View::new(shape, Color::White, Square::G1);
/// assert_eq!(view.feature(Piece::WhitePawn, Square::A2), Square::H2.index());
/// // Black's king on g8 looks the same to Black.
/// let view = View::new(shape, Color::Black, Square::G8);
/// assert_eq!(view.feature(Piece::BlackPawn, Square::A7), Square::H2.index());
/// assert_eq!(view.feature(Piece::WhiteKnight, Square::A7), 384 + 64 + Square::H2.index());
/// # Ok::<(), tabiya_nn::NetError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    perspective: Color,
    /// What squares are combined with: 56 turns the board over, 7 mirrors it.
    flip: u8,
    bucket: u8,
}

impl View {
    /// How many views a side can have: mirrored or not, times king buckets.
    pub const fn count(shape: Shape) -> usize {
        2 * shape.king_buckets()
    }

    /// The view of `perspective` with its own king on `king`.
    #[inline]
    pub const fn new(shape: Shape, perspective: Color, king: Square) -> Self {
        let mirror = if king as u8 & 4 != 0 { 7 } else { 0 };
        let bucket = shape.king_bucket(king.relative_to(perspective)) as u8;
        Self { perspective, flip: mirror ^ (56 * perspective as u8), bucket }
    }

    /// A number below [`View::count`] that differs for different views of the same side.
    #[inline]
    pub const fn index(self) -> usize {
        2 * self.bucket as usize + (self.flip & 1) as usize
    }

    /// Whether the board is mirrored.
    #[inline]
    pub(super) const fn is_mirrored(self) -> bool {
        self.flip & 7 != 0
    }

    /// A square as this view sees it.
    #[inline]
    pub(super) const fn square(self, sq: Square) -> usize {
        (sq as u8 ^ self.flip) as usize
    }

    /// 1 for a piece of the other side, 0 for an own one.
    #[inline]
    pub(super) const fn enemy(self, piece: Piece) -> usize {
        // A piece's index is `2 * type + colour`.
        (piece as usize & 1) ^ self.perspective as usize
    }

    /// The feature of a piece on a square: a row of the hidden layer's weights.
    ///
    /// `768 * bucket + 384 * (enemy) + 64 * type + square`, the square as this view sees it.
    #[inline]
    pub const fn feature(self, piece: Piece, sq: Square) -> usize {
        let kind = piece as usize >> 1;
        PIECE_SQUARES * self.bucket as usize + 384 * self.enemy(piece) + 64 * kind + self.square(sq)
    }
}

/// The features of a position as `perspective` sees it, one per piece.
pub fn active_features(
    shape: Shape,
    board: &Board,
    perspective: Color,
) -> impl Iterator<Item = usize> + '_ {
    let view = View::new(shape, perspective, board.king(perspective));
    board
        .occupied()
        .into_iter()
        .filter_map(move |sq| board.piece_on(sq).map(|piece| view.feature(piece, sq)))
}
