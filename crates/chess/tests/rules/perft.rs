//! Leaf counts of the move tree against published numbers.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::data;
use tabiya_chess::{Board, Epd, perft};

/// Positions of a suite are searched to the deepest level with at most this many leaves.
const SUITE_LEAVES: u64 = 1_000_000;

/// Compares the counts of every depth from 1.
#[track_caller]
fn check(fen: &str, counts: &[u64]) {
    for (depth, count) in (1..).zip(counts) {
        check_depth(fen, depth, *count);
    }
}

#[track_caller]
fn check_depth(fen: &str, depth: u32, count: u64) {
    let (board, _) = Board::from_fen_lenient(fen, true).unwrap();
    assert_eq!(perft::count(&board, depth), count, "{fen} depth {depth}");
    assert_eq!(perft::count(&board.mirrored(), depth), count, "mirrored {fen} depth {depth}");
}

#[test]
fn starting_position() {
    check(tabiya_chess::START_FEN, &[20, 400, 8902, 197_281, 4_865_609]);
}

/// The positions of the Chess Programming Wiki page "Perft Results".
#[test]
fn well_known_positions() {
    check(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2039, 97_862, 4_085_603],
    );
    check("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238, 674_624]);
    check(
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9467, 422_333],
    );
    check(
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1486, 62_379, 2_103_487],
    );
    check(
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2079, 89_890, 3_894_594],
    );
}

/// Small positions by Martin Sedlak, each about one rule that generators get wrong.
#[test]
fn single_rules() {
    // En passant that uncovers a check along the rank or a diagonal.
    check_depth("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888);
    check_depth("8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1", 6, 824_064);
    // En passant gives check, castling gives check.
    check_depth("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467);
    check_depth("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661_072);
    check_depth("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803_711);
    // Castling rights that a capture takes away, castling that is prevented.
    check_depth("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1_274_206);
    check_depth("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1_720_476);
    // Promotion out of check, under-promotion that gives check.
    check_depth("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001);
    check_depth("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658);
    check_depth("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342);
    check_depth("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683);
    // Stalemate, checkmate, double check.
    check_depth("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2217);
    check_depth("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584);
    check_depth("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527);
}

#[test]
fn chess960() {
    check(
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        &[21, 528, 12_189, 326_672],
    );
    check(
        "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
        &[20, 479, 10_471, 273_318],
    );
    // Castling past its own pinned rook, with king and rook side by side, between two rooks.
    check("4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1", &[19, 628, 12_858, 405_636]);
    check("8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1", &[34, 318, 9002, 118_388]);
    check("r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", &[23, 522, 12_333, 285_754]);
}

fn check_suite(name: &str) {
    let Some(text) = data::read(&format!("perft/{name}.epd")) else { return };
    let mut tested = 0;
    for line in text.lines() {
        let (epd, _) = Epd::parse_lenient(line, true).unwrap_or_else(|e| panic!("{line}: {e}"));
        let small = epd.perft_counts().take_while(|(_, count)| *count <= SUITE_LEAVES).last();
        let Some((depth, count)) = small else { continue };
        assert_eq!(perft::count(&epd.board, depth), count, "{line} depth {depth}");
        tested += 1;
    }
    assert!(tested > 0, "{name}: no position is small enough");
    eprintln!("{name}: {tested} of {} positions", text.lines().count());
}

macro_rules! suites {
    ($($test:ident: $name:literal,)+) => {
        $(#[test] fn $test() { check_suite($name); })+
    };
}
suites! {
    standard_suite: "standard",
    chess960_suite: "chess960",
    tricky_suite: "tricky-xfen",
    random_suite: "random-a",
    en_passant_suite: "enpassant-a",
    single_check_suite: "single-check-a",
    double_check_suite: "double-check-a",
}
