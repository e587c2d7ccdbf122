//! What the tests share: programs built beside them and folders that clean up.

use std::path::{Path, PathBuf};

/// A folder for one test, removed at its end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

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

/// Waits until the number of processes with `text` in their command line is as it should be.
#[cfg(target_os = "linux")]
pub(crate) fn wait_for_processes(text: &str, is_right: fn(usize) -> bool) {
    for _ in 0..3000 {
        if is_right(processes_with(text)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} processes with {text}", processes_with(text));
}
