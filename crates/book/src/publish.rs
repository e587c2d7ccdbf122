//! The last step to HTML: links that leave the book lead to the repository, all others to what is there.
//!
//! In the Markdown they are paths of the project, as a forge and an editor follow them. A page that is
//! read elsewhere needs addresses, and can say the line where a function begins.

use crate::{root, source};
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;

const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");
/// From the chapters to the project.
const UP: &str = "../../";

/// Rewrites the pages of a folder and says which links are dead.
pub fn publish(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "html")
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            pages.insert(name.to_owned(), std::fs::read_to_string(&path)?);
        }
    }
    let mut dead = Vec::new();
    for (name, text) in &pages {
        let new = rewrite(text, |target| {
            if let Some(address) = address(target) {
                address.unwrap_or_else(|reason| {
                    dead.push(format!("{name}: {reason}"));
                    target.to_owned()
                })
            } else {
                dead.extend(problem(folder, &pages, name, target));
                target.to_owned()
            }
        });
        if new != *text {
            std::fs::write(folder.join(name), new).with_context(|| name.clone())?;
        }
    }
    Ok(dead)
}

/// The text with every target of a link replaced.
fn rewrite(text: &str, mut target: impl FnMut(&str) -> String) -> String {
    const START: &str = "href=\"";
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(START).map(|at| at + START.len()) {
        let Some(length) = rest[start..].find('"') else { break };
        result += &rest[..start];
        result += &target(&rest[start..start + length]);
        rest = &rest[start + length..];
    }
    result + rest
}

/// The address of a file of the project, if that is what a link leads to. `mdBook` takes every `.md`
/// for a page of its own, so that its ending has to be put back.
fn address(target: &str) -> Option<Result<String, String>> {
    let path = target.strip_prefix(UP)?;
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let path = match path.strip_suffix(".html") {
        Some(stem) => format!("{stem}.md"),
        None => path.to_owned(),
    };
    let file = root().join(&path);
    if !file.exists() {
        return Some(Err(format!("{path} does not exist")));
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let end = match fragment {
        "" => String::new(),
        part if file.extension().is_some_and(|extension| extension == "md") => format!("#{part}"),
        item => match source::line_of(&text, item) {
            Some(line) => format!("#L{line}"),
            None => return Some(Err(format!("{path} has no item '{item}'"))),
        },
    };
    Some(Ok(format!("{REPOSITORY}{path}{end}")))
}

/// What is wrong with a link inside the folder.
fn problem(
    folder: &Path,
    pages: &BTreeMap<String, String>,
    from: &str,
    target: &str,
) -> Option<String> {
    // The page for missing pages does not know where it is shown.
    if target.contains(':') || target.is_empty() || from == "404.html" {
        return None;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { from } else { path };
    if !folder.join(path).exists() {
        return Some(format!("{from}: {target}: no such file"));
    }
    let has = |id: &str| pages.get(path).is_none_or(|text| text.contains(&format!("id=\"{id}\"")));
    (!fragment.is_empty() && !has(fragment)).then(|| format!("{from}: {target}: no such heading"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_lead_to_the_repository() {
        let readme = address("../../README.html#install").unwrap().unwrap();
        assert_eq!(readme, format!("{REPOSITORY}README.md#install"));
        let item = address("../../crates/chess/src/bitboard.rs#Bitboard").unwrap().unwrap();
        assert!(item.contains("/crates/chess/src/bitboard.rs#L"), "{item}");
        assert!(address("../../docs/NOTHING.html").unwrap().is_err());
        assert!(address("../../crates/chess/src/bitboard.rs#Nothing").unwrap().is_err());
        assert_eq!(address("05-search.html"), None);
    }

    #[test]
    fn only_targets_are_replaced() {
        let text = "<a href=\"x\">x</a> href <a class=\"y\" href=\"z\">z</a>";
        let new = rewrite(text, str::to_uppercase);
        assert_eq!(new, "<a href=\"X\">x</a> href <a class=\"y\" href=\"Z\">z</a>");
    }
}
