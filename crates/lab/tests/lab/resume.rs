//! A match killed at random moments resumes to the complete result: no finished game is lost or
//! played twice. Twelve kills by default, `TABIYA_KILLS` sets another number.

use crate::common::{Folder, example};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn games_in_journal(text: &str) -> Vec<serde_json::Value> {
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    whole
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).expect("whole lines are records"))
        .collect()
}

/// Programs that do not care about the end of their input are left to nobody.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_match_takes_its_programs_along() {
    let folder = Folder::new("deaf");
    let tag = format!("deaf-{}", std::process::id());
    let engine = |name: &str| {
        let mock = example("mock_engine");
        format!("cmd={} arg=deaf arg={tag} name={name} depth=1", mock.display())
    };
    let mut run = Command::new(example("small_match"))
        .arg(folder.file(""))
        .arg("1000000")
        .args([engine("a"), engine("b")])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The tag is in the command lines of the match and of its programs.
    crate::common::wait_for_processes(&tag, |count| count > 2);
    run.kill().unwrap();
    run.wait().unwrap();
    crate::common::wait_for_processes(&tag, |count| count == 0);
}

#[test]
fn a_match_survives_kills_at_any_moment() {
    let kills: u64 = std::env::var("TABIYA_KILLS").map_or(12, |n| n.parse().unwrap());
    let rounds = 30 * (kills + 1);
    let folder = Folder::new("kills");
    let mock = example("mock_engine");
    let engine = |name: &str, seed: u32| {
        let tag = format!("kills-{}", std::process::id());
        format!(
            "cmd={} arg=random arg={tag} name={name} depth=1 option.Seed={seed}",
            mock.display()
        )
    };
    let start = || {
        Command::new(example("small_match"))
            .arg(folder.file(""))
            .arg(rounds.to_string())
            .args([engine("a", 5), engine("b", 9)])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let journal = || std::fs::read_to_string(folder.file("match.jsonl")).unwrap_or_default();
    let mut known = Vec::new();
    let mut delay = 7u64;
    for kill in 0..kills {
        let mut run = start();
        delay = (delay * 37 + 11) % 151;
        sleep(Duration::from_millis(delay));
        run.kill().unwrap();
        run.wait().unwrap();
        let games = games_in_journal(&journal());
        assert!(games.len() >= known.len(), "kill {kill} lost a game");
        assert_eq!(games[..known.len()], known[..], "kill {kill} changed a finished game");
        known = games;
    }
    let last = start().wait_with_output().unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));

    let games = games_in_journal(&journal());
    let numbers: BTreeSet<u64> = games.iter().map(|game| game["game"].as_u64().unwrap()).collect();
    assert_eq!(games.len() as u64, 2 * rounds);
    assert_eq!(numbers, (0..2 * rounds).collect());
    let pgn: String = games.iter().map(|game| game["pgn"].as_str().unwrap()).collect();
    assert_eq!(std::fs::read_to_string(folder.file("match.pgn")).unwrap(), pgn);
    let json = std::fs::read_to_string(folder.file("match.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["games"], 2 * rounds);
    assert_eq!(json["pairings"][0]["pairs"].as_array().unwrap().len(), 5);
    let pairs: u64 =
        json["pairings"][0]["pairs"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(pairs, rounds);
    #[cfg(target_os = "linux")]
    assert_eq!(crate::common::processes_with(&format!("kills-{}", std::process::id())), 0);
}
