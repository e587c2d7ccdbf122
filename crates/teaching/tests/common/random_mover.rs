//! Games of the engine against an opponent that plays any legal move.

use super::random::Random;
use crate::process::Process;
use std::fmt::Write;
use tabiya_chess::{Color, Game, GameResult};

/// Plays one game and returns its result.
fn play(engine: &mut Process, side: Color, random: &mut Random) -> GameResult {
    let mut game = Game::default();
    let mut position = "position startpos moves".to_owned();
    engine.send("ucinewgame");
    while !game.is_over() {
        let board = *game.board();
        let text = if board.side_to_move() == side {
            engine.send(&position);
            engine.send("go nodes 4000");
            let lines = engine.until("bestmove");
            lines.last().unwrap().split(' ').nth(1).unwrap().to_owned()
        } else {
            let moves = board.legal_moves();
            board.uci(moves.get(random.below(moves.len())).unwrap(), false)
        };
        game.play(board.parse_uci(&text).unwrap()).unwrap();
        write!(position, " {text}").unwrap();
    }
    game.result()
}

#[test]
fn a_random_mover_loses_all_of_100_games() {
    let mut random = Random(0x5EED_2026);
    // A new program now and then: the watchdog gives each of them two minutes.
    for first in (0..100).step_by(10) {
        let mut engine = Process::start();
        for number in first..first + 10 {
            let side = if number % 2 == 0 { Color::White } else { Color::Black };
            let result = play(&mut engine, side, &mut random);
            assert_eq!(result, GameResult::Win(side), "game {number}, {side}");
        }
        engine.quit();
    }
}
