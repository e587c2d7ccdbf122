//! Writing new defaults into the source of the tunables.

use super::state::Change;
use std::ops::Range;

/// The line that opens the list of tunables.
const OPENING: &str = "params! {";

/// Why the text cannot be edited.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    /// There is no list of tunables.
    #[error("no list of tunables (`{OPENING}` … `}}`)")]
    NoList,
    /// A tunable has no row of the expected form, or several.
    #[error("{name}: expected one row `{name}: default, ...`, found {found}")]
    Row {
        /// Its name.
        name: &'static str,
        /// How many rows there are.
        found: usize,
    },
    /// A row has another default than this program was built with.
    #[error("{name}: the row says {found} but this program was built with {expected}")]
    Default {
        /// The tunable.
        name: &'static str,
        /// What the row says.
        found: String,
        /// What the program says.
        expected: i32,
    },
}

/// The text with the defaults of the changed tunables replaced and everything else as it was.
pub fn replace_defaults(text: &str, changes: &[Change]) -> Result<String, SourceError> {
    let list = list(text).ok_or(SourceError::NoList)?;
    let mut edits: Vec<(Range<usize>, i32)> = Vec::new();
    for change in changes {
        let place = default_place(text, &list, change.name)?;
        let found = &text[place.clone()];
        if found.parse() != Ok(change.old) {
            let (name, found, expected) = (change.name, found.to_string(), change.old);
            return Err(SourceError::Default { name, found, expected });
        }
        edits.push((place, change.new_value()));
    }
    edits.sort_by_key(|(place, _)| place.start);
    let mut edited = String::with_capacity(text.len());
    let mut copied = 0;
    for (place, value) in edits {
        edited.push_str(&text[copied..place.start]);
        edited.push_str(&value.to_string());
        copied = place.end;
    }
    edited.push_str(&text[copied..]);
    Ok(edited)
}

/// Where the rows are.
fn list(text: &str) -> Option<Range<usize>> {
    let is_start = |&(at, _): &(usize, &str)| at == 0 || text[..at].ends_with('\n');
    let (at, _) = text.match_indices(OPENING).find(is_start)?;
    let start = at + OPENING.len();
    let end = start + text[start..].find("\n}")?;
    Some(start..end)
}

/// Where the default of a tunable is: between the colon after its name and the next comma.
fn default_place(
    text: &str,
    list: &Range<usize>,
    name: &'static str,
) -> Result<Range<usize>, SourceError> {
    let mut places = Vec::new();
    let mut start = list.start;
    for line in text[list.clone()].split_inclusive('\n') {
        let row = line.trim_start();
        let rest = row.strip_prefix(name).and_then(|rest| rest.strip_prefix(':'));
        if let Some((default, _)) = rest.and_then(|rest| rest.split_once(',')) {
            let indent = line.len() - row.len();
            let blanks = default.len() - default.trim_start().len();
            let from = start + indent + name.len() + 1 + blanks;
            places.push(from..from + default.trim().len());
        }
        start += line.len();
    }
    match places.as_slice() {
        [place] => Ok(place.clone()),
        _ => Err(SourceError::Row { name, found: places.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_engine::Params;

    const TEXT: &str = "\
macro_rules! params { () => {} }
params! {
    lmr_base: 860, 0..=2048, step 60; // lmr_pv: 5, not a row

    lmr_base_extra: 1, 0..=2, step 1;
    nmp_margin:  -20 , -100..=200, step 12;
}
lmr_base: 860, 0..=2048, step 60;
";

    fn change(name: &'static str, old: i32, value: f64) -> Change {
        Change { name, old, value, steps: 0.0 }
    }

    #[test]
    fn only_the_numbers_change() {
        let changes = [change("nmp_margin", -20, 7.4), change("lmr_base", 860, -1.6)];
        let expected = TEXT.replacen("lmr_base: 860", "lmr_base: -2", 1).replacen(
            "nmp_margin:  -20 ,",
            "nmp_margin:  7 ,",
            1,
        );
        assert_eq!(replace_defaults(TEXT, &changes).unwrap(), expected);
        assert_eq!(replace_defaults(TEXT, &[]).unwrap(), TEXT);
    }

    #[test]
    fn doubtful_files_are_left_alone() {
        let refused = |text: &str, changes: &[Change]| replace_defaults(text, changes).unwrap_err();
        assert_eq!(refused("params", &[]), SourceError::NoList);
        assert_eq!(
            refused(TEXT, &[change("lmr_pv", 5, 6.0)]),
            SourceError::Row { name: "lmr_pv", found: 0 }
        );
        let twice = TEXT.replace("lmr_base_extra", "lmr_base");
        assert_eq!(
            refused(&twice, &[change("lmr_base", 860, 1.0)]),
            SourceError::Row { name: "lmr_base", found: 2 }
        );
        assert_eq!(
            refused(TEXT, &[change("lmr_base", 850, 1.0)]).to_string(),
            "lmr_base: the row says 860 but this program was built with 850"
        );
    }

    #[test]
    fn the_engine_is_built_with_a_file_of_this_form() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/search/params.rs");
        let text = std::fs::read_to_string(path).unwrap();
        let changes = |offset: i32| -> Vec<Change> {
            let moved = |p: &tabiya_engine::ParamSpec| (p.name, p.default, p.default + offset);
            let params = Params::ALL.iter().map(moved);
            params.map(|(name, old, new)| change(name, old, f64::from(new))).collect()
        };
        assert_eq!(replace_defaults(&text, &changes(0)).unwrap(), text);
        let edited = replace_defaults(&text, &changes(1)).unwrap();
        let lines = text.lines().zip(edited.lines()).filter(|(old, new)| old != new);
        assert_eq!(lines.count(), Params::ALL.len());
    }
}
