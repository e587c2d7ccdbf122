//! Which settings an unfinished run was begun with: the one way in which runs that can be resumed
//! compare theirs.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that decides what a run produces, by name and as text. A resumed run must have the same.
pub type RunSettings = BTreeMap<String, String>;

/// The first setting in which a run differs from the one it is to continue.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} was {recorded}, now {given}")]
pub struct OtherSetting {
    /// Its name.
    pub name: String,
    /// What it was when the run began.
    pub recorded: String,
    /// What it is now.
    pub given: String,
}

/// Compares the settings a run was begun with to those it is to be continued with.
pub(crate) fn compare(recorded: &RunSettings, given: &RunSettings) -> Result<(), OtherSetting> {
    let mut names = recorded.keys().chain(given.keys());
    let Some(name) = names.find(|&name| recorded.get(name) != given.get(name)) else {
        return Ok(());
    };
    let value =
        |settings: &RunSettings| settings.get(name).map_or("not set", String::as_str).into();
    Err(OtherSetting { name: name.clone(), recorded: value(recorded), given: value(given) })
}

/// The fields of a struct as settings: none can be forgotten.
pub(crate) fn fields(of: &impl Serialize) -> RunSettings {
    // By way of text, where a number with few digits has few: 0.003 and not 0.003000000026.
    let text = serde_json::to_string(of);
    match text.and_then(|text| serde_json::from_str(&text)) {
        Ok(Value::Object(fields)) => fields
            .into_iter()
            .map(|(name, value)| (name.replace('_', " "), value.to_string()))
            .collect(),
        other => RunSettings::from([("settings".to_owned(), format!("{other:?}"))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Example {
        batch_size: usize,
        rate: f32,
    }

    #[test]
    fn every_field_of_a_struct_is_compared() {
        let old = fields(&Example { batch_size: 64, rate: 0.003 });
        assert_eq!(compare(&old, &old), Ok(()));
        let other = fields(&Example { batch_size: 32, rate: 0.003 });
        let error = compare(&old, &other).unwrap_err();
        assert_eq!(error.to_string(), "batch size was 64, now 32");
        let error = compare(&old, &fields(&Example { batch_size: 64, rate: 0.001 })).unwrap_err();
        assert_eq!(error.to_string(), "rate was 0.003, now 0.001");
        let error = compare(&old, &RunSettings::new()).unwrap_err();
        assert_eq!(error.to_string(), "batch size was 64, now not set");
    }
}
