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

/// The text with every call of a tunable replaced by its value. What only serves such calls is left out: a
/// short name for all tunables, and the question whether a rule that is on is switched on.
fn with_numbers(text: &str) -> String {
    let lines = text.lines().filter(|line| line.trim() != "let params = &self.params;");
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    for spec in Params::ALL {
        let call = format!("self.params.{}()", spec.name);
        if spec.default > 0
            && let Some((before, after)) = text.split_once(&format!("{call} > 0"))
            && let Some(rest) = after.trim_start().strip_prefix("&& ")
        {
            text = format!("{before}{rest}");
        }
        for call in [call.as_str(), call.trim_start_matches("self.")] {
            text = text.replace(call, &spec.default.to_string());
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

    #[test]
    fn switches_that_are_on_are_not_quoted() {
        let text = "if self.params.see_pruning() > 0\n    && a\n{ … }\n";
        assert_eq!(with_numbers(text), "if a\n{ … }\n");
        let text = "let x = {\n    let params = &self.params;\n    params.nmp_depth()\n};\n";
        assert!(!with_numbers(text).contains("params"));
    }
}
