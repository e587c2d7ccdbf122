//! Compares our patterns with the themes of published puzzles: `motif_score FILE...`. With `--list THEME`
//! in front, the names of the puzzles in which we differ on that theme.

use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::analyst::puzzles::{agreement, read_rated};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut listed = None;
    if args.first().is_some_and(|arg| arg == "--list") && args.len() > 2 {
        listed = Some(args.remove(1));
        args.remove(0);
    }
    let mut puzzles = Vec::new();
    for path in &args {
        puzzles.extend(read_rated(path.as_ref())?);
    }
    // Zugzwang alone needs a search.
    let mut thinker = Thinker::new(4, Budget::Nodes(8000))?;
    println!("{} puzzles", puzzles.len());
    println!("| theme | published | found | both | precision | recall |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (kind, row) in agreement(&mut thinker, &puzzles) {
        println!(
            "| {} | {} | {} | {} | {:.1} % | {:.1} % |",
            kind.theme(),
            row.both + row.theirs.len(),
            row.both + row.ours.len(),
            row.both,
            100.0 * row.precision(),
            100.0 * row.recall()
        );
        if listed.as_deref() == Some(kind.theme()) {
            for (name, ids) in [("ours", &row.ours), ("theirs", &row.theirs)] {
                for puzzle in puzzles.iter().filter(|puzzle| ids.contains(&puzzle.id)).take(12) {
                    let line = puzzle.board.line_text(&puzzle.solution);
                    println!("  only {name}: {} {} | {line}", puzzle.id, puzzle.board);
                }
            }
        }
    }
    Ok(())
}
