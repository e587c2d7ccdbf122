//! A small chess engine: the program that the book builds, chapter by chapter.

mod evaluate;
mod perft;
mod search;
mod table;

use search::{Limits, Search};
use std::error::Error;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tabiya_chess::{Board, Game};
use table::Table;

struct Engine {
    game: Game,
    table: Arc<Mutex<Table>>,
    stop: Arc<AtomicBool>,
    thinking: Option<JoinHandle<()>>,
}

fn main() {
    let table = Arc::new(Mutex::new(Table::new(16)));
    let mut engine = Engine { game: Game::default(), table, stop: Arc::default(), thinking: None };
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => println!("id name Tabiya small\nid author the readers of the book\nuciok"),
            ["isready"] => println!("readyok"),
            ["position", ref rest @ ..] => {
                engine.finish();
                match position(rest) {
                    Ok(game) => engine.game = game,
                    Err(reason) => println!("info string position refused: {reason}"),
                }
            }
            ["go", ref rest @ ..] => engine.go(rest),
            ["stop" | "ponderhit"] => engine.finish(),
            ["perft", depth] => {
                let nodes = perft::perft(engine.game.board(), depth.parse().unwrap_or(1));
                println!("{nodes} nodes");
            }
            ["quit"] => break,
            _ => {}
        }
    }
    engine.finish();
}

/// `startpos` or `fen FEN`, then perhaps `moves` and moves.
fn position(words: &[&str]) -> Result<Game, Box<dyn Error>> {
    let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let mut game = match words[..end] {
        ["startpos"] => Game::default(),
        ["fen", ref fen @ ..] => Game::from_board(Board::from_fen(&fen.join(" "), false)?),
        _ => return Err("startpos or fen expected".into()),
    };
    for text in words.iter().skip(end + 1) {
        let mv = game.board().parse_uci(text)?;
        game.play(mv)?;
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
        // A thirtieth of the clock and most of the increment, and never what is not there.
        let side = self.game.board().side_to_move().letter();
        let increment = number(&format!("{side}inc")).unwrap_or(0);
        let share =
            number(&format!("{side}time")).map(|ms| (ms / 30 + increment * 3 / 4).min(ms / 2));
        let waits = words.iter().any(|word| matches!(*word, "infinite" | "ponder"));
        let limits = Limits {
            depth: number("depth").unwrap_or(99),
            nodes: number("nodes").unwrap_or(u64::MAX),
            time: number("movetime").or(share).filter(|_| !waits).map(Duration::from_millis),
            stop: Arc::clone(&self.stop),
        };
        self.stop.store(false, Relaxed);
        let (game, table) = (self.game.clone(), Arc::clone(&self.table));
        self.thinking = Some(std::thread::spawn(move || {
            let board = game.board();
            let mut table = table.lock().expect("a search does not panic");
            let best = Search::new(&mut table, &limits, &game).run(board);
            if best.is_none() {
                println!("info depth 0 score {}", if board.in_check() { "mate 0" } else { "cp 0" });
            }
            while waits && !limits.stop.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            println!("bestmove {}", best.map_or("(none)".to_owned(), |mv| board.uci(mv, false)));
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
