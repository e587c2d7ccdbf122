//! A chess program for tests, UCI or (mode `xboard...`) xboard: plays random legal moves, or misbehaves in the way its first argument
//! names. Faults happen at the third question, so that a game is under way. Further arguments are
//! ignored; tests use them to recognise their processes.

use std::io::{self, BufRead, Write};
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::Duration;
use tabiya_chess::Board;

const FAULTY_QUESTION: u32 = 3;

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "random".to_string());
    match mode.as_str() {
        "crash_start" => exit(3),
        mode if mode.starts_with("xboard") => return speak_xboard(mode),
        "child" => drop(Command::new("sleep").arg(format!("3598.{}", mark())).spawn()),
        _ => {}
    }
    let mut board = Board::default();
    let mut seed = 1u64;
    let mut questions = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("uci") => {
                say("id name mock\noption name Seed type spin default 1 min 1 max 99999\nuciok");
            }
            Some("setoption") => {
                seed = line.rsplit(' ').next().and_then(|value| value.parse().ok()).unwrap_or(1);
            }
            Some("ucinewgame") => questions = 0,
            Some("isready") => say("readyok"),
            Some("position") => board = read_position(&line),
            Some("go") => {
                questions += 1;
                let is_due = questions == FAULTY_QUESTION;
                answer(if is_due { &mode } else { "random" }, &board, &mut seed);
            }
            Some("quit") if mode == "ignore_quit" => {
                sleep(Duration::from_hours(1));
            }
            Some("quit") => exit(i32::from(mode == "bad_exit")),
            _ => {}
        }
    }
    if mode == "deaf" {
        sleep(Duration::from_hours(1));
    }
}

/// Plays the first legal move by xboard's protocol; like most such programs it goes on playing the
/// same side until it is forced not to.
fn speak_xboard(mode: &str) {
    let mut board = Board::default();
    let mut questions = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "protover" => {
                say("feature ping=1 setboard=1 usermove=1 myname=\"m = 1\"\nfeature done=1");
            }
            "ping" => say(&format!("pong {rest}")),
            "new" => (board, questions) = (Board::default(), 0),
            "setboard" => board = rest.parse().expect("the arena sends legal positions"),
            "usermove" => board.play(board.parse_uci(rest).expect("the arena sends legal moves")),
            "go" => {
                questions += 1;
                let is_due = questions == FAULTY_QUESTION;
                match mode {
                    "xboard_hang" if is_due => {}
                    "xboard_illegal" if is_due => say("move a1h8"),
                    "xboard_crash" if is_due => exit(7),
                    _ => {
                        let mv = board.legal_moves().get(0).expect("the game goes on");
                        say(&format!(" 1 25 3 40 {0}\nmove {0}", board.uci(mv, false)));
                        board.play(mv);
                    }
                }
            }
            "quit" => return,
            _ => {}
        }
    }
}

/// The number at the end of the last argument, by which a test recognises what was started for it.
fn mark() -> String {
    let last = std::env::args().next_back().unwrap_or_default();
    last.rsplit('-').next().unwrap_or_default().to_string()
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        exit(9);
    }
}

fn read_position(line: &str) -> Board {
    let (start, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut board = match start.strip_prefix("position fen ") {
        Some(fen) => Board::from_fen(fen, true).expect("the arena sends legal positions"),
        None => Board::default(),
    };
    for text in moves.split_ascii_whitespace() {
        board.play(board.parse_uci(text).expect("the arena sends legal moves"));
    }
    board
}

fn answer(mode: &str, board: &Board, seed: &mut u64) {
    let moves = board.legal_moves();
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let index = (*seed >> 33) as usize % moves.len();
    let best = moves.get(index).map(|mv| board.uci(mv, false)).unwrap_or_default();
    match mode {
        "crash_go" => exit(7),
        "abort" => std::process::abort(),
        "hang" => sleep(Duration::from_hours(1)),
        "late" => {
            sleep(Duration::from_millis(700));
            say(&format!("bestmove {best}"));
        }
        "garbage" => say("\u{0}\u{7}bestmoo e2e4\nbestmove \u{fffd}zz9 ponder"),
        "illegal" => say("bestmove a1h8"),
        "null" => say("bestmove 0000"),
        "none" => say("bestmove (none)"),
        "empty" => say("bestmove"),
        "twice" => say(&format!("bestmove {best}\nbestmove {best}")),
        "close" => {
            say("info string leaving");
            // The only way to close standard output from safe code is to become another program.
            #[cfg(unix)]
            {
                use std::os::unix::process::CommandExt;
                let script = format!("exec >&-; exec sleep 3599.{}", mark());
                let _ = Command::new("sh").args(["-c", &script]).exec();
            }
        }
        "flood" => loop {
            say(&"info string all work and no play ".repeat(30));
        },
        "endless_line" => loop {
            let mut out = io::stdout().lock();
            if out.write_all(&[b'x'; 4096]).is_err() {
                exit(9);
            }
        },
        "megabytes" => {
            for _ in 0..4000 {
                say(&"info string all work and no play ".repeat(30));
            }
            say(&format!("bestmove {best}"));
        }
        "after" => {
            say(&format!("bestmove {best}"));
            exit(5);
        }
        _ => say(&format!("info depth 1 score cp 0 nodes 20 time 0 pv {best}\nbestmove {best}")),
    }
}
