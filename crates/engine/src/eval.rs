//! Static evaluation of positions.

pub mod hce;
