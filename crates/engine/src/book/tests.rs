//! Tests of reading books.

use super::*;

fn board_after(moves: &str) -> Board {
    let mut board = Board::default();
    for text in moves.split_whitespace() {
        board.play(board.parse_uci(text).unwrap());
    }
    board
}

/// A book file that is gone with the value.
struct TempBook(std::path::PathBuf);

impl TempBook {
    fn new(name: &str, entries: &[BookEntry]) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-{name}-{}.bin", std::process::id()));
        let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for TempBook {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn moves_survive_the_way_through_an_entry() {
    for (fen, count) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 26),
        ("4k2r/P6P/8/8/8/8/p6p/4K3 w k - 0 1", 13),
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", 29),
    ] {
        let board: Board = fen.parse().unwrap();
        let moves = board.legal_moves();
        assert!(moves.len() >= count / 2, "{fen}");
        for mv in moves.iter() {
            let entry = BookEntry::new(&board, mv, 1);
            assert_eq!(entry.to_move(&board), Some(mv), "{fen}");
            assert_eq!(BookEntry::from_bytes(entry.to_bytes()), entry);
        }
    }
    // Some books write castling as the king's step.
    let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    let step = BookEntry { key: 0, mv: 4 << 6 | 6, weight: 1, learn: 0 };
    assert_eq!(step.to_move(&board), board.parse_uci("e1g1").ok());
    assert_eq!(BookEntry { mv: 0x7FFF, ..step }.to_move(&board), None);
}

#[test]
fn positions_are_found_first_last_and_not_at_all() {
    let boards = ["", "e2e4", "e2e4 e7e5", "d2d4", "c2c4"].map(board_after);
    let mut entries: Vec<BookEntry> = Vec::new();
    for board in &boards {
        for (index, mv) in board.legal_moves().iter().take(3).enumerate() {
            entries.push(BookEntry::new(board, mv, index as u16 + 1));
        }
    }
    entries.sort_unstable();
    let file = TempBook::new("find", &entries);
    let book = Book::open(&file.0).unwrap();
    assert_eq!((book.len(), book.is_empty()), (15, false));
    for board in &boards {
        let weights: Vec<u16> = book.moves(board).iter().map(|(_, weight)| *weight).collect();
        assert_eq!(weights, [3, 2, 1]);
    }
    assert!(book.moves(&board_after("a2a4")).is_empty());
    assert_eq!((book.find(0).count(), book.find(u64::MAX).count()), (0, 0));
}

#[test]
fn files_that_are_no_books_are_refused() {
    let entries = ["", "e2e4"].map(|moves| {
        let board = board_after(moves);
        BookEntry::new(&board, board.legal_moves().get(0).unwrap(), 1)
    });
    let mut sorted = entries;
    sorted.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.key));
    let file = TempBook::new("bad", &sorted);
    assert!(matches!(Book::open(&file.0), Err(BookError::Order(1))));
    std::fs::write(&file.0, [1; 17]).unwrap();
    assert!(matches!(Book::open(&file.0), Err(BookError::Size(17))));
    std::fs::write(&file.0, []).unwrap();
    assert!(matches!(Book::open(&file.0), Err(BookError::Size(0))));
    assert!(matches!(Book::open("no/such/book".as_ref()), Err(BookError::Read(_))));
}

#[test]
fn the_book_in_the_program_is_sound() {
    let book = Book::embedded();
    assert_eq!(book.bytes().len() % BookEntry::BYTES, 0);
    assert!(book.entries().is_sorted_by_key(|entry| entry.key));
    assert!(book.len() > 1000);
    // Every line that starts with moves of the book is made of legal moves.
    let mut board = Board::default();
    while let Some((mv, _)) = book.moves(&board).first() {
        board.play(*mv);
    }
    assert!(board.fullmove_number() > 4, "{board}");
}
