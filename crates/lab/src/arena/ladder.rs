//! The ladder: well-known engines that a system may have installed, as opponents for a quick check.

use super::spec::{EngineSpec, Program, SpecError};
use std::path::{Path, PathBuf};

/// A program's name, its kind and the arguments it needs.
type Known = (&'static str, fn(Vec<String>) -> Program, &'static [&'static str]);

/// Strongest first.
const KNOWN: [Known; 6] = [
    ("stockfish", Program::Command, &[]),
    ("ethereal-chess", Program::Command, &[]),
    ("toga2", Program::Command, &[]),
    ("glaurung", Program::Command, &[]),
    ("gnuchess", Program::Command, &["--uci"]),
    // Without its book and without learning from the games.
    ("phalanx", Program::Xboard, &["-b-", "-l-"]),
];

/// Folders searched after those of `PATH`: some systems keep games apart.
const MORE_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// The known engines that are installed, with the shared settings.
pub fn ladder(shared: &str) -> Result<Vec<EngineSpec>, SpecError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(MORE_FOLDERS.map(PathBuf::from));
    installed(&folders, shared)
}

fn installed(folders: &[PathBuf], shared: &str) -> Result<Vec<EngineSpec>, SpecError> {
    KNOWN
        .iter()
        .filter_map(|(name, kind, args)| {
            let program = folders.iter().map(|folder| folder.join(name)).find(|p| is_program(p))?;
            let mut words = vec![program.to_string_lossy().into_owned()];
            words.extend(args.iter().map(ToString::to_string));
            let program = kind(words);
            let spec = EngineSpec::parse(&format!("cmd=program name={name}"), shared);
            Some(spec.map(|spec| EngineSpec { program, ..spec }))
        })
        .collect()
}

fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_installed_engines_are_found() {
        let folder = std::env::temp_dir().join(format!("tabiya-ladder-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("gnuchess"), "").unwrap();
        let found = installed(&[PathBuf::from("/nowhere"), folder.clone()], "tc=1").unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "gnuchess");
        let program = folder.join("gnuchess").to_string_lossy().into_owned();
        assert_eq!(found[0].program, Program::Command(vec![program, "--uci".to_string()]));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
