//! The policy network: a small transformer with ternary weights ("1.58 bits") that proposes moves.
//!
//! One token is one position; earlier plies of the game are earlier tokens. `quant` says what a
//! ternary weight and an 8-bit activation are, and is shared with the trainer. `config` is the shape
//! of a net, `gguf` the file format, `weights` the numbers between the two.
//!
//! Unlike the evaluation, the forward pass has floating point between its integer products. Every
//! float sum has one fixed order and nothing is fused, so that all machines still agree on every bit.

pub mod config;
mod error;
pub mod gguf;
pub mod input;
pub mod quant;
#[cfg(test)]
mod testing;
mod token;
pub mod vocab;
pub mod weights;

pub use config::Config;
pub use error::PolicyError;
pub use token::Token;
pub use weights::Weights;
