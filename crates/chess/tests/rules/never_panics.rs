//! Arbitrary and damaged text into every reader: a clean answer, never a panic.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use tabiya_chess::{Board, Epd, Setup};

const FENS: &[&str] = &[
    tabiya_chess::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "8/2K3P1/8/3pP3/8/1k5p/6p1/5B2 b - - 99 65535",
    "1r2k1r1/8/8/8/8/8/8/R4KR1 w GAgb - 65535 1",
];
const MOVES: &[&str] = &[
    "e4",
    "Nf3",
    "Nbxd7+",
    "O-O-O#",
    "e8=Q",
    "exd8(n)!?",
    "Qa1b2",
    "Ng1-f3",
    "0-0",
    "e2e4",
    "e7e8q",
    "e1h1",
    "a1a1",
    "Raxd8=Q++",
];
const EPDS: &[&str] = &[
    r#"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8# Kf1; id "a \"b\"; c"; acd 3; hmvc 4; fmvn 9;"#,
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400",
    r#"4k3/8/8/8/8/8/8/4K2R w K - am O-O; ce -12; pv Rh8 Kd7; c0 "";"#,
];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x7AB1_7A06),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Text of any kind: random bytes, random characters, the letters of chess.
fn garbage() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(any::<u8>(), 0..80).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        ".{0,40}",
        "[a-hKQRBNPx0-9=+#/ ;\"wbkq-]{0,60}",
    ]
}

/// A valid text with a few characters changed, removed, inserted or swapped.
fn damaged(valid: &'static [&'static str]) -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        4 => select("abcdefgh12345678KQRBNPkqrnpwx=+#/-; \"\\0".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    let edits = vec((0..4, any::<Index>(), letter), 0..5);
    (select(valid), edits).prop_map(|(text, edits)| {
        let mut letters: Vec<char> = text.chars().collect();
        for (edit, place, letter) in edits {
            let at = place.index(letters.len() + 1);
            match edit {
                0 if at < letters.len() => letters[at] = letter,
                1 if at < letters.len() => drop(letters.remove(at)),
                2 if at + 1 < letters.len() => letters.swap(at, at + 1),
                _ => letters.insert(at, letter),
            }
        }
        letters.into_iter().collect()
    })
}

fn text(valid: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![1 => garbage(), 3 => damaged(valid)]
}

/// A board that was accepted must work like any other.
fn check_board(board: &Board) {
    board.assert_consistent();
    let (again, _) = Board::from_fen_lenient(&board.to_string(), true).unwrap();
    assert_eq!(again, *board);
    board.polyglot_key();
    for mv in &board.legal_moves() {
        let mut child = *board;
        child.play(mv);
        child.assert_consistent();
        assert_eq!(board.gives_check(mv), child.in_check(), "{board}: {mv:?}");
        assert_eq!(board.parse_san(&board.san(mv)), Ok(mv), "{board}");
        assert_eq!(board.parse_uci(&board.uci(mv, true)), Ok(mv), "{board}");
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn fen(text in text(FENS), chess960: bool) {
        match Board::from_fen(&text, chess960) {
            Ok(board) => {
                check_board(&board);
                prop_assert_eq!(Board::from_fen(&board.to_string(), true), Ok(board));
                prop_assert_eq!(Board::from_fen(&board.to_shredder_fen(), true), Ok(board));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        if let Ok((board, repairs)) = Board::from_fen_lenient(&text, chess960) {
            check_board(&board);
            prop_assert_eq!(repairs.is_empty(), Board::from_fen(&text, chess960).is_ok());
        }
    }

    #[test]
    fn any_arrangement_of_pieces(
        pieces in vec((any::<Index>(), any::<Index>()), 0..40),
        fields in (any::<Index>(), any::<Index>(), any::<Index>()),
    ) {
        use tabiya_chess::{Color, Piece, Rank, Square};
        let mut setup = Setup::from_fen(FENS[fields.0.index(FENS.len())]).unwrap();
        if fields.1.index(2) == 0 {
            setup.pieces = [None; 64];
            setup.pieces[Square::ALL[fields.1.index(64)]] = Some(Piece::WhiteKing);
            setup.pieces[Square::ALL[fields.0.index(64)]] = Some(Piece::BlackKing);
        }
        for (sq, piece) in pieces {
            // Ten pieces: without the kings.
            setup.pieces[Square::ALL[sq.index(64)]] = Some(Piece::ALL[piece.index(10)]);
        }
        setup.side = Color::ALL[fields.2.index(2)];
        let rank = if setup.side == Color::White { Rank::R6 } else { Rank::R3 };
        setup.en_passant = Some(Square::new(tabiya_chess::File::ALL[fields.2.index(8)], rank));
        if let Ok((board, _)) = setup.to_board_lenient(true) {
            check_board(&board);
        }
    }

    #[test]
    fn moves(text in text(MOVES), fen in select(FENS)) {
        let board = Board::from_fen(fen, true).unwrap();
        match board.parse_san(&text) {
            Ok(mv) => prop_assert!(board.is_legal(mv)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        match board.parse_uci(&text) {
            Ok(mv) => prop_assert!(board.is_legal(mv)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn epd(text in text(EPDS), chess960: bool) {
        match Epd::parse(&text, chess960) {
            Ok(epd) => {
                check_board(&epd.board);
                prop_assert_eq!(Epd::parse(&epd.to_string(), true), Ok(epd));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
