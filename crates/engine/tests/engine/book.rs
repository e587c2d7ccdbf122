//! Playing from opening books.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::data;
use std::path::PathBuf;
use tabiya_chess::Board;
use tabiya_engine::book::{Book, BookEntry};
use tabiya_engine::{Engine, Limits};

fn board_after(moves: &str) -> Board {
    let mut board = Board::default();
    for text in moves.split_whitespace() {
        board.play(board.parse_uci(text).unwrap());
    }
    board
}

/// Writes a book of moves with weights for one position.
fn book_of(name: &str, board: &Board, moves: &[(&str, u16)]) -> PathBuf {
    let entry = |(text, weight): &(&str, u16)| {
        BookEntry::new(board, board.parse_uci(text).unwrap(), *weight).to_bytes()
    };
    let path = std::env::temp_dir().join(format!("tabiya-{name}-{}.bin", std::process::id()));
    std::fs::write(&path, moves.iter().flat_map(entry).collect::<Vec<u8>>()).unwrap();
    path
}

#[test]
fn books_of_others_are_read() {
    let (Some(large), Some(small)) =
        (data::path("books/performance.bin"), data::path("books/lasker-trap.bin"))
    else {
        return;
    };
    let book = Book::open(&large).unwrap();
    assert_eq!(book.len(), 92_954);
    let best = |book: &Book, moves: &str| {
        let board = board_after(moves);
        book.moves(&board).first().map(|(mv, _)| board.uci(*mv, false))
    };
    assert!(["e2e4", "d2d4"].map(String::from).contains(&best(&book, "").unwrap()));
    let board = board_after("d2d4 g8f6");
    let listed = book.moves(&board).into_iter().map(|(mv, weight)| (board.uci(mv, false), weight));
    let expected = [("c2c4", 330), ("g1f3", 45), ("c1g5", 8)];
    assert!(listed.eq(expected.map(|(mv, weight)| (mv.to_owned(), weight))));
    // The trap ends with a pawn that becomes a knight.
    let trap = Book::open(&small).unwrap();
    assert_eq!(trap.len(), 7);
    let line = "d2d4 d7d5 c2c4 e7e5 d4e5 d5d4 e2e3 f8b4 c1d2 d4e3 d2b4 e3f2 e1e2";
    assert_eq!(best(&trap, line).as_deref(), Some("f2g1n"));
}

#[test]
fn the_engine_plays_the_best_book_move_at_once() {
    let start = Board::default();
    let file = book_of("own-book", &start, &[("g1f3", 9), ("c2c4", 10)]);
    let mut engine = Engine::new(1).unwrap();
    let mut play = |option: &str, value: &str| {
        engine.set_option(option, Some(value)).unwrap();
        engine.set_position(start, &[]);
        let (sender, infos) = std::sync::mpsc::channel();
        let limits = Limits::nodes(100_000);
        let result = engine.go(limits, move |info| sender.send(info.line[0]).unwrap());
        let best = result.best.unwrap();
        assert_eq!(infos.iter().last(), Some(best));
        (start.uci(best, false), result.nodes)
    };
    play("BookFile", file.to_str().unwrap());
    play("BookVariety", "0");
    let (mv, nodes) = play("OwnBook", "true");
    assert_eq!(mv, "c2c4");
    assert!(nodes < 20_000, "{nodes}");
    let (_, nodes) = play("UCI_AnalyseMode", "true");
    assert_eq!(nodes, 100_000);
    play("UCI_AnalyseMode", "false");
    let (_, nodes) = play("BookDepth", "0");
    assert_eq!(nodes, 100_000);
    let error = engine.set_option("BookFile", Some("no/such/book")).unwrap_err().to_string();
    assert!(error.contains("BookFile unchanged"), "{error}");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_losing_book_move_is_refused() {
    // The book walks into mate, gives a knight away, and has one good move.
    let board = board_after("e2e4 e7e5 d1h5");
    let file = book_of("blunder", &board, &[("e8e7", 1000), ("b8a6", 10), ("b8c6", 1)]);
    let mut engine = Engine::new(1).unwrap();
    engine.set_option("BookFile", file.to_str()).unwrap();
    engine.set_option("OwnBook", Some("true")).unwrap();
    engine.set_option("BookVariety", Some("0")).unwrap();
    engine.set_position(board, &[]);
    let best = engine.go(Limits::nodes(50_000), |_| {}).best.unwrap();
    assert_eq!(board.uci(best, false), "b8c6");
    std::fs::remove_file(file).unwrap();
}
