//! The commands as people and scripts use them: help, wrong input, interruption, closed pipes.
#![cfg(feature = "lab")]
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
        (&["eval", "4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1"], "(with --chess960 it is a position)"),
        (&["analyse", "--evalfile", "no/such/net"], "no/such/net: "),
        (&["net", "verify", "no/such/net"], "no/such/net: "),
        (&["solve", "no/such/file"], "no/such/file: "),
        (&["match"], "two players"),
        (&["annotate", "no/such/file"], "no/such/file: "),
        (&["annotate", "-", "--nodes", "5", "--depth", "5"], "only one of --nodes"),
        (&["annotate", "-", "--nodes", "0"], "--nodes: 0 leaves nothing"),
        (&["annotate", "-", "--resume"], "--resume needs a file"),
        (&["annotate", "-", "--output", "-", "--json", "-"], "only one output"),
        (&["puzzles", "no/such/file"], "no/such/file: "),
        (&["explain", "startpos", "Ke4"], "move 'Ke4': "),
        (&["explain", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"], "the game is over"),
        (&["bench", "1", "--evalfile", "/no/such.nnue"], "/no/such.nnue: No such file"),
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
        (&["annotate", "x", "--shard", "3/2"], "expected K/N"),
        (&["puzzles", "x", "--min-moves", "0"], "0 is not in 1..=8"),
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
    // Without any limit as well: there is nothing to wait for.
    for (fen, verdict) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "checkmate: White has won\n"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate: a draw\n"),
    ] {
        for args in [&["analyse", fen][..], &["analyze", fen, "--depth", "4"]] {
            let output = run(args);
            assert!(String::from_utf8(output.stdout).unwrap().ends_with(verdict));
        }
    }
}

/// The rows of an analysis.
fn rows(args: &[&str]) -> Vec<String> {
    let text = String::from_utf8(run(args).stdout).unwrap();
    let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("depth")).skip(1);
    rows.take_while(|line| !line.starts_with("best move")).map(str::to_owned).collect()
}

#[test]
fn a_mate_that_is_found_is_not_found_again_at_every_depth() {
    let rows = rows(&["analyse", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"]);
    let mates = rows.iter().filter(|row| row.contains("#1 ")).count();
    assert!((1..=2).contains(&mates), "{rows:?}");
}

#[test]
fn people_are_told_whites_view() {
    let white_queen = "4k3/8/8/8/8/8/8/Q3K3 b - - 0 1";
    for row in
        rows(&["analyse", white_queen, "--depth", "3"]).iter().filter(|row| row.contains('/'))
    {
        let score = row.split_ascii_whitespace().nth(1).unwrap();
        assert!(!score.contains('-'), "{row}");
    }
    let infos = json(&["analyse", white_queen, "--depth", "3", "--json"]);
    assert!(infos.iter().all(|info| info["view"] == "white"));
    assert!(infos[0]["score"]["cp"].as_i64().is_none_or(|cp| cp > 0), "{}", infos[0]);
}

#[test]
fn a_position_can_be_reached_by_moves_or_in_a_file() {
    let args = ["analyse", "startpos", "moves", "f3", "e7e5", "g4", "--depth", "3"];
    assert!(String::from_utf8(run(&args).stdout).unwrap().contains("best move: Qh4#"));
    let path = std::env::temp_dir().join(format!("tabiya-analyse-{}.pgn", std::process::id()));
    std::fs::write(&path, "1. f3 e5 2. g4 Qh4# 0-1").unwrap();
    let file = path.to_str().unwrap();
    let text = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    assert!(text(&["analyse", file]).ends_with("checkmate: Black has won\n"));
    assert!(text(&["analyse", file, "--ply", "3", "--depth", "3"]).contains("best move: Qh4#"));
    assert!(usage_error(&["analyse", file, "--ply", "5"]).contains("the game has 4 plies"));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn an_analysis_asks_endgame_tables() {
    let args = ["analyse", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", "--depth", "4", "--syzygy"];
    let with = |folder: &str| run(&[&args[..], &[folder]].concat());
    let missing = with("no/such/folder");
    let text = [missing.stdout, missing.stderr].concat();
    assert!(String::from_utf8(text).unwrap().contains("no/such/folder"));
    let Some(tables) = crate::data::path("syzygy") else { return };
    // A knight and a bishop: no short search sees the mate, the tables know that it comes.
    let wins = "8/8/8/3k4/8/8/8/2B1KN2 w - - 0 1";
    let infos =
        json(&["analyse", wins, "--depth", "3", "--json", "--syzygy", tables.to_str().unwrap()]);
    let last = infos.last().unwrap();
    assert!(last["score"]["cp"].as_i64().is_none_or(|cp| cp > 5000), "{last}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_neither_net_nor_suite() {
    let pipe = std::env::temp_dir().join(format!("tabiya-pipes-{}", std::process::id()));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let name = pipe.to_str().unwrap();
    for path in [name, "/dev/zero"] {
        for args in [
            &["net", "verify", path][..],
            &["perft", "--suite", path],
            &["solve", path],
            &["analyse", "--evalfile", path],
        ] {
            let text = usage_error(args);
            assert!(text.contains(path) && text.contains("not a regular file"), "{args:?}: {text}");
        }
    }
    std::fs::remove_file(&pipe).unwrap();
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

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_told_and_changes_no_verdict() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = tabiya(&["eval"]).stdout(full()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error.starts_with("tabiya: standard output: ") && error.lines().count() == 1);

    // A log on a full disk ends nothing.
    let sprt = ["match", "-e", "self", "-e", "self name=b", "--nodes", "50", "--rounds", "1"];
    let sprt = [&sprt[..], &["--sprt", "0", "5"]].concat();
    let undecided = tabiya(&sprt).output().unwrap().status.code();
    assert_ne!(undecided, Some(0));
    for command in [tabiya(&sprt).stdout(full()), tabiya(&sprt).stderr(full())] {
        assert_eq!(command.output().unwrap().status.code(), undecided);
    }
    let mut unread = tabiya(&sprt).spawn().unwrap();
    drop(unread.stdout.take());
    assert_eq!(unread.wait().unwrap().code(), undecided);
}

/// Runs a command and reads its standard output as JSON, line by line.
fn json(args: &[&str]) -> Vec<serde_json::Value> {
    let output = run(args);
    assert!(output.status.success(), "{args:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    if let Ok(value) = serde_json::from_str(&text) {
        return vec![value];
    }
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_stands_alone_on_standard_output() {
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let analysis = json(&["analyse", mate, "--depth", "4", "--json"]);
    let last = analysis.last().unwrap();
    assert_eq!((&last["best"], &last["score"]["mate"]), (&"Ra8#".into(), &1.into()));
    assert_eq!(json(&["perft", "3", "--json"])[0]["nodes"], 8902);
    let bench = &json(&["bench", "2", "--json"])[0];
    let nodes = |value: &serde_json::Value| value["nodes"].as_u64().unwrap();
    let positions = bench["positions"].as_array().unwrap();
    assert_eq!(positions.iter().map(nodes).sum::<u64>(), nodes(bench));
    let eval = &json(&["eval", "--json"])[0];
    assert_eq!(eval["pieces"]["e2"]["piece"], "P");
    assert!(!eval["classical"]["terms"].as_array().unwrap().is_empty());
    let why = &json(&["explain", mate, "Kf1", "--nodes", "2000", "--json"])[0];
    assert_eq!((&why["best"]["san"], &why["judgement"]), (&"Ra8#".into(), &"blunder".into()));
    let players = ["match", "-e", "self name=a", "-e", "self name=b", "--nodes", "20"];
    let result = json(&[&players[..], &["--rounds", "1", "--quiet", "--json", "-"]].concat());
    assert_eq!(result.len(), 1);
}

#[test]
fn the_bench_of_a_network_file_is_that_of_its_network() {
    let folder = crate::common::Folder::new("bench-evalfile");
    folder.succeed("net export same.nnue");
    let nodes = |line: &str| {
        let said = folder.succeed(line);
        let last = said.lines().last().unwrap();
        last.split_once(" nodes").unwrap().0.parse::<u64>().unwrap()
    };
    assert_eq!(nodes("bench 4 --evalfile same.nnue"), nodes("bench 4"));
    assert_ne!(nodes("bench 4 --classical"), nodes("bench 4"));
}

#[test]
fn games_are_annotated_from_a_file_to_all_outputs() {
    let folder = std::env::temp_dir().join(format!("tabiya-annotate-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let games = "[White \"A\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"B\"]\n\n1. e4 Ke4 *\n";
    std::fs::write(path("games.pgn"), games).unwrap();
    let (pgn, json, html) = (path("out.pgn"), path("out.jsonl"), path("out.html"));
    let games = path("games.pgn");
    let args = ["annotate", &games, "--nodes", "500", "--threads", "2", "-o", &pgn];
    let output = run(&[&args[..], &["--json", &json, "--html", &html]].concat());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.contains("game 2, line 7: no legal move is Ke4"));
    assert!(errors.ends_with("2 games annotated, 1 with problems\n"), "{errors}");
    let read = |name: &String| std::fs::read_to_string(name).unwrap();
    let annotated = read(&pgn).replace('\n', " ");
    assert!(annotated.contains("g4 $4 {Allows mate: 2... Qh4#."), "{annotated}");
    assert_eq!(read(&json).lines().count(), 2);
    assert!(read(&html).starts_with("<!doctype html>") && read(&html).ends_with("</html>\n"));
    assert!(usage_error(&args).contains("exists already; --force replaces it"));
    assert!(run(&[&args[..], &["--force"]].concat()).status.success());
    let help = String::from_utf8(run(&["annotate", "--help"]).stdout).unwrap();
    assert!(help.contains("every position gets 100,000 nodes"), "{help}");
    std::fs::write(path("one.pgn"), "1. f3 e5 2. g4 Qh4# 0-1\n").unwrap();
    let one = run(&["annotate", &path("one.pgn"), "--nodes", "500"]);
    let said = String::from_utf8(one.stderr).unwrap();
    assert!(said.starts_with("game 1: 1 of 5 positions, 0 s\n"), "{said}");
    assert!(said.ends_with("1 game annotated, 0 with problems\n"), "{said}");
    std::fs::write(path("suite.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n").unwrap();
    assert!(usage_error(&["annotate", &path("suite.epd")]).contains("not a PGN file"));
    let found = run(&["puzzles", &games, "--nodes", "5000", "--min-moves", "1"]);
    let epd = String::from_utf8(found.stdout).unwrap();
    assert!(epd.contains(" bm Qh4#;"), "{epd}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The README's first command is `cargo run` without a name.
#[test]
fn cargo_run_has_one_program_to_choose() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR").to_owned() + "/../..")
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let default = metadata["workspace_default_members"].as_array().unwrap();
    let programs: Vec<_> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| default.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().unwrap())
        .filter(|target| target["kind"][0] == "bin")
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert_eq!(programs, ["tabiya"]);
}
