//! The commands `match` and `solve` as a user meets them: output, files and exit codes.
#![cfg(feature = "lab")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn tabiya(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).args(args).output().expect("the program runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program ends by itself")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tabiya-cli-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// A match of a player with 5 nodes a move against one with so many that no single game, played again
/// and again for want of openings, may be lost by chance. No net takes part: the next one would play
/// other games.
fn lopsided(strong_first: bool, more: &[&str]) -> Output {
    let mut engines =
        ["--engine", "self name=strong nodes=3000", "--engine", "self name=weak nodes=5"];
    if !strong_first {
        engines.swap(1, 3);
    }
    tabiya(
        &[
            &["match"],
            &engines[..],
            &["--max-moves", "100", "--each", "option.Hash=1 'option.Use NNUE=false'"],
            more,
        ]
        .concat(),
    )
}

#[test]
fn a_match_is_played_and_summed_up() {
    let output = lopsided(true, &["--rounds", "2", "--concurrency", "2"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert!(stdout.starts_with("strong vs weak\n  Elo "), "{stdout}");
    assert!(stdout.contains("  Games      4 (+"), "{stdout}");
}

#[test]
fn a_match_that_repeats_itself_says_so() {
    let output = lopsided(true, &["--rounds", "2"]);
    assert!(text(&output.stderr).contains("games will repeat each other"));
    let stdout = text(&output.stdout);
    assert!(stdout.contains("Repeated: only 2 of 4 games differ"), "{stdout}");
}

#[test]
fn the_exit_code_tells_the_decision() {
    let sprt = ["--sprt", "0", "200", "--rounds", "40", "--quiet"];
    let h1 = lopsided(true, &sprt);
    assert_eq!(code(&h1), 0, "{}{}", text(&h1.stdout), text(&h1.stderr));
    assert!(text(&h1.stdout).contains("H1 accepted"), "{}", text(&h1.stdout));
    let h0 = lopsided(false, &sprt);
    assert_eq!(code(&h0), 3, "{}{}", text(&h0.stdout), text(&h0.stderr));
    let undecided = lopsided(true, &["--sprt", "0", "1", "--rounds", "1"]);
    assert_eq!(code(&undecided), 4, "{}", text(&undecided.stdout));
}

#[test]
fn wrong_usage_is_told_in_one_line() {
    for (args, expected) in [
        (&["match", "--engine", "self", "--tc", "1"][..], "a match needs two players, found 1"),
        (
            &["match", "--engine", "self", "--engine", "self", "--tc", "1"],
            "two players are called self",
        ),
        (&["match", "--engine", "stockfish"], "expected key=value or self, found stockfish"),
        (&["match", "--engine", "self", "--engine", "cmd=x", "--tc", "abc"], "tc: expected a time"),
        (
            &["match", "-e", "self", "-e", "cmd=/no/program", "--tc", "1"],
            "/no/program: No such file",
        ),
        (&["solve", "/no/suite.epd"], "suite /no/suite.epd: No such file"),
    ] {
        let output = tabiya(args);
        assert_eq!(code(&output), 2, "{args:?}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{args:?}: {stderr}");
    }
}

#[test]
fn a_finished_match_resumes_to_the_same_result() {
    let journal = scratch("journal.jsonl");
    let path = journal.to_str().expect("a plain path");
    let first = lopsided(true, &["--rounds", "2", "--quiet", "--journal", path]);
    assert_eq!(code(&first), 0);
    let refused = lopsided(true, &["--rounds", "2", "--quiet", "--journal", path]);
    assert_eq!(code(&refused), 2);
    assert!(text(&refused.stderr).contains("add --resume"), "{}", text(&refused.stderr));
    let again = lopsided(true, &["--rounds", "2", "--quiet", "--journal", path, "--resume"]);
    assert_eq!((code(&again), text(&again.stdout)), (0, text(&first.stdout)));
    let other = lopsided(false, &["--rounds", "2", "--quiet", "--journal", path, "--resume"]);
    assert_eq!(code(&other), 2);
    assert!(text(&other.stderr).contains("other settings: player 1 was strong"));
    std::fs::remove_file(journal).expect("the journal is there");
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_games_and_reports() {
    let json = scratch("interrupt.json");
    let run = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["match", "-e", "self name=a", "-e", "self name=b", "--nodes", "300"])
        .args(["--rounds", "1000000", "--quiet", "--json"])
        .arg(&json)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    std::thread::sleep(Duration::from_secs(1));
    let killed = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = run.wait_with_output().expect("the program ends");
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("a vs b") || text(&output.stdout).contains("no game"));
    assert!(std::fs::read_to_string(&json).expect("the result is there").contains("\"games\""));
    std::fs::remove_file(json).expect("the result is there");
}

#[test]
fn a_suite_is_solved_and_counted() {
    let suite = scratch("suite.epd");
    let lines = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"back rank\";\n\
                 6k1/5ppp/8/8/8/8/8/R5K1 w - - bm #1; id \"mate\";\n\
                 6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8#; id \"never\";\n";
    std::fs::write(&suite, lines).expect("the folder is writable");
    let output = tabiya(&["solve", suite.to_str().expect("a plain path"), "--depth", "4", "-v"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert_eq!(stdout.lines().last(), Some("2 solved of 3"), "{stdout}");
    assert!(stdout.contains("solved back rank: Ra8# (bm Ra8#)"), "{stdout}");
    assert!(stdout.contains("failed never: Ra8# (am Ra8#)"), "{stdout}");
    assert!(text(&output.stderr).contains("1 of 3 positions, "), "{}", text(&output.stderr));
    std::fs::remove_file(suite).expect("the suite is there");
}

/// An engine that does not notice the end of its input, as some do not.
#[cfg(target_os = "linux")]
const DEAF: &str = r#"#!/bin/sh
echo $$ > "$0.pid"
while :; do
    if read -r line; then
        case $line in
            uci) echo uciok ;;
            isready) echo readyok ;;
        esac
    else
        sleep 0.1
    fi
done
"#;

#[test]
#[cfg(target_os = "linux")]
fn engines_of_a_killed_match_end_even_if_they_are_deaf() {
    use std::os::unix::fs::PermissionsExt;
    let folder = crate::common::Folder::new("deaf");
    let script = folder.file("deaf");
    std::fs::write(&script, DEAF).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let within_seconds = |seconds: u64, what: &str, is_so: &dyn Fn() -> bool| {
        for _ in 0..20 * seconds {
            if is_so() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what}");
    };
    let mut run = folder
        .command("match -e cmd=./deaf -e self --tc 100 --rounds 1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = || std::fs::read_to_string(folder.file("deaf.pid")).unwrap_or_default();
    within_seconds(30, "the engine starts", &|| pid().ends_with('\n'));
    run.kill().unwrap();
    run.wait().unwrap();
    // One that nobody has taken leave of (Z) has ended, too.
    let has_ended = || match std::fs::read_to_string(format!("/proc/{}/stat", pid().trim())) {
        Ok(stat) => stat.contains(") Z "),
        Err(_) => true,
    };
    within_seconds(30, "the engine ends with the match", &has_ended);
}
