//! An endgame table made backwards from the mates: king and one piece against a bare king.

use tabiya_chess::{Bitboard, Board, Color, Piece, PieceType, Setup, Square};

/// Moves to mate for every placement, White to move and Black to move.
pub struct Table {
    kind: PieceType,
    /// Plies to mate by side, white king, white piece, black king; `None` if drawn or impossible.
    plies: Vec<Option<u8>>,
}

impl Table {
    /// Solves the endgame by plies: a position is lost in n if all its moves lead to wins in n - 1 or less.
    pub fn solve(kind: PieceType) -> Self {
        let mut table = Self { kind, plies: vec![None; 2 * 64 * 64 * 64] };
        let mut open = Vec::new();
        for index in 0..table.plies.len() {
            // Without pawns a board and its mirror images are one: a quarter of them is enough.
            if !QUARTER.contains(Square::ALL[index >> 12 & 63]) {
                continue;
            }
            let Some(board) = table.board(index) else { continue };
            if board.is_checkmate() {
                table.plies[index] = Some(0);
            } else {
                open.push((index, table.successors(&board)));
            }
        }
        let mut ply = 1_u8;
        loop {
            let before = open.len();
            let mut settled = Vec::new();
            open.retain(|(index, successors)| {
                let white = *index < table.plies.len() / 2;
                let won = |next: &Option<usize>| next.and_then(|next| table.plies[next]).is_some();
                let solved = if white {
                    successors
                        .iter()
                        .any(|next| next.and_then(|next| table.plies[next]) == Some(ply - 1))
                } else {
                    !successors.is_empty() && successors.iter().all(won)
                };
                if solved {
                    settled.push(*index);
                }
                !solved
            });
            for index in settled {
                table.plies[index] = Some(ply);
            }
            // Colours take turns, so two empty rounds mean the end.
            if open.len() == before && ply > 2 {
                return table;
            }
            ply += 1;
        }
    }

    /// Plies to mate.
    pub fn plies(&self, side: Color, king: Square, piece: Square, lone: Square) -> Option<u8> {
        self.plies[index(side, king, piece, lone)]
    }

    /// How many placements with White to move are won in how many moves.
    pub fn histogram(&self) -> Vec<(u8, u64)> {
        let mut counts = std::collections::BTreeMap::new();
        for plies in self.plies[..self.plies.len() / 2].iter().flatten() {
            *counts.entry(plies.div_ceil(2)).or_insert(0) += 4;
        }
        counts.into_iter().collect()
    }

    /// The table entries after each move; `None` where the piece was taken or the game is drawn.
    fn successors(&self, board: &Board) -> Vec<Option<usize>> {
        let entry_after = |mv| {
            let mut child = *board;
            child.play(mv);
            let piece = child.pieces(Color::White, self.kind).first()?;
            let kings = Color::ALL.map(|color| child.king(color));
            Some(index(child.side_to_move(), kings[0], piece, kings[1]))
        };
        board.legal_moves().iter().map(entry_after).collect()
    }

    fn board(&self, index: usize) -> Option<Board> {
        let square = |shift: usize| Square::ALL[index >> shift & 63];
        let (king, piece, lone) = (square(12), square(6), square(0));
        let side = if index >> 18 == 0 { Color::White } else { Color::Black };
        let mut setup = Setup { side, ..Setup::empty() };
        for (color, kind, sq) in [
            (Color::White, PieceType::King, king),
            (Color::White, self.kind, piece),
            (Color::Black, PieceType::King, lone),
        ] {
            if setup.pieces[sq].replace(Piece::new(color, kind)).is_some() {
                return None;
            }
        }
        setup.to_board(false).ok()
    }
}

/// Where the white king stands after mirroring: a1 to d4.
const QUARTER: Bitboard = Bitboard(0x0F0F_0F0F);

/// The entry of a placement, mirrored so that the white king stands in its quarter.
fn index(side: Color, mut king: Square, mut piece: Square, mut lone: Square) -> usize {
    if king.file() as u8 >= 4 {
        (king, piece, lone) = (king.flip_file(), piece.flip_file(), lone.flip_file());
    }
    if king.rank() as u8 >= 4 {
        (king, piece, lone) = (king.flip_rank(), piece.flip_rank(), lone.flip_rank());
    }
    side.index() << 18 | king.index() << 12 | piece.index() << 6 | lone.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mates_are_the_known_ones() {
        for (kind, moves) in [(PieceType::Rook, 16), (PieceType::Queen, 10)] {
            assert_eq!(Table::solve(kind).histogram().last().unwrap().0, moves);
        }
    }
}
