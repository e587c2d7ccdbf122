//! Nodes with one technique of the search switched off at a time.
//!
//! That needs tunables that can be set, which this program is built without: an example of the engine
//! counts, and `book/data/techniques.csv` keeps what it wrote. The count of the engine as it is can be
//! made here, too. If it is no longer the recorded one, search or net have changed since.

use crate::{default_searcher, root};
use anyhow::{Context, ensure};
use std::path::PathBuf;
use std::process::Command;
use tabiya_engine::Limits;
use tabiya_engine::bench::POSITIONS;

/// One line of the record.
pub struct Row {
    /// What is switched off.
    pub name: String,
    /// The tunables that do it; none in the first row.
    pub tunables: String,
    /// Nodes of all positions.
    pub nodes: u64,
}

/// What was recorded.
pub struct Record {
    /// Of all searches.
    pub depth: u32,
    /// The engine as it is, then the variants.
    pub rows: Vec<Row>,
}

fn path() -> PathBuf {
    root().join("book/data/techniques.csv")
}

/// Reads the record.
pub fn read() -> anyhow::Result<Record> {
    let text = std::fs::read_to_string(path()).context("book/data/techniques.csv")?;
    parse(&text).context("book/data/techniques.csv is not understood")
}

fn parse(text: &str) -> Option<Record> {
    let (head, lines) = text.split_once('\n')?;
    let depth = head.strip_prefix("# depth ")?.parse().ok()?;
    let row = |line: &str| {
        let mut cells = line.split(';');
        let (name, tunables) = (cells.next()?.to_owned(), cells.next()?.to_owned());
        Some(Row { name, tunables, nodes: cells.next()?.parse().ok()? })
    };
    let rows: Vec<Row> = lines.lines().map(row).collect::<Option<_>>()?;
    (!rows.is_empty()).then_some(Record { depth, rows })
}

/// Nodes of the engine as it is.
pub fn count(depth: u32) -> u64 {
    let mut searcher = default_searcher();
    let nodes = |fen: &&str| {
        searcher.new_game();
        let board = fen.parse().expect("the bench positions are legal");
        searcher.search(&board, &[], &Limits::depth(depth), |_| {}).nodes
    };
    POSITIONS.iter().map(nodes).sum()
}

/// Whether the record is that of another search or net.
pub fn is_stale() -> bool {
    !read().is_ok_and(|record| count(record.depth) == record.rows[0].nodes)
}

/// Counts everything again, with a build of the engine whose tunables can be set.
pub fn record() -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--locked", "--package", "tabiya-engine"])
        .args(["--features", "tune", "--example", "techniques"])
        .env_remove("EVALFILE")
        .current_dir(root())
        .output()
        .context("cargo")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "counting nodes failed:\n{errors}");
    let text = String::from_utf8(output.stdout).context("what the count wrote")?;
    ensure!(parse(&text).is_some(), "what the count wrote is not understood:\n{text}");
    std::fs::write(path(), text).context("book/data/techniques.csv")
}

/// The Elo that docs/EXPERIMENTS.md tells for these tunables.
pub fn elo(tunables: &str) -> Option<String> {
    let page = std::fs::read_to_string(root().join("docs/EXPERIMENTS.md")).ok()?;
    let cell = format!("| `{tunables}` |");
    let row = page.lines().find(|line| line.contains(&cell))?;
    row.trim_end_matches('|').rsplit('|').next().map(|elo| elo.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_or_refused() {
        let record = parse("# depth 7\nas it is;;100\nno x;x=0 y=0;250\n").unwrap();
        assert_eq!((record.depth, record.rows.len()), (7, 2));
        assert_eq!((record.rows[1].tunables.as_str(), record.rows[1].nodes), ("x=0 y=0", 250));
        assert!(parse("# depth 7\n").is_none());
        assert!(parse("# depth 7\nas it is;;many\n").is_none());
    }

    #[test]
    fn elo_is_found_by_its_tunables() {
        assert!(elo("rfp_limit=0").is_some_and(|elo| elo.contains("+/-")));
        assert_eq!(elo("rfp_limit=77"), None);
    }
}
