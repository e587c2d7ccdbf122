//! The small engine under the checks that the large one passes: `crates/cli/tests/uci`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use answer::{Answer, ask, game, position};
use common::{answer, process};
use process::Process;

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_small")
}

const ROOTS: [&str; 5] = [
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "7k/8/8/8/8/8/1r6/7K w - - 0 1",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

#[test]
fn infinite_waits_for_stop_and_answers_once() {
    for fen in ROOTS {
        let mut process = Process::start();
        let game = game(fen, "");
        process.send(&position(&game));
        for go in ["go infinite", "go ponder wtime 50 btime 50", "go infinite depth 1"] {
            process.send(go);
            let mut lines = process.expect_no_bestmove();
            process.send("stop");
            lines.extend(process.until("bestmove"));
            Answer::check(&lines, &game).unwrap_or_else(|reason| process.fail(&reason));
        }
        assert_eq!(process.quit(), Vec::<String>::new());
    }
}

#[test]
fn every_limit_ends_a_search() {
    let mut process = Process::start();
    for fen in ROOTS {
        for go in [
            "go depth 4",
            "go depth 18446744073709551615 nodes 3000",
            "go nodes 3000",
            "go movetime 30",
            "go wtime 300 btime 300 winc 5 binc 5",
        ] {
            ask(&mut process, &game(fen, ""), go);
        }
    }
    process.quit();
}

#[test]
fn a_mate_in_two_is_found_with_its_line() {
    let mut process = Process::start();
    let answer = ask(&mut process, &game("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", ""), "go depth 5");
    assert_eq!(answer.last().mate, Some(2));
    process.quit();
}

#[test]
fn a_bad_position_is_refused_and_the_old_one_kept() {
    let mut process = Process::start();
    let old = game("startpos", "e2e4");
    process.send(&position(&old));
    for bad in
        ["position", "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position startpos moves e2e5"]
    {
        process.send(bad);
        let lines = process.sync();
        assert!(lines.len() == 1 && lines[0].contains("position refused"), "{bad}: {lines:?}");
    }
    process.send("go depth 3");
    Answer::read(&mut process, &old);
    process.quit();
}
