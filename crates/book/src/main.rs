//! Draws the figures of the book, fills in its numbers and checks its links.
fn main() {}
