//! `cargo run -p tabiya-book -- figures` brings the book up to date, `-- check` says what is stale,
//! `-- facts` lists the names that a chapter can use.

use anyhow::{Context, bail};
use std::process::ExitCode;
use tabiya_book::{chapters, chapters_folder, fill, links, read_chapters};

fn main() -> anyhow::Result<ExitCode> {
    let write = match std::env::args().nth(1).as_deref() {
        Some("figures") => true,
        Some("check") => false,
        Some("facts") => {
            list();
            return Ok(ExitCode::SUCCESS);
        }
        _ => bail!("usage: tabiya-book figures | check | facts"),
    };
    let output = chapters::all();
    let mut stale = Vec::new();
    let figures = chapters_folder().join("figures");
    std::fs::create_dir_all(&figures).with_context(|| figures.display().to_string())?;
    for (name, svg) in &output.figures {
        let path = figures.join(name);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == *svg) {
            continue;
        }
        stale.push(format!("figures/{name}"));
        if write {
            std::fs::write(&path, svg).with_context(|| path.display().to_string())?;
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

fn list() {
    let output = chapters::all();
    for (name, value) in &output.facts {
        println!("{name} = {value}");
    }
    for (name, table) in &output.tables {
        println!("\ntable {name}\n{table}");
    }
}
