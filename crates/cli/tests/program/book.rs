//! `tabiya book` from games to a book that is shown and joined.
#![cfg(feature = "lab")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output};

fn tabiya(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).args(args).output().unwrap()
}

/// The lines on standard output of a run that succeeds.
fn lines(args: &[&str]) -> Vec<String> {
    let output = tabiya(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_book_is_made_shown_and_joined() {
    let folder = std::env::temp_dir().join(format!("tabiya-book-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let games = "1. e4 e5 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 1-0\n\n1. d4 d5 0-1\n\n1. c4 0-1\n";
    std::fs::write(path("games.pgn"), games).unwrap();
    let (pgn, book, both, own) = (path("games.pgn"), path("a.bin"), path("b.bin"), path("c.bin"));
    lines(&["book", "make", "--pgn", &pgn, "--min-games", "1", "--out", &book]);
    let shown = lines(&["book", "show", "startpos", "--book", &book]);
    assert_eq!(shown, ["e4            3  60.0 %", "d4            2  40.0 %"]);
    lines(&["book", "merge", &book, &book, "--out", &both]);
    let shown = lines(&["book", "show", "startpos", "--book", &both]);
    assert_eq!(shown, ["e4            6  60.0 %", "d4            4  40.0 %"]);
    let analyse = [
        "book",
        "make",
        "--analyse",
        "--nodes",
        "200",
        "--max-ply",
        "2",
        "--out",
        &own,
        "--resume",
    ];
    let first = lines(&analyse);
    assert_eq!(lines(&analyse), first, "a second run finds everything done");
    assert!(lines(&["book", "show"]).len() > 1, "the embedded book");

    std::fs::write(path("bad.bin"), b"not a book").unwrap();
    for args in [
        &["book", "make", "--pgn", "no/such.pgn", "--out", &own][..],
        &["book", "show", "--book", &path("bad.bin")],
        &["book", "show", "not a position"],
        &["book", "merge", &book, "no/such.bin", "--out", &own],
    ] {
        let output = tabiya(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{args:?}: {text}");
    }
    let _ = std::fs::remove_dir_all(PathBuf::from(&folder));
}
