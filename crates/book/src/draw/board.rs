//! Boards in a row: sets of squares, pieces, labels.

use super::{Anchor, INK, Svg};
use tabiya_chess::{Bitboard, Board, File, Rank, Square};
use tabiya_lab::analyst::annotate::piece_symbols;

/// Side of a square.
const SIDE: f64 = 26.0;
const MARGIN: f64 = 18.0;
const HEADING: f64 = 24.0;

/// One board of a figure.
pub struct Picture {
    caption: String,
    board: Option<Board>,
    sets: Vec<(Bitboard, &'static str)>,
    labels: Vec<(Square, String)>,
}

impl Picture {
    /// An empty board with a caption above it.
    pub fn new(caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), board: None, sets: Vec::new(), labels: Vec::new() }
    }

    /// Puts the pieces of a position on the board.
    #[must_use]
    pub fn pieces(mut self, board: &Board) -> Self {
        self.board = Some(*board);
        self
    }

    /// Colours a set of squares; later sets lie on top.
    #[must_use]
    pub fn set(mut self, set: Bitboard, colour: &'static str) -> Self {
        self.sets.push((set, colour));
        self
    }

    /// Writes on squares.
    #[must_use]
    pub fn labels(mut self, label: impl Fn(Square) -> Option<String>) -> Self {
        self.labels.extend(Square::ALL.into_iter().filter_map(|sq| Some((sq, label(sq)?))));
        self
    }
}

/// Draws boards side by side.
pub fn boards(title: &str, pictures: &[Picture]) -> String {
    let width = 8.0 * SIDE + 2.0 * MARGIN;
    let mut svg = Svg::new(width * pictures.len() as f64, width + HEADING);
    svg.raw(
        "<style>.w{fill:#fff;stroke:#222;stroke-width:1.4}.b{fill:#333;stroke:#222;stroke-width:1}\
         .wl{fill:none;stroke:#222;stroke-width:1.4}.bl{fill:none;stroke:#eee;stroke-width:1.4}</style>",
    );
    if pictures.iter().any(|picture| picture.board.is_some()) {
        svg.raw(piece_symbols().trim_end());
    }
    for (index, picture) in pictures.iter().enumerate() {
        draw(&mut svg, index as f64 * width + MARGIN, picture);
    }
    svg.finish(title)
}

fn draw(svg: &mut Svg, left: f64, picture: &Picture) {
    let top = HEADING + 4.0;
    let centre = left + 4.0 * SIDE;
    svg.text(centre, 16.0, 12.0, Anchor::Middle, INK, &picture.caption);
    let corner = |sq: Square| {
        (left + sq.file() as u8 as f64 * SIDE, top + (7 - sq.rank() as u8) as f64 * SIDE)
    };
    for sq in Square::ALL {
        let (x, y) = corner(sq);
        let plain = if Bitboard::LIGHT.contains(sq) { "#f3efe6" } else { "#d9d0bd" };
        let fill = picture.sets.iter().rev().find(|(set, _)| set.contains(sq));
        svg.rect(x, y, SIDE, SIDE, fill.map_or(plain, |(_, colour)| colour));
        if let Some(piece) = picture.board.and_then(|board| board.piece_on(sq)) {
            let side = if piece.color() == tabiya_chess::Color::White { 'w' } else { 'b' };
            let letter = piece.kind().letter();
            svg.raw(format_args!(
                "<use href=\"#{side}{letter}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{SIDE}\" height=\"{SIDE}\"/>"
            ));
        }
    }
    for (sq, text) in &picture.labels {
        let (x, y) = corner(*sq);
        let size = if text.len() > 3 { 8.0 } else { 10.0 };
        svg.text(x + SIDE / 2.0, y + SIDE / 2.0 + 3.5, size, Anchor::Middle, INK, text);
    }
    for (index, (file, rank)) in File::ALL.into_iter().zip(Rank::ALL).enumerate() {
        let x = left + (index as f64 + 0.5) * SIDE;
        svg.text(x, top + 8.0 * SIDE + 11.0, 9.0, Anchor::Middle, INK, file.letter());
        let y = top + (7.5 - index as f64) * SIDE + 3.0;
        svg.text(left - 4.0, y, 9.0, Anchor::End, INK, rank.letter());
    }
}
