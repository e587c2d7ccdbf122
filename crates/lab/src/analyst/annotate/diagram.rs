//! Small boards as SVG, with pieces drawn for this project.

use std::fmt::Write;
use tabiya_chess::{Board, Color, File, PieceType, Rank, Square};

/// Side of a square in the units of the drawing.
const SIDE: u32 = 40;

/// An arrow on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow<'a> {
    /// Where it starts.
    pub from: Square,
    /// Where it points.
    pub to: Square,
    /// A CSS class that colours it.
    pub class: &'a str,
}

/// The shape of each piece on a field of 40 by 40: filled paths, then lines on top.
const SHAPES: [(PieceType, &str, &str); 6] = [
    (
        PieceType::Pawn,
        "M20 7.5a5.2 5.2 0 0 1 3.4 9.1l2.1 1.2v1.7h-2.4c.4 4.7 2 7.6 4.4 10.3h-15c2.4-2.7 \
         4-5.6 4.4-10.3h-2.4v-1.7l2.1-1.2a5.2 5.2 0 0 1 3.4-9.1zM11 31h18v3.5h-18z",
        "",
    ),
    (
        PieceType::Knight,
        "M13 30c0-6 4.5-7.5 4.8-11.5-1.6 1.5-3.3 2-4.6 3.2-.9.9-1.8 1.3-2.7.5l-1.2-1.4\
         c-.6-.7-.4-1.5.1-2.4 1.6-2.7 2.2-6 5.6-8.3l-.6-3.6 3.7 2.2c7.3.3 11.4 7.3 10.9 \
         21.3zM11 31h18v3.5h-18z",
        "M16.5 13.8l1.3-.9M23 13c2 3.2 2.7 7.5 2.6 13",
    ),
    (
        PieceType::Bishop,
        "M20 5.2a2 2 0 0 1 1.3 3.5c4 3 6.4 6.6 6.4 10.4 0 2.5-1.2 4.5-3 5.9l1.3 4.8h-12l1.3-4.8\
         c-1.8-1.4-3-3.4-3-5.9 0-3.8 2.4-7.4 6.4-10.4a2 2 0 0 1 1.3-3.5zM11 31h18v3.5h-18z",
        "M20 13v7M16.9 16h6.2M15.3 25h9.4",
    ),
    (
        PieceType::Rook,
        "M11 7.5h4v3h3v-3h4v3h3v-3h4v6.5l-3 2.7v9.3l2 3.8h-16l2-3.8v-9.3l-3-2.7zM11 31h18v3.5h-18z",
        "M13.5 16.7h13M13.7 26h12.6",
    ),
    (
        PieceType::Queen,
        "M8.5 9.7l5 8.6 2-11 4.5 10 4.5-10 2 11 5-8.6-3.5 15.3c1 1.7 1.5 3.2 1.5 4.8h-19\
         c0-1.6.5-3.1 1.5-4.8zM11 31h18v3.5h-18z",
        "M13 22.8c4.5-1.2 9.5-1.2 14 0M12.3 26.3c5-1.2 10.4-1.2 15.4 0",
    ),
    (
        PieceType::King,
        "M18.8 3.5h2.4v2.3h2.3v2.4h-2.3v3.2c1.6.7 2.7 2.1 3.2 3.7 4.3-2.3 8.6-.2 8.6 4.2 0 3.6-2.8 6.2\
         -4.5 10.5h-17c-1.7-4.3-4.5-6.9-4.5-10.5 0-4.4 4.3-6.5 8.6-4.2.5-1.6 1.6-3 3.2-3.7v-3.2h-2.3v-2.4h2.3z\
         M11 31h18v3.5h-18z",
        "M20 15v10M12.5 26.5c5-1.3 10-1.3 15 0",
    ),
];

/// Definitions of all pieces; a document needs them once, before its boards.
pub fn piece_symbols() -> String {
    let mut text =
        String::from("<svg width=\"0\" height=\"0\" class=\"symbols\" aria-hidden=\"true\">");
    for color in Color::ALL {
        let side = if color == Color::White { "w" } else { "b" };
        for (kind, shape, lines) in SHAPES {
            let letter = kind.letter();
            let _ = write!(
                text,
                "<symbol id=\"{side}{letter}\" viewBox=\"0 0 40 40\"><path class=\"{side}\" d=\"{shape}\"/>"
            );
            if !lines.is_empty() {
                let _ = write!(text, "<path class=\"{side}l\" d=\"{lines}\"/>");
            }
            text.push_str("</symbol>");
        }
    }
    text + "</svg>\n"
}

/// How a board looks that no page gives its colours to.
const PICTURE_STYLE: &str = "<style>.light{fill:#eddfc4}.dark{fill:#b58a63}text{font:9px sans-serif;fill:#5d4630}\
     .w{fill:#fff;stroke:#222;stroke-width:1.3}.b{fill:#26282c;stroke:#111;stroke-width:1}\
     .wl{fill:none;stroke:#222;stroke-width:1.3}.bl{fill:none;stroke:#eee;stroke-width:1.3}</style>";

/// A board seen from one side as a drawing that needs nothing else.
pub fn picture(board: &Board, view: Color) -> String {
    let content = contents(board, view, &[]);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"360\" height=\"360\" viewBox=\"0 0 320 320\" \
         role=\"img\">{PICTURE_STYLE}{}{content}</svg>",
        piece_symbols().trim_end()
    )
}

/// A board seen from one side, with arrows, for a page with [`piece_symbols`] and colours.
pub fn diagram(board: &Board, view: Color, arrows: &[Arrow]) -> String {
    let content = contents(board, view, arrows);
    format!("<svg class=\"board\" viewBox=\"0 0 320 320\" role=\"img\">{content}</svg>")
}

fn contents(board: &Board, view: Color, arrows: &[Arrow]) -> String {
    let mut text = String::new();
    let _ =
        write!(text, "<title>{board}</title><rect class=\"light\" width=\"320\" height=\"320\"/>");
    text.push_str("<path class=\"dark\" d=\"");
    for square in Square::ALL {
        if (square.file().index() + square.rank().index()) % 2 == 0 {
            let (x, y) = corner(square, view);
            let _ = write!(text, "M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z");
        }
    }
    text.push_str("\"/>");
    write_coordinates(&mut text, view);
    for square in Square::ALL {
        let Some(piece) = board.piece_on(square) else { continue };
        let side = if piece.color() == Color::White { "w" } else { "b" };
        let (x, y) = corner(square, view);
        let _ = write!(
            text,
            "<use href=\"#{side}{}\" x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\"/>",
            piece.kind().letter()
        );
    }
    for arrow in arrows {
        write_arrow(&mut text, arrow, view);
    }
    text
}

/// The upper left corner of a square.
fn corner(square: Square, view: Color) -> (u32, u32) {
    let (file, rank) = (square.file().index() as u32, square.rank().index() as u32);
    match view {
        Color::White => (file * SIDE, (7 - rank) * SIDE),
        Color::Black => ((7 - file) * SIDE, rank * SIDE),
    }
}

fn write_coordinates(text: &mut String, view: Color) {
    let (bottom, left) = match view {
        Color::White => (Color::White.back_rank(), File::A),
        Color::Black => (Color::Black.back_rank(), File::H),
    };
    for (square, letter) in File::ALL
        .map(|file| (Square::new(file, bottom), file.letter()))
        .into_iter()
        .chain(Rank::ALL.map(|rank| (Square::new(left, rank), rank.letter())))
    {
        let (x, y) = corner(square, view);
        let is_file = letter.is_ascii_alphabetic();
        let (x, y) = if is_file { (x + SIDE - 8, y + SIDE - 3) } else { (x + 2, y + 10) };
        let _ = write!(text, "<text x=\"{x}\" y=\"{y}\">{letter}</text>");
    }
}

fn write_arrow(text: &mut String, arrow: &Arrow, view: Color) {
    let centre = |square| {
        let (x, y) = corner(square, view);
        (f64::from(x + SIDE / 2), f64::from(y + SIDE / 2))
    };
    let ((x1, y1), (x2, y2)) = (centre(arrow.from), centre(arrow.to));
    let length = (x2 - x1).hypot(y2 - y1);
    if length < 1.0 {
        return;
    }
    // The direction and, turned by a quarter, the width.
    let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
    let point = |along: f64, across: f64| {
        format!("{:.1},{:.1}", x1 + dx * along - dy * across, y1 + dy * along + dx * across)
    };
    let neck = length - 16.0;
    let outline = [
        point(8.0, -3.5),
        point(neck, -3.5),
        point(neck, -10.0),
        point(length, 0.0),
        point(neck, 10.0),
        point(neck, 3.5),
        point(8.0, 3.5),
    ];
    let _ = write!(text, "<polygon class=\"{}\" points=\"{}\"/>", arrow.class, outline.join(" "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_drawn_once_and_has_a_symbol() {
        let symbols = piece_symbols();
        for view in Color::ALL {
            let text = diagram(&Board::default(), view, &[]);
            assert_eq!(text.matches("<use ").count(), 32);
            for id in text.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(symbols.contains(&format!("<symbol id=\"{id}\"")), "{id}");
            }
        }
    }

    #[test]
    fn a_picture_has_all_it_needs() {
        let text = picture(&Board::default(), Color::Black);
        assert!(text.starts_with("<svg xmlns") && text.ends_with("</svg>"));
        assert_eq!((text.matches("<use ").count(), text.matches("<symbol ").count()), (32, 12));
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
    }

    #[test]
    fn the_view_decides_what_is_below() {
        let a1 = |view| corner(Square::A1, view);
        assert_eq!((a1(Color::White), a1(Color::Black)), ((0, 280), (280, 0)));
        let arrow = Arrow { from: Square::E2, to: Square::E4, class: "best" };
        assert!(diagram(&Board::default(), Color::White, &[arrow]).contains("class=\"best\""));
    }
}
