//! Attacks, magics, pins, perft.

use super::{KIWIPETE, board, row};
use crate::Output;
use crate::draw::board::{Picture, boards};
use crate::draw::thousands;
use crate::lesson::magic;
use tabiya_chess::{Bitboard, Board, Color, PieceType, Square, attacks, perft};

const BLUE: &str = "#8fc1e3";
const RED: &str = "#f0a58a";
const GREEN: &str = "#9ed3a8";

pub(super) fn write(out: &mut Output) {
    steps(out);
    sliders(out);
    paper_magic(out);
    legality(out);
    counts(out);
    encoding(out);
}

fn steps(out: &mut Output) {
    let kiwipete = board(KIWIPETE);
    let pawns = kiwipete.pieces(Color::White, PieceType::Pawn);
    let single = pawns.north() - kiwipete.occupied();
    let third = Bitboard::rank(tabiya_chess::Rank::R3);
    let double = (single & third).north() - kiwipete.occupied();
    out.figure(
        "pawn-steps",
        boards(
            "White pawns: pushes, double steps, captures",
            &[
                Picture::new("one step north, if empty").pieces(&kiwipete).set(single, BLUE),
                Picture::new("a second step from rank 3").pieces(&kiwipete).set(double, BLUE),
                Picture::new("attacks, west and east")
                    .pieces(&kiwipete)
                    .set(attacks::pawns(Color::White, pawns), BLUE),
            ],
        ),
    );
    let knight = |sq: Square| {
        Picture::new(format!("a knight on {sq}"))
            .set(attacks::knight(sq), BLUE)
            .set(Bitboard::of(sq), GREEN)
    };
    out.figure(
        "leapers",
        boards(
            "Where knights and kings can go",
            &[
                knight(Square::D4),
                knight(Square::H1),
                Picture::new("a king on g1")
                    .set(attacks::king(Square::G1), BLUE)
                    .set(Bitboard::of(Square::G1), GREEN),
            ],
        ),
    );
    let total: u32 = Square::ALL.into_iter().map(|sq| attacks::knight(sq).count()).sum();
    out.fact("knight.total", total);
}

fn sliders(out: &mut Output) {
    let sq = Square::D4;
    let mask = magic::rook_mask(sq);
    let blockers: Bitboard = [Square::D6, Square::F4, Square::B4, Square::D7].into_iter().collect();
    let reach = attacks::rook(sq, blockers);
    let here = Bitboard::of(sq);
    out.figure(
        "rook-mask",
        boards(
            "A rook on d4: squares that matter, pieces in the way, squares it reaches",
            &[
                Picture::new("the mask").set(mask, BLUE).set(here, GREEN),
                Picture::new("mask & occupied").set(blockers & mask, RED).set(here, GREEN),
                Picture::new("what the table says").set(reach, BLUE).set(here, GREEN),
            ],
        ),
    );
    out.fact("rook.d4.bits", mask.count());
    out.fact("rook.d4.subsets", thousands(1 << mask.count()));
    let (number, tries) = magic::find_rook_magic(sq, 0x7AB1_7A00_2026_0002);
    out.fact("rook.d4.magic", format!("{number:#018x}"));
    out.fact("rook.d4.tries", thousands(tries));
    let entries: u64 = Square::ALL.into_iter().map(|sq| 1 << magic::rook_mask(sq).count()).sum();
    out.fact("rook.entries", thousands(entries));
    out.fact("rook.bytes", thousands(entries * 8 / 1024));
}

fn paper_magic(out: &mut Output) {
    let mask = magic::a1_mask();
    let occupied: Bitboard = [Square::C3, Square::F6].into_iter().collect();
    let product = Bitboard(occupied.0.wrapping_mul(magic::FILE_A));
    let index = magic::a1_index(occupied);
    let one = |set: Bitboard| move |sq: Square| set.contains(sq).then(|| "1".to_owned());
    out.figure(
        "magic-a1",
        boards(
            "A bishop on a1: occupation, product, index",
            &[
                Picture::new("occupied, on the mask")
                    .set(mask, BLUE)
                    .set(occupied, RED)
                    .labels(one(occupied)),
                Picture::new("times 0x0101010101010101").set(product, RED).labels(one(product)),
                Picture::new("what a1 reaches")
                    .set(attacks::bishop(Square::A1, occupied), GREEN)
                    .labels(one(attacks::bishop(Square::A1, occupied))),
            ],
        ),
    );
    out.fact("a1.occupied", format!("{:#018x}", occupied.0));
    out.fact("a1.product", format!("{:#018x}", product.0));
    out.fact("a1.top", format!("{:08b}", product.0 >> 56));
    out.fact("a1.index", index);
    out.fact("a1.index.bits", format!("{index:06b}"));
    let exercise: Bitboard = [Square::B2, Square::D4, Square::G7].into_iter().collect();
    out.fact("a1.exercise", magic::a1_index(exercise));
}

fn legality(out: &mut Output) {
    let pinned = board("4r1k1/8/8/7b/8/5N2/4B3/3K4 w - - 0 1");
    let king = pinned.king(Color::White);
    let line = attacks::line(king, Square::F3);
    out.figure(
        "pins",
        boards(
            "A pinned knight and the line it may not leave",
            &[
                Picture::new("pinned pieces").pieces(&pinned).set(pinned.pinned(), RED),
                Picture::new("line(d1, f3)").pieces(&pinned).set(line, BLUE),
                Picture::new("between(d1, h5)")
                    .pieces(&pinned)
                    .set(attacks::between(king, Square::H5), BLUE),
            ],
        ),
    );
    let trap = board("8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1");
    let legal = trap.parse_uci("e5d6").is_ok();
    assert!(!legal, "the chapter says that this capture is illegal");
    out.figure(
        "en-passant-pin",
        boards(
            "An en passant capture that is not legal",
            &[Picture::new("exd6 would open the rank")
                .pieces(&trap)
                .set(Bitboard::rank(tabiya_chess::Rank::R5), "#f7dcd0")],
        ),
    );
    out.fact("ep-pin.moves", trap.legal_moves().len());
}

fn counts(out: &mut Output) {
    let positions = [("start", Board::default()), ("kiwipete", board(KIWIPETE))];
    let mut rows = vec![row!["plies", "starting position", "Kiwipete"]];
    for depth in 1..=4 {
        let count = |board: &Board| thousands(perft::count(board, depth));
        rows.push(row![depth, count(&positions[0].1), count(&positions[1].1)]);
    }
    out.table("perft", &rows);
    let mut rows = vec![row!["move", "leaves"]];
    let start = Board::default();
    for (mv, count) in perft::divide(&start, 3).into_iter().take(6) {
        rows.push(row![start.uci(mv, false), count]);
    }
    out.table("divide", &rows);
}

fn encoding(out: &mut Output) {
    let mut rows = vec![row!["move", "in position", "kind", "to", "from", "the 16 bits"]];
    for (fen, text) in [
        (tabiya_chess::START_FEN, "e2e4"),
        (tabiya_chess::START_FEN, "g1f3"),
        (KIWIPETE, "e1g1"),
        (KIWIPETE, "e5f7"),
        ("8/P7/8/8/8/8/8/K6k w - - 0 1", "a7a8q"),
    ] {
        let position = board(fen);
        let mv = position.parse_uci(text).expect("the moves of the book are legal");
        let bits = mv.to_bits();
        let name = match fen {
            KIWIPETE => "Kiwipete",
            tabiya_chess::START_FEN => "start",
            _ => "`8/P7/8/8/8/8/8/K6k w - - 0 1`",
        };
        rows.push(row![
            text,
            name,
            format!("{:?}", mv.kind()),
            mv.to(),
            mv.from(),
            format!("`{:04b} {:06b} {:06b}`", bits >> 12, bits >> 6 & 63, bits & 63)
        ]);
    }
    out.table("move-bits", &rows);
}
