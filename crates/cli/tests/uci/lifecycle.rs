//! Exactly one `bestmove` per `go`, at the moment it is allowed, in every state and through every
//! way out.

use crate::answer::{Answer, ask, game, position};
use crate::process::{Process, SILENCE};
use std::thread::sleep;
use std::time::Duration;

const MIDDLEGAME: &str = "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
const ONE_LEGAL_MOVE: &str = "7k/8/8/8/8/8/1r6/7K w - - 0 1";
const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
/// Nothing can change: the search runs through all its depths in no time.
const DEAD_END: &str = "7k/8/8/p1p1p1p1/P1P1P1P1/8/8/7K w - - 0 1";

const ROOTS: [&str; 6] = [MIDDLEGAME, MATE_IN_ONE, ONE_LEGAL_MOVE, MATED, STALEMATE, DEAD_END];

#[test]
fn infinite_and_ponder_wait_for_permission() {
    for fen in ROOTS {
        let mut process = Process::start();
        let game = game(fen, "");
        process.send(&position(&game));
        for (go, end) in [
            ("go infinite", "stop"),
            ("go ponder wtime 1000 btime 1000", "stop"),
            ("go ponder wtime 50 btime 50", "ponderhit"),
            ("go ponder depth 1", "ponderhit"),
            ("go infinite depth 1", "stop"),
            ("go ponder infinite", "stop"),
            // Limits that are reached early do not give permission.
            ("go infinite movetime 5", "stop"),
            ("go infinite nodes 100", "stop"),
            ("go infinite wtime 20 btime 20", "stop"),
            ("go ponder nodes 100", "ponderhit"),
            ("go ponder movetime 5", "stop"),
        ] {
            process.send(go);
            let mut lines = process.expect_no_bestmove();
            process.send(end);
            lines.extend(process.until("bestmove"));
            Answer::check(&lines, &game)
                .unwrap_or_else(|reason| process.fail(&format!("{fen}, {go}: {reason}")));
        }
        process.quit();
    }
}

#[test]
fn stop_right_behind_go_stops_that_search() {
    let mut process = Process::start();
    let roots = ROOTS.map(|fen| game(fen, ""));
    for round in 0..200 {
        let game = &roots[round % roots.len()];
        let go = ["go infinite", "go", "go ponder", "go depth 60"][round % 4];
        process.write(format!("{}\n{go}\nstop\n", position(game)).as_bytes());
        Answer::read(&mut process, game);
    }
    assert_eq!(process.quit(), Vec::<String>::new());
}

#[test]
fn a_stale_stop_does_not_end_the_next_search() {
    let mut process = Process::start();
    let game = game(MIDDLEGAME, "");
    for _ in 0..20 {
        process.send("stop");
        process.send("ponderhit");
        let answer = ask(&mut process, &game, "go depth 6");
        assert_eq!(answer.last().depth, 6);
        process.send("stop");
    }
    process.quit();
}

#[test]
fn a_second_go_ends_the_first() {
    let mut process = Process::start();
    let first = game("startpos", "");
    let second = game(MIDDLEGAME, "");
    process.send_all(&[&position(&first), "go infinite", &position(&second), "go depth 3"]);
    Answer::read(&mut process, &first);
    let answer = Answer::read(&mut process, &second);
    assert_eq!(answer.last().depth, 3);
    assert_eq!(process.quit(), Vec::<String>::new());
}

#[test]
fn a_new_position_or_game_during_a_search_is_for_the_next_one() {
    let mut process = Process::start();
    let first = game("startpos", "");
    let second = game(MIDDLEGAME, "");
    process.send_all(&[&position(&first), "go infinite", &position(&second)]);
    let mut lines = process.expect_no_bestmove();
    process.send("ucinewgame");
    lines.extend(process.until("bestmove"));
    Answer::check(&lines, &first).unwrap_or_else(|reason| process.fail(&reason));
    process.send("go depth 2");
    Answer::read(&mut process, &second);
    process.quit();
}

#[test]
fn a_search_answers_isready_and_keeps_running() {
    let mut process = Process::start();
    let game = game(MIDDLEGAME, "");
    process.send("setoption name Threads value 2");
    process.send(&position(&game));
    process.send("go infinite");
    let mut lines = Vec::new();
    for _ in 0..30 {
        lines.extend(process.sync());
    }
    lines.extend(process.expect_no_bestmove());
    process.send_all(&["stop", "stop"]);
    lines.extend(process.until("bestmove"));
    Answer::check(&lines, &game).unwrap_or_else(|reason| process.fail(&reason));
    assert_eq!(process.sync(), Vec::<String>::new());
    process.quit();
}

#[test]
fn ponderhit_lets_the_clock_run_from_then_on() {
    let mut process = Process::start();
    let game = game(MIDDLEGAME, "");
    process.send(&position(&game));
    // Pondering outlasts the whole clock, which must not matter afterwards.
    process.send("go ponder wtime 100 btime 100 winc 5 binc 5");
    sleep(SILENCE);
    process.send("ponderhit");
    process.send("ponderhit");
    Answer::read(&mut process, &game);
    process.send_all(&["ponderhit", "stop"]);
    assert_eq!(process.sync(), Vec::<String>::new());
    process.quit();
}

#[test]
fn bench_and_perft_end_when_they_are_told_to() {
    for long in ["perft 30", "go perft 30", "bench 90"] {
        let mut process = Process::start();
        process.send_all(&[long, "stop"]);
        let lines = process.sync();
        assert_eq!(lines.last().map(String::as_str), Some("info string stopped"), "{long}");
        // What was said meanwhile is done in its turn.
        process.send_all(&[long, "position startpos moves e2e4", "d", "stop"]);
        let fen = "FEN rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert!(process.sync().contains(&fen.to_owned()), "{long}");
        process.send_all(&[long, "go infinite", "stop"]);
        process.until("bestmove");
        process.send(long);
        assert_eq!(count_bestmoves(&process.quit()), 0);
        let mut process = Process::start();
        process.send(long);
        process.close_input();
        assert!(process.finish().1.success(), "{long}");
    }
    // But what is done soon may be piped in.
    let mut process = Process::start();
    process.send_all(&["bench 1", "d"]);
    process.close_input();
    let (lines, _) = process.finish();
    assert!(lines.iter().any(|line| line.ends_with(" nps")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("FEN ")), "{lines:?}");
}

/// What brings the program into each state.
const STATES: [&[&str]; 6] = [
    &[],
    &["position startpos", "go infinite"],
    &["position startpos", "go ponder wtime 1000 btime 1000"],
    &["setoption name Threads value 4", "position startpos", "go movetime 100000"],
    &["position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go infinite"],
    &["setoption name Hash value 64", "ucinewgame", "go depth 30"],
];

#[test]
fn quit_ends_every_state() {
    for (index, state) in STATES.iter().enumerate() {
        for wait in [0, 30] {
            let mut process = Process::start();
            process.send_all(state);
            sleep(Duration::from_millis(wait));
            let bestmoves = count_bestmoves(&process.quit());
            assert_eq!(bestmoves, usize::from(index > 0), "{state:?}");
        }
    }
}

#[test]
fn the_end_of_input_ends_every_state() {
    for state in STATES {
        for half_a_line in ["", "positi", "go dep"] {
            let mut process = Process::start();
            process.send_all(state);
            process.write(half_a_line.as_bytes());
            process.close_input();
            let (_, status) = process.finish();
            assert!(status.success(), "{state:?}: {status}");
        }
    }
}

fn count_bestmoves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

#[cfg(unix)]
#[test]
fn a_closed_output_ends_the_program() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"uci\nposition startpos\ngo infinite\n").unwrap();
    // The input stays open: only the output is gone.
    for _ in 0..6000 {
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(1));
            return;
        }
        sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("still running with nobody listening");
}
