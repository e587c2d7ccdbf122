//! Options: announced well, taken to heart at the right moment, extreme values included.

use crate::answer::{Answer, ask, game, position};
use crate::process::Process;

#[test]
fn every_option_is_announced_as_hosts_read_it() {
    let mut process = Process::start();
    for _ in 0..2 {
        process.send("uci");
        let lines = process.until("uciok");
        let options: Vec<_> =
            lines.iter().filter_map(|line| line.strip_prefix("option name ")).collect();
        for name in [
            "Hash",
            "Clear Hash",
            "Threads",
            "MultiPV",
            "Ponder",
            "Move Overhead",
            "UCI_Chess960",
            "UCI_AnalyseMode",
            "UCI_ShowWDL",
            "UCI_EngineAbout",
            "Debug Log File",
        ] {
            let start = format!("{name} type ");
            let option = options.iter().find_map(|option| option.strip_prefix(&start));
            let words: Vec<_> = option.unwrap_or_else(|| panic!("no {name}")).split(' ').collect();
            match words[..] {
                ["button"]
                | ["check", "default", "true" | "false"]
                | ["string", "default", _, ..] => {}
                ["spin", "default", default, "min", min, "max", max] => {
                    let [default, min, max] =
                        [default, min, max].map(|text| text.parse::<i64>().unwrap());
                    assert!((min..=max).contains(&default), "{name}");
                }
                _ => panic!("{name}: {words:?}"),
            }
        }
    }
    process.quit();
}

#[test]
fn an_option_set_during_a_search_waits_for_its_end() {
    let mut process = Process::start();
    let game = game("startpos", "");
    process.send(&position(&game));
    process.send("go infinite");
    process.send_all(&[
        "setoption name Hash value 32",
        "setoption name Threads value 3",
        "setoption name UCI_ShowWDL value true",
        "setoption name MultiPV value 3",
        "setoption name Clear Hash",
        "setoption name Hash value none",
    ]);
    let mut lines = process.sync();
    lines.extend(process.expect_no_bestmove());
    process.send("stop");
    lines.extend(process.until("bestmove"));
    let first = Answer::check(&lines, &game).unwrap();
    assert!(first.infos.iter().all(|info| info.multipv == 1 && !info.has_wdl));
    // Even when the next command is already on its way as the answer comes.
    process.send("go depth 4");
    let lines = process.until("bestmove");
    assert!(lines.iter().any(|line| line.contains("Hash cannot be 'none'")), "{lines:?}");
    let second = Answer::check(&lines, &game).unwrap();
    assert!(second.infos.iter().any(|info| info.multipv == 3 && info.has_wdl));
    process.quit();
}

#[test]
fn an_option_sent_on_hearing_the_answer_counts_at_once() {
    let mut process = Process::start();
    let castle = game("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "");
    for round in 0..50 {
        let chess960 = round % 2 == 0;
        process.send(&position(&castle));
        process.send("go nodes 300 searchmoves e1g1");
        let best = process.until("bestmove").pop().unwrap();
        let expected = if chess960 { "bestmove e1g1" } else { "bestmove e1h1" };
        assert!(best.starts_with(expected), "{best}");
        process.send(&format!("setoption name UCI_Chess960 value {chess960}"));
    }
    process.quit();
}

/// Nobody waits for an answer here: the position must be read by the rules that were set before it.
#[test]
fn a_position_is_read_by_the_options_sent_before_it() {
    let mut process = Process::start();
    // Only as Chess960 does this rook have the right to castle.
    let fen = "4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1";
    for _ in 0..10 {
        process.send_all(&[
            "setoption name UCI_Chess960 value false",
            "position startpos",
            "go infinite",
            "stop",
            "setoption name UCI_Chess960 value true",
            &format!("position fen {fen}"),
            "go depth 1 searchmoves e1g1",
        ]);
        process.until("bestmove");
        assert!(process.until("bestmove").last().unwrap().starts_with("bestmove e1g1"));
    }
    process.quit();
}

#[test]
fn the_evaluation_is_told_once_and_when_it_changes() {
    let mut process = Process::start();
    let mut told = |commands: &[&str]| {
        process.send_all(commands);
        process.send("go depth 1");
        let lines = process.until("bestmove");
        let told = |line: &&String| line.starts_with("info string evaluation: ");
        lines.iter().filter(told).cloned().collect::<Vec<_>>()
    };
    assert_eq!(told(&[]).len(), 1);
    assert_eq!(told(&[]), Vec::<String>::new());
    let classical = told(&["setoption name Use NNUE value false"]);
    assert_eq!(classical, ["info string evaluation: classical evaluation"]);
    process.send("setoption name EvalFile value no/such/net");
    let lines = process.sync();
    assert!(
        lines[0].starts_with("info string option EvalFile unchanged: no/such/net: "),
        "{lines:?}"
    );
    process.quit();
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_is_no_network() {
    let pipe = std::env::temp_dir().join(format!("tabiya-pipe-{}", std::process::id()));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut process = Process::start();
    for path in [pipe.to_str().unwrap(), "/dev/zero"] {
        for option in ["EvalFile", "BookFile"] {
            process.send(&format!("setoption name {option} value {path}"));
            let lines = process.sync();
            assert!(lines.len() == 1 && lines[0].contains("not a regular file"), "{lines:?}");
        }
    }
    std::fs::remove_file(&pipe).unwrap();
    process.quit();
}

#[test]
fn sixty_four_threads_play_one_move() {
    let mut process = Process::start();
    let game = game("startpos", "");
    process.send("setoption name Threads value 64");
    process.sync();
    for go in ["go depth 3", "go movetime 100", "go nodes 2000"] {
        ask(&mut process, &game, go);
    }
    for _ in 0..10 {
        process.send_all(&["go infinite", "stop"]);
        Answer::read(&mut process, &game);
    }
    process.send("setoption name Threads value 1");
    ask(&mut process, &game, "go depth 3");
    assert_eq!(process.quit(), Vec::<String>::new());
}

#[test]
fn a_hash_table_beyond_memory_leaves_the_old_one() {
    let mut process = Process::start();
    for size in [33_554_432_u64, 30_000_000] {
        process.send(&format!("setoption name Hash value {size}"));
        let lines = process.sync();
        let told = lines.iter().any(|line| line.contains("Hash unchanged") && line.contains("MB"));
        assert!(told, "{lines:?}");
    }
    ask(&mut process, &game("startpos", ""), "go depth 4");
    process.quit();
}

#[test]
fn castling_is_read_in_both_notations_and_written_as_set() {
    let standard = "r3k2r/pppqpppp/2npbn2/8/8/2NPBN2/PPPQPPPP/R3K2R w KQkq - 0 1";
    let chess960 = "4k3/8/8/8/8/8/8/1R1K3R w HB - 0 1";
    let mut process = Process::start();
    for (option, fen, typed, printed) in [
        ("false", standard, "e1g1", "e1g1"),
        ("false", standard, "e1h1", "e1g1"),
        ("false", standard, "e1a1", "e1c1"),
        ("true", standard, "e1g1", "e1h1"),
        ("true", standard, "e1c1", "e1a1"),
        ("true", chess960, "d1h1", "d1h1"),
        ("true", chess960, "d1g1", "d1h1"),
        ("true", chess960, "d1b1", "d1b1"),
    ] {
        process.send(&format!("setoption name UCI_Chess960 value {option}"));
        let game = game(fen, "");
        process.send(&format!("position fen {fen}"));
        process.send(&format!("go depth 2 searchmoves {typed}"));
        let answer = Answer::read(&mut process, &game);
        assert_eq!(answer.best, printed, "{option} {fen} {typed}");
        process.send(&format!("position fen {fen} moves {typed}"));
        assert_eq!(process.sync(), Vec::<String>::new(), "{typed}");
        process.send("go depth 2");
        process.until("bestmove");
    }
    process.quit();
}

#[test]
fn the_log_file_holds_both_sides() {
    let path = std::env::temp_dir().join(format!("tabiya log {}.txt", std::process::id()));
    let mut process = Process::start();
    process.send(&format!("setoption name Debug Log File value {}", path.display()));
    ask(&mut process, &game("startpos", ""), "go depth 1");
    process.send("setoption name Debug Log File value <empty>");
    process.sync();
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(log.contains("\n> go depth 1\n") || log.contains("> go depth 1\n"), "{log}");
    assert!(log.contains("\n< bestmove "), "{log}");
    process.send("setoption name Debug Log File value /no/such/place/log.txt");
    let lines = process.sync();
    assert!(lines[0].starts_with("info string Debug Log File: "), "{lines:?}");
    process.quit();
}
