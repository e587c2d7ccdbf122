//! `tabiya play` as a dialogue, and what `tabiya doctor` says.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the program and types these lines.
fn dialogue(args: &[&str], lines: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has heard enough may close its ears.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_game_is_played_taken_back_and_saved() {
    let path = std::env::temp_dir().join(format!("tabiya-play-{}.pgn", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let args = ["play", "--nodes", "500", "--no-book", "--pgn", path.to_str().unwrap()];
    let lines = "help\ne5\nhint please\ne4\nhint\nundo\nmoves\nundo\nd2d4\nlevel\nlevel 3\nfen\nmoves\n\
                 draw\nflip\nresign\n";
    let text = said(&dialogue(&args, lines));
    for part in [
        "You have the white pieces; the engine plays at full strength.",
        "1. your move: ",
        "take your last move back",
        "'e5': ",
        "'please' is too much",
        "1... the engine plays ",
        "hint: 2. ",
        "no moves yet",
        "there is nothing to take back",
        "the engine plays at level 3",
        "there is no draw to claim",
        "    h   g   f   e   d   c   b   a",
        "0-1 white resigns",
        "saved in ",
    ] {
        assert!(text.contains(part), "'{part}' is missing in\n{text}");
    }
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(saved.contains("[White \"You\"]") && saved.contains("[Result \"0-1\"]"), "{saved}");
    assert!(saved.contains("\n1. d4 ") && !saved.contains("1. e4"), "{saved}");
    // Another game is added, also when the player just leaves.
    said(&dialogue(&args, "c4\n"));
    let both = std::fs::read_to_string(&path).unwrap();
    assert!(both.starts_with(&saved) && both.ends_with("*\n"), "{both}");
    assert_eq!(both.matches("[Event ").count(), 2);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn mate_ends_the_game_and_the_other_side_can_be_played() {
    let mate = ["play", "--nodes", "500", "--position", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"];
    let text = said(&dialogue(&mate, "Ra8#\nnever read\n"));
    assert!(text.ends_with("1-0 checkmate\n"), "{text}");
    let black =
        ["play", "--side", "black", "--nodes", "300", "--level", "0", "--seed", "1", "--no-book"];
    let text = said(&dialogue(&black, "quit\n"));
    assert!(text.contains("1. the engine plays ") && text.contains("1... your move: "), "{text}");
    assert!(text.contains("1 | R | N | B | K |"), "{text}");
    assert_eq!(text, said(&dialogue(&black, "quit\n")));
    let clock = ["play", "--clock", "5+3"];
    assert!(said(&dialogue(&clock, "")).contains("[white 5:00, black 5:00] 1. your move: "));
}

#[test]
fn wrong_wishes_at_the_start_are_refused() {
    for (args, reason) in [
        (&["play", "--position", "x"][..], "position 'x': "),
        (&["play", "--time=-1"], "--time -1: "),
        (&["play", "--pgn", "no/such/folder/x.pgn"], "--pgn no/such/folder/x.pgn: "),
        (&["play", "--clock", "x"], "expected minutes"),
        (&["play", "--elo", "900"], "900 is not in 1000..=3200"),
    ] {
        let output = dialogue(args, "");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(reason), "{args:?}: {error}");
    }
}

#[test]
fn the_doctor_looks_at_everything_and_tells_by_its_exit_code() {
    let text = said(&dialogue(&["doctor", "--quick"], ""));
    for subject in
        ["program", "processor", "kernels", "cores", "network", "book", "tables", "fingerprint"]
    {
        assert!(text.lines().any(|line| line.split_ascii_whitespace().nth(1) == Some(subject)));
    }
    assert!(text.contains("all kernels agree"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("bad")), "{text}");

    let output = dialogue(&["doctor", "--quick", "--json"], "");
    let report: serde_json::Value = serde_json::from_str(&said(&output)).unwrap();
    assert_eq!(report["works"], true);

    if let Some(tables) = crate::data::path("syzygy") {
        let text =
            said(&dialogue(&["doctor", "--quick", "--syzygy", tables.to_str().unwrap()], ""));
        assert!(text.contains("files, up to ") && !text.contains("no answer"), "{text}");
    }

    let wrong = ["doctor", "--quick", "--evalfile", "no/such/net", "--syzygy", "no/such/folder"];
    let output = dialogue(&wrong, "");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("bad   network      no/such/net: "), "{text}");
    assert!(text.contains("bad   tables ") && text.contains("2 bad"), "{text}");
}
