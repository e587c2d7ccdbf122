//! The laboratory: everything that measures the engine and makes it stronger.
//!
//! [`tune`] fits the engine's numbers to data.

pub mod tune;
