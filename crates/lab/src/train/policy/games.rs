//! Whole games in memory, two bytes a move.
//!
//! Two kinds of text are read, one game a line: a teacher's games,
//! `START_FEN|RESULT|MOVE SCORE MOVE SCORE ...` with the result as `1`, `=` or `0` and the score from the
//! side to move, and people's games with ratings, `WHITE BLACK TIME RESULT|MOVE MOVE ...`.

use crate::work::files;
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};
use tabiya_chess::{Board, Color, Move};
use tabiya_nn::policy::input::Skill;

/// Of a teacher's games, every 64th is never trained on.
const HELD_OUT: usize = 64;

/// Which games of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// Those that are trained on: all of people's games, 63 of 64 of a teacher's.
    Training,
    /// Those that are never trained on: all of people's games, for these are split by file.
    Test,
}

/// What the scores of a game are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scores<'a> {
    /// From the side to move, one a ply.
    Known(&'a [i16]),
    /// People do not tell.
    Unknown,
}

/// A game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Game<'a> {
    pub(crate) start: &'a Board,
    pub(crate) moves: &'a [Move],
    pub(crate) scores: Scores<'a>,
    /// 1 if White won, 0 for a draw, -1 if Black won.
    pub(crate) result: i8,
    /// Of White and Black; `None` for a teacher.
    pub(crate) ratings: Option<[u16; 2]>,
}

impl Game<'_> {
    /// The skill of a side.
    pub(crate) fn skill(&self, side: Color) -> Skill {
        self.ratings.map_or(Skill::ENGINE, |ratings| Skill::of_rating(u32::from(ratings[side])))
    }
}

/// Many games.
#[derive(Default)]
pub struct Games {
    starts: Vec<Board>,
    moves: Vec<Move>,
    /// As long as `moves`, or empty if nobody told scores.
    scores: Vec<i16>,
    heads: Vec<GameHead>,
}

struct GameHead {
    start: u32,
    first_move: usize,
    plies: usize,
    result: i8,
    ratings: Option<[u16; 2]>,
}

/// One line.
struct Parsed {
    start: Option<Board>,
    moves: Vec<Move>,
    scores: Vec<i16>,
    result: i8,
    ratings: Option<[u16; 2]>,
}

/// Why games could not be read.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// The file.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// A line, counted from 1, and what is wrong with it.
    #[error("{}, line {}: {}", .0.display(), .1, .2)]
    Line(PathBuf, usize, &'static str),
    /// No game at all, or people's games and a teacher's mixed.
    #[error("{}: {}", .0.display(), .1)]
    Kind(PathBuf, &'static str),
}

impl Games {
    /// Reads files, packed or not.
    pub fn read(paths: &[PathBuf], split: Split) -> Result<Self, GamesError> {
        let mut games = Self::default();
        for path in paths {
            let text =
                files::read_text(path).map_err(|error| GamesError::Read(path.clone(), error))?;
            games.add(path, &text, split)?;
        }
        Ok(games)
    }

    /// Games of one text, all of them.
    #[cfg(test)]
    pub(crate) fn from_text(text: &str) -> Result<Self, GamesError> {
        let mut games = Self::default();
        games.add(Path::new("text"), text, Split::Training)?;
        Ok(games)
    }

    fn add(&mut self, path: &Path, text: &str, split: Split) -> Result<(), GamesError> {
        let lines: Vec<_> = text.lines().enumerate().collect();
        let wanted = |(index, line): &&(usize, &str)| {
            let held_out = index % HELD_OUT == HELD_OUT - 1;
            let is_teacher = line.split('|').count() == 3;
            !line.is_empty() && (!is_teacher || held_out == (split == Split::Test))
        };
        let parse = |(index, line): &(usize, &str)| {
            parse(line).map_err(|fault| GamesError::Line(path.to_owned(), index + 1, fault))
        };
        let parsed: Vec<_> =
            lines.par_iter().filter(wanted).map(parse).collect::<Result<_, _>>()?;
        if parsed.is_empty() {
            let is_blank = lines.iter().all(|(_, line)| line.is_empty());
            let fault = match split {
                _ if is_blank => "no games",
                Split::Training => {
                    "no games to train on: every 64th line of a teacher is for tests"
                }
                Split::Test => "no games to test with: only every 64th line of a teacher is",
            };
            return Err(GamesError::Kind(path.to_owned(), fault));
        }
        self.starts.push(Board::default());
        let initial = self.starts.len() as u32 - 1;
        for game in parsed {
            let start = game.start.map_or(initial, |board| {
                self.starts.push(board);
                self.starts.len() as u32 - 1
            });
            self.heads.push(GameHead {
                start,
                first_move: self.moves.len(),
                plies: game.moves.len(),
                result: game.result,
                ratings: game.ratings,
            });
            self.moves.extend(game.moves);
            self.scores.extend(game.scores);
        }
        if !self.scores.is_empty() && self.scores.len() != self.moves.len() {
            return Err(GamesError::Kind(path.to_owned(), "games with and without scores mixed"));
        }
        Ok(())
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of moves in all games.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Identifies the games: checksums of the moves, and of everything else that is learnt from.
    pub(crate) fn fingerprint(&self) -> [u32; 2] {
        let [mut moves, mut others] = [(); 2].map(|()| crc32fast::Hasher::new());
        for mv in &self.moves {
            moves.update(&mv.to_bits().to_le_bytes());
        }
        for score in &self.scores {
            others.update(&score.to_le_bytes());
        }
        for GameHead { start, plies, result, ratings, .. } in &self.heads {
            others.update(&plies.to_le_bytes());
            others.update(&result.to_le_bytes());
            match ratings {
                Some(ratings) => others.update(ratings.map(u16::to_le_bytes).as_flattened()),
                // People start where everybody does.
                None => others.update(self.starts[*start as usize].to_string().as_bytes()),
            }
        }
        [moves, others].map(crc32fast::Hasher::finalize)
    }

    pub(crate) fn game(&self, index: usize) -> Game<'_> {
        let head = &self.heads[index];
        let place = head.first_move..head.first_move + head.plies;
        Game {
            start: &self.starts[head.start as usize],
            moves: &self.moves[place.clone()],
            scores: self.scores.get(place).map_or(Scores::Unknown, Scores::Known),
            result: head.result,
            ratings: head.ratings,
        }
    }
}

fn parse(line: &str) -> Result<Parsed, &'static str> {
    let game = match line.split('|').collect::<Vec<_>>()[..] {
        [fen, result, text] => teachers_game(fen, result, text)?,
        [head, text] => peoples_game(head, text)?,
        _ => return Err("neither two nor three fields"),
    };
    if game.moves.is_empty() { Err("a game without moves") } else { Ok(game) }
}

fn teachers_game(fen: &str, result: &str, text: &str) -> Result<Parsed, &'static str> {
    let result = match result {
        "1" => 1,
        "=" => 0,
        "0" => -1,
        _ => return Err("the result is none of 1, = and 0"),
    };
    let start: Board = fen.parse().map_err(|_| "not a position")?;
    let mut words = text.split_ascii_whitespace();
    let mut board = start;
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        moves.push(play(&mut board, word)?);
        let score = words.next().and_then(|score| score.parse().ok());
        scores.push(score.ok_or("a move without a score")?);
    }
    Ok(Parsed { start: Some(start), moves, scores, result, ratings: None })
}

fn peoples_game(head: &str, text: &str) -> Result<Parsed, &'static str> {
    let [white, black, _, result] = head.split(' ').collect::<Vec<_>>()[..] else {
        return Err("a head is WHITE BLACK TIME RESULT");
    };
    let result = match result {
        "1-0" => 1,
        "1/2-1/2" => 0,
        "0-1" => -1,
        _ => return Err("the result is none of 1-0, 1/2-1/2 and 0-1"),
    };
    let rating = |text: &str| text.parse().map_err(|_| "not a rating");
    let ratings = Some([rating(white)?, rating(black)?]);
    let mut board = Board::default();
    let moves: Result<Vec<_>, _> =
        text.split_ascii_whitespace().map(|word| play(&mut board, word)).collect();
    Ok(Parsed { start: None, moves: moves?, scores: Vec::new(), result, ratings })
}

fn play(board: &mut Board, word: &str) -> Result<Move, &'static str> {
    let mv = board.parse_uci(word).map_err(|_| "a move is not legal")?;
    board.play(mv);
    Ok(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_with_their_line() {
        for (text, fault) in [
            ("", "no games"),
            ("1500 1600 60+0 1-0|e2e4\nx|1-0|e2e4", "line 2: the result is none of 1, = and 0"),
            ("1500 1600 60+0 1-0|e2e5", "line 1: a move is not legal"),
            ("1500 1600 1-0|e2e4", "line 1: a head is WHITE BLACK TIME RESULT"),
            ("8/8|1|e2e4 3", "line 1: not a position"),
            ("1500 x 60+0 1-0|e2e4", "line 1: not a rating"),
            ("1500 1600 60+0 1-0|", "line 1: a game without moves"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1|=|", "line 1: a game without moves"),
        ] {
            let error = Games::from_text(text).err().map(|error| error.to_string());
            assert!(error.as_ref().is_some_and(|e| e.contains(fault)), "{text:?}: {error:?}");
        }
    }

    #[test]
    fn every_64th_game_of_a_teacher_is_for_tests() {
        let line = format!("{}|1|e2e4 5\n", tabiya_chess::START_FEN);
        let text = line.repeat(130);
        let count = |split| {
            let mut games = Games::default();
            games.add(Path::new("text"), &text, split).unwrap();
            games.len()
        };
        assert_eq!((count(Split::Training), count(Split::Test)), (128, 2));
    }

    #[test]
    fn a_teachers_file_without_a_game_for_tests_is_told_so() {
        let line = format!("{}|1|e2e4 5\n", tabiya_chess::START_FEN);
        let few = line.repeat(63);
        let error = Games::default().add(Path::new("few"), &few, Split::Test).unwrap_err();
        assert!(error.to_string().contains("every 64th"), "{error}");
        let late = "\n".repeat(63) + &line;
        let error = Games::default().add(Path::new("late"), &late, Split::Training).unwrap_err();
        assert!(error.to_string().contains("every 64th"), "{error}");
    }

    #[test]
    fn whatever_a_game_teaches_is_in_its_fingerprint() {
        let prints = [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5|1|e2e4 120 e8e7 -120",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5|=|e2e4 120 e8e7 -120",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5|1|e2e4 120 e8e7 -121",
            "4k3/8/8/8/8/8/4PP2/4K3 w - - 0 5|1|e2e4 120 e8e7 -120",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5|1|e2e4 120 e8d7 -120",
        ];
        let people = [
            "1500 1600 60+0 1-0|e2e4 e7e5",
            "1600 1500 60+0 1-0|e2e4 e7e5",
            "1500 1600 60+0 0-1|e2e4 e7e5",
        ];
        let mut prints: Vec<_> = prints
            .iter()
            .chain(&people)
            .map(|line| Games::from_text(line).unwrap().fingerprint())
            .collect();
        prints.sort_unstable();
        assert!(prints.is_sorted_by(|a, b| a < b), "{prints:?}");
    }
}
