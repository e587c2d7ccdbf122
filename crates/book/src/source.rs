//! Code quoted from the project: a whole file, or one item of it.

use crate::root;

/// The text of `PATH` or of the item NAME in `PATH#NAME`.
pub fn quote(place: &str) -> Result<String, String> {
    let (path, item) =
        place.split_once('#').map_or((place, None), |(path, item)| (path, Some(item)));
    let text =
        std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    match item {
        None => Ok(text),
        Some(item) => find_item(&text, item).ok_or_else(|| format!("{path} has no item '{item}'")),
    }
}

/// The line where the item of this name begins, counted from 1.
pub fn line_of(text: &str, name: &str) -> Option<usize> {
    text.lines().position(|line| declares(line, name)).map(|index| index + 1)
}

/// Whether a line begins the declaration of `name`.
fn declares(line: &str, name: &str) -> bool {
    const KEYWORDS: [&str; 10] =
        ["fn", "struct", "enum", "trait", "const", "static", "mod", "type", "macro_rules!", "impl"];
    let line = line.trim_start();
    if line.starts_with("//") {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let declared = pair[1].split(['(', '<', ':', '{', ';', '=']).next().unwrap_or("");
        KEYWORDS.contains(&pair[0]) && declared == name
    })
}

/// The lines of an item from its declaration to the brace or semicolon that ends it, moved to the left.
fn find_item(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| declares(line, name))?;
    let indent = lines[start].len() - lines[start].trim_start().len();
    let ends = |line: &str| {
        let depth = line.len() - line.trim_start().len();
        let end = line.trim_end();
        depth == indent && (end.ends_with('}') || end.ends_with(';') || end.ends_with("];"))
    };
    let length = lines[start..].iter().position(|line| ends(line))?;
    let item: Vec<String> = lines[start..=start + length]
        .iter()
        .map(|line| line.get(indent..).unwrap_or("").to_owned())
        .collect();
    Some(item.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_whole() {
        let text = "use a;\n\nimpl B {\n    /// Doc.\n    pub fn c(&self) -> u8 {\n        if d {\n            1\n        } else {\n            2\n        }\n    }\n}\n";
        let item = find_item(text, "c").unwrap();
        assert!(item.starts_with("pub fn c(&self)") && item.ends_with("    }\n}\n"), "{item}");
        assert_eq!([line_of(text, "B"), line_of(text, "c")], [Some(3), Some(5)]);
        assert_eq!([line_of(text, "d"), line_of(text, "Doc")], [None, None]);
    }

    #[test]
    fn constants_of_one_line_are_found() {
        assert_eq!(
            find_item("const A: u8 = 1;\nconst B: u8 = 2;\n", "B").unwrap(),
            "const B: u8 = 2;\n"
        );
    }
}
