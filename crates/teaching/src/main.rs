//! A small chess engine: the program that the book builds, chapter by chapter.

mod evaluate;
mod perft;
mod search;
mod table;

use search::{Limits, MATE, Search};
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tabiya_chess::{Board, Color, Game, Move};
use table::Table;

struct Engine {
    game: Game,
    table: Arc<Mutex<Table>>,
    stop: Arc<AtomicBool>,
    thinking: Option<JoinHandle<()>>,
}

fn main() {
    let mut engine = Engine {
        game: Game::default(),
        table: Arc::new(Mutex::new(Table::new(16))),
        stop: Arc::default(),
        thinking: None,
    };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => say("id name Tabiya small\nid author the readers of the book\nuciok"),
            ["isready"] => say("readyok"),
            ["ucinewgame"] => {
                engine.finish();
                engine.table = Arc::new(Mutex::new(Table::new(16)));
            }
            ["position", ref rest @ ..] => {
                engine.finish();
                match position(rest) {
                    Ok(game) => engine.game = game,
                    Err(reason) => say(&format!("info string position refused: {reason}")),
                }
            }
            ["go", ref rest @ ..] => engine.go(rest),
            ["stop" | "ponderhit"] => engine.finish(),
            ["perft", depth] => {
                let nodes = perft::perft(engine.game.board(), depth.parse().unwrap_or(1));
                say(&format!("{nodes} nodes"));
            }
            ["quit"] => break,
            _ => {}
        }
    }
    engine.finish();
}

/// `startpos` or `fen FEN`, then perhaps `moves` and moves.
fn position(words: &[&str]) -> Result<Game, String> {
    let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let board = match words[..end] {
        ["startpos"] => Board::default(),
        ["fen", ref fen @ ..] => {
            Board::from_fen(&fen.join(" "), false).map_err(|e| e.to_string())?
        }
        _ => return Err("startpos or fen expected".to_owned()),
    };
    let mut game = Game::from_board(board);
    for text in words.iter().skip(end + 1) {
        let mv = game.board().parse_uci(text).map_err(|error| error.to_string())?;
        game.play(mv).map_err(|error| error.to_string())?;
    }
    Ok(game)
}

impl Engine {
    /// Starts a search beside the loop that reads commands, so that `stop` is heard.
    fn go(&mut self, words: &[&str]) {
        self.finish();
        let number = |name: &str| -> Option<u64> {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        let (clock, increment) = match self.game.board().side_to_move() {
            Color::White => (number("wtime"), number("winc")),
            Color::Black => (number("btime"), number("binc")),
        };
        // A thirtieth of the clock and most of the increment, and never what is not there.
        let share = clock.map(|ms| (ms / 30 + increment.unwrap_or(0) * 3 / 4).min(ms / 2));
        let waits = words.iter().any(|word| matches!(*word, "infinite" | "ponder"));
        let limits = Limits {
            depth: number("depth").map_or(i32::MAX, |depth| depth.min(99) as i32),
            nodes: number("nodes").unwrap_or(u64::MAX),
            time: number("movetime").or(share).filter(|_| !waits).map(Duration::from_millis),
            stop: Arc::clone(&self.stop),
        };
        self.stop.store(false, Relaxed);
        let (game, table) = (self.game.clone(), Arc::clone(&self.table));
        self.thinking = Some(std::thread::spawn(move || {
            let board = game.board();
            let mut table = table.lock().expect("a search does not panic");
            let best =
                Search::new(&mut table, &limits, &game).run(board, |search, depth, value, line| {
                    report(board, search, depth, value, line);
                });
            if best.is_none() {
                let score = if board.in_check() { "mate 0" } else { "cp 0" };
                say(&format!("info depth 0 score {score}"));
            }
            while waits && !limits.stop.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            say(&format!(
                "bestmove {}",
                best.map_or("(none)".to_owned(), |mv| board.uci(mv, false))
            ));
        }));
    }

    /// Ends a search that is running and waits for its answer.
    fn finish(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thinking.take() {
            let _ = thread.join();
        }
    }
}

fn report(board: &Board, search: &Search, depth: i32, value: i32, line: &[Move]) {
    let score = match MATE - value.abs() {
        plies if plies < 1000 => format!("mate {}", (plies + 1) / 2 * value.signum()),
        _ => format!("cp {value}"),
    };
    let mut position = *board;
    let texts = line.iter().map(|mv| {
        let text = position.uci(*mv, false);
        position.play(*mv);
        text
    });
    let moves = texts.collect::<Vec<_>>().join(" ");
    let (nodes, ms) = (search.nodes, search.start.elapsed().as_millis().max(1));
    let nps = u128::from(nodes) * 1000 / ms;
    say(&format!(
        "info depth {depth} seldepth {depth} multipv 1 score {score} nodes {nodes} nps {nps} \
         hashfull 0 tbhits 0 time {ms} pv {moves}"
    ));
}

fn say(text: &str) {
    println!("{text}");
    let _ = std::io::stdout().flush();
}
