//! Running the program in a folder, for tests of its commands.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, removed at its end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program with the words of a line as its arguments.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command.args(line.split_ascii_whitespace()).current_dir(self.path());
        command
    }

    fn output(&self, line: &str) -> Output {
        self.command(line).output().expect("the program runs")
    }

    /// What the program writes to standard output when all goes well.
    pub(crate) fn succeed(&self, line: &str) -> String {
        let output = self.output(line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What the program writes to standard error when it refuses.
    pub(crate) fn refuse(&self, line: &str) -> String {
        let output = self.output(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
