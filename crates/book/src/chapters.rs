//! What each chapter shows: its figures, numbers and tables, computed from the project itself.

mod c01_engines;
mod c02_boards;
mod c03_moves;
mod c04_hashing;
mod c05_search;
mod c06_pruning;
mod c07_ordering;
mod c08_evaluation;
mod c09_networks;
mod c10_training;
mod c11_transformer;
mod c12_playing;
mod c13_measuring;
mod c14_tables;
mod c15_small;
mod readme;

use crate::Output;
use tabiya_chess::Board;
use tabiya_lab::analyst::annotate::piece_symbols;

/// The position that tests of move generation like best: castling, pins, promotions, en passant.
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Everything for all chapters.
pub fn all() -> Output {
    let mut out = Output::default();
    for chapter in [
        c01_engines::write,
        c02_boards::write,
        c03_moves::write,
        c04_hashing::write,
        c05_search::write,
        c06_pruning::write,
        c07_ordering::write,
        c08_evaluation::write,
        c09_networks::write,
        c10_training::write,
        c11_transformer::write,
        c12_playing::write,
        c13_measuring::write,
        c14_tables::write,
        c15_small::write,
        readme::write,
    ] {
        chapter(&mut out);
    }
    out.files.insert("book/pieces.js".to_owned(), pieces());
    out
}

/// The pieces of the figures for the boards on the page.
fn pieces() -> String {
    let symbols = piece_symbols().trim_end().replace('`', "\\`");
    format!(
        "// Written by `cargo run -p tabiya-book -- figures`.\nwindow.TABIYA_PIECES = `{symbols}`;\n"
    )
}

/// A position of the book.
fn board(fen: &str) -> Board {
    fen.parse().expect("the positions of the book are legal")
}

/// A table row from anything that can be written.
macro_rules! row {
    ($($cell:expr),+ $(,)?) => { vec![$($cell.to_string()),+] };
}
use row;
