//! What people see on a terminal, and that pipes see none of it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Everything the program shows on a terminal of so many columns while these lines are typed.
fn on_terminal(columns: u16, environment: &[(&str, &str)], args: &[&str], typed: &str) -> String {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).unwrap();
    let (mut master, slave) = (File::from(terminal.master), File::from(terminal.slave));
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .envs(environment.iter().copied())
        .stdin(slave.try_clone().unwrap())
        .stdout(slave.try_clone().unwrap())
        .stderr(slave)
        .spawn()
        .unwrap();
    master.write_all(typed.as_bytes()).unwrap();
    let mut shown = Vec::new();
    // The terminal of a program that has ended reports an error instead of an end.
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = master.read(&mut chunk) {
        shown.extend_from_slice(&chunk[..length]);
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8(shown).unwrap()
}

#[test]
fn the_program_alone_greets_people_and_not_programs() {
    let shown = on_terminal(80, &[], &[], "quit\n");
    let greeting: Vec<_> = shown.lines().filter(|line| *line != "quit").collect();
    assert_eq!(greeting.len(), 2, "{shown}");
    assert!(greeting[0].starts_with("Tabiya") && shown.contains("`help`"), "{shown}");
    assert!(shown.contains("`quit`"), "{shown}");

    let mut piped = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    let mut piped = piped.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    piped.stdin.take().unwrap().write_all(b"quit\n").unwrap();
    assert!(piped.wait_with_output().unwrap().stdout.is_empty());
}

#[cfg(feature = "lab")]
#[test]
fn a_single_game_shows_how_far_it_is() {
    let path = std::env::temp_dir().join(format!("tabiya-single-{}.pgn", std::process::id()));
    std::fs::write(&path, "1. e4 e5 2. Nf3 Nc6 *\n").unwrap();
    let game = path.to_str().unwrap();
    for command in ["annotate", "puzzles"] {
        let shown = on_terminal(80, &[], &[command, game, "--nodes", "500"], "");
        assert!(shown.contains("game 1: 1 of 5 positions, 0 s"), "{shown}");
        // The annotated game begins on a line of its own.
        let (before, _) = shown.split_once("[Event ").unwrap_or(("\r", ""));
        assert!(before.ends_with('\r'), "{shown:?}");
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn an_analysis_fits_the_terminal_and_has_colour_where_it_is_wanted() {
    let args = ["analyse", "--depth", "9", "--multipv", "2"];
    for columns in [80, 120] {
        let shown = on_terminal(columns, &[], &args, "");
        let bold = "\x1b[1m";
        assert!(shown.contains(bold) && shown.contains("\x1b[0m"), "{shown}");
        let plain = shown.replace(bold, "").replace("\x1b[0m", "");
        assert!(!plain.contains('\x1b'), "{plain}");
        // What stands after the last return of a line is what is seen of it.
        let seen = plain.lines().map(|line| line.trim_end_matches('\r').rsplit('\r').next());
        let widest = seen.map(|line| line.unwrap_or("").chars().count()).max();
        assert!(widest <= Some(usize::from(columns)), "{widest:?}: {plain}");
        let is_cut = |line: &str| line.trim_end().ends_with(" …");
        assert!(columns > 80 || plain.lines().any(is_cut), "{plain}");
    }
    for plain in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let shown = on_terminal(80, &[plain], &args, "");
        assert!(!shown.contains('\x1b'), "{shown}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya")).args(args).output().unwrap();
    let piped = String::from_utf8(output.stdout).unwrap();
    assert!(!piped.contains(['\x1b', '\r', '…']), "{piped}");
}
