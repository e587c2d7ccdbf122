//! Test data that lives beside the project.

/// The text of a data file. Without the data folder the caller skips its test, unless `CI=true`.
pub(crate) fn read(path: &str) -> Option<String> {
    read_bytes(path).map(|bytes| String::from_utf8(bytes).expect("a text file"))
}

/// The content of a data file, skipped or missed like [`read`].
pub(crate) fn read_bytes(path: &str) -> Option<Vec<u8>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    match std::fs::read(format!("{root}/{path}")) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{path}: {error}");
            eprintln!("skipped: no test data {path} ({error})");
            None
        }
    }
}
