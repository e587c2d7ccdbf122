//! What a test position asks for.

use crate::arena::Score;
use tabiya_chess::{Board, Epd, EpdError, Move};

/// What counts as a solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One of the best moves, and none of those to avoid. Either list may be empty, not both.
    Moves {
        /// `bm`.
        best: Vec<Move>,
        /// `am`.
        avoid: Vec<Move>,
    },
    /// A mate in at most this many moves; negative when the side to move gets mated.
    Mate(i32),
    /// Moves with points; the best solve the position.
    Grades {
        /// `bm`.
        best: Vec<Move>,
        /// Points by move.
        grades: Vec<(Move, u32)>,
    },
}

impl Goal {
    /// Whether a move, with the score the engine gives it, is a solution.
    pub fn is_met(&self, mv: Move, score: Option<Score>) -> bool {
        match self {
            Self::Moves { best, avoid } => {
                (best.is_empty() || best.contains(&mv)) && !avoid.contains(&mv)
            }
            Self::Mate(wanted) => matches!(score, Some(Score::Mate(found))
                if found.signum() == wanted.signum() && found.abs() <= wanted.abs()),
            Self::Grades { best, .. } => best.contains(&mv),
        }
    }

    /// Points for a move.
    pub fn points(&self, mv: Move, solved: bool) -> u32 {
        match self {
            Self::Grades { grades, .. } => {
                grades.iter().find(|(graded, _)| *graded == mv).map_or(0, |(_, points)| *points)
            }
            _ => u32::from(solved),
        }
    }

    /// The most points to be had.
    pub fn max_points(&self) -> u32 {
        match self {
            Self::Grades { grades, .. } => {
                grades.iter().map(|(_, points)| *points).max().unwrap_or(0)
            }
            _ => 1,
        }
    }

    /// The goal as the suite writes it: `bm Nf3`, `am Qxb2`, `mate in 3`.
    pub fn describe(&self, board: &Board) -> String {
        let list = |name: &str, moves: &[Move]| {
            let moves: Vec<String> = moves.iter().map(|&mv| board.san(mv)).collect();
            format!("{name} {}", moves.join(" "))
        };
        match self {
            Self::Moves { best, avoid } if avoid.is_empty() => list("bm", best),
            Self::Moves { best, avoid } if best.is_empty() => list("am", avoid),
            Self::Moves { best, avoid } => format!("{} {}", list("bm", best), list("am", avoid)),
            Self::Mate(moves) if *moves < 0 => format!("mated in {}", -moves),
            Self::Mate(moves) => format!("mate in {moves}"),
            Self::Grades { best, .. } => list("bm", best),
        }
    }
}

/// A position with its goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Its `id`, or the line number.
    pub id: String,
    /// The position.
    pub board: Board,
    /// What is asked for.
    pub goal: Goal,
}

impl Problem {
    /// Reads a line of a suite; `None` if it asks for nothing.
    pub fn parse(text: &str, line: usize) -> Result<Option<Self>, EpdError> {
        let epd = Epd::parse(text, false)?;
        let id = epd.text("id").map_or_else(|| format!("line {line}"), |id| id.trim().to_string());
        let board = epd.board;
        Ok(goal(&epd).map(|goal| Self { id, board, goal }))
    }
}

fn goal(epd: &Epd) -> Option<Goal> {
    let mate = epd.text("bm").and_then(|text| text.strip_prefix('#')?.parse().ok());
    if let Some(moves) = mate.filter(|&moves: &i32| moves != 0 && moves.abs() < 1000) {
        return Some(Goal::Mate(moves));
    }
    let best = epd.moves("bm").to_vec();
    let avoid = epd.moves("am").to_vec();
    if let Some(grades) = grades(epd).filter(|_| !best.is_empty()) {
        return Some(Goal::Grades { best, grades });
    }
    (!best.is_empty() || !avoid.is_empty()).then_some(Goal::Moves { best, avoid })
}

/// The points of the Strategic Test Suite: `c9` moves in coordinates or `c7` in standard notation
/// with `c8` points in the same order, else `c0` in the form `f5=10, Be5+=2`. Comments of other
/// suites do not fit these forms and grade nothing.
fn grades(epd: &Epd) -> Option<Vec<(Move, u32)>> {
    let board = &epd.board;
    let read = |text: &str| board.parse_uci(text).ok().or_else(|| board.parse_san(text).ok());
    let lists = epd.text("c9").or_else(|| epd.text("c7")).zip(epd.text("c8"));
    if let Some((moves, points)) = lists {
        let moves: Option<Vec<Move>> = moves.split_whitespace().map(read).collect();
        let points: Option<Vec<u32>> = points.split_whitespace().map(|p| p.parse().ok()).collect();
        let (moves, points) = moves.zip(points)?;
        return (moves.len() == points.len()).then(|| moves.into_iter().zip(points).collect());
    }
    epd.text("c0")?
        .split(',')
        .map(|entry| {
            let (mv, points) = entry.trim().rsplit_once('=')?;
            Some((read(mv)?, points.trim().parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(operations: &str) -> Option<Problem> {
        let board = "r3k3/8/8/8/8/8/4P3/R3K2R w KQ -";
        Problem::parse(&format!("{board} {operations}"), 7).unwrap()
    }

    fn met(problem: &Problem, mv: &str, score: Option<Score>) -> bool {
        problem.goal.is_met(problem.board.parse_san(mv).unwrap(), score)
    }

    #[test]
    fn best_moves_and_moves_to_avoid_are_read() {
        let best = problem("bm O-O Rxa8+; id \"two\";").unwrap();
        assert_eq!(best.id, "two");
        assert!(met(&best, "O-O", None) && met(&best, "Rxa8+", None) && !met(&best, "e4", None));
        let avoid = problem("am e4;").unwrap();
        assert_eq!(avoid.id, "line 7");
        assert!(met(&avoid, "O-O", None) && !met(&avoid, "e4", None));
        assert_eq!(avoid.goal.describe(&avoid.board), "am e4");
        assert_eq!(problem("id \"nothing\";"), None);
    }

    #[test]
    fn mates_are_judged_by_the_score() {
        let mate = problem("bm #3;").unwrap();
        assert!(met(&mate, "e4", Some(Score::Mate(3))) && met(&mate, "e4", Some(Score::Mate(2))));
        assert!(
            !met(&mate, "e4", Some(Score::Mate(4))) && !met(&mate, "e4", Some(Score::Mate(-3)))
        );
        assert!(!met(&mate, "e4", Some(Score::Centipawns(900))) && !met(&mate, "e4", None));
        assert!(met(&problem("bm #-2;").unwrap(), "e4", Some(Score::Mate(-2))));
    }

    #[test]
    fn grades_are_read_in_all_their_forms() {
        for operations in [
            r#"bm O-O; c0 "O-O=10, e4=3";"#,
            r#"bm O-O; c7 "O-O e4"; c8 "10 3";"#,
            r#"bm O-O; c0 "spoiled"; c8 "10 3"; c9 "e1g1 e2e4";"#,
        ] {
            let graded = problem(operations).unwrap();
            let points = |mv: &str| {
                let mv = graded.board.parse_san(mv).unwrap();
                graded.goal.points(mv, graded.goal.is_met(mv, None))
            };
            assert_eq!((points("O-O"), points("e4"), points("e3")), (10, 3, 0), "{operations}");
            assert_eq!(graded.goal.max_points(), 10);
        }
    }

    #[test]
    fn comments_of_other_suites_grade_nothing() {
        let puzzle = problem(r#"bm O-O; c0 "rating=1558; themes=endgame";"#).unwrap();
        assert_eq!(puzzle.goal.max_points(), 1);
        assert!(matches!(puzzle.goal, Goal::Moves { .. }));
    }
}
