//! Published puzzles with themes and ratings, for measuring ours: lichess's puzzle files, or the same as
//! EPD.

use crate::analyst::insight::Thinker;
use crate::analyst::motifs::{self, Kind, PlayedLine};
use crate::work::files;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use tabiya_chess::{Board, Epd, Move};

/// A puzzle somebody else made.
#[derive(Clone, Debug)]
pub struct RatedPuzzle {
    /// Its name there.
    pub id: String,
    /// The opponent's move before, with the position before that, where the file tells.
    pub before: Option<(Board, Move)>,
    /// The position to be solved.
    pub board: Board,
    /// The solution.
    pub solution: Vec<Move>,
    /// Its rating there.
    pub rating: i32,
    /// Its themes there.
    pub themes: Vec<String>,
}

impl RatedPuzzle {
    /// The solution with all its positions.
    pub fn line(&self) -> PlayedLine {
        match self.before {
            Some((board, mv)) => PlayedLine::after(&board, mv, &self.solution),
            None => PlayedLine::new(&self.board, &self.solution),
        }
    }

    /// A line of a table with the columns `FEN,Moves,Rating,Themes,PuzzleId`.
    fn from_csv(text: &str) -> Option<Self> {
        let mut fields = text.split(',');
        let before: Board = fields.next()?.parse().ok()?;
        let mut board = before;
        let mut moves = Vec::new();
        for word in fields.next()?.split(' ') {
            let mv = board.parse_uci(word).ok()?;
            board.play(mv);
            moves.push(mv);
        }
        let rating = fields.next()?.parse().ok()?;
        let themes = fields.next()?.split(' ').map(ToOwned::to_owned).collect();
        let id = fields.next()?.to_owned();
        let (&first, solution) = moves.split_first()?;
        let mut board = before;
        board.play(first);
        let solution = solution.to_vec();
        Some(Self { id, before: Some((before, first)), board, solution, rating, themes })
    }

    /// A position with `c0 "rating=...; themes=..."` and `c1 "pv ..."`.
    fn from_epd(text: &str) -> Option<Self> {
        let epd = Epd::parse(text, false).ok()?;
        let notes = epd.text("c0")?;
        let field = |name: &str| notes.split("; ").find_map(|part| part.strip_prefix(name));
        let board = epd.board;
        let mut current = board;
        let mut solution = Vec::new();
        for word in epd.text("c1")?.strip_prefix("pv ")?.split(' ') {
            let mv = current.parse_san(word).ok()?;
            current.play(mv);
            solution.push(mv);
        }
        let rating = field("rating=")?.parse().ok()?;
        let themes = field("themes=")?.split(' ').map(ToOwned::to_owned).collect();
        let id = epd.text("id").unwrap_or_default().to_owned();
        Some(Self { id, before: None, board, solution, rating, themes })
    }
}

/// All puzzles of a file, `.csv` or `.epd`, also compressed; lines that are no puzzle are left out.
pub fn read_rated(path: &Path) -> io::Result<Vec<RatedPuzzle>> {
    let mut text = String::new();
    io::Read::read_to_string(&mut files::open_text(path)?, &mut text)?;
    let is_epd = path.extension().is_some_and(|extension| extension == "epd");
    let parse = if is_epd { RatedPuzzle::from_epd } else { RatedPuzzle::from_csv };
    Ok(text.lines().filter_map(parse).collect())
}

/// How often we and they see a pattern.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Puzzles in which both do.
    pub both: usize,
    /// Puzzles in which only we do, by name.
    pub ours: Vec<String>,
    /// Puzzles in which only they do, by name.
    pub theirs: Vec<String>,
}

impl Agreement {
    /// The share of what we see that they see too.
    pub fn precision(&self) -> f64 {
        self.both as f64 / (self.both + self.ours.len()).max(1) as f64
    }

    /// The share of what they see that we see too.
    pub fn recall(&self) -> f64 {
        self.both as f64 / (self.both + self.theirs.len()).max(1) as f64
    }
}

/// Compares our patterns with the published themes.
pub fn agreement(thinker: &mut Thinker, puzzles: &[RatedPuzzle]) -> BTreeMap<Kind, Agreement> {
    let mut table: BTreeMap<Kind, Agreement> = BTreeMap::new();
    for puzzle in puzzles {
        let line = puzzle.line();
        let mut found: Vec<Kind> = motifs::motifs(&line).iter().map(|motif| motif.kind).collect();
        if motifs::is_zugzwang(thinker, &line) {
            found.push(Kind::Zugzwang);
        }
        for kind in Kind::ALL {
            let ours = found.contains(&kind);
            let theirs = puzzle.themes.iter().any(|theme| theme == kind.theme());
            let row = table.entry(kind).or_default();
            match (ours, theirs) {
                (true, true) => row.both += 1,
                (true, false) => row.ours.push(puzzle.id.clone()),
                (false, true) => row.theirs.push(puzzle.id.clone()),
                (false, false) => {}
            }
        }
    }
    table
}
