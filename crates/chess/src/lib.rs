#![doc = include_str!("../README.md")]

mod bitboard;
mod board;
mod epd;
mod fen;
mod game;
mod moves;
mod polyglot;
mod san;
mod types;
mod uci;
mod zobrist;

pub mod attacks;
pub mod openings;
pub mod perft;
pub mod pgn;
pub mod repetition;

pub use bitboard::{Bitboard, Squares};
pub use board::setup::{CastlingClaim, Setup, SetupError};
pub use board::{Board, CastlingSide, Generate, IllegalMove, MoveSink};
pub use epd::{Epd, EpdError, Operand};
pub use fen::{FenError, START_FEN};
pub use game::{EndReason, Game, GameResult, Outcome};
pub use moves::{Move, MoveKind, MoveList};
pub use san::SanError;
pub use types::{Color, File, Piece, PieceType, Rank, Square};
pub use uci::UciMoveError;
