//! The command `tune` as a user of a normal build meets it.
#![cfg(feature = "lab")]
#![cfg(not(feature = "tune"))]

use std::process::Command;

#[test]
fn a_normal_build_says_how_to_make_one_that_tunes() {
    for args in [
        &["tune", "spsa"][..],
        &["tune", "spsa", "--nodes", "5", "--openings", "x.epd"],
        &["tune", "factorial", "--factor", "lmr_base=700"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya")).args(args).output();
        let output = output.expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("--features tune") && stderr.lines().count() == 1, "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn games_that_are_missing_are_wrong_usage() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tabiya")).args(["tune", "wdl", "no.pgn"]).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("no.pgn") && stderr.lines().count() == 1, "{stderr}");
}
