//! The test data outside of the project.

use std::path::{Path, PathBuf};

/// A file or folder of the test data. A test without it is skipped, but not on the build server.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "no {}", path.display());
    eprintln!("skipped: no {}", path.display());
    None
}
