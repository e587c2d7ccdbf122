//! Random streams of commands, checked against a model of the protocol.
//!
//! The model knows for every `go` the position it is about and whether an answer is allowed yet.
//! `TABIYA_STREAMS` sets the number of streams, `TABIYA_SEED` the first seed; a failure names the
//! seed of its stream.

use crate::answer::{Answer, game, position};
use crate::process::Process;
use crate::random::Random;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use tabiya_chess::Game;

const COMMANDS: usize = 40;
const STREAMS: u64 = 60;
const AT_ONCE: usize = 4;

const STARTS: [&str; 8] = [
    "startpos",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/3k4/8/3K4/3R4/8 w - - 96 90",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/1r6/7K w - - 0 1",
];

const REFUSED: [&str; 5] = [
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e7e5 e1e3",
    "position fen \u{fffd}",
    "position",
];

const GOES: [&str; 14] = [
    "go depth 1",
    "go depth 4",
    "go nodes 1",
    "go nodes 3000",
    "go movetime 0",
    "go movetime 15",
    "go wtime 60 btime 60",
    "go wtime 100 btime 100 winc 5 binc 5 movestogo 2",
    "go wtime -5",
    "go btime 30",
    "go mate 2 movetime 20",
    "go searchmoves e2e4 d2d4 0000 depth 3",
    "go nonsense depth 2",
    "go depth 3 nodes 500 movetime 10",
];

/// Searches that must not answer by themselves.
const HELD: [&str; 8] = [
    "go infinite",
    "go infinite depth 1",
    "go infinite movetime 5",
    "go infinite nodes 100",
    "go ponder nodes 100",
    "go ponder wtime 50 btime 50",
    "go ponder depth 2",
    "go ponder movetime 10",
];

const OPTIONS: [&str; 22] = [
    "setoption name Hash value 1",
    "setoption name Hash value 2",
    "setoption name Hash value 9",
    "setoption name Hash value 0",
    "setoption name Threads value 1",
    "setoption name Threads value 2",
    "setoption name Threads value 3",
    "setoption name Threads value x",
    "setoption name MultiPV value 1",
    "setoption name MultiPV value 2",
    "setoption name MultiPV value 256",
    "setoption name Ponder value true",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_Chess960 value false",
    "setoption name UCI_ShowWDL value true",
    "setoption name UCI_ShowWDL value false",
    "setoption name Move Overhead value 0",
    "setoption name Move Overhead value 100",
    "setoption name Clear Hash",
    "setoption name UCI_AnalyseMode value true",
    "setoption name None Such value 7",
    "setoption name",
];

const SMALL: [&str; 12] = [
    "uci",
    "isready",
    "isready",
    "isready",
    "debug on",
    "debug off",
    "d",
    "eval",
    "help",
    "flip",
    "perft 2",
    "register later",
];

/// What the program owes us.
struct Model {
    random: Random,
    /// `None` after a position that was refused.
    game: Option<Game>,
    /// The positions of searches not yet answered, oldest first.
    owed: VecDeque<Option<Game>>,
    /// Whether the last search waits for permission.
    held: bool,
    pondering: bool,
    ready: usize,
}

impl Model {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    /// The next command; the model follows it.
    fn next(&mut self) -> Vec<u8> {
        match self.random.below(100) {
            0..20 => self.position().into_bytes(),
            20..40 => self.go(&GOES, false),
            40..50 => self.go(&HELD, true),
            50..65 => self.release("stop"),
            65..70 => self.release("ponderhit"),
            70..80 => self.pick(&OPTIONS).into(),
            80..92 => self.small(),
            92..95 => self.release("ucinewgame"),
            _ => self.damaged(),
        }
    }

    fn position(&mut self) -> String {
        if self.random.one_in(6) {
            self.game = None;
            return self.pick(&REFUSED).to_owned();
        }
        let mut new = game(self.pick(&STARTS), "");
        for _ in 0..self.random.below(30) {
            let Some(mv) = self.random.shuffling_move(new.board()) else { break };
            new.play(mv).unwrap();
        }
        let text = position(&new);
        self.game = Some(new);
        text
    }

    fn go(&mut self, kinds: &[&'static str], held: bool) -> Vec<u8> {
        let go = self.pick(kinds);
        self.owed.push_back(self.game.clone());
        // A refused position is answered at once.
        self.held = held && self.game.is_some();
        self.pondering = self.held && go.contains("ponder");
        go.into()
    }

    fn release(&mut self, command: &str) -> Vec<u8> {
        if command != "ponderhit" || self.pondering {
            self.held = false;
            self.pondering = false;
        }
        command.into()
    }

    fn small(&mut self) -> Vec<u8> {
        let command = self.pick(&SMALL);
        if command == "isready" {
            self.ready += 1;
        }
        if let ("flip", Some(game)) = (command, &mut self.game) {
            *game = Game::from_board(game.board().mirrored());
        }
        command.into()
    }

    /// A line whose first word is no command.
    fn damaged(&mut self) -> Vec<u8> {
        let mut bytes = self.pick(&GOES).as_bytes().to_vec();
        let junk = self.pick(&[0u8, 1, 0x1B, 0x80, 0xFF, b'x']);
        let count = self.pick(&[1, 1, 5000]);
        bytes.splice(1..1, std::iter::repeat_n(junk, count));
        bytes
    }

    /// Takes note of a line of output.
    fn hear(&mut self, lines: &mut Vec<String>, line: String) -> Result<(), String> {
        if line == "readyok" {
            self.ready = self.ready.checked_sub(1).ok_or("readyok without isready")?;
        }
        if !line.starts_with("bestmove") {
            if line.starts_with("info ") && !line.starts_with("info string") {
                lines.push(line);
            }
            return Ok(());
        }
        let asked = self.owed.pop_front().ok_or("bestmove without go")?;
        if self.owed.is_empty() && self.held {
            return Err(format!("answered without permission: {line}"));
        }
        lines.push(line);
        let lines = std::mem::take(lines);
        match asked {
            Some(game) => Answer::check(&lines, &game).map(drop),
            None if lines == ["bestmove 0000"] => Ok(()),
            None => Err(format!("searched a refused position: {lines:?}")),
        }
    }
}

/// Sends a stream and checks all that comes back.
fn run(seed: u64) -> Result<(), String> {
    let mut model = Model {
        random: Random(seed),
        game: Some(Game::default()),
        owed: VecDeque::new(),
        held: false,
        pondering: false,
        ready: 0,
    };
    let mut process = Process::start();
    let mut lines = Vec::new();
    let line_end: &[u8] = model.pick(&[&b"\n"[..], b"\r\n", b" \t\n"]);
    let burst = model.pick(&[1, 3, COMMANDS]);
    let bytewise = model.random.one_in(6);
    let mut sent = 0;
    while sent < COMMANDS {
        let mut bytes = Vec::new();
        for _ in 0..burst.min(COMMANDS - sent) {
            bytes.extend(model.next());
            bytes.extend(line_end);
            sent += 1;
        }
        if bytewise {
            for byte in &bytes {
                process.write(&[*byte]);
            }
        } else {
            process.write(&bytes);
        }
        thread::sleep(Duration::from_millis(model.random.below(10) as u64));
        if model.random.one_in(3) {
            // What was said up to now must fit what was asked up to now.
            model.ready += 1;
            process.send("isready");
            while model.ready > 0 {
                let line = process.line().ok_or("the program ended")?;
                model.hear(&mut lines, line)?;
            }
        }
    }
    process.write(&model.release("stop"));
    process.write(b"\n");
    while !model.owed.is_empty() || model.ready > 0 {
        let line = process.line().ok_or("the program ended")?;
        model.hear(&mut lines, line)?;
    }
    for line in process.quit() {
        model.hear(&mut lines, line)?;
    }
    Ok(())
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_streams_keep_to_the_protocol() {
    let first = number("TABIYA_SEED", 1);
    let end = first + number("TABIYA_STREAMS", STREAMS);
    let next = AtomicU64::new(first);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Relaxed);
                    if seed >= end {
                        return;
                    }
                    if let Err(reason) = run(seed) {
                        panic!("TABIYA_SEED={seed}: {reason}");
                    }
                }
            });
        }
    });
}
