//! Repetition against an oracle that compares whole positions instead of keys and tries all moves
//! instead of a table.

use crate::common::Random;
use std::collections::HashMap;
use tabiya_chess::{Board, repetition};

/// Small positions in which random play repeats often; with counters, castling rights and a
/// possible en passant capture.
const STARTS: [&str; 8] = [
    "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1",
    "4k2r/8/8/8/8/8/8/R3K3 w Qk - 97 80",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/5n2/8/1k6/8/6K1/2B5/8 b - - 120 100",
    "4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1",
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R b KQkq - 3 9",
    "kq6/8/8/8/8/8/8/6QK w - - 0 1",
    "2b1k3/8/p1p1p1p1/P1P1P1P1/8/8/8/4KB2 w - - 11 30",
];

/// Every position since the last null move by its text, with the plies at which it was on the board.
#[derive(Default)]
struct Oracle {
    plies: HashMap<String, Vec<usize>>,
}

impl Oracle {
    fn seen(&self, board: &Board) -> &[usize] {
        self.plies.get(&board.to_epd()).map_or(&[], Vec::as_slice)
    }

    /// The rule of search for a position that is on the board at game ply `now`.
    fn is_draw(&self, board: &Board, now: usize, ply: usize) -> bool {
        let seen = self.seen(board);
        seen.len() >= 2 || seen.iter().any(|then| now - then < ply)
    }
}

#[test]
fn repetition_agrees_with_comparing_positions() {
    let mut random = Random(20);
    let (mut draws, mut upcoming) = (0, 0);
    for game in 0..240 {
        let mut board = Board::from_fen(STARTS[game % STARTS.len()], false).unwrap();
        let (mut keys, mut oracle) = (Vec::new(), Oracle::default());
        for now in 0..400 {
            let ply = if random.one_in(2) { random.below(now + 1) } else { random.below(12) };
            let count = oracle.seen(&board).len();
            assert_eq!(repetition::count_repetitions(&board, &keys), count, "{board}");
            let draw = oracle.is_draw(&board, now, ply);
            assert_eq!(repetition::is_draw_by_repetition(&board, &keys, ply), draw, "{board}");
            draws += usize::from(draw);

            oracle.plies.entry(board.to_epd()).or_default().push(now);
            let back = board.legal_moves().iter().any(|mv| {
                let mut child = board;
                child.play(mv);
                oracle.is_draw(&child, now + 1, ply + 1)
            });
            let found = repetition::has_upcoming_repetition(&board, &keys, ply);
            assert_eq!(found, back, "{board} at ply {ply} of {now}");
            upcoming += usize::from(back);

            keys.push(board.key());
            if random.one_in(40) && !board.in_check() {
                board.play_null();
                oracle = Oracle::default();
            } else {
                let Some(mv) = random.shuffling_move(&board) else { break };
                board.play(mv);
            }
        }
    }
    assert!(draws > 1000 && upcoming > 1000, "too few cases: {draws} draws, {upcoming} upcoming");
}

#[test]
fn a_repetition_of_the_root_counts_only_as_the_third_occurrence() {
    let mut board: Board = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1".parse().unwrap();
    let start = board;
    let mut keys = Vec::new();
    for cycle in 1..=2 {
        for (from, to) in [("a1", "a2"), ("e8", "d8"), ("a2", "a1"), ("d8", "e8")] {
            keys.push(board.key());
            let mv =
                board.legal_moves().iter().find(|mv| format!("{mv:?}") == format!("{from}{to}"));
            board.play(mv.unwrap());
        }
        assert_eq!(board.key(), start.key());
        // Root four plies ago: its own repetition is no draw yet. Root five plies ago: it is.
        assert_eq!(repetition::is_draw_by_repetition(&board, &keys, 4), cycle == 2);
        assert!(repetition::is_draw_by_repetition(&board, &keys, 5));
        assert_eq!(repetition::count_repetitions(&board, &keys), cycle);
    }
}
