//! Puzzles as text.

use super::{Puzzle, page};
use tabiya_chess::pgn::{PgnGame, PgnMove, Variation};
use tabiya_chess::{Color, GameResult};

/// A form in which puzzles are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PuzzleFormat {
    /// One game per puzzle, which begins with the solver to move.
    Pgn,
    /// The columns of lichess's puzzle files, then ours: the position before the opponent's move, all moves
    /// as coordinates, that move first, and the rating we estimate.
    Csv,
    /// `bm`, `id` and the solution in `c0`.
    Epd,
    /// A page on which they are solved.
    Html,
}

impl PuzzleFormat {
    pub(super) fn head(self) -> String {
        match self {
            Self::Csv => "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags,\
                          Game,Ply,White,Black\n"
                .to_owned(),
            Self::Html => page::head(),
            Self::Pgn | Self::Epd => String::new(),
        }
    }

    pub(super) fn tail(self) -> String {
        if self == Self::Html { page::tail() } else { String::new() }
    }

    /// A puzzle of a game.
    pub fn text(self, puzzle: &Puzzle, game: &PgnGame) -> String {
        match self {
            Self::Pgn => pgn(puzzle, game),
            Self::Csv => csv(puzzle, game),
            Self::Epd => epd(puzzle),
            Self::Html => page::task(puzzle),
        }
    }
}

/// The same for the same position, so that puzzles found twice can be told.
fn id(puzzle: &Puzzle) -> String {
    format!("{:016x}", puzzle.board.key())
}

fn pgn(puzzle: &Puzzle, game: &PgnGame) -> String {
    let step = |mv: &tabiya_chess::Move| PgnMove { mv: Some(*mv), ..PgnMove::default() };
    let mut puzzle_game = PgnGame {
        start: puzzle.board,
        mainline: Variation {
            comment: String::new(),
            moves: puzzle.solution.iter().map(step).collect(),
        },
        result: match (puzzle.is_mate(), puzzle.board.side_to_move()) {
            (true, solver) => GameResult::Win(solver),
            (false, _) => GameResult::Unknown,
        },
        ..PgnGame::default()
    };
    puzzle_game.set_tag("Event", format!("Puzzle {}", id(puzzle)));
    for tag in ["Site", "Date", "Round", "White", "Black", "Variant"] {
        if let Some(value) = game.tag(tag) {
            puzzle_game.set_tag(tag, value);
        }
    }
    puzzle_game.set_tag("Source", format!("game {}, ply {}", puzzle.game, puzzle.ply));
    puzzle_game.set_tag("Themes", puzzle.themes().join(" "));
    puzzle_game.set_tag("Rating", puzzle.rating.0.to_string());
    format!("{puzzle_game}\n")
}

fn csv(puzzle: &Puzzle, game: &PgnGame) -> String {
    let chess960 = game.tag("Variant").is_some_and(|variant| variant.contains("960"));
    let mut board = puzzle.before;
    let mut moves = Vec::new();
    for mv in std::iter::once(&puzzle.blunder).chain(&puzzle.solution) {
        moves.push(board.uci(*mv, chess960));
        board.play(*mv);
    }
    let name = |color: Color| {
        field(game.tag(if color == Color::White { "White" } else { "Black" }).unwrap_or("?"))
    };
    let (rating, deviation) = puzzle.rating;
    let url = game.tag("Site").filter(|site| site.starts_with("http")).unwrap_or_default();
    // Nobody has played or liked it yet.
    format!(
        "{},{},{},{rating},{deviation},0,0,{},{},,{},{},{},{}\n",
        id(puzzle),
        puzzle.before,
        moves.join(" "),
        puzzle.themes().join(" "),
        field(url),
        puzzle.game,
        puzzle.ply,
        name(Color::White),
        name(Color::Black)
    )
}

/// A field of a CSV line, in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "))
    } else {
        text.to_owned()
    }
}

fn epd(puzzle: &Puzzle) -> String {
    let line = puzzle.board.line_san(&puzzle.solution);
    format!(
        "{} bm {}; id \"{}\"; c0 \"{}\";\n",
        puzzle.board.to_epd(),
        line[0],
        id(puzzle),
        line.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::Goal;
    use super::*;
    use crate::analyst::motifs::Kind;
    use tabiya_chess::pgn::PgnReader;
    use tabiya_chess::{Board, Epd};
    use tabiya_engine::Score;

    fn scholars_mate() -> Puzzle {
        let mut board = Board::default();
        let mut play = |text: &str| {
            let mv = board.parse_san(text).unwrap();
            let before = board;
            board.play(mv);
            (before, mv)
        };
        for text in ["e4", "e5", "Qh5", "Nc6", "Bc4"] {
            play(text);
        }
        let (before, blunder) = play("Nf6");
        let (solved, mate) = play("Qxf7#");
        Puzzle {
            game: 3,
            ply: 6,
            goal: Goal::Win,
            motifs: vec![Kind::Pin],
            rating: (600, 300),
            before,
            blunder,
            board: solved,
            solution: vec![mate],
            score: Score::Mate(1),
        }
    }

    #[test]
    fn all_forms_can_be_read_again() {
        let puzzle = scholars_mate();
        let mut game = PgnGame::default();
        game.set_tag("White", "Smith, \"J\"");
        let epd = Epd::parse(PuzzleFormat::Epd.text(&puzzle, &game).trim(), false).unwrap();
        assert_eq!((epd.moves("bm"), epd.text("c0")), (&puzzle.solution[..], Some("Qxf7#")));
        let pgn = PuzzleFormat::Pgn.text(&puzzle, &game);
        let read = PgnReader::new(pgn.as_bytes()).next().unwrap().unwrap();
        assert_eq!((read.error, read.start), (None, puzzle.board));
        assert_eq!(read.mainline.moves[0].mv, Some(puzzle.solution[0]));
        let page = PuzzleFormat::Html.head() + &PuzzleFormat::Html.text(&puzzle, &game);
        let page = page + &PuzzleFormat::Html.tail();
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        assert!(page.contains("\"moves\":[\"h5f7\"]") && page.contains("White wins"), "{page}");
        assert!(!page.contains("http"), "the page must need nothing from elsewhere");
        let csv = PuzzleFormat::Csv.text(&puzzle, &game);
        assert!(
            csv.contains(",g8f6 h5f7,600,300,0,0,opening mate mateIn1 oneMove pin,,,3,6,\"Smith, \"\"J\"\"\",?\n"),
            "{csv}"
        );
    }
}
