//! The workshop of the book in `book/`: draws its figures from live data, fills in the numbers and
//! the code it quotes, and checks its links.
//!
//! `cargo run -p tabiya-book -- figures` brings everything up to date; `tests/book.rs` fails when something
//! is not.

pub mod chapters;
pub mod draw;
pub mod fill;
pub mod gates;
pub mod lesson;
pub mod links;
pub mod publish;
pub mod source;
pub mod techniques;
pub mod topics;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use tabiya_engine::Searcher;
use tabiya_engine::eval::Evaluation;

/// Everything the program writes for the book.
#[derive(Default)]
pub struct Output {
    /// Whole files, by their path in the project: figures, the pieces of the boards on the page.
    pub files: BTreeMap<String, String>,
    /// Numbers and words in a line of text, by name.
    pub facts: BTreeMap<String, String>,
    /// Whole tables, by name.
    pub tables: BTreeMap<String, String>,
}

impl Output {
    /// Adds a picture.
    pub fn figure(&mut self, name: &str, svg: String) {
        self.files.insert(format!("book/src/figures/{name}.svg"), svg);
    }

    /// Adds a number or word.
    pub fn fact<T: Display>(&mut self, name: &str, value: T) {
        self.facts.insert(name.to_owned(), value.to_string());
    }

    /// Adds a table: its first row is the heading.
    pub fn table(&mut self, name: &str, rows: &[Vec<String>]) {
        let mut lines = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            lines.push(format!("| {} |\n", row.join(" | ")));
            if index == 0 {
                lines.push(format!("|{}\n", " --- |".repeat(row.len())));
            }
        }
        self.tables.insert(name.to_owned(), lines.concat());
    }
}

/// The folder of the project.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The net that the project embeds, or the classical terms if it has none. What the book says of it holds
/// whatever this program was built with: `EVALFILE` chooses what is embedded, not what the default is.
pub fn default_evaluation() -> Evaluation {
    let path = root().join("nets/default.nnue");
    if !path.exists() {
        return Evaluation::Classical;
    }
    Evaluation::from_file(&path).expect("the default net can be read")
}

/// The engine as it is, with the net of [`default_evaluation`] and 16 MB of hash table.
pub fn default_searcher() -> Searcher {
    let mut searcher = Searcher::new(16).expect("16 MB are there");
    searcher.set_evaluation(&default_evaluation());
    searcher
}

/// The folder of the chapters.
pub fn chapters_folder() -> PathBuf {
    root().join("book/src")
}

/// All chapters, by file name.
pub fn read_chapters() -> std::io::Result<BTreeMap<String, String>> {
    let mut chapters = BTreeMap::new();
    for entry in std::fs::read_dir(chapters_folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md")
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            chapters.insert(name.to_owned(), std::fs::read_to_string(&path)?);
        }
    }
    Ok(chapters)
}
