//! The book is true: nothing in it is stale, every link leads somewhere, every topic has its place.

use std::collections::{BTreeMap, BTreeSet};
use tabiya_book::{
    chapters, chapters_folder, fill, gates, links, read_chapters, root, techniques, topics,
};
use tabiya_chess::{Board, START_FEN};

const HINT: &str = "run `cargo run -p tabiya-book -- figures`";

#[test]
fn figures_numbers_and_quotations_are_up_to_date() {
    let output = chapters::all();
    let mut errors = Vec::new();
    for (name, content) in &output.files {
        if std::fs::read_to_string(root().join(name)).unwrap_or_default() != *content {
            errors.push(format!("{name} is stale"));
        }
    }
    for (name, text) in read_chapters().unwrap() {
        match fill::fill(&text, &output) {
            Ok(filled) if filled == text => {}
            Ok(filled) => {
                let changed = filled.lines().zip(text.lines()).find(|(new, old)| new != old);
                errors.push(format!("{name} is stale: {changed:?}"));
            }
            Err(reasons) => {
                errors.extend(reasons.into_iter().map(|reason| format!("{name}: {reason}")));
            }
        }
    }
    assert!(errors.is_empty(), "{HINT}\n{}", errors.join("\n"));
}

#[test]
fn every_link_leads_to_a_file_a_heading_or_an_item() {
    let dead = links::dead(&read_chapters().unwrap());
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn every_chapter_is_in_the_summary_and_every_figure_is_shown() {
    let chapters = read_chapters().unwrap();
    let linked: BTreeSet<_> =
        links::links(&chapters["SUMMARY.md"]).into_iter().map(|link| link.1).collect();
    for name in chapters.keys().filter(|name| *name != "SUMMARY.md") {
        assert!(linked.contains(name), "{name} is not in SUMMARY.md");
    }
    let all: String = chapters.values().cloned().collect();
    for entry in std::fs::read_dir(chapters_folder().join("figures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(all.contains(&format!("(figures/{name})")), "figures/{name} is shown nowhere");
    }
}

#[test]
fn every_chapter_has_its_parts() {
    let parts = [
        "## The idea",
        "## On paper",
        "## In our code",
        "## Measured",
        "## Exercises",
        "## What others do",
    ];
    for (name, text) in read_chapters().unwrap() {
        if !name.starts_with(|letter: char| letter.is_ascii_digit()) {
            continue;
        }
        for part in parts {
            assert!(text.lines().any(|line| line.starts_with(part)), "{name} has no part '{part}'");
        }
        assert!(text.contains("<summary>Answers</summary>"), "{name} has no answers");
    }
}

/// Blocks that the page turns into boards (book/try-it.js).
#[test]
fn every_board_on_a_page_is_a_legal_game() {
    let mut count = 0;
    for (name, text) in read_chapters().unwrap() {
        for block in text.split("```fen\n").skip(1) {
            let mut lines = block.lines();
            let start = lines.next().unwrap();
            let fen = if start == "startpos" { START_FEN } else { start };
            let mut board: Board = fen.parse().unwrap_or_else(|_| panic!("{name}: {fen}"));
            let moves = lines.next().and_then(|line| line.strip_prefix("moves "));
            for text in moves.unwrap_or("").split_whitespace() {
                let mv = board.parse_uci(text).unwrap_or_else(|_| panic!("{name}: {text}"));
                board.play(mv);
            }
            count += 1;
        }
    }
    assert!(count > 3, "the boards were not found");
}

/// A line that begins with an HTML comment is no longer Markdown: what follows would be shown as it is.
#[test]
fn no_line_begins_with_a_mark() {
    for (name, text) in read_chapters().unwrap() {
        for line in text.lines() {
            let line = line.trim_start();
            let item = line.split_once(' ').filter(|(mark, _)| {
                let number = mark.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok());
                number || ["-", "*", ">"].contains(mark)
            });
            let start = item.map_or(line, |(_, rest)| rest);
            let begins = start.starts_with("<!--=") || start.starts_with("<!--@");
            assert!(!begins, "{name}: {line}");
        }
    }
}

#[test]
fn every_topic_has_a_place() {
    let Some(wanted) = topics::wanted() else {
        println!("skipped: no list of topics beside the project");
        return;
    };
    assert!(wanted.len() > 10, "the list of topics was not understood");
    let missing = topics::missing(&read_chapters().unwrap()["topics.md"], &wanted);
    assert!(missing.is_empty(), "not in the index of topics:\n{}", missing.join("\n"));
}

#[test]
fn nodes_without_a_technique_were_counted_with_this_search_and_net() {
    assert!(!techniques::is_stale(), "book/data/techniques.csv is stale: {HINT}");
}

/// The chapter about pruning promises the order of execution.
#[test]
fn gates_stand_in_the_order_of_the_source() {
    let text = &read_chapters().unwrap()["06-pruning.md"];
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    let marks = text.lines().filter_map(|line| line.strip_prefix("<!-- gate: "));
    let places: Vec<_> = marks.map(|mark| mark.trim_end_matches(" -->")).collect();
    assert!(places.len() > 10, "the gates were not found");
    for place in places {
        let (path, line) = gates::line_of(place).unwrap();
        let before = last.insert(path, line).unwrap_or(0);
        assert!(before < line, "{place} stands before the gate above it in the source");
    }
}

/// Code is quoted from files that are compiled, or tried by the reader's trial.
#[test]
fn all_code_comes_from_somewhere() {
    for (name, text) in read_chapters().unwrap() {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (index, _) in lines.iter().enumerate().filter(|(_, line)| **line == "```rust") {
            let mark = lines[..index].iter().rev().find(|line| !line.is_empty());
            let known = ["<!-- code: ", "<!-- gate: ", "<!-- answer: "];
            let tested = mark.is_some_and(|mark| known.iter().any(|start| mark.starts_with(start)));
            assert!(tested, "{name}, line {}: code without a source", index + 1);
        }
    }
}

/// Inside backticks a mark would be shown instead of hidden.
#[test]
fn no_mark_stands_inside_code() {
    for (name, text) in read_chapters().unwrap() {
        for line in text.lines() {
            let inside = line.split('`').skip(1).step_by(2);
            assert!(!inside.into_iter().any(|code| code.contains("<!--")), "{name}: {line}");
        }
    }
}

#[test]
fn the_pages_of_the_project_link_to_what_exists() {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        pages.push(entry.unwrap().path());
    }
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ext| ext == "md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for (_, target) in links::links(&text) {
            let path = target.split('#').next().unwrap_or_default();
            let local = !path.is_empty() && !path.contains(':');
            let there = page.parent().unwrap().join(path).exists();
            assert!(!local || there, "{}: {target} does not exist", page.display());
        }
    }
}
