//! The commands of the program as people and scripts use them. UCI has tests of its own.

mod arena;
mod book;
mod commands;
#[cfg(feature = "lab")]
mod common;
#[path = "../../../chess/tests/common/data.rs"]
mod data;
mod datagen;
mod examples;
mod learn;
mod manual;
mod parts;
mod python_chess;
mod screen;
mod scripts;
mod serve;
mod terminal;
mod train;
mod tune;
