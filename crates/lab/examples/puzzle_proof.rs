//! Searches puzzles again, to see whether each has one solution only:
//! `puzzle_proof PUZZLES.csv [NODES [COUNT]]`, a table of `tabiya puzzles --csv`. Every move of the solver is
//! searched with so many nodes, and so is everything else there is to play.

use tabiya_chess::{Board, Move};
use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::analyst::puzzles::{Goal, is_only_solution};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = args.first().ok_or("usage: puzzle_proof PUZZLES.csv [NODES [COUNT]]")?;
    let nodes = args.get(1).map_or(Ok(2_000_000), |text| text.parse())?;
    let count = args.get(2).map_or(Ok(100), |text| text.parse())?;
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let mut thinker = Thinker::new(64, Budget::Nodes(nodes))?;
    let (mut tried, mut unique) = (0, 0);
    for row in rows.iter().step_by((rows.len() / count).max(1)).take(count) {
        let (goal, board, solution) = parse(row).ok_or_else(|| format!("not a puzzle: {row}"))?;
        thinker.new_game();
        tried += 1;
        if is_only_solution(&mut thinker, goal, &board, &[], &solution, 1) {
            unique += 1;
        } else {
            println!("not unique: {row}");
        }
    }
    println!("{unique} of {tried} puzzles are unique at {nodes} nodes");
    Ok(())
}

/// What is asked for, the position, and the solution.
fn parse(row: &str) -> Option<(Goal, Board, Vec<Move>)> {
    let mut fields = row.split(',').skip(1);
    let mut board: Board = fields.next()?.parse().ok()?;
    let mut words = fields.next()?.split(' ');
    let first = board.parse_uci(words.next()?).ok()?;
    board.play(first);
    let mut current = board;
    let mut solution = Vec::new();
    for word in words {
        let mv = current.parse_uci(word).ok()?;
        current.play(mv);
        solution.push(mv);
    }
    let themes: Vec<&str> = fields.nth(4)?.split(' ').collect();
    let goal = if themes.contains(&"mate") {
        Goal::Mate
    } else if themes.contains(&"equality") {
        Goal::Hold
    } else {
        Goal::Win
    };
    Some((goal, board, solution))
}
