//! Test data that lives beside the project.

/// The text of a data file. Without the data folder the caller skips its test, unless `CI=true`.
pub(crate) fn read(path: &str) -> Option<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    match std::fs::read_to_string(format!("{root}/{path}")) {
        Ok(text) => Some(text),
        Err(error) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{path}: {error}");
            eprintln!("skipped: no test data {path} ({error})");
            None
        }
    }
}
