//! An endgame solved backwards, and a line of a book in bytes.

use super::row;
use crate::Output;
use crate::draw::board::{Picture, boards};
use crate::draw::chart::bars;
use crate::draw::thousands;
use crate::lesson::endgame::Table;
use tabiya_chess::{Bitboard, Board, Color, PieceType, Square};
use tabiya_engine::book::{Book, BookEntry};

pub(super) fn write(out: &mut Output) {
    endgame(out);
    let board = Board::default();
    let mv = board.parse_uci("e2e4").expect("legal");
    let entry = BookEntry::new(&board, mv, 258);
    let bytes: Vec<_> = entry.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    out.fact("polyglot.key", bytes[..8].join(" "));
    out.fact("polyglot.move", bytes[8..10].join(" "));
    out.fact("polyglot.move.bits", format!("{:016b}", entry.mv));
    out.fact("polyglot.weight", bytes[10..12].join(" "));
    let moves = Book::embedded().moves(&board);
    let total: u64 = moves.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let mut rows = vec![row!["move", "weight", "chance"]];
    for (mv, weight) in moves.iter().take(6) {
        let chance = 100.0 * f64::from(*weight) / total as f64;
        rows.push(row![board.san(*mv), weight, format!("{chance:.1} %")]);
    }
    out.table("book-moves", &rows);
}

/// Three steps of the solution, from the mate backwards.
fn backwards(out: &mut Output, table: &Table) {
    let steps = [
        (Color::Black, "k1R5/8/1K6/8/8/8/8/8 b - - 0 1", "Black is mated", 0),
        (Color::White, "k7/8/1K6/8/8/8/8/2R5 w - - 0 1", "White has Rc8", 1),
        (Color::Black, "1k6/8/1K6/8/8/8/8/2R5 b - - 0 1", "Black has only Ka8", 2),
        (Color::White, "1k6/8/1K6/8/8/8/8/1R6 w - - 0 1", "White has Rc1", 3),
    ];
    let pictures = steps.map(|(side, fen, caption, plies)| {
        let board = super::board(fen);
        let rook = board.pieces(Color::White, PieceType::Rook).first().expect("a rook");
        let kings = Color::ALL.map(|color| board.king(color));
        assert_eq!(table.plies(side, kings[0], rook, kings[1]), Some(plies), "{fen}");
        Picture::new(format!("{plies} plies: {caption}")).pieces(&board)
    });
    out.figure("retrograde", boards("An endgame solved backwards, step by step", &pictures));
}

fn endgame(out: &mut Output) {
    let table = Table::solve(PieceType::Rook);
    let histogram = table.histogram();
    let columns: Vec<_> = histogram
        .iter()
        .map(|(moves, count)| (moves.to_string(), *count as f64, count.to_string()))
        .collect();
    out.figure(
        "rook-endgame",
        bars(
            "King and rook against king: positions by moves to mate",
            "positions with White to move, by moves to mate",
            &columns,
        ),
    );
    let won: u64 = histogram.iter().map(|(_, count)| count).sum();
    out.fact("krk.won", thousands(won));
    out.fact("krk.longest", histogram.last().map_or(0, |(moves, _)| *moves));
    let queen = Table::solve(PieceType::Queen);
    out.fact("kqk.longest", queen.histogram().last().map_or(0, |(moves, _)| *moves));

    backwards(out, &table);
    let (king, rook) = (Square::C3, Square::H5);
    let label = |sq: Square| {
        let plies = table.plies(Color::White, king, rook, sq)?;
        Some(plies.div_ceil(2).to_string())
    };
    let (white, black): (Bitboard, Bitboard) = (Bitboard::of(king), Bitboard::of(rook));
    out.figure(
        "rook-endgame-board",
        boards(
            "Moves to mate by the square of the black king",
            &[Picture::new("king c3, rook h5: moves to mate")
                .set(white, "#9ed3a8")
                .set(black, "#8fc1e3")
                .labels(label)],
        ),
    );
}
