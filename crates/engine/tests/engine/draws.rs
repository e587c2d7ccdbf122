//! Stalemate, fifty moves and repetition, seen in time and not too early.

use crate::{best, board, search, search_game};
use tabiya_chess::Game;
use tabiya_engine::{Limits, Score, Searcher};

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        other => panic!("{other:?}"),
    }
}

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::from_board(board(fen));
    for text in moves.split(' ') {
        game.play(game.board().parse_san(text).unwrap()).unwrap();
    }
    game
}

#[test]
fn the_losing_side_finds_stalemate() {
    // The king has no square: the queen gives herself up with check.
    let fen = "7k/7p/8/6Q1/p7/1q6/8/K7 w - - 0 1";
    assert!(centipawns(search(fen, &Limits::depth(12)).score).abs() <= 5);
    // The rook must give check for ever, because whoever takes it stalemates.
    let fen = "8/8/8/8/8/5kq1/R7/7K w - - 0 1";
    assert!(centipawns(search(fen, &Limits::depth(10)).score).abs() <= 5);
}

#[test]
fn the_winning_side_avoids_stalemate() {
    for (fen, blunder) in [
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7"),
        ("k7/2K5/8/1Q6/8/8/8/8 w - - 0 1", "Qb6"),
        ("8/8/8/8/8/5K2/5P2/7k w - - 0 1", "none"),
    ] {
        for depth in 1..=8 {
            assert_ne!(best(fen, &Limits::depth(depth)), blunder, "{fen} at depth {depth}");
        }
    }
}

#[test]
fn underpromotion_wins_where_queening_is_stalemate() {
    assert_eq!(best("8/k1P5/2K5/8/8/8/8/8 w - - 0 1", &Limits::depth(8)), "c8=R");
}

#[test]
fn a_mate_on_the_hundredth_ply_beats_the_draw() {
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80";
    let result = search(fen, &Limits::depth(6));
    assert_eq!(result.score, Score::Mate(1));
    // One ply later every move that is no mate draws.
    let late = "6k1/8/5K2/8/8/8/8/R7 w - - 99 80";
    assert!(centipawns(search(late, &Limits::depth(8)).score).abs() <= 5);
}

#[test]
fn fifty_moves_are_seen_coming() {
    // The queen mates in more moves than are left.
    let fen = "8/8/8/3k4/8/8/8/K5Q1 w - - 97 120";
    assert!(centipawns(search(fen, &Limits::depth(12)).score).abs() <= 5);
    // A pawn move starts the count anew.
    let pawn = "8/8/8/3k4/8/4P3/8/K5Q1 w - - 97 120";
    assert!(centipawns_or_mate(search(pawn, &Limits::depth(10)).score) > 300);
}

fn centipawns_or_mate(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) => moves.signum() * 100_000,
        Score::Tablebase(plies) => plies.signum() * 20_000,
    }
}

#[test]
fn perpetual_check_saves_the_game() {
    // A queen down, but the checks never end.
    let fen = "6k1/6p1/8/8/4Q3/8/qq5P/6K1 w - - 0 1";
    let result = search(fen, &Limits::depth(12));
    assert!(centipawns(result.score).abs() <= 5, "{:?}", result.score);
}

#[test]
fn a_position_seen_once_before_the_root_is_no_draw_yet() {
    // White is a queen up and has gone to and fro once.
    let fen = "6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1";
    let once = game(fen, "Qd2 Kf8 Qd1 Kg8");
    let result = search_game(&once, &Limits::depth(8));
    assert!(centipawns_or_mate(result.score) > 500, "{:?}", result.score);
    // Neither is going there again as bad as a draw, nor is anything else.
    let near = game(fen, "Qd2 Kf8 Qd1");
    let result = search_game(&near, &Limits::depth(8));
    assert!(centipawns_or_mate(result.score) < -500, "{:?}", result.score);
}

#[test]
fn the_third_time_is_a_draw() {
    // Black, a queen down, steps back to where both have been twice.
    let fen = "6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1";
    let twice = game(fen, "Qd2 Kf8 Qd1 Kg8 Qd2 Kf8 Qd1");
    let result = search_game(&twice, &Limits::depth(8));
    assert_eq!(twice.board().san(result.best.unwrap()), "Kg8");
    assert!(centipawns(result.score).abs() <= 5, "{:?}", result.score);
}

#[test]
fn contempt_is_the_price_of_a_draw() {
    // Perpetual check or stalemate: nothing better for White.
    let start = board("7k/7p/8/6Q1/p7/1q6/8/K7 w - - 0 1");
    let mut searcher = Searcher::new(1).unwrap();
    for contempt in [0, 40, -40] {
        searcher.configure(|config| config.contempt = contempt).unwrap();
        searcher.new_game();
        let result = searcher.search(&start, &[], &Limits::depth(10), |_| {});
        assert!((centipawns(result.score) + contempt).abs() <= 5, "{contempt}: {}", result.score);
    }
}
