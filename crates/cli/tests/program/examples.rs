//! Every example of the help runs: as it stands, but with small numbers and on files made for it.
#![cfg(feature = "serve")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::Folder;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// Examples with these words are not run, because of what is said.
const NOT_RUN: [(&str, &str); 15] = [
    ("...", "it stands for the example before it"),
    ("tabiya serve", "it ends when it is told to; the tests of serve do that"),
    ("tabiya learn", "it takes hours; its tests run it in small"),
    ("tabiya train", "it wants thousands of positions; its tests make them"),
    ("tabiya doctor", "it measures the machine; the tests of the terminal let it"),
    ("tabiya policy", "no net is there to show"),
    ("tabiya tune spsa", "another build has it"),
    ("tabiya tune factorial", "another build has it"),
    ("tabiya tune texel games", "it wants thousands of positions"),
    ("tabiya tune wdl", "it wants thousands of games"),
    ("tabiya openings make", "the tables of openings are not in the project"),
    ("tabiya net extract", "the program of Stockfish is not in the project"),
    (" sf", "the net of Stockfish is not in the project"),
    ("cmd=", "other engines need not be there"),
    ("--ladder", "other engines need not be there"),
];

/// Numbers that decide how long an example takes, and those it is run with.
const SMALL: [(&str, &str); 11] = [
    ("--time", "0.05"),
    ("--depth", "2"),
    ("--nodes", "50"),
    ("--games", "2"),
    ("--rounds", "1"),
    ("--movetime", "5"),
    ("--max-nodes", "1000"),
    ("--max-ply", "2"),
    ("--min-games", "1"),
    ("--part", "1..2"),
    ("--tc", "0.1+0.001"),
];

const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Bb3 Ba7 9. h3 h6 \
     10. Nbd2 Re8 11. Nf1 Be6 12. Bc2 d5 13. exd5 Bxd5 14. Ng3 Qd7 1/2-1/2\n\n";
const SCORED_GAME: &str =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1|=|e2e3 20 e7e6 -10\n";
const POSITIONS: &str = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1 | 12 | 0.5\n";
const SUITE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n";
const COUNTS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";

/// The words of a line, as a shell would split them; what follows the command is left out.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ' ') => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(letter),
        }
    }
    words.into_iter().take_while(|word| !["#", "|", ">"].contains(&&**word)).collect()
}

/// The examples of a command and of those below it: what is typed, and the command.
fn examples(command: &[&str], found: &mut Vec<(String, String)>) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya")).args(command).arg("--help").output();
    let help = String::from_utf8(output.unwrap().stdout).unwrap();
    for line in help.replace("\\\n", " ").lines() {
        let Some(line) = line.strip_prefix("  ") else { continue };
        let (typed, line) = match line.strip_prefix("echo ").and_then(|line| line.split_once(" | "))
        {
            Some(both) => both,
            None => ("quit", line),
        };
        let example = (typed.to_owned(), line.to_owned());
        if line.starts_with("tabiya ") && !found.contains(&example) {
            found.push(example);
        }
    }
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for name in below.take_while(|line| !line.is_empty()) {
        match name.split_ascii_whitespace().next() {
            Some(name) if name != "help" && name != "tabiya" => {
                examples(&[command, &[name]].concat(), found);
            }
            _ => {}
        }
    }
}

/// Files of every kind that examples read, by the ends of their names.
fn make_files(folder: &Folder) -> Vec<(&'static str, &'static str)> {
    // A book wants to see a move more than once.
    let games = GAME.repeat(4);
    for (name, text) in [
        ("pgn", &*games),
        ("txt", SCORED_GAME),
        ("csv", POSITIONS),
        ("suite", SUITE),
        ("counts", COUNTS),
    ] {
        fs::write(folder.file(name), text).unwrap();
    }
    folder.succeed("datagen import txt --out games");
    folder.succeed("datagen import csv --format positions --out pos");
    folder.succeed("datagen export games --format viri --out viri");
    folder.succeed("datagen play --games 2 --nodes 20 --part 0..1 --out part");
    folder.succeed("datagen play --games 2 --nodes 20 --part 1..2 --out next");
    folder.succeed("book make --pgn pgn --out bin");
    folder.succeed("net export net");
    vec![
        ("standard.epd", "counts"),
        (".epd", "suite"),
        (".pgn", "pgn"),
        (".txt", "txt"),
        ("part-1.games", "part"),
        ("part-2.games", "next"),
        (".games", "games"),
        (".pos", "pos"),
        (".viriformat", "viri"),
        (".csv", "csv"),
        (".bin", "bin"),
        (".nnue", "net"),
    ]
}

/// The same example with small numbers and without packed files; and the files that it writes.
fn small(line: &str) -> (Vec<String>, Vec<String>) {
    let mut words = words(line);
    words.remove(0);
    let name = words[0].clone();
    let mut written = Vec::new();
    for i in 0..words.len() {
        let plain = words[i].trim_end_matches(".gz").trim_end_matches(".xz").len();
        words[i].truncate(plain);
        let Some(before) = i.checked_sub(1).map(|at| words[at].clone()) else { continue };
        if let Some((_, value)) = SMALL.iter().find(|(option, _)| *option == before)
            && words[i].starts_with(|first: char| first.is_ascii_digit())
        {
            (*value).clone_into(&mut words[i]);
        }
        let writes = match &*before {
            "--pgn" => name != "book",
            "--validation" => name == "datagen",
            "--out" | "--output" | "--training" | "--csv" | "--epd" | "export" => true,
            _ => false,
        };
        if writes && !(before == "export" && name == "datagen") {
            written.push(words[i].clone());
        }
    }
    let has = |words: &[String], option: &str| words.iter().any(|word| word == option);
    match &*name {
        "perft" | "bench" if words[1].parse::<u32>().is_ok() => "2".clone_into(&mut words[1]),
        "annotate" | "puzzles" | "explain" | "datagen"
            if !has(&words, "--nodes") && (name != "datagen" || words[1] == "play") =>
        {
            words.extend(["--nodes", "50"].map(str::to_owned));
        }
        _ => {}
    }
    (words, written)
}

#[test]
fn every_example_of_the_help_runs() {
    let mut found = Vec::new();
    examples(&[], &mut found);
    assert!(found.len() > 100, "{found:?}");
    for (text, _) in NOT_RUN {
        assert!(found.iter().any(|(_, line)| line.contains(text)), "no example has {text}");
    }
    found.retain(|(_, line)| NOT_RUN.iter().all(|(text, _)| !line.contains(text)));
    let made = Folder::new("examples-made");
    let kinds = make_files(&made);
    for (number, (typed, line)) in found.iter().enumerate() {
        let folder = Folder::new(&format!("examples-{number}"));
        let (words, written) = small(line);
        let named = words.iter().flat_map(|word| word.split(['=', ' ']));
        for name in named.filter(|name| !written.iter().any(|other| other == name)) {
            let kind = kinds.iter().find(|(end, _)| name.ends_with(end));
            if let Some((_, kind)) = kind.filter(|_| !folder.file(name).exists()) {
                fs::hard_link(made.file(kind), folder.file(name)).unwrap();
            }
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(&words)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Most of them do not listen.
        let _ = writeln!(child.stdin.take().unwrap(), "{typed}");
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // A sequential test of one pair of games decides nothing, which has a code of its own.
        let undecided = line.contains("--sprt") && output.status.code() == Some(4);
        assert!(output.status.success() || undecided, "{line}\nas {words:?}:\n{said}");
    }
}
