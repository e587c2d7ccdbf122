//! What the tests of the arena share: programs built beside them and folders that clean up.

mod folder;

pub(crate) use folder::Folder;
use std::path::{Path, PathBuf};

/// An example program of this package, which `cargo test` builds beside the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test knows where it is");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in target/PROFILE/deps");
    let path = folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is missing: run cargo test with --examples", path.display());
    path
}

/// Number of running processes with `text` in their command line.
#[cfg(target_os = "linux")]
pub(crate) fn processes_with(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").expect("procfs is mounted");
    entries
        .flatten()
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .filter(|cmdline| String::from_utf8_lossy(cmdline).contains(text))
        .count()
}
