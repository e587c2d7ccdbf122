//! Writing fitted weights as the source file the engine is built with.

use crate::work::files;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use tabiya_engine::eval::hce::{TERMS, Term};

/// Weights on a line of a longer list.
const PER_LINE: usize = 8;

/// The text of `weights.rs` with these values, rounded to whole centipawns.
pub(super) fn render(weights: &[[f64; 2]]) -> String {
    let mut text = format!(
        "//! The weights of the hand-crafted evaluation, written by `tabiya tune texel` (docs/EVAL.md).
//!
//! One entry for each term of `terms.rs`, in its order: `s(middlegame, endgame)`.

use super::score::Score;

const fn s(middlegame: i32, endgame: i32) -> Score {{
    Score::new(middlegame, endgame)
}}

#[rustfmt::skip]
pub(super) const VALUES: [(&str, &[Score]); {}] = [
",
        TERMS.len()
    );
    for term in &TERMS {
        text.push_str(&line(term, &weights[term.range()]));
    }
    text.push_str("];\n");
    text
}

fn line(term: &Term, weights: &[[f64; 2]]) -> String {
    let value = |[middlegame, endgame]: &[f64; 2]| format!("s({middlegame:.0}, {endgame:.0})");
    let list = |weights: &[[f64; 2]]| weights.iter().map(value).collect::<Vec<_>>().join(", ");
    // A rounded small negative number prints as -0.
    let list = |weights: &[[f64; 2]]| list(weights).replace("-0,", "0,").replace("-0)", "0)");
    if weights.len() <= PER_LINE {
        return format!("    (\"{}\", &[{}]),\n", term.name, list(weights));
    }
    let mut text = format!("    (\"{}\", &[\n", term.name);
    for row in weights.chunks(PER_LINE) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "        {},", list(row));
    }
    text.push_str("    ]),\n");
    text
}

/// Writes the weights file; the old one stays whole until the new one is complete.
pub fn write_weights(path: &Path, weights: &[[f64; 2]]) -> Result<(), OutputError> {
    files::replace(path, render(weights).as_bytes())
        .map_err(|error| OutputError { path: path.to_owned(), error })
}

/// The weights file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .path.display())]
pub struct OutputError {
    path: PathBuf,
    #[source]
    error: io::Error,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_engine::eval::hce::WEIGHT_COUNT;

    #[test]
    fn the_text_names_every_term_and_rounds_every_weight() {
        let text = render(&vec![[-0.2, 7.6]; WEIGHT_COUNT]);
        assert_eq!(text.matches("s(0, 8)").count(), WEIGHT_COUNT);
        for term in &TERMS {
            assert!(text.contains(&format!("(\"{}\", &[", term.name)), "{}", term.name);
        }
    }

    #[test]
    fn the_engine_is_built_with_a_file_of_this_form() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eval/hce/weights.rs");
        let current = crate::tune::texel::model::current_weights();
        assert_eq!(std::fs::read_to_string(source).expect("the weights file"), render(&current));
    }
}
