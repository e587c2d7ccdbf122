//! The subjects the book must treat, and its index of topics.

use crate::root;

/// A field of subjects with its name.
pub type Field = (String, Vec<String>);

/// The list of subjects, if it lies beside the project: a line per field, subjects between semicolons.
pub fn wanted() -> Option<Vec<Field>> {
    let text = std::fs::read_to_string(root().join("../shared/reference/topics.md")).ok()?;
    let fields = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (name, topics) = line.split_once(": ")?;
        let list: Vec<_> = topics.split(';').map(|topic| topic.trim().to_owned()).collect();
        (list.len() > 1).then(|| (name.to_owned(), list))
    });
    Some(fields.collect())
}

/// The rows of the book's index under the heading of a field.
pub fn rows<'a>(index: &'a str, field: &str) -> Vec<&'a str> {
    let heading = format!("## {field}");
    let section = index.lines().skip_while(|line| *line != heading).skip(1);
    section.take_while(|line| !line.starts_with("## ")).filter(|line| line.contains("](")).collect()
}

/// Whether one row names a subject: all its longer words.
pub fn names(row: &str, topic: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|letter: char| !letter.is_alphanumeric())
            .map(str::to_owned)
            .collect()
    };
    let there = words(row);
    words(topic).iter().filter(|word| word.len() > 3).all(|word| there.contains(word))
}

/// Subjects without a row in the index.
pub fn missing(index: &str, wanted: &[Field]) -> Vec<String> {
    let mut missing = Vec::new();
    for (field, topics) in wanted {
        let rows = rows(index, field);
        for topic in topics {
            if !rows.iter().any(|row| names(row, topic)) {
                missing.push(format!("{field}: {topic}"));
            }
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_needs_all_its_words_in_one_row() {
        let index =
            "## A\n\n| b | c |\n| --- | --- |\n| magic bitboards, PEXT | [x](y) |\n\n## D\n";
        let wanted =
            [("A".to_owned(), vec!["finding magics".to_owned(), "magic bitboards".to_owned()])];
        assert_eq!(missing(index, &wanted), ["A: finding magics"]);
    }
}
