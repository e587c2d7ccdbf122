//! `tabiya openings`: the table of opening names, and what a position or game is called.

use crate::args::{failed, failed_in};
use anyhow::Context;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_chess::openings;
use tabiya_chess::pgn::PgnReader;

/// Names openings.
#[derive(Args)]
#[command(after_help = "Examples:
  tabiya openings name games.pgn
  tabiya openings make a.tsv b.tsv c.tsv d.tsv e.tsv --out crates/chess/src/openings/names.txt")]
pub(crate) struct OpeningsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show the opening of each game of a PGN file.
    #[command(after_help = "Example:\n  tabiya openings name games.pgn")]
    Name {
        /// The games.
        games: PathBuf,
    },
    /// Write the embedded table anew from files of eco, name and moves (lichess chess-openings).
    #[command(
        after_help = "Example:\n  tabiya openings make a.tsv b.tsv --out crates/chess/src/openings/names.txt"
    )]
    Make {
        /// The collection: tab-separated files.
        #[arg(required = true)]
        tsv: Vec<PathBuf>,
        /// The file to write.
        #[arg(long)]
        out: PathBuf,
    },
}

pub(crate) fn run(args: &OpeningsArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Name { games } => {
            let file = std::fs::File::open(games).map_err(failed_in(games))?;
            for (index, game) in PgnReader::new(std::io::BufReader::new(file)).enumerate() {
                let opening = openings::of_game(&game?.to_game());
                let name = opening.map_or_else(|| "unknown".to_owned(), |name| name.to_string());
                println!("{}: {name}", index + 1);
            }
        }
        Action::Make { tsv, out } => {
            let mut collection = String::new();
            for path in tsv {
                collection.push_str(&std::fs::read_to_string(path).map_err(failed_in(path))?);
            }
            let table = openings::make_table(&collection).map_err(failed)?;
            tabiya_lab::work::replace(out, table.as_bytes())
                .with_context(|| out.display().to_string())?;
            println!("{} names, {} bytes", table.lines().count() - 2, table.len());
        }
    }
    Ok(ExitCode::SUCCESS)
}
