//! The smallest program that a chess GUI accepts: it knows the rules and nothing else.

use std::io::BufRead;
use tabiya_chess::Game;

fn main() {
    let mut game = Game::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => println!("id name first\nid author you\nuciok"),
            ["isready"] => println!("readyok"),
            ["position", "startpos", ref rest @ ..] => {
                game = Game::default();
                for text in rest.iter().skip(1) {
                    let Ok(mv) = game.board().parse_uci(text) else { break };
                    game.play(mv).expect("parse_uci returns legal moves");
                }
            }
            ["go", ..] => {
                let board = game.board();
                let best = board.legal_moves().get(0);
                let text = best.map_or("(none)".to_owned(), |mv| board.uci(mv, false));
                println!("bestmove {text}");
            }
            ["quit"] => return,
            _ => {}
        }
    }
}
