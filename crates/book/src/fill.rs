//! Marks in the text of the book, and what stands between them.
//!
//! Marks are HTML comments, so that the chapters read as plain Markdown everywhere:
//!
//! ```text
//! <!--=name-->72<!--/-->                       a fact; set as code if it was
//! <!--@docs/NETS.md-->+23 +/- 18<!--/-->       words that must stand in that file
//! <!-- table: name --> … <!-- end -->          a table
//! <!-- code: PATH#item --> … <!-- end -->      an item of a source file, or the whole file;
//!                                              `as FILE` behind it names the reader's file
//! <!-- gate: PATH#words --> … <!-- end -->     the condition after these words, with its numbers
//! ```

use crate::{Output, gates, root, source};

/// The text with everything between marks brought up to date.
pub fn fill(text: &str, output: &Output) -> Result<String, Vec<String>> {
    let mut errors = Vec::new();
    let text = blocks(text, output, &mut errors);
    let text = facts(&text, output, &mut errors);
    if errors.is_empty() { Ok(text) } else { Err(errors) }
}

const END: &str = "<!-- end -->";
const INLINE_END: &str = "<!--/-->";

fn blocks(text: &str, output: &Output, errors: &mut Vec<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = ["<!-- table: ", "<!-- code: ", "<!-- gate: "]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()
    {
        let Some(head_end) = rest[start..].find(" -->").map(|length| start + length) else { break };
        let head = &rest[start + "<!-- ".len()..head_end];
        let Some(end) = rest[head_end..].find(END).map(|length| head_end + length) else {
            errors.push(format!("'{head}' has no end"));
            break;
        };
        let content = match head.split_once(": ") {
            Some(("table", name)) => {
                output.tables.get(name).cloned().ok_or_else(|| format!("no table '{name}'"))
            }
            Some(("gate", place)) => {
                gates::quote(place).map(|gate| format!("```rust\n{gate}```\n"))
            }
            Some((_, place)) => {
                let place = place.split(" as ").next().unwrap_or(place);
                source::quote(place).map(|code| format!("```rust\n{code}```\n"))
            }
            None => Err(format!("'{head}' says nothing")),
        };
        result += &rest[..head_end + " -->".len()];
        match content {
            Ok(content) => result.extend(["\n\n", &content, "\n"]),
            Err(error) => errors.push(error),
        }
        result += END;
        rest = &rest[end + END.len()..];
    }
    result + rest
}

fn facts(text: &str, output: &Output, errors: &mut Vec<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = ["<!--=", "<!--@"].iter().filter_map(|mark| rest.find(mark)).min() {
        let body = start + "<!--=".len();
        let Some(name_end) = rest[body..].find("-->").map(|length| body + length) else { break };
        let name = &rest[body..name_end];
        let after = name_end + "-->".len();
        let Some(end) = rest[after..].find(INLINE_END).map(|length| after + length) else {
            errors.push(format!("fact '{name}' has no end"));
            break;
        };
        let old = &rest[after..end];
        result += &rest[..after];
        if rest[start..].starts_with("<!--=") {
            match output.facts.get(name) {
                Some(value) if old.starts_with('`') => result.extend(["`", value, "`"]),
                Some(value) => result += value,
                None => errors.push(format!("no fact '{name}'")),
            }
        } else {
            let quoted = std::fs::read_to_string(root().join(name)).unwrap_or_default();
            // Code of a source file has backticks here and none there.
            if !contains_words(&quoted, old) && !contains_words(&quoted, old.trim_matches('`')) {
                errors.push(format!("'{old}' does not stand in {name}"));
            }
            result += old;
        }
        result += INLINE_END;
        rest = &rest[end + INLINE_END.len()..];
    }
    result + rest
}

/// Whether a text holds these words, wherever its lines break.
fn contains_words(text: &str, words: &str) -> bool {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    !words.trim().is_empty() && flat(text).contains(&flat(words))
}

/// The parts of a chapter that a reader types: files to write and commands to run, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Write this text to this file.
    Write(String, String),
    /// Run these commands.
    Run(String),
    /// What the commands before print.
    Expect(String),
}

/// Reads the steps of a chapter: code blocks with `as FILE`, and blocks after `<!-- run -->` and
/// `<!-- prints -->`.
pub fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = text.lines();
    let fenced = |lines: &mut std::str::Lines| -> String {
        let mut body = String::new();
        let inside = lines.skip_while(|line| !line.starts_with("```")).skip(1);
        for line in inside.take_while(|line| !line.starts_with("```")) {
            body += line;
            body.push('\n');
        }
        body
    };
    while let Some(line) = lines.next() {
        let mark = line.trim().strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
        match mark {
            Some("run") => steps.push(Step::Run(fenced(&mut lines))),
            Some("prints") => steps.push(Step::Expect(fenced(&mut lines))),
            Some(mark) if mark.starts_with("code: ") => {
                if let Some((_, file)) = mark.split_once(" as ") {
                    steps.push(Step::Write(file.to_owned(), fenced(&mut lines)));
                }
            }
            _ => {}
        }
    }
    steps
}

/// Where the code of an answer belongs in the reader's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before a line.
    Before,
    /// After a line.
    After,
    /// Instead of a line, or of the whole block that it opens.
    Instead,
}

/// Code of an answer to an exercise.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where it belongs, seen from a line of the file.
    pub place: Place,
    /// How that line begins.
    pub line: String,
    /// The code.
    pub code: String,
}

impl Answer {
    /// A file with the answer in its place.
    pub fn insert_into(&self, text: &str) -> Option<String> {
        let mut lines: Vec<&str> = text.lines().collect();
        let first = lines.iter().position(|line| line.trim_start().starts_with(&self.line))?;
        let replaced = match self.place {
            Place::Before => first..first,
            Place::After => first + 1..first + 1,
            Place::Instead => first..first + block(&lines[first..])?,
        };
        lines.splice(replaced, [self.code.trim_end()]);
        Some(lines.join("\n") + "\n")
    }
}

/// How many lines belong to the first one: all until its brace is closed.
fn block(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?;
    if !first.ends_with('{') {
        return Some(1);
    }
    let indent = first.len() - first.trim_start().len();
    let closing = format!("{}}}", &first[..indent]);
    lines.iter().position(|line| line.starts_with(&closing)).map(|last| last + 1)
}

/// Reads the blocks after `<!-- answer: before WORDS -->`, `after WORDS` or `instead of WORDS`.
pub fn answers(text: &str) -> Vec<Answer> {
    let places =
        [("before ", Place::Before), ("after ", Place::After), ("instead of ", Place::Instead)];
    let mut answers = Vec::new();
    for part in text.split("<!-- answer: ").skip(1) {
        let Some((mark, rest)) = part.split_once(" -->") else { continue };
        let Some((place, line)) = places
            .iter()
            .find_map(|(word, place)| Some((*place, mark.strip_prefix(word)?.to_owned())))
        else {
            continue;
        };
        let inside = rest.split("```").nth(1).unwrap_or_default();
        let code = inside.split_once('\n').map_or("", |(_, code)| code).to_owned();
        answers.push(Answer { place, line, code });
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> Output {
        let mut output = Output::default();
        output.fact("answer", 42);
        output.table("t", &[vec!["a".into()], vec!["1".into()]]);
        output
    }

    #[test]
    fn stale_facts_and_tables_are_replaced() {
        let text = "x <!--=answer-->41<!--/--> y\n<!-- table: t -->\nold\n<!-- end -->\nz";
        let filled = fill(text, &output()).unwrap();
        assert_eq!(
            filled,
            "x <!--=answer-->42<!--/--> y\n<!-- table: t -->\n\n| a |\n| --- |\n| 1 |\n\n<!-- end -->\nz"
        );
        assert_eq!(fill(&filled, &output()).unwrap(), filled);
    }

    #[test]
    fn facts_set_as_code_stay_code() {
        let text = "<!--=answer-->`41`<!--/-->";
        assert_eq!(fill(text, &output()).unwrap(), "<!--=answer-->`42`<!--/-->");
    }

    #[test]
    fn unknown_names_and_wrong_quotes_are_errors() {
        let text = "<!--=nothing-->1<!--/--> <!--@README.md-->no such words here<!--/-->";
        assert_eq!(fill(text, &output()).unwrap_err().len(), 2);
    }

    #[test]
    fn steps_are_read_in_order() {
        let text = "<!-- run -->\n\n```sh\nls\n```\n\n<!-- prints -->\n```text\na\n```\n\
                    <!-- code: x.rs as src/x.rs -->\n\n```rust\nfn x() {}\n```\n\n<!-- end -->\n";
        assert_eq!(
            steps(text),
            [
                Step::Run("ls\n".into()),
                Step::Expect("a\n".into()),
                Step::Write("src/x.rs".into(), "fn x() {}\n".into())
            ]
        );
    }

    #[test]
    fn answers_find_their_place() {
        let text = "1. So:\n\n   <!-- answer: after b(); -->\n   ```rust\n   x();\n   ```\n";
        let answers = answers(text);
        assert_eq!(answers.len(), 1);
        assert_eq!(
            answers[0].insert_into("a();\n  b();\nc();\n").unwrap(),
            "a();\n  b();\n   x();\nc();\n"
        );
        assert_eq!(answers[0].insert_into("a();\n"), None);
        let block = Answer { place: Place::Instead, line: "b".into(), code: "x();\n".into() };
        assert_eq!(
            block.insert_into("a();\nb {\n  {\n  }\n}\nc();\n").unwrap(),
            "a();\nx();\nc();\n"
        );
        assert_eq!(block.insert_into("a();\nb();\nc();\n").unwrap(), "a();\nx();\nc();\n");
    }
}
