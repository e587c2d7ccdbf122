//! The compliance check of the fastchess match runner, step by step.

use crate::answer::{Answer, game};
use crate::process::Process;

const WHITE: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
const BLACK: &str = "5k2/8/8/8/8/2K5/6r1/6q1 b - - 10 30";

/// A `go`, its answer, and what the runner looks at: an info line with a score without a dot.
fn go(process: &mut Process, fen: &str, moves: &str, go: &str) {
    process.send(go);
    let answer = Answer::read(process, &game(fen, moves));
    assert!(!answer.infos.is_empty());
}

#[test]
fn every_step_of_the_match_runners_check_passes() {
    let mut process = Process::start();
    process.send("uci");
    let hello = process.until("uciok");
    assert!(hello.iter().any(|line| line.starts_with("id name ") && line.len() > 8));
    assert!(hello.iter().any(|line| line.starts_with("id author ") && line.len() > 10));
    process.sync();
    process.send("ucinewgame");
    process.sync();

    process.send("position startpos");
    process.sync();
    process.send(&format!("position fen {WHITE}"));
    process.sync();
    go(&mut process, WHITE, "", "go wtime 100");

    process.send(&format!("position fen {BLACK}"));
    process.sync();
    go(&mut process, BLACK, "", "go btime 100");

    process.send(&format!("position fen {WHITE}"));
    process.sync();
    go(&mut process, WHITE, "", "go wtime 100 winc 100 btime 100 binc 100");
    go(&mut process, WHITE, "", "go btime 100 binc 100 wtime 100 winc 100");

    process.send("ucinewgame");
    process.sync();
    process.send("position startpos");
    process.sync();
    go(&mut process, "startpos", "", "go wtime 100 btime 100");
    process.send("position startpos moves e2e4 e7e5");
    process.sync();
    go(&mut process, "startpos", "e2e4 e7e5", "go wtime 100 btime 100");
    assert_eq!(process.quit(), Vec::<String>::new());
}
