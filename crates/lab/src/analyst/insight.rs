//! What annotations, puzzles and explanations are made of: searches of single positions, chances to
//! win, material won and lost, and lines written for people.

mod chances;
mod material;
mod notation;
mod thinker;

pub use chances::{chances, game_accuracy, move_accuracy, win_percent};
pub use material::{Exchange, SettledLine, balance, settle};
pub use notation::positions;
pub use thinker::{Budget, BudgetError, Thinker, Thought};
