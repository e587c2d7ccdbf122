//! What must hold for any weights: symmetry, agreement of search value and trace, known endgames.

use super::*;
use tabiya_chess::Move;

/// A small generator of reproducible random numbers (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Calls `check` on every position of many random games.
fn for_random_positions(games: usize, mut check: impl FnMut(&Board)) {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for _ in 0..games {
        let mut board = Board::default();
        for _ in 0..200 {
            let moves: Vec<Move> = board.legal_moves().iter().collect();
            if moves.is_empty() || board.has_insufficient_material() {
                break;
            }
            // Captures get a better chance, so that endgames are reached.
            let noisy: Vec<Move> = moves.iter().copied().filter(|mv| mv.is_noisy()).collect();
            let pool = if noisy.is_empty() || random.below(3) > 0 { &moves } else { &noisy };
            board.play(pool[random.below(pool.len())]);
            check(&board);
        }
    }
}

fn value(fen: &str) -> i32 {
    let board = Board::from_fen(fen, false).unwrap_or_else(|error| panic!("{fen}: {error}"));
    evaluate(&board, &mut PawnTable::default())
}

#[test]
fn mirrored_positions_evaluate_equal() {
    let mut pawns = PawnTable::default();
    for_random_positions(60, |board| {
        let value = evaluate(board, &mut pawns);
        assert_eq!(value, evaluate(&board.mirrored(), &mut pawns), "{board}");
        assert!(value.abs() < VALUE_LIMIT);
    });
}

#[test]
fn a_cached_pawn_entry_equals_a_fresh_one() {
    let mut warm = PawnTable::default();
    let mut cold = PawnTable::default();
    for_random_positions(10, |board| {
        evaluate(board, &mut warm);
        cold.clear();
        assert_eq!(evaluate(board, &mut warm), evaluate(board, &mut cold), "{board}");
    });
}

#[test]
fn the_trace_adds_up_to_the_value() {
    let mut pawns = PawnTable::default();
    for_random_positions(40, |board| {
        let Some(trace) = Trace::new(board, &mut pawns) else { return };
        let value = evaluate(board, &mut pawns);
        let white_value = if board.side_to_move() == Color::White { value } else { -value };
        assert_eq!(trace.value, white_value, "{board}");
        assert_eq!(trace.value_with(all_weights()), white_value, "{board}");
    });
}

#[test]
fn every_weight_in_reach_is_used() {
    let mut pawns = PawnTable::default();
    let mut used = [false; WEIGHT_COUNT];
    for_random_positions(400, |board| {
        if let Some(trace) = Trace::new(board, &mut pawns) {
            for (index, counts) in trace.counts.iter().enumerate() {
                used[index] |= *counts != [0, 0];
            }
        }
    });
    for term in &TERMS {
        let used = &used[term.range()];
        assert!(used.iter().any(|used| *used), "{} is never used", term.name);
    }
}

#[test]
fn phase_runs_from_full_to_zero() {
    let mut full = false;
    for_random_positions(10, |board| {
        let phase = phase(board);
        assert!((0..=FULL_PHASE).contains(&phase), "{board}");
        full |= phase == FULL_PHASE;
    });
    assert!(full);
    let kings = Board::from_fen("4k3/pp6/8/8/8/8/6PP/4K3 w - - 0 1", false).unwrap();
    assert_eq!(phase(&kings), 0);
}

#[test]
fn positions_without_mating_material_are_drawn() {
    for fen in [
        "4k3/8/8/8/8/8/8/4KN2 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KB2 b - - 0 1",
        "4k3/8/8/8/8/8/8/3NKN2 w - - 0 1",
        "4k3/8/8/8/8/8/8/2B1K1B1 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    ] {
        assert_eq!(value(fen), 0, "{fen}");
    }
}

#[test]
fn drawish_endgames_are_worth_little() {
    for fen in [
        // The bishop does not control the corner of its rook pawn.
        "7k/8/8/8/6K1/3B4/7P/8 w - - 0 1",
        // A rook does not beat a minor piece, nor a piece more a rook, without pawns.
        "4k3/2n5/8/8/8/8/3R4/4K3 w - - 0 1",
        "4k3/2b5/8/8/8/8/3R4/4K3 b - - 0 1",
        "4k3/r7/8/8/8/2N5/3R4/4K3 w - - 0 1",
        // A bishop pawn one step from promotion holds against the queen.
        "8/8/8/8/7K/8/2pk4/7Q w - - 0 1",
        // Minor pieces alone do not win.
        "4k3/p7/8/8/8/8/8/4KB2 w - - 0 1",
    ] {
        assert!(value(fen).abs() <= 80, "{fen}: {}", value(fen));
    }
    let opposite = value("4kb2/5ppp/8/8/8/3B4/3PPPPP/4K3 w - - 0 1");
    let same_bishops = value("2b1k3/5ppp/8/8/8/3B4/3PPPPP/4K3 w - - 0 1");
    assert!(opposite < same_bishops, "{opposite} {same_bishops}");
}

#[test]
fn a_bare_king_is_driven_to_the_edge() {
    let centre = value("8/8/8/3k4/8/3K4/8/7R w - - 0 1");
    let edge = value("3k4/8/8/8/8/3K4/8/7R w - - 0 1");
    let edge_close = value("3k4/8/3K4/8/8/8/8/7R w - - 0 1");
    assert!(0 < centre && centre < edge && edge < edge_close);
}

#[test]
fn bishop_and_knight_drive_to_the_right_corner() {
    // The bishop is on light squares: a8 and h1 are the corners to mate in.
    let right = value("k7/2K5/8/8/8/8/8/1B3N2 w - - 0 1");
    let wrong = value("7k/5K2/8/8/8/8/8/1B3N2 w - - 0 1");
    assert!(wrong < right, "{wrong} {right}");
}

#[test]
fn king_and_pawn_facts_are_known() {
    for (fen, wins) in [
        // The key squares: two ranks ahead of the pawn.
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", true),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", false),
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true),
        // A king before a rook pawn draws.
        ("k7/8/1K6/P7/8/8/8/8 w - - 0 1", false),
        ("7k/8/6K1/7P/8/8/8/8 b - - 0 1", false),
        // The rule of the square, both ways.
        ("8/8/8/P6k/8/8/8/K7 w - - 0 1", true),
        ("8/8/8/P3k3/8/8/8/K7 b - - 0 1", false),
        // Stalemate instead of promotion.
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", false),
        ("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", true),
    ] {
        let value = value(fen);
        assert_eq!(value != 0, wins, "{fen}: {value}");
        let board = Board::from_fen(fen, false).unwrap();
        assert_eq!(value, evaluate(&board.mirrored(), &mut PawnTable::default()), "{fen}");
    }
}

#[test]
fn positions_in_check_have_a_value() {
    assert!(value("4k3/8/8/8/4R3/8/7p/4K3 b - - 0 1").abs() < VALUE_LIMIT);
}

#[test]
fn an_explanation_is_a_table_and_a_board() {
    let board =
        Board::from_fen("r3k2r/ppp2ppp/8/8/8/8/PPP2PPP/R2QK2R w KQkq - 0 1", false).unwrap();
    let explanation = explain(&board);
    let queen = explanation.worth.0[Square::D1].expect("the queen has a worth");
    assert!(queen.1 > 500, "{queen:?}");
    assert_eq!(explanation.worth.0[Square::E1], None);
    let text = explanation.to_string();
    for word in ["material", "king danger", "complexity", "worth of each piece", "evaluation +"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
}
