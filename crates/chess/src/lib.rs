//! The rules of chess.
//!
//! Start from a [`Board`]: it reads FEN, lists legal moves, plays them and writes them in every
//! notation. It is small and `Copy`, so trying a move means playing it on a copy.
//!
//! ```
//! use tabiya_chess::{Board, Square};
//! let mut board = Board::default();
//! for text in ["e4", "e5", "Nf3", "Nc6", "Bb5"] {
//!     let mv = board.parse_san(text)?;
//!     board.play(mv);
//! }
//! assert!(board.legal_moves().iter().any(|mv| board.san(mv) == "a6"));
//! assert_eq!(board.piece_on(Square::B5).unwrap().to_string(), "white bishop");
//! # Ok::<(), tabiya_chess::SanError>(())
//! ```
//!
//! Chess960 works throughout: read with `chess960` set, castle by taking the own rook.
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
