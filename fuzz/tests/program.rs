//! The fuzzer itself. That it is tested here also means that `cargo test` builds it, so that `.ci/run` need
//! not build the lab once more for it.

use std::process::{Command, Output};

fn fuzz(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya-fuzz")).args(args).output().expect("the program runs")
}

#[test]
fn every_target_runs_and_the_same_seed_gives_the_same_inputs() {
    let accepted = || {
        let output = fuzz(&["all", "--runs", "20", "--seed", "7"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        // Without the speed, which is another one every time.
        text.lines().filter_map(|line| Some(line.rsplit_once(',')?.0.to_owned())).collect()
    };
    let first: Vec<String> = accepted();
    assert!(first.len() > 5 && first == accepted(), "{first:?}");
}

#[test]
fn an_unknown_target_is_answered_with_the_list() {
    let output = fuzz(&["nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("targets: "));
}
