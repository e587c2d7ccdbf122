//! Mates are found, counted right, and never claimed without a line that ends in mate.

use crate::{board, search};
use std::collections::HashMap;
use tabiya_chess::Board;
use tabiya_engine::{Info, Limits, Score, Searcher};

/// Positions and the moves to mate, which `Solver` confirms.
const MATES: [(&str, u32); 22] = [
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
    ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
    ("6rk/6pp/8/4N3/8/8/8/6K1 w - - 0 1", 1),
    ("7k/8/5KP1/8/8/8/8/4R3 w - - 0 1", 1),
    ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1),
    ("8/8/8/8/8/6k1/4q3/7K b - - 0 1", 1),
    ("7k/5P2/6K1/8/8/8/8/8 w - - 0 1", 1),
    ("kr6/pp6/8/3N4/8/8/8/K1R5 w - - 0 1", 1),
    ("4k3/R7/8/8/8/8/1r3PPP/6K1 b - - 0 1", 1),
    ("k7/6R1/5R2/8/8/8/8/K7 w - - 0 1", 1),
    ("8/k7/6R1/7R/8/8/8/K7 w - - 0 1", 2),
    ("8/8/k7/6R1/7R/8/8/K7 w - - 0 1", 2),
    ("8/8/3k4/6R1/7R/8/8/K7 w - - 0 1", 4),
    ("8/8/4k3/8/4K3/8/8/3Q4 w - - 0 1", 5),
    ("7k/7p/5K2/8/8/8/8/6R1 w - - 0 1", 3),
    ("8/8/8/8/8/2k5/7q/K7 b - - 0 1", 1),
    ("8/8/5k2/8/5K2/8/4Q3/8 w - - 0 1", 4),
    ("6k1/8/5K2/8/8/8/8/R7 w - - 0 1", 2),
    ("8/8/5k2/8/4K3/8/4Q3/8 w - - 0 1", 5),
    ("r1b2rk1/pp1n1p1p/4pBpQ/8/8/8/PPP2PPP/R5K1 w - - 0 1", 1),
    ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 2),
    ("2r1r1k1/5ppp/8/8/8/8/4RPPP/4R1K1 w - - 0 1", 2),
];

/// A solver that knows nothing but the rules.
#[derive(Default)]
struct Solver(HashMap<(u64, u32), bool>);

impl Solver {
    /// Whether the side to move mates within this many moves.
    fn mates_within(&mut self, board: &Board, moves: u32) -> bool {
        if moves == 0 {
            return false;
        }
        if let Some(known) = self.0.get(&(board.key(), moves)) {
            return *known;
        }
        let mates = board.legal_moves().iter().any(|mv| {
            let mut child = *board;
            child.play(mv);
            child.is_checkmate()
                || (!child.is_stalemate() && self.is_mated_within(&child, moves - 1))
        });
        self.0.insert((board.key(), moves), mates);
        mates
    }

    fn is_mated_within(&mut self, board: &Board, moves: u32) -> bool {
        moves > 0
            && board.legal_moves().iter().all(|reply| {
                let mut child = *board;
                child.play(reply);
                self.mates_within(&child, moves)
            })
    }
}

#[test]
fn mates_in_one_to_five_are_found_at_their_depth() {
    for (fen, moves) in MATES {
        let mut solver = Solver::default();
        let distance = (1..=moves).find(|n| solver.mates_within(&board(fen), *n));
        assert_eq!(distance, Some(moves), "{fen}");
        // Short mates are found in their length, long ones perhaps a move later.
        let score = search(fen, &Limits::depth(2 * moves + 8)).score;
        let found = (moves..=moves + moves / 4).any(|n| score == Score::Mate(n as i32));
        assert!(found, "{fen}: {score}, not mate {moves}");
    }
}

/// Replays the line of an exact mate score.
fn check_mate_line(start: &Board, info: &Info) {
    let (Score::Mate(moves), None) = (info.score, info.bound) else { return };
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    let mut end = *start;
    for mv in &info.line {
        end.try_play(*mv).unwrap_or_else(|_| panic!("{start}: {info:?}"));
    }
    assert!(info.line.len() == plies as usize && end.is_checkmate(), "{start}: {info:?}");
}

#[test]
fn lines_of_mate_scores_end_in_mate() {
    let sides = ["w", "b"];
    for fen in [
        "8/8/8/3k4/8/3K4/3R4/8 w - - 0 1",
        "8/8/8/3k4/8/3K4/3Q4/8 w - - 0 1",
        "8/8/8/3k4/8/3K4/3Q4/8 w - - 88 80",
        "1k6/8/8/8/3QQ3/8/8/K7 w - - 0 1",
        "r1b2rk1/pp1n1p1p/4pBp1/8/7Q/8/PPP2PPP/R5K1 w - - 0 1",
        "2r3k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1",
        "8/8/1P6/8/2k5/8/4K3/8 w - - 0 1",
        "3q1rk1/5ppp/8/8/8/1B6/1B3PPP/3Q2K1 w - - 0 1",
        "8/8/8/8/8/6k1/4q3/6K1 w - - 0 1",
        "5rk1/1b3ppp/8/2q5/8/8/PP4PP/1K1R2R1 w - - 0 1",
    ] {
        for side in sides {
            let fen = fen.replace(" w ", &format!(" {side} "));
            let Ok(start) = fen.parse::<Board>() else { continue };
            let mut searcher = Searcher::new(1).unwrap();
            for limits in [Limits::depth(12), Limits::nodes(3_000), Limits::nodes(60_000)] {
                searcher.search(&start, &[], &limits, |info| check_mate_line(&start, info));
            }
        }
    }
}

#[test]
fn no_mate_of_the_suite_is_claimed_too_short() {
    let Some(text) = crate::data::read("epd/mates-short.epd") else { return };
    let mut searcher = Searcher::new(4).unwrap();
    let mut found = 0;
    for line in text.lines().step_by(4) {
        let (fen, goal) = line.split_once(" bm #").unwrap();
        let shortest: i32 = goal.trim_end_matches(';').parse().unwrap();
        let (start, _) = Board::from_fen_lenient(fen, false).unwrap();
        searcher.new_game();
        searcher.search(&start, &[], &Limits::nodes(15_000), |info| {
            check_mate_line(&start, info);
            if let (Score::Mate(moves), None) = (info.score, info.bound) {
                let possible = moves.signum() == shortest.signum() && moves.abs() >= shortest.abs();
                assert!(possible, "{line}: {info:?}");
                found += i32::from(moves == shortest);
            }
        });
    }
    assert!(found > 0);
}

#[test]
fn mates_that_are_asked_for_are_proven() {
    for (fen, moves) in MATES {
        let limits = Limits { mate: Some(moves), nodes: Some(200_000), ..Limits::default() };
        let start = board(fen);
        let mut last = None;
        Searcher::new(1).unwrap().search(&start, &[], &limits, |info| {
            check_mate_line(&start, info);
            last = Some(info.score);
        });
        assert_eq!(last, Some(Score::Mate(moves as i32)), "{fen}");
    }
    // Nothing is claimed where there is nothing, or too little time.
    for fen in ["8/8/8/3k4/8/3K4/3R4/8 w - - 0 1", "8/8/8/3k4/8/3K4/3R4/8 w - - 97 80"] {
        let limits = Limits { mate: Some(3), nodes: Some(50_000), ..Limits::default() };
        let result = Searcher::new(1).unwrap().search(&board(fen), &[], &limits, |_| {});
        assert!(!matches!(result.score, Score::Mate(_)), "{fen}: {result:?}");
    }
}

#[test]
fn a_mated_or_stalemated_root_has_no_move() {
    for (fen, score) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Score::Mate(0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Score::Cp(0)),
    ] {
        let result = search(fen, &Limits::depth(5));
        assert_eq!((result.best, result.ponder, result.score), (None, None, score));
    }
}
