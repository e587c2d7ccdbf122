//! How small the small engine is.

use super::row;
use crate::{Output, root};

const FILES: [(&str, &str); 5] = [
    ("evaluate.rs", "what a position is worth"),
    ("perft.rs", "counting moves"),
    ("table.rs", "the transposition table"),
    ("search.rs", "alpha-beta and everything in it"),
    ("main.rs", "the protocol, the clock, the thread"),
];

pub(super) fn write(out: &mut Output) {
    let mut rows = vec![row!["file", "lines of code", "what it does"]];
    let mut total = 0;
    for (name, what) in FILES {
        let path = root().join("crates/teaching/src").join(name);
        let text =
            std::fs::read_to_string(path).expect("the teaching crate is part of the project");
        let counts =
            |line: &&str| !["//", "use ", "mod "].iter().any(|word| line.starts_with(word));
        let lines =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).filter(counts).count();
        total += lines;
        rows.push(row![format!("`{name}`"), lines, what]);
    }
    rows.push(row!["together", total, ""]);
    out.table("small-files", &rows);
    out.fact("small.lines", total);
}
