//! python-chess, the library behind lichess-bot and many tools, drives the program.

use std::process::Command;

/// What the script returns when python-chess is not installed.
const MISSING: i32 = 77;

#[test]
fn python_chess_can_play_and_analyse() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/python-chess-test");
    let output = Command::new("python3").arg(script).arg(env!("CARGO_BIN_EXE_tabiya")).output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no python3");
        return;
    };
    if output.status.code() == Some(MISSING) {
        eprintln!("skipped: python3 has no module chess");
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("checks passed"), "{said}{errors}");
}
