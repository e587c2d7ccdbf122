//! The lab's long jobs from outside: matches, training data, nets, analysis; also killed and with faulty
//! programs.

mod annotate;
mod common;
#[path = "../../../chess/tests/common/data.rs"]
mod data;
mod datagen;
mod faults;
mod foreign;
mod material;
mod records;
mod resume;
