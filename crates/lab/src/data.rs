//! Training data: [`play`], [`label`], [`distil`] and [`nodes`] make it, by the values of a [`teacher`]
//! or our own, [`join`] joins parts of it, and [`balance`] chooses from it; [`import`] and [`foreign`] read what others made, [`record`] and [`positions`] keep it.
//! [`mod@error`] measures nets against it; [`book`] makes opening books.

pub mod balance;
pub mod book;
pub mod distil;
pub mod error;
pub mod foreign;
pub mod import;
pub mod join;
pub mod label;
pub mod nodes;
pub mod play;
pub mod positions;
pub mod record;
pub mod teacher;
