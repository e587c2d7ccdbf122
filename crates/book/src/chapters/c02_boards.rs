//! Sets of squares.

use super::{KIWIPETE, board, row};
use crate::Output;
use crate::draw::board::{Picture, boards};
use tabiya_chess::{Bitboard, Board, Color, File, PieceType, Rank, Square, attacks};

const BLUE: &str = "#8fc1e3";
const RED: &str = "#f0a58a";
const GREEN: &str = "#9ed3a8";

pub(super) fn write(out: &mut Output) {
    let number = |sq: Square| Some(sq.index().to_string());
    out.figure(
        "squares",
        boards(
            "The number of each square",
            &[
                Picture::new("index = 8 * rank + file").labels(number),
                Picture::new("a rank: 0xff << 8")
                    .set(Bitboard::rank(Rank::R2), BLUE)
                    .labels(number),
                Picture::new("a file: 0x0101…01 << 4")
                    .set(Bitboard::file(File::E), BLUE)
                    .labels(number),
            ],
        ),
    );
    let start = Board::default();
    let pawns = start.pieces(Color::White, PieceType::Pawn);
    out.fact("bb.white-pawns", format!("{:#018x}", pawns.0));
    out.fact("bb.knights", format!("{:#018x}", start.kind(PieceType::Knight).0));
    out.fact("bb.occupied", format!("{:#018x}", start.occupied().0));
    out.fact("size.board", size_of::<Board>());

    let set: Bitboard = [Square::E4, Square::H4].into_iter().collect();
    let mark = |set: Bitboard| move |sq: Square| set.contains(sq).then(|| "1".to_owned());
    let naive = Bitboard(set.0 << 1);
    out.figure(
        "wrap-around",
        boards(
            "Shifting by one without and with a mask",
            &[
                Picture::new("e4 and h4").set(set, BLUE).labels(mark(set)),
                Picture::new("set << 1: h4 became a5").set(naive, RED).labels(mark(naive)),
                Picture::new("east(): h4 is gone").set(set.east(), GREEN).labels(mark(set.east())),
            ],
        ),
    );
    tricks(out);

    let kiwipete = board(KIWIPETE);
    let attacked = attacks::pawns(Color::White, kiwipete.pieces(Color::White, PieceType::Pawn));
    let hits = attacked & kiwipete.color(Color::Black);
    out.figure(
        "set-operations",
        boards(
            "Pawn attacks, enemy pieces, and both",
            &[
                Picture::new("attacked by white pawns").pieces(&kiwipete).set(attacked, BLUE),
                Picture::new("black pieces")
                    .pieces(&kiwipete)
                    .set(kiwipete.color(Color::Black), BLUE),
                Picture::new("attacked & black").pieces(&kiwipete).set(hits, GREEN),
            ],
        ),
    );
    out.fact("kiwipete.pawn-hits", hits.count());
}

/// The classic tricks on eight bits, computed.
fn tricks(out: &mut Output) {
    let b = 0b1011_0100_u8;
    let bits = |value: u8| format!("`{value:08b}`");
    let rows = vec![
        row!["expression", "value", "what it is"],
        row!["b", bits(b), format!("a set with {} members", b.count_ones())],
        row!["b - 1", bits(b - 1), "the lowest one becomes 0, all zeros below it 1"],
        row!["b & (b - 1)", bits(b & (b - 1)), "the set without its lowest member"],
        row!["b & -b", bits(b & b.wrapping_neg()), "the lowest member alone"],
        row!["!b", bits(!b), "everything else"],
        row!["b ^ 0b1111_0000", bits(b ^ 0b1111_0000), "the upper four turned over"],
        row![
            "trailing_zeros(b)",
            format!("`{}`", b.trailing_zeros()),
            "index of the lowest member"
        ],
        row!["count_ones(b)", format!("`{}`", b.count_ones()), "how many members"],
    ];
    out.table("bit-tricks", &rows);
}
