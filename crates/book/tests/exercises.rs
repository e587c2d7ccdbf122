//! The answers of the exercises, computed again: each test ends by looking up its numbers in the chapter.
//!
//! Answers that follow the tunables or the net are facts (`src/chapters`) and not repeated here; the code of
//! chapter 15 is tried by the reader's trial. `PROOFS` says of every exercise what proves its answer.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use tabiya_book::draw::thousands;
use tabiya_book::lesson::endgame::Table;
use tabiya_book::lesson::magic::rook_mask;
use tabiya_book::lesson::toy_tree::{Tree, example, minimax, search_window};
use tabiya_book::read_chapters;
use tabiya_chess::{Bitboard, Board, Color, File, Move, PieceType, Rank, Square, attacks};
use tabiya_engine::book::BookEntry;
use tabiya_engine::see_ge;
use tabiya_lab::arena::stats::elo::elo_of_score;
use tabiya_nn::Shape;
use tabiya_nn::policy::quant::{absmean, ternary};

/// What proves the answer of an exercise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Proof {
    /// A test of this file.
    Computed,
    /// Numbers that the book's program fills in.
    Fact,
    /// The reader's trial, which compiles and runs the answer.
    Tried,
    /// Nothing but the reason that it gives: there is nothing to compute.
    Reason,
}
use Proof::{Computed, Fact, Reason, Tried};

const PROOFS: [(&str, &[Proof]); 15] = [
    ("01-engines.md", &[Computed, Fact, Computed]),
    ("02-boards.md", &[Computed, Computed, Computed, Reason, Fact]),
    ("03-moves.md", &[Computed, Computed, Computed, Fact]),
    ("04-hashing.md", &[Computed, Computed, Computed, Computed]),
    ("05-search.md", &[Computed, Computed, Computed, Computed, Computed]),
    ("06-pruning.md", &[Fact, Computed, Fact, Computed]),
    ("07-ordering.md", &[Fact, Computed, Reason]),
    ("08-evaluation.md", &[Computed, Computed, Fact, Reason]),
    ("09-networks.md", &[Fact, Computed, Reason, Fact, Fact, Fact]),
    ("10-training.md", &[Computed, Reason, Reason, Fact, Computed]),
    ("11-transformer.md", &[Computed, Computed, Fact, Computed]),
    ("12-playing.md", &[Computed, Reason, Computed, Computed]),
    ("13-measuring.md", &[Reason, Computed, Computed, Reason]),
    ("14-tables-and-books.md", &[Reason, Computed, Computed, Computed]),
    ("15-small-engine.md", &[Tried, Tried, Tried, Tried, Tried]),
];

/// The items of the numbered list at the beginning of a text.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with(&format!("{}. ", items.len() + 1)) {
            items.push(String::new());
        }
        if let Some(item) = items.last_mut() {
            item.extend([line, "\n"]);
        }
    }
    items
}

#[test]
fn every_exercise_has_an_answer_and_a_proof() {
    for (name, proofs) in PROOFS {
        let text = &read_chapters().unwrap()[name];
        let (_, part) = text.split_once("\n## Exercises\n").unwrap();
        let (questions, rest) = part.split_once("<details>").unwrap();
        let (answers, _) = rest.split_once("</details>").unwrap();
        let answers = items(answers);
        assert_eq!(items(questions).len(), answers.len(), "{name}: exercises and answers");
        assert_eq!(proofs.len(), answers.len(), "{name}: answers and proofs");
        for (number, (answer, proof)) in answers.iter().zip(proofs).enumerate() {
            let shown = match proof {
                Computed => true,
                Fact => answer.contains("<!--="),
                Tried => answer.contains("<!-- answer: "),
                Reason => !answer.contains("<!--="),
            };
            assert!(shown, "{name}, answer {}: no {proof:?}", number + 1);
        }
    }
}

/// Whether a chapter says these words, wherever its lines break and without its marks.
fn assert_says(chapter: &str, words: &str) {
    let text = &read_chapters().unwrap()[chapter];
    let mut plain = String::new();
    for (index, part) in text.split("<!--").enumerate() {
        let shown =
            if index == 0 { part } else { part.split_once("-->").map_or("", |(_, rest)| rest) };
        plain += shown;
    }
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&plain).contains(&flat(words)), "{chapter} does not say '{words}'");
}

fn board(fen: &str) -> Board {
    fen.parse().unwrap()
}

fn after(board: &Board, moves: &[&str]) -> Board {
    let mut board = *board;
    for text in moves {
        board.play(board.parse_uci(text).unwrap());
    }
    board
}

fn children(board: &Board) -> Vec<Board> {
    let child = |mv| {
        let mut child = *board;
        child.play(mv);
        child
    };
    board.legal_moves().iter().map(child).collect()
}

#[test]
fn chapter_1() {
    let name = "01-engines.md";
    assert_says(name, &format!("400 * 0.477 = {:.0}.", elo_of_score(0.75)));
    assert_says(name, &format!("400 * 0.1313 = {:.0} Elo", elo_of_score(0.575)));
    let position = after(&Board::default(), &["e2e4"]);
    let answers = children(&position);
    let moves = answers.iter().map(|child| child.legal_moves().len());
    let mean = moves.sum::<usize>() as f64 / answers.len() as f64;
    assert!((28.5..31.5).contains(&mean), "{mean}");
    assert_says(name, "after e2e4 the queen and a bishop can move, and White has about 30 moves");
    // Fewer positions than games, already after four plies.
    let (mut games, mut positions) = (vec![Board::default()], HashSet::new());
    for _ in 0..4 {
        games = games.iter().flat_map(children).collect();
    }
    positions.extend(games.iter().map(Board::key));
    assert!(positions.len() < games.len() / 2, "{} {}", positions.len(), games.len());
}

#[test]
fn chapter_2() {
    let king = Bitboard::of(Square::E1);
    let row = king | king.east() | king.west();
    assert_eq!((row | row.north() | row.south()) - king, attacks::king(Square::E1));
    let diagonal = attacks::bishop(Square::A1, Bitboard::EMPTY) | Bitboard::of(Square::A1);
    let (file, diagonal) = (Bitboard::file(File::A).0, diagonal.0);
    assert_says("02-boards.md", &format!("`{file:#018x}` and `{diagonal:#018x}`"));
    // A word has an edge in the north, but none in the east.
    let (top, right) = (Bitboard::of(Square::H8), Bitboard::of(Square::H4));
    assert_eq!((top.0 << 8, top.north()), (0, Bitboard::EMPTY));
    assert_eq!((Bitboard(right.0 << 1), right.east()), (Bitboard::of(Square::A5), Bitboard::EMPTY));
    let parts = [6 * 8, 2 * 8, 64, 6 * 8, 3 * 8, 3 * 2, 1 + 1];
    assert_eq!(parts.iter().sum::<usize>(), size_of::<Board>());
    let sum = parts.map(|part| part.to_string()).join(" + ");
    assert_says("02-boards.md", &format!("{sum} = {}", size_of::<Board>()));
}

/// Double steps through a piece that a careless generator would allow in all positions so many plies away.
fn careless_steps(board: &Board, plies: u32) -> u32 {
    if plies > 0 {
        return children(board).iter().map(|child| careless_steps(child, plies - 1)).sum();
    }
    let us = board.side_to_move();
    let home = Bitboard::rank(if us == Color::White { Rank::R2 } else { Rank::R7 });
    let forward = |set: Bitboard| if us == Color::White { set.north() } else { set.south() };
    let blocked = forward(board.pieces(us, PieceType::Pawn) & home) & board.occupied();
    (forward(blocked) - board.occupied()).count()
}

#[test]
fn chapter_3() {
    let name = "03-moves.md";
    let (corner, centre) = (rook_mask(Square::A1).count(), rook_mask(Square::D4).count());
    assert_says(name, &format!("{centre} are left. From a1 its two lines have one end each"));
    assert_says(name, &format!("h1 and a8: {corner} are left"));
    let wrong: Vec<_> = (0..3).map(|plies| careless_steps(&Board::default(), plies)).collect();
    assert_eq!(wrong[..2], [0, 0]);
    assert!(wrong[2] > 0);
    assert_says(name, "Depth 3: White plays Na3 or Nc3");
    // The square behind the king looks safe with the king on the board, and is not.
    let position = board("k3r3/8/8/8/8/8/4K3/8 w - - 0 1");
    let behind = attacks::rook(Square::E8, position.occupied()).contains(Square::E1);
    assert!(!behind && position.parse_uci("e2e1").is_err());
}

#[test]
fn chapter_4() {
    // Sums, too, do not depend on the order and are undone; but the difference that a move makes is that of
    // the way back with the other sign, not the same.
    let [a, b, c] = [0x9d39_247e_3377_6d41_u64, 0x2af7_3980_05aa_a5c7, 0x44db_0150_2462_3547];
    let sum = a.wrapping_add(b).wrapping_add(c);
    assert_eq!(sum.wrapping_sub(a), c.wrapping_add(b));
    assert_ne!(a.wrapping_sub(b), b.wrapping_sub(a));
    assert_eq!(a ^ b, b ^ a);
    let start = board("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1");
    let swapped = [
        "b1d2", "e8d8", "g1e2", "d8e8", "d2f3", "e8d8", "e2c3", "d8e8", "f3g1", "e8d8", "c3b1",
        "d8e8",
    ];
    assert_eq!(after(&start, &swapped).key(), start.key());
    let rare = (65_536.0_f64 / 3.0 / 1000.0).round();
    assert_says("04-hashing.md", &format!("about once in {rare},000 probes"));
    assert_eq!((16 << 20) / 32, 524_288, "clusters of 32 bytes, about half a million");
    // Only one number tells whose move it is.
    let side = |placement: &str| {
        let [white, black] = ["w", "b"].map(|side| board(&format!("{placement} {side} - - 0 1")));
        white.key() ^ black.key()
    };
    assert_eq!(side("4k3/8/8/8/8/8/8/1N2K1N1"), side("4k3/pp6/8/8/8/8/8/R3K3"));
}

/// The leaves of the tree, one after the other.
fn leaves(tree: &mut Tree) -> Vec<&mut i32> {
    match tree {
        Tree::Leaf(value) => vec![value],
        Tree::Choice(children) => children.iter_mut().flat_map(leaves).collect(),
    }
}

#[test]
fn chapter_5() {
    let count = leaves(&mut example()).len();
    let mut changed = Vec::new();
    for index in 0..count {
        for value in -99..=99 {
            let mut tree = example();
            *leaves(&mut tree)[index] = value;
            let Tree::Choice(moves) = tree else { panic!("the root is no leaf") };
            let values: Vec<_> = moves.iter().map(|child| minimax(child, false)).collect();
            if values[1] > values[0].max(values[2]) {
                changed.push((index, value, values[1]));
            }
        }
    }
    // Leaves 8 and 9 are the 2 and the 5 of the second move; 13 is the least that helps.
    assert_eq!(changed.first(), Some(&(8, 13, 13)));
    assert!(changed.iter().all(|(index, value, _)| [8, 9].contains(index) && *value >= 13));
    assert_says(
        "05-search.md",
        "Changing 2 or 5 to 13 makes the second move worth min(25, 13, 14) = 13",
    );
    let earlier: f64 = (1..60).map(|step| 1.7_f64.powi(-step)).sum();
    assert_says("05-search.md", &format!("1 / (1.7 - 1) = {earlier:.2} times the last one"));
    // Whatever a null window returns is a bound on its side.
    let value = minimax(&example(), true);
    for alpha in -30..30 {
        let found = search_window(&example(), alpha, alpha + 1).value;
        assert!(if found <= alpha { value <= found } else { value >= found }, "{alpha}: {found}");
    }
    assert_says(
        "05-search.md",
        "at most 47 (if the search is *fail-soft*), in any case at most 50",
    );
    // Black is a queen up, to move, in check, and mated.
    let lost = board("4R1k1/5ppp/8/8/8/8/q7/6K1 b - - 0 1");
    assert!(lost.in_check() && lost.legal_moves().is_empty());
    // All values that the entry allows, as a search with the window would tell them.
    let told = |alpha: i32, beta: i32| -> HashSet<i32> {
        (80..200).map(|value: i32| value.clamp(alpha, beta)).collect()
    };
    assert_eq!(told(20, 60), [60].into());
    assert!(told(100, 140).len() > 1);
}

fn exchange(fen: &str, mv: &str) -> i32 {
    let board = board(fen);
    let mv = board.parse_uci(mv).unwrap();
    (-2000..=2000).rev().find(|threshold| see_ge(&board, mv, *threshold)).unwrap()
}

#[test]
fn chapter_6() {
    let name = "06-pruning.md";
    let paper = exchange("4k3/8/3p4/4p3/3P4/5N2/8/4K3 w - - 0 1", "f3e5");
    assert_says(name, &format!("the exchange is worth {paper}."));
    let defended = exchange("4k3/8/4p3/3n4/8/8/8/K2Q4 w - - 0 1", "d1d5");
    assert_says(name, &format!("+300 - 900 = {defended}."));
    let pinned = "4k3/8/4p3/3n4/8/8/8/K2QR3 w - - 0 1";
    assert_eq!(exchange(pinned, "d1d5"), defended);
    assert!(after(&board(pinned), &["d1d5"]).parse_uci("e6d5").is_err());
    assert_says(name, "SEE does not look at pins, so it says the same, and is wrong");
    let position = board("4k3/8/3p4/4p3/3P4/5N2/8/4K3 w - - 0 1");
    let mut passed_twice = position;
    passed_twice.play_null();
    passed_twice.play_null();
    assert_eq!(passed_twice.key(), position.key());
}

#[test]
fn chapter_7() {
    let position = board("r3k3/p7/8/3n4/4P3/Q5N1/7P/4K2R w K - 0 1");
    let moves =
        ["a3a7", "g3f5", "e4d5", "h2h3", "e1g1"].map(|text| position.parse_uci(text).unwrap());
    let [queen, killer, pawn, hash_move, castling] = moves;
    let stage = |mv: Move| match mv {
        _ if mv == hash_move => 0,
        _ if mv.is_capture() && see_ge(&position, mv, 0) => 1,
        _ if mv.is_capture() => 3,
        _ => 2,
    };
    let order = [hash_move, pawn, killer, castling, queen];
    assert_eq!(order.map(stage), [0, 1, 2, 2, 3]);
    let words = "h3 (hash move), exd5 (wins a knight), Nf5 and O-O by their scores (the killer has a large bonus), Qxa7";
    assert_says("07-ordering.md", words);
    let written: Vec<_> = order.iter().map(|mv| position.san(*mv)).collect();
    assert_eq!(written, ["h3", "exd5", "Nf5", "O-O", "Qxa7"]);
}

#[test]
fn chapter_8() {
    let name = "08-evaluation.md";
    let mut mask = Vec::new();
    for file in [File::B, File::C, File::D] {
        for rank in [Rank::R3, Rank::R2, Rank::R1] {
            mask.push(Square::new(file, rank).to_string());
        }
    }
    assert_says(name, &format!("1. {}.", mask.join(", ")));
    let position = board("4k3/pp2p3/8/8/3P4/8/P1P4P/4K3 w - - 0 1");
    let isolated = |color| -> Vec<String> {
        let pawns = position.pieces(color, PieceType::Pawn);
        let beside = |sq: Square| {
            let file = Bitboard::file(sq.file());
            file.east() | file.west()
        };
        pawns
            .into_iter()
            .filter(|sq| !beside(*sq).intersects(pawns))
            .map(|sq| sq.to_string())
            .collect()
    };
    assert_eq!(isolated(Color::White), ["a2", "h2"]);
    assert_eq!(isolated(Color::Black), ["e7"]);
    assert_says(name, "White: a2 (no b-pawn) and h2 (no g-pawn)");
    assert_says(name, "Black: e7 has no d- or f-pawn");
}

#[test]
fn chapter_9() {
    let shape = Shape::new(1024, 8, 8).unwrap();
    let [home, short, long] = [Square::E1, Square::G1, Square::C1].map(|sq| shape.king_bucket(sq));
    assert_says(
        "09-networks.md",
        &format!(
            "e1 is seen on d1 in bucket {home}, g1 on b1 in bucket {short}, and c1, on the other half, in \
             bucket {long}"
        ),
    );
}

#[test]
fn chapter_10() {
    let name = "10-training.md";
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let gradient = [(1.0, 1.0), (-2.0, 0.0), (0.5, 0.0)]
        .map(|(x, y)| 2.0 * (sigmoid(0.0) - y) * 0.25 * x)
        .iter()
        .sum::<f64>()
        / 3.0;
    assert_says(name, &format!("w = 0 + 1 x {:.4} = {:.3}.", -gradient, -gradient));
    let (x, v, w, y) = (2.0, 0.5, 0.0, 1.0);
    let p = sigmoid(w * v * x);
    let common = 2.0 * (p - y) * p * (1.0 - p);
    assert_says(name, &format!("2 x (0.5 - 1) x 0.25 x 1 = {:.2}, so w grows", common * v * x));
    assert_eq!(common * w * x, 0.0);
}

#[test]
fn chapter_11() {
    let name = "11-transformer.md";
    let weights = [0.2, -0.6, 1.0, -0.2];
    let scale = absmean(&weights);
    let rounded = weights.map(|weight| ternary(weight, scale).to_string());
    assert_says(name, &format!("The mean magnitude is {scale:.1}"));
    assert_says(name, &format!("+1: {}.", rounded.join(", ")));
    let count = 256 * 256;
    assert_eq!((count * 2 / 8, (count + 4) / 5), (16_384, 13_108));
    assert_says(name, "= 16,384 bytes; 65,536 / 5 = 13,108.");
    // The mean square of a sum of n products of signs is n.
    for n in 1..10 {
        let sum = |signs: u32| 2 * (signs.count_ones() as i32) - n;
        let squares: i32 = (0..1_u32 << n).map(|signs| sum(signs).pow(2)).sum();
        assert_eq!(squares, n << n);
    }
    assert_says(name, "A sum of n random products grows like sqrt(n)");
}

/// The engine's own tests know these numbers, too (`search/time.rs`, `pool.rs`).
#[test]
fn chapter_12() {
    let name = "12-playing.md";
    let soft = (f64::from(20_000 - 13 - 4 * 10) / 5.0).round();
    assert_says(name, &format!("(20,000 - 13 - 4 x 10) / 5 = {} ms", thousands(soft as u64)));
    let votes = |opinions: &[(i32, i32)]| -> i32 {
        opinions.iter().map(|(value, depth)| (value - 15 + 10) * depth).sum()
    };
    let (one, two) = (votes(&[(20, 15)]), votes(&[(15, 14), (25, 14)]));
    assert_says(name, &format!("(20 - 15 + 10) x 15 = {one}."));
    assert_says(name, &format!("(0 + 10) x 14 + (10 + 10) x 14 = {two}. Nf3."));
    assert_says(name, &format!("about {} times", 1.0 + 0.5));
}

#[test]
fn chapter_13() {
    // The games of which 40 % are drawn, each worth 0, 1/2 or 1.
    let error = |games: f64| elo_of_score(0.5 + 1.96 * (0.6 * 0.25 / games).sqrt());
    assert!((error(70_000.0) - 2.0).abs() < 0.01, "{}", error(70_000.0));
    assert_says("13-measuring.md", "about 70,000");
    let least_one = 100.0 * (1.0 - 0.95_f64.powi(10));
    assert_says("13-measuring.md", &format!("1 - 0.95^10 = {least_one:.0} %"));
}

#[test]
fn chapter_14() {
    let name = "14-tables-and-books.md";
    // One good move for White is enough, one good move for Black spoils it.
    let table = Table::solve(PieceType::Rook);
    let mate_in_one = board("7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    let plies = |board: &Board| {
        let [king, piece] = [PieceType::King, PieceType::Rook]
            .map(|kind| board.pieces(Color::White, kind).into_iter().next());
        table.plies(board.side_to_move(), king?, piece?, board.king(Color::Black))
    };
    let after: Vec<_> = children(&mate_in_one).iter().map(plies).collect();
    assert_eq!(plies(&mate_in_one), Some(1));
    assert!(after.contains(&Some(0)) && after.iter().any(|plies| *plies != Some(0)));
    let saved = board("8/8/8/8/8/3k4/3R4/7K b - - 0 1");
    assert_eq!(plies(&saved), None, "Black takes the rook");
    assert!(children(&saved).iter().any(|child| plies(child).is_some()));
    assert_says(name, &format!("comes 30 plies later, at {}", 80 + 30));
    let start = Board::default();
    let entry = BookEntry::new(&start, start.parse_uci("g1f3").unwrap(), 1);
    let bytes = entry.to_bytes();
    assert_says(name, &format!("6 x 64 + 21 = {} = `{:02x} {:02x}`", entry.mv, bytes[8], bytes[9]));
}
