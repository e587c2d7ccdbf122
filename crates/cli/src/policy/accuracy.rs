//! `tabiya policy accuracy`: how often a net names the move that was played.

use crate::args::{failed, failed_in};
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::train::policy::{Games, Split, measure};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya policy accuracy policy.gguf --games teacher.txt.xz
  tabiya policy accuracy policy.gguf --games games.test.txt.xz --limit 1000

Of a teacher's games only those are used that training holds out, every 64th; people's games are split
by file, so give the test file. A ply is predicted alone, with the 15 plies before it, and (teacher) with
the whole game before it. `plain` is the order without a net: winning captures, then quiet moves by
piece and square, then losing moves. Forced moves do not count.")]
pub(crate) struct AccuracyArgs {
    /// The net.
    file: PathBuf,
    /// Games, in the formats of `tabiya train policy`.
    #[arg(long, required = true)]
    games: Vec<PathBuf>,
    /// The most games to look at, spread evenly over all.
    #[arg(long, default_value_t = 300)]
    limit: usize,
}

pub(crate) fn run(args: &AccuracyArgs) -> anyhow::Result<ExitCode> {
    let file = super::read(&args.file)?;
    let games = Games::read(&args.games, Split::Test).map_err(failed)?;
    eprintln!("{} of {} games", args.limit.min(games.len()), games.len());
    let accuracy = measure(&file, &games, args.limit).map_err(failed_in(&args.file))?;
    print!("{}", accuracy.table());
    Ok(ExitCode::SUCCESS)
}
