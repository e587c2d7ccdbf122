//! What annotations, puzzles and explanations are made of: searches of single positions, chances to
//! win, material won and lost, and lines written for people.

mod chances;
mod material;
mod notation;
mod quiet;
mod thinker;

pub use chances::{chances, game_accuracy, is_drawn, move_accuracy, win_chance, win_percent};
pub use material::{Exchange, SettledLine, balance, countable_points, settle, worth};
#[cfg(test)]
pub(crate) use notation::parse_line;
pub use notation::{end_of, positions};
pub use quiet::{capture_gain, is_quiet, tension};
pub use thinker::{Budget, BudgetError, Thinker, Thought};
