//! Endings: the basic mates are played out, and zugzwang is no blind spot.

use crate::{board, searcher};
use tabiya_chess::{Game, Outcome};
use tabiya_engine::{Limits, Score};

/// Plays a position out with few nodes a move, both sides by the engine.
fn play_out(fen: &str, nodes: u64) -> (Game, Option<Outcome>) {
    let mut searchers = [searcher(), searcher()];
    let mut game = Game::from_board(board(fen));
    while game.outcome().is_none() {
        let searcher = &mut searchers[game.moves().len() % 2];
        let result = searcher.search(game.board(), game.keys(), &Limits::nodes(nodes), |_| {});
        game.play(result.best.unwrap()).unwrap();
    }
    let outcome = game.outcome();
    (game, outcome)
}

#[test]
fn basic_mates_are_played_out_within_fifty_moves() {
    for (fen, nodes) in [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 3_000),
        ("8/8/4k3/8/8/8/8/KR6 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KBB5 w - - 0 1", 10_000),
        ("8/8/8/4k3/8/8/8/KBN5 w - - 0 1", 30_000),
        ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", 5_000),
        ("4k3/4p3/8/8/8/8/8/QK6 w - - 0 1", 5_000),
    ] {
        let (game, outcome) = play_out(fen, nodes);
        let winner = outcome.and_then(|outcome| outcome.winner);
        assert_eq!(winner, Some(tabiya_chess::Color::White), "{fen}: {outcome:?}");
        assert!(game.moves().len() <= 140, "{fen}: {} plies", game.moves().len());
    }
}

#[test]
fn drawn_pawn_endings_are_held() {
    for fen in ["8/8/8/4k3/8/8/3KP3/8 b - - 0 1", "8/8/8/8/8/k7/P7/K7 w - - 0 1"] {
        let (_, outcome) = play_out(fen, 3_000);
        assert_eq!(outcome.and_then(|outcome| outcome.winner), None, "{fen}");
    }
}

#[test]
fn zugzwang_decides() {
    let mut searcher = searcher();
    let mut score = |fen: &str| {
        searcher.new_game();
        match searcher.search(&board(fen), &[], &Limits::depth(16), |_| {}).score {
            Score::Cp(cp) => cp,
            Score::Mate(moves) => moves.signum() * 100_000,
            Score::Tablebase(plies) => plies.signum() * 20_000,
        }
    };
    // King and pawn: the same position, and all depends on whose move it is.
    assert!(score("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1").abs() <= 5);
    assert!(score("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1") < -400);
    // The trebuchet: whoever moves loses his pawn and the game.
    for side in ["w", "b"] {
        assert!(score(&format!("8/8/8/3Kp3/4Pk2/8/8/8 {side} - - 0 1")) < -200);
    }
}
