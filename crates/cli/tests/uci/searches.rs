//! What searches say, over many positions and limits. `answer` checks every line of them.

use crate::answer::{Answer, ask, game, position};
use crate::process::Process;
use std::collections::HashSet;

/// Openings, middlegames, endings, mates for both sides, checks, promotions, draws.
const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
    "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1",
    "8/8/8/8/8/3k4/3p4/3K4 w - - 0 1",
    "8/P7/8/8/8/8/k6K/8 w - - 0 1",
    "8/8/8/3k4/8/3K4/3R4/8 w - - 0 1",
    "8/8/8/3k4/8/3K4/3R4/8 w - - 90 90",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "2r3k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1",
    "1k6/1P6/K7/8/8/8/8/8 w - - 0 1",
    "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
    "kr6/pp6/8/3N4/8/8/8/K1R5 w - - 0 1",
];

#[test]
fn every_line_is_legal_and_keeps_its_promise() {
    let mut process = Process::start();
    for threads in [1, 2] {
        process.send(&format!("setoption name Threads value {threads}"));
        for fen in POSITIONS {
            let game = game(fen, "");
            for go in ["go depth 9", "go nodes 20000", "go movetime 30", "go wtime 300 btime 300"] {
                ask(&mut process, &game, go);
            }
        }
    }
    process.quit();
}

#[test]
fn several_lines_are_ranked_and_distinct() {
    let mut process = Process::start();
    for lines in [2, 5, 256] {
        process.send(&format!("setoption name MultiPV value {lines}"));
        for fen in POSITIONS {
            let game = game(fen, "");
            let answer = ask(&mut process, &game, "go depth 5");
            let expected = game.board().legal_moves().len().min(lines);
            let last: Vec<_> = answer.infos.iter().filter(|info| info.depth == 5).collect();
            assert_eq!(last.len(), expected, "{fen}");
            let moves: HashSet<_> = last.iter().map(|info| &info.line[0]).collect();
            assert_eq!(moves.len(), expected, "{fen}");
            ask(&mut process, &game, "go nodes 3000");
        }
    }
    process.quit();
}

#[test]
fn a_whole_game_is_played_with_its_history() {
    let mut process = Process::start();
    process.send_all(&["setoption name UCI_ShowWDL value true", "ucinewgame"]);
    let mut game = game("startpos", "");
    while game.outcome().is_none() && game.moves().len() < 120 {
        let answer = ask(&mut process, &game, "go wtime 400 btime 400 winc 10 binc 10");
        assert!(answer.infos.iter().all(|info| info.has_wdl));
        game.play(game.board().parse_uci(&answer.best).unwrap()).unwrap();
    }
    process.quit();
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut process = Process::start();
    let game = game("startpos", "");
    for (go, allowed) in [
        ("go depth 4 searchmoves a2a3", &["a2a3"][..]),
        ("go searchmoves h2h4 a2a3 depth 4", &["a2a3", "h2h4"]),
        ("go searchmoves h2h4 e7e5 nodes 2000", &["h2h4"]),
    ] {
        let answer = ask(&mut process, &game, go);
        assert!(answer.infos.iter().all(|info| allowed.contains(&info.line[0].as_str())), "{go}");
    }
    // Nothing legal among them: no restriction.
    for go in
        ["go depth 2 searchmoves 0000", "go depth 2 searchmoves e2e5", "go searchmoves depth 2"]
    {
        process.send(&position(&game));
        process.send(go);
        Answer::read(&mut process, &game);
    }
    process.quit();
}

#[test]
fn depth_nodes_and_mate_limits_hold() {
    let mut process = Process::start();
    let middlegame = game(POSITIONS[3], "");
    for depth in 1..=7 {
        let answer = ask(&mut process, &middlegame, &format!("go depth {depth}"));
        assert_eq!(answer.last().depth, depth);
    }
    for nodes in [500, 1000, 12_345] {
        let answer = ask(&mut process, &middlegame, &format!("go nodes {nodes}"));
        assert!(answer.last().nodes <= nodes);
    }
    let mate = game("kr6/pp6/8/3N4/8/8/8/K1R5 w - - 0 1", "");
    let answer = ask(&mut process, &mate, "go mate 3");
    assert!(answer.last().mate.is_some_and(|moves| (1..=3).contains(&moves)));
    let mated = game("8/8/3k4/8/3K4/8/8/3QR3 b - - 0 1", "");
    assert_eq!(ask(&mut process, &mated, "go mate 4").last().mate, Some(-4));
    process.quit();
}

#[test]
fn the_ponder_move_is_offered() {
    let mut process = Process::start();
    let answer = ask(&mut process, &game("startpos", ""), "go depth 8");
    assert!(answer.ponder.is_some());
    process.quit();
}
