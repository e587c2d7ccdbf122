//! The commands as people and scripts use them: help, wrong input, interruption, closed pipes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

fn tabiya(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    tabiya(args).output().unwrap()
}

#[test]
fn every_command_shows_an_example_in_its_help() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let named: Vec<_> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_ascii_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(named.len() > 10, "{named:?}");
    for command in named {
        let output = run(&[command, "--help"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success());
        assert!(text.contains("Example") && text.contains(&format!("tabiya {command}")), "{text}");
    }
}

/// The message of wrong usage: exit code 2, nothing on standard output.
fn usage_error(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn wrong_values_get_one_clear_line() {
    let no_king = "8/8/8/8/8/8/8/K7 w - - 0 1";
    for (args, reason) in [
        (&["analyse", "not a fen"][..], "position 'not a fen': "),
        (&["analyse", no_king], "black has no king"),
        (&["analyse", "--time", "nan"], "--time NaN: "),
        (&["analyse", "--time=-1"], "--time -1: "),
        (&["perft", "3", "--fen", "x"], "position 'x': "),
        (&["perft", "--suite", "no/such/file"], "no/such/file: "),
        (&["eval", no_king], "black has no king"),
        (&["solve", "no/such/file"], "no/such/file: "),
        (&["match"], "two players"),
    ] {
        let text = usage_error(args);
        assert!(text.starts_with("tabiya: ") && text.contains(reason), "{args:?}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn wrong_flags_and_numbers_say_what_would_fit() {
    for (args, reason) in [
        (&["frobnicate"][..], "unrecognized subcommand 'frobnicate'"),
        (&["analyse", "--dept", "3"], "unexpected argument '--dept'"),
        (&["analyse", "--threads", "0"], "0 is not in 1..=1024"),
        (&["analyse", "--hash", "0"], "0 is not in 1.."),
        (&["bench", "0"], "0 is not in 1..=100"),
        (&["bench", "deep"], "invalid value 'deep'"),
        (&["perft"], "required"),
        (&["perft", "61"], "61 is not in 0..=60"),
        (&["perft", "3", "--suite", "x"], "cannot be used with"),
        (&["train"], "required"),
    ] {
        let text = usage_error(args);
        assert!(text.starts_with("error: ") && text.contains(reason), "{args:?}: {text}");
    }
}

#[test]
fn analysis_ends_with_the_best_move() {
    let output = run(&["analyse", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "--depth", "4"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(text.ends_with("\nbest move: Ra8#   (#1)\n"), "{text}");
    for (fen, verdict) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
    ] {
        let output = run(&["analyse", fen, "--depth", "4"]);
        assert!(String::from_utf8(output.stdout).unwrap().trim_end().ends_with(verdict));
    }
}

#[cfg(unix)]
#[test]
fn control_c_shows_the_best_move() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let mut child = tabiya(&["analyse", "--threads", "2"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    // The analysis has begun when the first row of the table is there.
    while !line.trim_start().starts_with("1 ") || !line.contains("/s") {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0);
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let verdict = rest.lines().last().unwrap();
    assert!(verdict.starts_with("best move: "), "{rest}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    for args in [&["analyse", "--depth", "14"][..], &["bench", "4"], &["eval"]] {
        let mut child = tabiya(args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", output.status);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
