//! `tabiya puzzles`: exercises from games.

use crate::game_files::{self, GameFileArgs};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::analyst::puzzles::{Hunt, PuzzleFormat, PuzzleHunt};

/// Nodes per position of a solution if nothing else is asked for.
const DEFAULT_NODES: u64 = 200_000;

const EXAMPLES: &str = "\
Examples:
  tabiya puzzles games.pgn --csv puzzles.csv --pgn puzzles.pgn --epd puzzles.epd
  tabiya puzzles my-games.pgn --nodes 50000 --threads 2 --min-moves 2
  tabiya puzzles my-games.pgn --html puzzles.html

Positions of a game get a tenth of the budget, positions of a solution all of it: 200,000 nodes if
nothing else is asked for. Without an output the
puzzles go to standard output as EPD. What counts as a puzzle is described in docs/ANALYST.md.";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PuzzlesArgs {
    #[command(flatten)]
    files: GameFileArgs,
    /// Puzzles as games
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Puzzles as a table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Puzzles as positions with the best move
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// A page to solve the puzzles on
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Moves the solver must find at least
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=8))]
    min_moves: u16,
}

pub(crate) fn run(args: &PuzzlesArgs) -> anyhow::Result<ExitCode> {
    let budget = args.files.budget.budget(DEFAULT_NODES)?;
    let wanted = [
        (args.pgn.as_deref(), PuzzleFormat::Pgn),
        (args.csv.as_deref(), PuzzleFormat::Csv),
        (args.epd.as_deref(), PuzzleFormat::Epd),
        (args.html.as_deref(), PuzzleFormat::Html),
    ];
    let (outputs, formats) = game_files::outputs(wanted, Some(PuzzleFormat::Epd))?;
    let forms = game_files::forms(&formats);
    let hunt = PuzzleHunt { hunt: Hunt { min_moves: usize::from(args.min_moves) }, formats };
    let settings = BTreeMap::from([forms, ("min-moves".to_owned(), args.min_moves.to_string())]);
    game_files::run(&args.files, &hunt, Ok, outputs, budget, settings, |finished| {
        let found = finished.summary;
        format!(
            "{} puzzles, {} of them mates, from {} games, {} with problems",
            found.puzzles, found.mates, finished.games, finished.problems
        )
    })
}
