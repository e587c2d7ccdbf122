//! Test data that lives beside the project. The tests of all crates share this file.
//!
//! `TABIYA_TEST_DATA` names its folder; what is there is then needed. Without the variable such tests
//! are skipped, and say so.
#![allow(dead_code, reason = "no test needs all of it")]

use std::io::Write;
use std::path::PathBuf;

/// A file or folder of the test data; `None` if the test is to be skipped.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("TABIYA_TEST_DATA").filter(|folder| !folder.is_empty())
    else {
        // Not by a macro, whose output a test that passes does not show.
        let _ = writeln!(std::io::stderr(), "skipped without TABIYA_TEST_DATA: {name}");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "no {} in TABIYA_TEST_DATA", path.display());
    Some(path)
}

/// The text of a data file.
pub(crate) fn read(name: &str) -> Option<String> {
    read_bytes(name).map(|bytes| String::from_utf8(bytes).expect("a text file"))
}

/// The content of a data file.
pub(crate) fn read_bytes(name: &str) -> Option<Vec<u8>> {
    let path = path(name)?;
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}
