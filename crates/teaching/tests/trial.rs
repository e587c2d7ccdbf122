//! A reader's trial: chapters 1 to 5 and 15 of the book, followed literally in an empty folder, end with
//! an engine that passes the protocol checks and beats a random mover.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{answer, process};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tabiya_book::fill::{Step, answers, steps};

const CHAPTERS: [&str; 6] = [
    "01-engines.md",
    "02-boards.md",
    "03-moves.md",
    "04-hashing.md",
    "05-search.md",
    "15-small-engine.md",
];

/// The engine that the book builds; built once for all tests.
fn program() -> &'static str {
    static BUILT: OnceLock<Option<String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        // Outside of the project, or cargo would take the new package for a part of it.
        let mut hasher = DefaultHasher::new();
        env!("CARGO_MANIFEST_DIR").hash(&mut hasher);
        let folder = std::env::temp_dir().join(format!("tabiya-trial-{:x}", hasher.finish()));
        // What failed once is not tried again by the next test.
        std::panic::catch_unwind(|| follow_the_book(&folder)).ok()?;
        folder.join("small/target/release/small").to_str().map(str::to_owned)
    });
    built.as_deref().expect("the book was followed to its end")
}

/// Writes the files and runs the commands of the chapters, and compares what they print.
fn follow_the_book(folder: &Path) {
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).unwrap();
    // Stands for the clone that the first chapter asks for.
    std::os::unix::fs::symlink(&project, folder.join("tabiya")).unwrap();
    let mut printed = String::new();
    let mut written = 0;
    for chapter in CHAPTERS {
        let text = std::fs::read_to_string(project.join("book/src").join(chapter)).unwrap();
        for step in steps(&text) {
            match step {
                Step::Write(file, code) => {
                    std::fs::write(folder.join(&file), code).unwrap();
                    written += 1;
                }
                Step::Run(commands) => {
                    printed.clear();
                    for command in commands.lines() {
                        printed += &run(folder, command, chapter);
                    }
                }
                Step::Expect(expected) => assert_eq!(printed, expected, "{chapter}"),
            }
        }
    }
    assert_eq!(written, 6, "the chapters write six files");
    answer_the_exercises(folder, &project);
}

/// The code of the answers in the last chapter, put where it belongs, is still an engine.
fn answer_the_exercises(folder: &Path, project: &Path) {
    let text = std::fs::read_to_string(project.join("book/src/15-small-engine.md")).unwrap();
    let answers = answers(&text);
    assert_eq!(answers.len(), 7, "all five answers have code, one of them in three places");
    let manifest = std::fs::read_to_string(folder.join("small/Cargo.toml")).unwrap();
    run(folder, "mkdir answers && cp -r small/src answers", "answers");
    // Another name: both programs are built in one place, so that the library is compiled once.
    let manifest = manifest.replace("name = \"small\"", "name = \"answers\"");
    std::fs::write(folder.join("answers/Cargo.toml"), manifest).unwrap();
    let file = folder.join("answers/src/search.rs");
    for answer in answers {
        let code = std::fs::read_to_string(&file).unwrap();
        let code = answer.insert_into(&code).unwrap_or_else(|| panic!("no place for {answer:?}"));
        std::fs::write(&file, code).unwrap();
    }
    run(
        folder,
        "cd answers && cargo build --release --quiet --target-dir ../small/target",
        "answers",
    );
    let ask = |program: &str, position: &str, depth: u32| {
        let dialogue =
            format!("printf 'position {position}\\ngo depth {depth}\\n'; sleep 2; echo quit");
        run(folder, &format!("({dialogue}) | small/target/release/{program}"), "answers")
    };
    let printed = ask("answers", "fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 5);
    assert!(printed.contains("score mate 2") && printed.contains("bestmove"), "{printed}");
    // Two of them prune: the same depth takes less.
    let nodes = |program: &str| -> u64 {
        let printed = ask(program, "startpos", 5);
        let (_, rest) = printed.rsplit_once(" nodes ").unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let (plain, answered) = (nodes("small"), nodes("answers"));
    assert!(answered < plain, "{answered} nodes with the answers, {plain} without");
}

fn run(folder: &Path, command: &str, chapter: &str) -> String {
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        // A reader has none of these.
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{chapter}: {command}\n{error}");
    String::from_utf8(output.stdout).unwrap()
}
