//! Conditions of the search as they stand in the source, with the numbers of the tunables filled in.

use crate::root;
use tabiya_engine::Params;

/// Where in a file the words of `PATH#words` begin: path and line.
pub fn line_of(place: &str) -> Result<(String, usize), String> {
    let (path, words) = place.split_once('#').ok_or_else(|| format!("'{place}' has no #"))?;
    let text =
        std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    start(&text, words)
        .map(|line| (path.to_owned(), line))
        .ok_or_else(|| format!("{path}: no line begins with '{words}'"))
}

/// The lines from the one that begins with `words` (behind `//`, if it is a comment) to the end of the
/// next condition: the head of an `if` that stands no deeper than they do.
pub fn quote(place: &str) -> Result<String, String> {
    let (path, line) = line_of(place)?;
    let text =
        std::fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
    condition(&text, line)
        .map(|lines| with_numbers(&lines))
        .ok_or_else(|| format!("{place}: no condition follows"))
}

fn start(text: &str, words: &str) -> Option<usize> {
    text.lines().position(|line| line.trim_start().trim_start_matches("// ").starts_with(words))
}

fn condition(text: &str, start: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().skip(start).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let indent = depth(lines.first()?);
    let head = lines
        .iter()
        .position(|line| depth(line) == indent && line.trim_start().starts_with("if "))?;
    let end = head + lines[head..].iter().position(|line| line.ends_with('{'))?;
    let mut quoted = String::new();
    for line in &lines[..=end] {
        quoted += line.get(indent..).unwrap_or("");
        quoted.push('\n');
    }
    Some(quoted.trim_end().to_owned() + " … }\n")
}

/// The text with every call of a tunable replaced by its value.
fn with_numbers(text: &str) -> String {
    let mut text = text.to_owned();
    for spec in Params::ALL {
        for owner in ["self.params.", "params."] {
            text = text.replace(&format!("{owner}{}()", spec.name), &spec.default.to_string());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_quoted_with_its_numbers() {
        let text = "{\n    // Some rule: why.\n    let m = if a {\n        1\n    };\n    \
                    if depth <= self.params.nmp_depth()\n        && m > 0\n    {\n        x();\n    }\n}\n";
        let quoted = condition(text, start(text, "Some rule").unwrap()).unwrap();
        let spec = Params::ALL.iter().find(|spec| spec.name == "nmp_depth").unwrap();
        assert_eq!(
            with_numbers(&quoted),
            format!(
                "// Some rule: why.\nlet m = if a {{\n    1\n}};\nif depth <= {}\n    && m > 0\n{{ … }}\n",
                spec.default
            )
        );
    }
}
