//! `cargo run -p tabiya-book -- figures` brings the book up to date, `-- check` says what is stale,
//! `-- facts` lists the names that a chapter can use, `-- publish FOLDER` ends the making of the pages. Nodes without a technique are counted again if search
//! or net have changed since, or with `figures --count`.

use anyhow::{Context, bail};
use std::path::Path;
use std::process::ExitCode;
use tabiya_book::{
    chapters, chapters_folder, fill, links, publish, read_chapters, root, techniques,
};

fn main() -> anyhow::Result<ExitCode> {
    let write = match std::env::args().nth(1).as_deref() {
        Some("figures") => true,
        Some("check") => false,
        Some("publish") => return finish(&std::env::args().nth(2).context("which folder?")?),
        Some("facts") => {
            list();
            return Ok(ExitCode::SUCCESS);
        }
        _ => bail!("usage: tabiya-book figures [--count] | check | facts | publish FOLDER"),
    };
    let mut stale = Vec::new();
    if std::env::args().any(|arg| arg == "--count") || techniques::is_stale() {
        stale.push("book/data/techniques.csv".to_owned());
        if write {
            techniques::record()?;
        }
    }
    let output = chapters::all();
    for (name, content) in &output.files {
        let path = root().join(name);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == *content) {
            continue;
        }
        stale.push(name.clone());
        if write {
            std::fs::write(&path, content).with_context(|| path.display().to_string())?;
        }
    }
    let mut errors = Vec::new();
    let texts = read_chapters().context("book/src")?;
    for (name, text) in &texts {
        match fill::fill(text, &output) {
            Err(reasons) => {
                errors.extend(reasons.into_iter().map(|reason| format!("{name}: {reason}")));
            }
            Ok(filled) if filled == *text => {}
            Ok(filled) => {
                stale.push(name.clone());
                if write {
                    let path = chapters_folder().join(name);
                    std::fs::write(&path, filled).with_context(|| path.display().to_string())?;
                }
            }
        }
    }
    errors.extend(links::dead(&texts));
    let word = if write { "written" } else { "stale" };
    for name in &stale {
        println!("{word}: {name}");
    }
    for error in &errors {
        eprintln!("tabiya-book: {error}");
    }
    let failed = !errors.is_empty() || !write && !stale.is_empty();
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Leads the links of finished pages where they belong.
fn finish(folder: &str) -> anyhow::Result<ExitCode> {
    let dead = publish::publish(Path::new(folder))?;
    for link in &dead {
        eprintln!("tabiya-book: {link}");
    }
    Ok(if dead.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list() {
    let output = chapters::all();
    for (name, value) in &output.facts {
        println!("{name} = {value}");
    }
    for (name, table) in &output.tables {
        println!("\ntable {name}\n{table}");
    }
}
