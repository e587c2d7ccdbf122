//! A line of play with all its positions.

use tabiya_chess::{Board, Color, Move, PieceType, Square};

/// A position and the moves that follow; the side to move is the solver.
#[derive(Clone, Debug)]
pub struct PlayedLine {
    /// The opponent's move before, with the position before that.
    pub(crate) before: Option<(Board, Move)>,
    /// The positions before each move, and the one at the end.
    pub(crate) boards: Vec<Board>,
    /// The moves.
    pub(crate) moves: Vec<Move>,
}

impl PlayedLine {
    /// A line without history. The moves must be legal.
    pub fn new(board: &Board, moves: &[Move]) -> Self {
        let mut boards = vec![*board];
        let mut current = *board;
        for mv in moves {
            current.play(*mv);
            boards.push(current);
        }
        Self { before: None, boards, moves: moves.to_vec() }
    }

    /// A line after a move of the opponent.
    pub fn after(before: &Board, first: Move, moves: &[Move]) -> Self {
        let mut board = *before;
        board.play(first);
        Self { before: Some((*before, first)), ..Self::new(&board, moves) }
    }

    /// The position at the end.
    pub fn end(&self) -> &Board {
        &self.boards[self.moves.len()]
    }

    /// Whose patterns are looked for.
    pub(crate) fn solver(&self) -> Color {
        self.boards[0].side_to_move()
    }

    /// Indices of the solver's moves.
    pub(crate) fn solver_plies(&self) -> impl Iterator<Item = usize> {
        (0..self.moves.len()).step_by(2)
    }

    /// Indices of the solver's moves but the first: those that have an answer before them.
    pub(crate) fn later_plies(&self) -> impl Iterator<Item = usize> {
        (2..self.moves.len()).step_by(2)
    }

    /// The type of the piece that makes a move, before a promotion.
    pub(crate) fn mover(&self, ply: usize) -> PieceType {
        let piece = self.boards[ply].piece_on(self.moves[ply].from());
        piece.map_or(PieceType::Pawn, tabiya_chess::Piece::kind)
    }

    /// What a move takes.
    pub(crate) fn taken(&self, ply: usize) -> Option<PieceType> {
        self.boards[ply].captured(self.moves[ply])
    }

    /// Where a move goes.
    pub(crate) fn to(&self, ply: usize) -> Square {
        Board::landing_square(self.moves[ply])
    }

    /// Where a move comes from.
    pub(crate) fn from(&self, ply: usize) -> Square {
        self.moves[ply].from()
    }
}
