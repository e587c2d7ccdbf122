//! Small programs that the chapters learn from: each does one thing, and can be counted.

pub mod counting;
pub mod endgame;
pub mod keys;
pub mod magic;
pub mod neural;
pub mod toy_tree;
