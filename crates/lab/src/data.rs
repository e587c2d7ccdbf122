//! Training data: [`play`], [`label`] and [`distil`] make it (by a [`teacher`]), [`import`] and [`foreign`] read what others
//! made, [`record`] and [`positions`] keep it. [`book`] makes opening books.

pub mod book;
pub mod distil;
pub mod foreign;
pub mod import;
pub mod label;
pub mod play;
pub mod positions;
pub mod record;
pub mod teacher;
