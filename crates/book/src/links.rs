//! Links of the book: to its own chapters and headings, to figures, to files and items of the project.

use crate::{chapters_folder, source};
use std::collections::BTreeMap;

/// All links of a text as (words, target), without those inside code.
pub fn links(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let mut rest = line;
        while let Some(middle) = rest.find("](") {
            let words = rest[..middle].rfind('[').map_or("", |start| &rest[start + 1..middle]);
            let Some(length) = rest[middle..].find(')') else { break };
            found.push((words.to_owned(), rest[middle + 2..middle + length].to_owned()));
            rest = &rest[middle + length..];
        }
    }
    found
}

/// The anchor of a heading as forges and `mdBook` make it.
pub fn anchor(heading: &str) -> String {
    let heading = heading.trim().to_lowercase();
    let kept = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => Some(letter),
        _ => None,
    });
    kept.collect()
}

fn anchors(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// What is wrong with the links of all chapters.
pub fn dead(chapters: &BTreeMap<String, String>) -> Vec<String> {
    let mut errors = Vec::new();
    for (name, text) in chapters {
        for (words, target) in links(text) {
            if let Some(reason) = problem(chapters, name, &target) {
                errors.push(format!("{name}: [{words}]({target}): {reason}"));
            }
        }
    }
    errors
}

fn problem(chapters: &BTreeMap<String, String>, from: &str, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (path, fragment) =
        target.split_once('#').map_or((target, None), |(path, part)| (path, Some(part)));
    let path = if path.is_empty() { from } else { path };
    if let Some(text) = chapters.get(path) {
        let fragment = fragment?;
        return (!anchors(text).iter().any(|anchor| anchor == fragment))
            .then(|| format!("no heading '{fragment}'"));
    }
    let file = chapters_folder().join(path);
    if !file.exists() {
        return Some("no such file".to_owned());
    }
    let fragment = fragment?;
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let found = if file.extension().is_some_and(|extension| extension == "md") {
        anchors(&text).iter().any(|anchor| anchor == fragment)
    } else {
        source::line_of(&text, fragment).is_some()
    };
    (!found).then(|| format!("the file has no item '{fragment}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "a [b](c.md#d) and [`e`](../f.rs)\n```\n[no](x)\n```\n![p](figures/q.svg)";
        let targets: Vec<_> = links(text).into_iter().map(|link| link.1).collect();
        assert_eq!(targets, ["c.md#d", "../f.rs", "figures/q.svg"]);
    }

    #[test]
    fn anchors_are_those_of_a_forge() {
        assert_eq!(anchor(" Why XOR? The `key` of a move"), "why-xor-the-key-of-a-move");
    }
}
