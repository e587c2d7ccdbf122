//! Parts of long jobs, joined, are what one run makes.
#![cfg(feature = "lab")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::Folder;
use std::fs;

/// The records of a file as text.
fn text(folder: &Folder, file: &str) -> String {
    folder.succeed(&format!("datagen export {file} --format text --out text"));
    fs::read_to_string(folder.file("text")).unwrap()
}

#[test]
fn joined_records_are_those_of_one_run() {
    let folder = Folder::new("parts-records");
    let play = "datagen play --games 7 --nodes 100 --seed 5 --threads 1 --out";
    folder.succeed(&format!("{play} whole.games"));
    for (name, part) in [("a", "0..3"), ("b", "3..4"), ("c", "4..9")] {
        folder.succeed(&format!("{play} {name}.games --part {part}"));
    }
    folder.succeed("datagen join c.games a.games b.games --out joined.games");
    let whole = text(&folder, "whole.games");
    assert_eq!(whole.lines().count(), 7);
    assert!(text(&folder, "joined.games") == whole);
    // It is the same file in every respect: the run that made the whole one goes on with it.
    folder.succeed("datagen play --games 8 --nodes 100 --seed 5 --out joined.games --resume");
    assert!(text(&folder, "joined.games").starts_with(&whole));

    let label = "label whole.games --to positions --nodes 50 --sample 0.7 --threads 1 --out";
    folder.succeed(&format!("{label} whole.pos"));
    for (name, part) in [("a", "0..2"), ("b", "2..40")] {
        folder.succeed(&format!("{label} {name}.pos --groups {part}"));
    }
    folder.succeed("datagen join a.pos b.pos --out joined.pos");
    assert!(text(&folder, "joined.pos") == text(&folder, "whole.pos"));

    let refuse = |line: &str, reason: &str| {
        let error = folder.refuse(line);
        assert!(error.contains(reason), "{line}: {error}");
    };
    refuse("datagen join a.games c.games --out x", "c.games: begins with 4, but the parts");
    refuse("datagen join b.games --out x", "b.games: begins with 3");
    refuse("datagen join whole.games --out x", "whole.games: not a part of a job");
    refuse("datagen join a.games a.pos --out x", "a.pos: ");
    folder.succeed(&format!("{} other.games --part 3..7", play.replace("seed 5", "seed 6")));
    refuse("datagen join a.games other.games --out x", "other.games: part of another job");
    assert!(!folder.file("x").exists());
}

#[test]
fn joined_journals_tell_what_one_match_tells() {
    let folder = Folder::new("parts-match");
    let line = "match --engine self,name=a,nodes=200 --engine self,name=b,nodes=50 --rounds 5 \
                --max-moves 30 --quiet";
    // Words of a player stand in one argument.
    let run = |rest: &str| {
        let mut command = folder.command("");
        command.args(line.split_ascii_whitespace().map(|word| word.replace(',', " ")));
        command.args(rest.split_ascii_whitespace());
        command.output().unwrap()
    };
    let games = |file: &str| -> Vec<(u64, String, u64)> {
        let text = fs::read_to_string(folder.file(file)).unwrap();
        let record = |line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let number = |name: &str| row[name].as_u64().unwrap();
            (number("game"), row["result"].to_string(), number("positions"))
        };
        text.lines().skip(1).map(record).collect()
    };
    assert!(run("--journal whole.jsonl").status.success());
    assert!(run("--journal a.jsonl --part 0..2").status.success());
    assert!(run("--journal b.jsonl --part 2..9").status.success());
    let whole = games("whole.jsonl");
    assert_eq!(whole.len(), 10);
    assert_eq!([games("a.jsonl"), games("b.jsonl")].concat(), whole);

    let journal = |file: &str| fs::read_to_string(folder.file(file)).unwrap();
    let second = journal("b.jsonl");
    let (_, rest) = second.split_once('\n').unwrap();
    fs::write(folder.file("joined.jsonl"), journal("a.jsonl") + rest).unwrap();
    let reports = ["whole.jsonl", "joined.jsonl"].map(|file| {
        let output = run(&format!("--journal {file} --report"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    });
    let score = |text: &str| text.lines().next().map(str::to_owned);
    assert_eq!(score(&reports[0]), score(&reports[1]));
    // Half of the games is not the match.
    assert_eq!(run("--journal a.jsonl --report").status.code(), Some(130));
    assert!(games("a.jsonl").len() == 4, "a report plays nothing");
}

#[test]
fn annotated_parts_follow_one_another() {
    let folder = Folder::new("parts-annotate");
    let moves = ["1. e4 e5 2. Nf3 1-0", "1. d4 d5 0-1", "1. c4 *", "1. f3 e5 2. g4 Qh4# 0-1"];
    fs::write(folder.file("games.pgn"), moves.join("\n\n")).unwrap();
    let annotate = "annotate games.pgn --nodes 100 --output";
    folder.succeed(&format!("{annotate} whole.pgn --json whole.jsonl"));
    for (name, part) in [("a", "0..1"), ("b", "1..3"), ("c", "3..9"), ("d", "9..12")] {
        folder.succeed(&format!("{annotate} {name}.pgn --json {name}.jsonl --part {part}"));
    }
    for form in ["pgn", "jsonl"] {
        let read = |name: &str| fs::read_to_string(folder.file(&format!("{name}.{form}"))).unwrap();
        assert_eq!(["a", "b", "c", "d"].map(read).concat(), read("whole"));
    }
}
